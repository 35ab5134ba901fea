import {
  DEVICE_SERVICES,
  type DeviceService,
  type GroupStats,
  type GroupTag,
  type StoredGroup,
  RESERVED_GROUP,
} from '@custodia/contract'
import { clientColumn } from '../clients/store.ts'
import { IS_ACTIVE_DEVICE } from '../device-records/store.ts'
import { getVersion } from '../http/etag.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'

export interface GroupFilter {
  /** Ids within the caller's reach. */
  groups: readonly number[] | 'all'
  /** Part of the reference, of a tag's key or of its value, in any case; empty: all. */
  search: string
  tag_key?: string | undefined
  /** With a key the value of that tag, else of any. */
  tag_value?: string | undefined
}

/** A group as stored, without its stats. */
export interface GroupRecord {
  group_id: number
  group_reference: string
  tags: GroupTag[]
  version: string
}

type ServiceCounts = Partial<Record<DeviceService, { devices: number; active_devices: number }>>
type UserCounts = Partial<Record<DeviceService, { expected_devices: number; users: number }>>
interface GroupRow {
  client: string
  group_reference: string
  tags: GroupTag[]
  device_users: number
  expected_devices: number
  actual_devices: number
  per_user_service: UserCounts | null
  per_device_service: ServiceCounts | null
  updated_at: number
  updated_by: string
}

/** A device that was silent for longer is not active (reading-the-spec: inactivity threshold). */
const ACTIVE_SECONDS = 30 * 86_400

/** Tags are searched in one pass (`in`, not `exists`): an account may have ten thousand groups. */
const FILTER = `g.client_id = $1 and not g.is_reserved and ($2::int[] is null or g.group_id = any($2))
  and ($3 = '' or position(lower($3) in lower(g.group_reference)) > 0 or g.group_id in (
    select t.group_id from group_tags t where t.client_id = $1
      and (position(lower($3) in lower(t.tag_key)) > 0 or position(lower($3) in lower(t.tag_value)) > 0)))
  and (($4::text is null and $5::text is null) or exists (
    select from group_tags t where t.client_id = g.client_id and t.group_id = g.group_id
      and ($4 is null or t.tag_key = $4) and ($5 is null or t.tag_value = $5)))`
const getValues = (client_id: number, { groups, search, tag_key, tag_value }: GroupFilter) => [
  client_id,
  groups === 'all' ? null : groups,
  search,
  tag_key ?? null,
  tag_value ?? null,
]

const TAGS = `coalesce((select jsonb_agg(jsonb_build_object('key', t.tag_key, 'value', t.tag_value) order by t.tag_key, t.tag_value collate "C")
  from group_tags t where t.client_id = g.client_id and t.group_id = g.group_id), '[]')`

/**
 * A device counts for its holder's services, else for its own; offboarded people and devices count for none. Triggers
 * count people and devices; of the devices, only those that were not seen for long are read.
 */
const listSql = (page: string, now: string) => `
  with g as materialized (select * from groups g where ${page}), person as materialized (
    select c.group_id, c.key as service, coalesce(sum(count) filter (where c.kind = 'v'), 0)::int as users,
      coalesce(sum(count) filter (where c.kind = 'e'), 0)::int as expected
    from g join fleet_counts c using (client_id, group_id) where c.kind in ('v', 'e') and c.count > 0 group by c.group_id, c.key
  ), device as materialized (
    select c.kind, c.group_id, c.key as service, c.count from g join fleet_counts c using (client_id, group_id) where c.kind in ('n', 'l')
  ), unseen as materialized (
    select d.group_id, service, count(*) as unseen from g join devices d using (client_id, group_id) cross join unnest(d.granted_services) service
    where ${IS_ACTIVE_DEVICE} and d.deleted_at is null and d.seen_day <= (${now}::bigint - ${ACTIVE_SECONDS}) / 86400
      and coalesce(d.last_seen, 0) <= ${now}::bigint - ${ACTIVE_SECONDS} group by d.group_id, service
  ), u as (
    select group_id, users as device_users, expected as expected_devices from person where service = ''
  ), us as (
    select group_id, jsonb_object_agg(service, jsonb_build_object('expected_devices', expected, 'users', users)) as per_user_service
    from person where service <> '' group by group_id
  ), d as (
    select group_id, count::int as actual_devices from device where kind = 'n'
  ), ds as (
    select group_id, jsonb_object_agg(service, jsonb_build_object('devices', count, 'active_devices', count - coalesce(unseen, 0))) as per_device_service
    from device left join unseen using (group_id, service) where kind = 'l' and count > 0 group by group_id
  )
  select ${clientColumn('g.client_id')}, g.group_reference, ${TAGS} as tags, g.updated_at, g.updated_by,
    coalesce(device_users, 0) as device_users, coalesce(expected_devices, 0) as expected_devices, per_user_service,
    coalesce(actual_devices, 0) as actual_devices, per_device_service
  from g left join u using (group_id) left join us using (group_id) left join d using (group_id) left join ds using (group_id)
  order by g.group_reference`

/** Groups after a reference, in order of their references, with their stats. */
export async function listGroups(
  q: Queryable,
  filter: GroupFilter,
  { after, limit, now }: { after: string; limit: number; now: number },
): Promise<StoredGroup[]> {
  const { rows } = await q.query<GroupRow>(
    listSql(`${FILTER} and g.group_reference > $6 order by g.group_reference limit $7`, '$8'),
    [...getValues(q.client_id, filter), after, limit, now],
    // Prepared, PostgreSQL expects one group and reads each device of every group.
    'unprepared',
  )
  return rows.map(storedGroup)
}

/** How many groups pass the filter. */
export function countGroups(q: Queryable, filter: GroupFilter): Promise<number> {
  return q.count(
    `select count(*)::int as total from groups g where ${FILTER}`,
    getValues(q.client_id, filter),
  )
}

/** The group with its stats, or undefined. */
export async function readStoredGroup(
  q: Queryable,
  group_reference: string,
  now: number,
): Promise<StoredGroup | undefined> {
  const { rows } = await q.query<GroupRow>(
    listSql('g.client_id = $1 and not g.is_reserved and g.group_reference = $2', '$3'),
    [q.client_id, group_reference, now],
  )
  return rows[0] && storedGroup(rows[0])
}

/** References of the tenant's groups with these ids, in order. */
export function namesOfGroups(q: Queryable, ids: readonly number[]): Promise<string[]> {
  return q.column<string>(
    'select group_reference from groups where group_id = any($1) order by group_reference',
    [ids],
  )
}

/**
 * Id, tags and version of a group that is not reserved, or undefined. Within a change the group is locked.
 * @param lock against its deletion, or for it: until the transaction ends, no record gets the group
 */
export async function findGroup(
  q: Queryable,
  group_reference: string,
  lock?: 'for key share' | 'for update',
): Promise<GroupRecord | undefined> {
  const row = await q.row<Omit<GroupRecord, 'version'>>(
    `select g.group_id, g.group_reference, ${TAGS} as tags from groups g
     where g.client_id = $1 and g.group_reference = $2 and not g.is_reserved ${lock ? `${lock} of g` : ''}`,
    [q.client_id, group_reference],
  )
  return row && { ...row, version: groupVersion(row) }
}

/** Adds a group without tags; resolves to its id, or to undefined where there is one of that reference. */
export function insertGroup(
  tx: Tx,
  group_reference: string,
  by: { updated_at: number; updated_by: string },
): Promise<number | undefined> {
  return tx.value<number>(
    `insert into groups (client_id, group_reference, updated_at, updated_by) values ($1, $2, $3, $4)
     on conflict do nothing returning group_id`,
    [tx.client_id, group_reference, by.updated_at, by.updated_by],
  )
}

/** Makes the group of what waits for confirmation, unless there is one. */
export async function reserveGroup(tx: Tx, by: { updated_at: number; updated_by: string }): Promise<void> {
  await tx.query(
    `insert into groups (client_id, group_reference, is_reserved, updated_at, updated_by)
     select $1, $2, true, $3, $4 where not exists (select from groups where client_id = $1 and is_reserved)`,
    [tx.client_id, RESERVED_GROUP, by.updated_at, by.updated_by],
  )
}

/** Replaces the tags of groups. */
export async function replaceTags(
  tx: Tx,
  groups: readonly { group_id: number; tags: readonly GroupTag[] }[],
  by: { updated_at: number; updated_by: string },
): Promise<void> {
  const ids = groups.map(({ group_id }) => group_id)
  const tags = JSON.stringify(
    groups.flatMap(({ group_id, tags: those }) => those.map(({ key, value }) => ({ group_id, key, value }))),
  )
  // Tags that stay are not touched: each change is kept as a version.
  await tx.query(
    `delete from group_tags t where t.client_id = $1 and t.group_id = any($2) and not exists (
       select from jsonb_to_recordset($3::jsonb) as n (group_id int, key text, value text)
       where n.group_id = t.group_id and n.key = t.tag_key collate "C" and n.value = t.tag_value)`,
    [tx.client_id, ids, tags],
  )
  await tx.query(
    `insert into group_tags (client_id, group_id, tag_key, tag_value)
     select $1, group_id, key, value from jsonb_to_recordset($2::jsonb) as n (group_id int, key text, value text)
     on conflict do nothing`,
    [tx.client_id, tags],
  )
  await tx.query(
    'update groups set updated_at = $3, updated_by = $4 where client_id = $1 and group_id = any($2)',
    [tx.client_id, ids, by.updated_at, by.updated_by],
  )
}

export async function removeGroup(tx: Tx, group_id: number): Promise<void> {
  await tx.query('delete from groups where client_id = $1 and group_id = $2', [tx.client_id, group_id])
}

/** What belongs to the group, so that it cannot go. */
export function findUsesOfGroup(q: Queryable, group_id: number): Promise<string[]> {
  const tables = [
    'device_users',
    'devices',
    'device_commands',
    'device_logs',
    'capture_gaps',
    'gps_points',
    'telemetry',
    'payloads',
    'client_apps',
    'account_defaults',
  ]
  return q.column<string>(
    tables
      .map(
        (table) =>
          `select '${table}' as use where exists (select from ${table} where client_id = $1 and group_id = $2)`,
      )
      .join(' union all '),
    [q.client_id, group_id],
  )
}

const groupVersion = ({ group_reference, tags }: Pick<GroupRow, 'group_reference' | 'tags'>) =>
  getVersion([group_reference, tags.map(({ key, value }) => [key, value])])

function storedGroup(row: GroupRow): StoredGroup {
  const { client, group_reference, tags, updated_at, updated_by } = row
  return {
    client,
    group_reference,
    tags,
    stats: getStats(row),
    version: groupVersion(row),
    updated_at,
    updated_by,
  }
}

function getStats(row: GroupRow): GroupStats {
  const { device_users, expected_devices, actual_devices, per_user_service, per_device_service } = row
  const services = DEVICE_SERVICES.map((service) => {
    const { expected_devices: expected = 0, users = 0 } = per_user_service?.[service] ?? {}
    const { devices = 0, active_devices = 0 } = per_device_service?.[service] ?? {}
    return [
      service,
      { used_licenses: devices, expected_devices: expected, active_devices, active_users: users },
    ]
  })
  return {
    device_users,
    expected_devices,
    actual_devices,
    services: Object.fromEntries(services) as GroupStats['services'],
  }
}
