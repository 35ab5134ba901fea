import type { Dashboard } from '@custodia/contract'
import type { Queryable } from '../ports/database/lease.ts'

type FleetCounts = Omit<Dashboard, 'last_visit_at'>

/** Distinct versions shown; more would be a list, not a picture. */
const VERSIONS = 20

/**
 * Counts devices and device users of some groups, or all. A device is pending until it has authenticated once; a device
 * user without phone yet still counts.
 */
export async function readFleetCounts(q: Queryable, groups: readonly number[] | 'all'): Promise<FleetCounts> {
  const within = groups === 'all' ? null : groups
  const { rows } = await q.query<{ counts: Omit<FleetCounts, 'app_versions' | 'os_versions'> }>(
    FLEET,
    [within],
    'fleet_counts',
  )
  const app_versions = await q.query<{ version: string; count: number }>(versionsOf('app_version'), [
    within,
    VERSIONS,
  ])
  const os_versions = await q.query<{ version: string; count: number }>(versionsOf('os_version'), [
    within,
    VERSIONS,
  ])
  const [row] = rows
  if (!row) throw new Error('an aggregate without row')
  return { ...row.counts, app_versions: app_versions.rows, os_versions: os_versions.rows }
}

const WITHIN = '($1::int[] is null or group_id = any($1))'

const FLEET = `
  with d as (
    select is_deactivated, is_legacy, activated_at is null as is_pending from devices where ${WITHIN} and deleted_at is null
  ), u as (
    select is_active, is_legacy from device_users where ${WITHIN} and deleted_at is null
  )
  select jsonb_build_object(
    'devices', (select jsonb_build_object(
      'activated', count(*) filter (where not is_legacy and not is_deactivated and not is_pending),
      'pending', count(*) filter (where not is_legacy and not is_deactivated and is_pending),
      'deactivated', count(*) filter (where not is_legacy and is_deactivated),
      'legacyActivated', count(*) filter (where is_legacy and not is_deactivated),
      'legacyDeactivated', count(*) filter (where is_legacy and is_deactivated)) from d),
    'device_users', (select jsonb_build_object(
      'onboarded', count(*) filter (where is_active and not is_legacy),
      'offboarded', count(*) filter (where not is_active and not is_legacy),
      'legacyOnboarded', count(*) filter (where is_active and is_legacy),
      'legacyOffboarded', count(*) filter (where not is_active and is_legacy)) from u)
  ) as counts`

/** Versions on active devices, the most frequent first. */
const versionsOf = (column: 'app_version' | 'os_version') => `
  select ${column} as version, count(*)::int as count from devices
  where ${WITHIN} and ${column} is not null and not is_deactivated
  group by ${column} order by count(*) desc, ${column} collate "C" limit $2`
