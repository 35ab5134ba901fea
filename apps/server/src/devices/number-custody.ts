import { provedNumber, reportedNumbers } from '@custodia/domain'
import { raiseAlert } from '../alerts/raise.ts'
import type { Tx } from '../ports/database/lease.ts'
import {
  beginClaims,
  endClaims,
  findOpenClaims,
  lockNumbers,
  markProved,
  repeatClaims,
  spellingOf,
} from './number-custody-store.ts'

/** Removes separators from a number; undefined for a text such as an alphanumeric sender. */
export function plainNumber(written: string): string | undefined {
  const plain = written.replaceAll(/[\s().-]/g, '')
  return /^\+?\d{3,15}$/.test(plain) ? plain : undefined
}

/** Seconds for which a proof verifies a number, because numbers change owners. */
export const VERIFIED_SECONDS = 90 * 86_400

interface Reporting {
  device_id: number
  device_reference: string
  group_id: number
  /** Whether the device waits for confirmation. */
  is_waiting: boolean
  /** As reported, by SIM slot. */
  phone_numbers: readonly string[]
  /** Epoch seconds. */
  now: number
}

/** Stores the numbers that a device reports. A number that another device has raises one alert. */
export async function noteReportedNumbers(tx: Tx, reporting: Reporting): Promise<void> {
  const { device_id, device_reference, group_id, is_waiting, now } = reporting
  const reported = [...new Set(reporting.phone_numbers.map((each) => plainNumber(each) ?? each.trim()))]
  await lockNumbers(tx, reported)
  const open = await findOpenClaims(tx, {
    device_id,
    numbers: reported,
    proved_since: now - VERIFIED_SECONDS,
  })
  const change = reportedNumbers({ device_id, is_waiting, reported, open })
  await repeatClaims(tx, change.repeat, now)
  await endClaims(tx, change.end, now)
  await beginClaims(tx, change.begin, now)
  // A waiting device already raises a graver alert.
  for (const phone_number of is_waiting ? [] : change.contested)
    await raiseAlert(tx, {
      alert_type: 'DeviceAlert',
      alert_scopes: ['sec'],
      alert_targets: ['client'],
      alert_key_type: 'Scoped',
      alert_key: `number twice ${device_reference} ${phone_number}`,
      text: 'number_twice',
      values: { device_reference, phone_number },
      alert_severity: 'Medium',
      related_entities: [{ entity_id: device_reference, entity_type: 'Device' }],
      group_id,
      now,
    })
}

/** Stores that a text message came from a number: the only proof of a number. */
export async function noteProvedNumber(
  tx: Tx,
  proved: { device_id: number; phone_number: string; now: number },
): Promise<void> {
  const { device_id, now } = proved
  // Gateways omit the plus; the device's own spelling stays.
  const phone_number = (await spellingOf(tx, device_id, proved.phone_number)) ?? proved.phone_number
  const numbers = [phone_number]
  await lockNumbers(tx, numbers)
  const open = await findOpenClaims(tx, { device_id, numbers, proved_since: now - VERIFIED_SECONDS })
  const { end, begin } = provedNumber({ device_id, phone_number, open })
  await endClaims(tx, end, now)
  await beginClaims(tx, begin, now)
  await markProved(tx, { device_id, phone_number, now })
}
