import { DEVICE_SERVICES, type DeviceService, type LicenseLimits } from '@custodia/contract'
import type { LicenseLevel } from '@custodia/domain'
import { IS_ACTIVE_DEVICE } from '../device-records/store.ts'
import { getVersion } from '../http/etag.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'

/** Limits of a client as last set. */
export interface StoredLimits {
  limits: LicenseLimits
  version: string
  updated_at: number | null
  updated_by: string | null
}

/** Limits of a client; a missing service has none. Runs in the client's tenant. */
export async function readLimits(q: Queryable): Promise<StoredLimits> {
  const row = await q.row<{ limits: Partial<LicenseLimits>; updated_at: number; updated_by: string }>(
    'select limits, updated_at, updated_by from client_licenses where client_id = $1',
    [q.client_id],
  )
  const limits = forEachService((service) => row?.limits[service] ?? 0)
  return {
    limits,
    version: getVersion(limits),
    updated_at: row?.updated_at ?? null,
    updated_by: row?.updated_by ?? null,
  }
}

/** As `readLimits`, with a lock against changes until the transaction ends. */
export async function lockLimits(tx: Tx): Promise<StoredLimits> {
  // An advisory lock per client, because there may be no row yet.
  await tx.query(`select pg_advisory_xact_lock(hashtext('client_licenses'), $1)`, [tx.client_id])
  return readLimits(tx)
}

/** Who sets limits, and when (epoch seconds). */
interface Change {
  now: number
  by: string
}

const INSERT =
  'insert into client_licenses (client_id, limits, updated_at, updated_by) values ($1, $2, $3, $4)'

export async function writeLimits(tx: Tx, limits: LicenseLimits, { now, by }: Change): Promise<void> {
  await tx.query(
    `${INSERT} on conflict (client_id) do update
     set limits = excluded.limits, updated_at = excluded.updated_at, updated_by = excluded.updated_by`,
    [tx.client_id, JSON.stringify(limits), now, by],
  )
}

/** Sets limits unless the client has some. */
export async function writeLimitsIfNone(tx: Tx, limits: LicenseLimits, { now, by }: Change): Promise<void> {
  await tx.query(`${INSERT} on conflict do nothing`, [tx.client_id, JSON.stringify(limits), now, by])
}

// Triggers maintain the services that each device received, and their counts.
const USED = `
  select key as service, (sum(count) - (select count(*) from devices d
    where d.client_id = $1 and d.device_id = $2 and ${IS_ACTIVE_DEVICE} and f.key = any(d.granted_services)))::int as used
  from fleet_counts f where client_id = $1 and kind = 'l' group by key`

/**
 * Active devices per service. Runs in the client's tenant.
 * @param except a device to leave out
 */
export async function readUse(q: Queryable, except: number | null = null): Promise<LicenseLimits> {
  const { rows } = await q.query<{ service: string; used: number }>(USED, [q.client_id, except])
  const used = new Map(rows.map((row) => [row.service, row.used]))
  return forEachService((service) => used.get(service) ?? 0)
}

/** A number for each service. */
export function forEachService(figure: (service: DeviceService) => number): LicenseLimits {
  return Object.fromEntries(DEVICE_SERVICES.map((service) => [service, figure(service)])) as LicenseLimits
}

/** Last alert level of each service; none after a recovery. */
export async function readWarnings(q: Queryable): Promise<Map<string, LicenseLevel>> {
  const { rows } = await q.query<{ service: string; level: LicenseLevel }>(
    'select service, level from license_warnings where client_id = $1',
    [q.client_id],
  )
  return new Map(rows.map(({ service, level }) => [service, level]))
}

/** Stores the current level; null: below the threshold. */
export async function writeWarning(
  tx: Tx,
  service: DeviceService,
  level: LicenseLevel | null,
): Promise<void> {
  await tx.query(
    level === null
      ? 'delete from license_warnings where client_id = $1 and service = $2'
      : `insert into license_warnings (client_id, service, level) values ($1, $2, $3)
         on conflict (client_id, service) do update set level = excluded.level`,
    level === null ? [tx.client_id, service] : [tx.client_id, service, level],
  )
}
