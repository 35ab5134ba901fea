import { raiseAlert } from '../alerts/raise.ts'
import { lockLimits, readUse } from '../licenses/store.ts'
import type { Tx } from '../ports/database/lease.ts'
import { type Holder, type KnownDevice, readServices } from '../device-records/store.ts'

/** Services that the licences allow: those of the holder, else of the device. */
export const grantedServices = async (
  tx: Tx,
  { device_user_id }: Pick<Holder, 'device_user_id'>,
  known: KnownDevice | undefined,
): Promise<string[]> => (device_user_id === null ? (known?.services ?? []) : readServices(tx, device_user_id))

interface Authenticating {
  device_reference: string
  /** The device before this authentication. */
  known: KnownDevice | undefined
  holder: Holder
  granted: readonly string[]
  now: number
}

/**
 * Services without a free licence on activation or change of holder; raises an AccountAlert. A service in use is never
 * removed.
 */
export async function unlicensedServices(
  tx: Tx,
  { device_reference, known, holder, granted, now }: Authenticating,
): Promise<string[]> {
  const isActive = known !== undefined && known.activated_at !== null && !known.is_deactivated
  const before = isActive ? (await grantedServices(tx, known, known)).filter(isLicensedFor(known)) : []
  const begins = granted.filter((service) => !before.includes(service))
  if (begins.length === 0) return []
  const { limits } = await lockLimits(tx)
  const used = await readUse(tx, known?.device_id)
  const over = begins.filter((service) => {
    const of = service as keyof typeof limits
    return used[of] >= limits[of]
  })
  // An unchanged shortage raises no new alert.
  const isNews = over.some((service) => !isActive || !known.unlicensed_services.includes(service))
  if (isNews) await alertOnShortage(tx, { device_reference, services: over, group_id: holder.group_id, now })
  return over
}

const isLicensedFor =
  ({ unlicensed_services }: KnownDevice) =>
  (service: string) =>
    !unlicensed_services.includes(service)

const alertOnShortage = (
  tx: Tx,
  what: { device_reference: string; services: readonly string[]; group_id: number; now: number },
): Promise<void> =>
  raiseAlert(tx, {
    alert_type: 'AccountAlert',
    alert_scopes: ['ops'],
    alert_targets: ['client'],
    alert_key_type: 'Scoped',
    alert_key: 'licenses short',
    text: 'licenses_short',
    values: { device_reference: what.device_reference, services: what.services.join(', ') },
    alert_severity: 'Medium',
    related_entities: [{ entity_id: what.device_reference, entity_type: 'Device' }],
    group_id: what.group_id,
    now: what.now,
  })
