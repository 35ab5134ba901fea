import { createHash, randomBytes } from 'node:crypto'
import type { Answer, Api } from '@custodia/contract'
import { provedNumber, reportedNumbers } from '@custodia/domain'
import { raiseAlert } from '../../alerts/raise.ts'
import type { AppContext } from '../../app-context.ts'
import { loggedParameters, newLogId } from '../../http/audit.ts'
import type { Context, DeviceCaller } from '../../http/context.ts'
import { Problem } from '../../http/problem.ts'
import { periodicJob } from '../../jobs/kind.ts'
import type { Tx } from '../../ports/database/lease.ts'
import {
  beginClaims,
  endClaims,
  findClientOfCode,
  findOpenClaims,
  insertCode,
  lockDevice,
  lockNumbers,
  markProved,
  purgeCodes,
  repeatClaims,
  getSpelling,
  spendCode,
} from './store.ts'

/** Lifetime of a code in seconds. */
export const CODE_SECONDS = 3600
/** Five bits each: 130 bits. */
const CODE_LENGTH = 26
/** Crockford's base 32 has no ambiguous letters. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

interface VerificationRequest {
  device_id: number
  /** Epoch seconds. */
  now: number
}

/**
 * Issues a code that the device sends to the gateway's number; the gateway's report proves the sender's number. Stores
 * only the SHA-256. Problem: not_found.
 */
export async function issueVerification(tx: Tx, { device_id, now }: VerificationRequest): Promise<string> {
  const code = Array.from(randomBytes(CODE_LENGTH), (byte) => ALPHABET[byte & 31]).join('')
  if (!(await insertCode(tx, hashOfCode(code), { device_id, expires_at: now + CODE_SECONDS })))
    throw new Problem('not_found', { detail: 'no such device' })
  return code
}

/** Normalises and hashes a code; message gateways may change case and add spaces. */
const hashOfCode = (code: string): Buffer =>
  createHash('sha256').update(code.replaceAll(/\s/g, '').toUpperCase()).digest()

const REFUSED = { is_verified: false, verified_until: null } as const

/**
 * Verifies a number by the code in a text message; the code is the credential. Unknown, used and expired codes get the
 * same answer in the same time.
 */
export async function verify(
  ctx: AppContext,
  context: Context,
  body: { phone_number: string; verification_code: string },
): Promise<Answer<Api['verify']>> {
  const started = performance.now()
  const { now } = context
  const code_hash = hashOfCode(body.verification_code)
  const account = await findClientOfCode(ctx.db, code_hash, now)
  const phone_number = plainNumber(body.phone_number)
  if (!account || phone_number === undefined) return REFUSED
  const { client_id } = account
  return ctx.db.write(client_id, async (tx) => {
    const device_id = await spendCode(tx, code_hash, phone_number, now)
    const device = device_id === undefined ? undefined : await lockDevice(tx, device_id)
    if (!device) return REFUSED
    await noteProvedNumber(tx, { device_id: device.device_id, phone_number, now })
    const seconds = (performance.now() - started) / 1000
    await note(ctx, tx, context, { kind: 'device', ...account, ...device }, phone_number, seconds)
    return { is_verified: true, verified_until: now + VERIFIED_SECONDS }
  })
}

/** The call has no caller, so the request wrapper cannot write the device's audit entry. */
async function note(
  ctx: AppContext,
  tx: Tx,
  context: Context,
  caller: DeviceCaller,
  phone_number: string,
  duration: number,
): Promise<void> {
  await ctx.audit.appendWithin(tx, {
    log_id: newLogId(),
    caller,
    ip: context.ip,
    browser: undefined,
    activity_time: context.now,
    activity_end_time: ctx.now(),
    duration,
    action: 'verify',
    is_allowed: true,
    denial_reason: null,
    parameters: loggedParameters({ body: { phone_number } }, []),
    status_code: 200,
    request_id: context.request_id,
  })
}

/** Removes separators from a number; undefined for a text such as an alphanumeric sender. */
export function plainNumber(written: string): string | undefined {
  const plain = written.replaceAll(/[\s().-]/g, '')
  return /^\+?\d{3,15}$/.test(plain) ? plain : undefined
}

/** Seconds for which a proof verifies a number, because numbers change owners. */
export const VERIFIED_SECONDS = 90 * 86_400

interface ReportingDevice {
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
export async function noteReportedNumbers(tx: Tx, reporting: ReportingDevice): Promise<void> {
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
  const phone_number = (await getSpelling(tx, device_id, proved.phone_number)) ?? proved.phone_number
  const numbers = [phone_number]
  await lockNumbers(tx, numbers)
  const open = await findOpenClaims(tx, { device_id, numbers, proved_since: now - VERIFIED_SECONDS })
  const { end, begin } = provedNumber({ device_id, phone_number, open })
  await endClaims(tx, end, now)
  await beginClaims(tx, begin, now)
  await markProved(tx, { device_id, phone_number, now })
}

/** Seconds for which an expired code is kept. */
const KEPT_SECONDS = 30 * 86_400

/** Deletes codes that expired long ago, used or not. */
export const purgeVerifications = periodicJob({
  name: 'verifications.purge',
  every: 3600,
  run: (ctx) => purgeCodes(ctx.db, ctx.now() - KEPT_SECONDS),
})
