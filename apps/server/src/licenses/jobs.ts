import { DEVICE_SERVICES } from '@custodia/contract'
import { type LicenseLevel, licenseLevel } from '@custodia/domain'
import { type AlertEvent, raiseAlert } from '../alerts/raise.ts'
import { listClients } from '../clients/store.ts'
import { periodicJob } from '../jobs/kind.ts'
import type { Tx } from '../ports/database/lease.ts'
import { lockLimits, readUse, readWarnings, writeWarning } from './store.ts'

/** Raises an alert when licences are nearly used or used up, once until they recover. */
export const watchLicenses = periodicJob({
  name: 'licenses.watch',
  every: 600,
  async run(ctx) {
    for (const { client_id } of await listClients(ctx.db))
      await ctx.db.write(client_id, (tx) => warnOfLicenses(tx, ctx.now()))
  },
})

async function warnOfLicenses(tx: Tx, now: number): Promise<void> {
  // The lock makes parallel watchers raise one alert.
  const { limits } = await lockLimits(tx)
  const used = await readUse(tx)
  const result = await readWarnings(tx)
  for (const service of DEVICE_SERVICES) {
    const level = licenseLevel(used[service], limits[service])
    const before = result.get(service) ?? null
    if (level === before) continue
    await writeWarning(tx, service, level)
    if (level !== null && level > (before ?? 0))
      await alertOn(tx, level, { service, used: String(used[service]), limit: String(limits[service]) }, now)
  }
}

const TEXTS = {
  90: { text: 'licenses_nearly_used', alert_severity: 'Low' },
  100: { text: 'licenses_used_up', alert_severity: 'Medium' },
} as const satisfies Record<LicenseLevel, Pick<AlertEvent, 'text' | 'alert_severity'>>

/** The client can free licences; the provider can add some. */
const alertOn = (
  tx: Tx,
  level: LicenseLevel,
  values: Record<'service' | 'used' | 'limit', string>,
  now: number,
) =>
  raiseAlert(tx, {
    ...TEXTS[level],
    alert_type: 'AccountAlert',
    alert_scopes: ['ops'],
    alert_targets: ['client', 'admin'],
    alert_key: `licenses ${level} ${values.service}`,
    values,
    now,
  })
