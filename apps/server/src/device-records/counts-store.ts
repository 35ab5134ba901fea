import type { Dashboard } from '@custodia/contract'
import type { Queryable } from '../ports/database/lease.ts'

type FleetCounts = Pick<Dashboard, 'devices' | 'device_users' | 'silences' | 'app_versions' | 'os_versions'>

/** Maximum number of versions in the chart. */
const VERSIONS = 20

const NOTHING: Pick<FleetCounts, 'devices' | 'device_users' | 'silences'> = {
  devices: { activated: 0, pending: 0, deactivated: 0, legacyActivated: 0, legacyDeactivated: 0 },
  device_users: { onboarded: 0, offboarded: 0, legacyOnboarded: 0, legacyOffboarded: 0 },
  silences: { silent: 0, long_silent: 0, silent_but_alive: 0 },
}

/**
 * Counts devices and users of some groups, or all. A device is pending until its first authentication. Triggers
 * maintain the counts.
 */
export async function readFleetCounts(q: Queryable, groups: readonly number[] | 'all'): Promise<FleetCounts> {
  const { rows } = await q.query<{ kind: string; key: string; count: number }>(
    `select kind, key, sum(count)::int as count from fleet_counts
     where client_id = $1 and kind = any('{d,u,a,o,s}') ${groups === 'all' ? '' : 'and group_id = any($2)'}
     group by kind, key having sum(count) <> 0 order by 3 desc, key`,
    groups === 'all' ? [q.client_id] : [q.client_id, groups],
  )
  const ofKind = (kind: string) => rows.filter((row) => row.kind === kind)
  const counts = (kind: string) => Object.fromEntries(ofKind(kind).map(({ key, count }) => [key, count]))
  const versions = (kind: string) =>
    ofKind(kind)
      .slice(0, VERSIONS)
      .map(({ key, count }) => ({ version: key, count }))
  return {
    devices: { ...NOTHING.devices, ...counts('d') },
    device_users: { ...NOTHING.device_users, ...counts('u') },
    silences: { ...NOTHING.silences, ...counts('s') },
    app_versions: versions('a'),
    os_versions: versions('o'),
  }
}

/** Counts devices (`d`) or users (`u`) of some groups, or all, without deleted ones. */
export function countFleet(
  q: Queryable,
  kind: 'd' | 'u',
  groups: readonly number[] | 'all',
): Promise<number> {
  return q.count(
    `select coalesce(sum(count), 0)::int as total from fleet_counts
     where client_id = $1 and kind = $2 ${groups === 'all' ? '' : 'and group_id = any($3)'}`,
    groups === 'all' ? [q.client_id, kind] : [q.client_id, kind, groups],
  )
}
