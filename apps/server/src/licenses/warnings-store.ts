import type { DeviceService } from '@custodia/contract'
import type { LicenseLevel } from '@custodia/domain'
import type { Queryable, Tx } from '../ports/database/lease.ts'

/** Last alert level of each service; none after a recovery. */
export async function readWarnings(q: Queryable): Promise<Map<string, LicenseLevel>> {
  const { rows } = await q.query<{ service: string; level: LicenseLevel }>(
    'select service, level from license_warnings where client_id = $1',
    [q.client_id],
    'license_warnings',
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
