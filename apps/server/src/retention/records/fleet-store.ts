import { lockMigrations } from '../../clients/store.ts'
import { hideDevices } from '../../device-records/store.ts'
import { hideUsers } from '../../device-users/store.ts'
import { HELD_THEN } from '../../held-records/store.ts'
import { STATE_CODES } from '../../payload-records/codes.ts'
import type { Queryable } from '../../ports/database/lease.ts'
import type { DependentRows } from './dependent-rows.ts'
import { RECORD_KINDS, type RecordKind } from './kind-store.ts'

/** SQL: owners of payloads `y` and the holders at recording time. */
const getOwners = (payloads: string) =>
  `select 'DeviceUser' as target_type, u.device_user_reference as target from (${payloads}) y
     join payloads p on p.client_id = y.client_id and p.payload_id = y.payload_id
     join device_users u on u.client_id = p.client_id and u.device_user_id in (select p.device_user_id union select d.device_user_id
       from device_history d where d.client_id = p.client_id and d.device_id = p.device_id and ${HELD_THEN})`

/** Locks against a retry of a run or an import during the deletion. */
const WITH_MIGRATIONS: DependentRows = {
  columns: 'null::int as device_id, null::bigint as key_id',
  before: (tx) => lockMigrations(tx),
  after: async () => undefined,
}

/** Finished runs with their dependent rows. */
const RUN_KINDS: readonly RecordKind[] = [
  {
    table: 'transfer_runs',
    follows: 'Transfer',
    time: 'created_at',
    received: 'completed_at',
    key: 'transfer_id',
    key_type: 'text',
    // Delivery items stay while their payload exists, so that it is not sent again. The last window of a config stays.
    only: `completed_at is not null and not exists (
        select from transfer_items i join payloads y on y.client_id = i.client_id and y.payload_id = i.payload_id
        where i.client_id = transfer_runs.client_id and i.transfer_id = transfer_runs.transfer_id and y.state <> ${STATE_CODES.Destroyed})
      and (exists (select from transfer_runs n where n.client_id = transfer_runs.client_id
          and n.transfer_config_reference = transfer_runs.transfer_config_reference and n.transfer_id > transfer_runs.transfer_id)
        or not exists (select from transfer_configs c where c.client_id = transfer_runs.client_id
          and c.transfer_config_reference = transfer_runs.transfer_config_reference))`,
    destroyed_by: `destroy_runs('Transfer', $1)`,
    action: 'retention:destroy_transfers',
    locked_by: 'transfer_id',
    batch: 20,
    facts: 'transfer_id, updated_by',
    subjects: `select 'PortalUser' as target_type, n.person as target from (
        select p.updated_by as person union select a.attempted_by from transfer_attempts a
        where a.client_id = p.client_id and a.transfer_id = p.transfer_id) n
      union ${getOwners(`select i.client_id, i.payload_id from transfer_items i
        where i.client_id = p.client_id and i.transfer_id = p.transfer_id and i.payload_id is not null`)}`,
  },
  {
    table: 'migration_runs',
    follows: 'Migration',
    time: 'created_at',
    received: 'greatest(migrated_at, signed_off_at, sources_erased_at)',
    key: 'migration_reference',
    key_type: 'text',
    // Excludes runs that wait for sign-off, for erasure of their files, or for a retry.
    only: `migrated_at is not null and (is_dry_run or (signed_off_at is not null and sources_erased_at is not null))
      and not exists (select from migration_runs n where n.client_id = migration_runs.client_id
        and n.retry_of = migration_runs.migration_reference and n.migrated_at is null)`,
    destroyed_by: `destroy_runs('Migration', $1)`,
    action: 'retention:destroy_migrations',
    locked_by: 'migration_reference',
    batch: 20,
    facts: 'migration_reference, created_by, signed_off_by',
    subjects: `select 'PortalUser' as target_type, n.person as target from (values (p.created_by), (p.signed_off_by)) n (person)
        where n.person is not null
      union select 'DeviceUser', r.item from migration_results r
        where r.client_id = p.client_id and r.migration_reference = p.migration_reference and r.kind = 'DeviceUser'
      union ${getOwners(`select r.client_id, r.payload_id from migration_results r
        where r.client_id = p.client_id and r.migration_reference = p.migration_reference and r.payload_id is not null`)}`,
    with: WITH_MIGRATIONS,
  },
]

/** Batch size of deletions, because the audit entry names each reference. */
const ENDED_BATCH = 50

function getReferences(
  q: Queryable,
  noun: 'device' | 'device_user',
  ids: readonly number[],
): Promise<string[]> {
  return q.column<string>(
    `select ${noun}_reference as reference from ${noun}s where client_id = $1 and ${noun}_id = any($2) order by 1`,
    [q.client_id, ids],
  )
}

const isMissingIn = (table: string, column: string, of: string, further = 'true') =>
  `not exists (select from ${table} x where x.client_id = ${of}.client_id and x.${column} = ${of}.${column} and ${further})`

/** SQL: whether no data of a device or user remains. */
const nothingLeft = (of: string, column: string) =>
  [
    isMissingIn('payloads', column, of, `x.state <> ${STATE_CODES.Destroyed}`),
    ...['device_logs', 'gps_points', 'telemetry'].map((table) => isMissingIn(table, column, of)),
  ].join(' and ')

/** Start of a device's existence. */
const DEVICE_SINCE = `coalesce((select min(h.from_at) from device_history h
  where h.client_id = devices.client_id and h.device_id = devices.device_id), 0)`
/** A user has no known start: only a policy that applies to kept data covers users. */
const PERSON_SINCE = '0::bigint'

const HOLDERS = `select 'DeviceUser' as target_type, u.device_user_reference as target from device_users u
  where u.client_id = p.client_id and u.device_user_id in (select p.device_user_id union select d.device_user_id from device_history d
    where d.client_id = p.client_id and d.device_id = p.device_id)`

/** Payloads that may still arrive for a device or user. */
const PENDING = `x.state in (${(['Recorded', 'Uploaded', 'Scanning', 'Failed'] as const).map((state) => STATE_CODES[state]).join(', ')})`

/** Unused devices and users without data; retention deletes them as an administrator does. */
const ENDED_KINDS: readonly RecordKind[] = [
  {
    name: 'devices not in use',
    table: 'devices',
    follows: 'Device',
    time: 'deactivation_date',
    received: DEVICE_SINCE,
    key: 'device_id',
    key_type: 'int',
    // Excludes blocked and waiting devices, which must stay identifiable.
    only: `is_deactivated and deactivation_date is not null and deleted_at is null and blocked_at is null and waiting_since is null
      and ${isMissingIn('payloads', 'device_id', 'devices', PENDING)} and ${isMissingIn('device_commands', 'device_id', 'devices', 'x.completed_at is null')}`,
    deletes: async (tx, ids, by) => {
      await hideDevices(tx, ids, by)
      return getReferences(tx, 'device', ids)
    },
    batch: ENDED_BATCH,
    action: 'retention:delete_devices',
    locked_by: 'device_id',
    facts: 'device_id, device_user_id',
    subjects: HOLDERS,
  },
  {
    name: 'device_users not in use',
    table: 'device_users',
    follows: 'DeviceUser',
    time: 'offboard_date',
    received: PERSON_SINCE,
    key: 'device_user_id',
    key_type: 'int',
    only: `not is_active and offboard_date is not null and deleted_at is null
      and ${isMissingIn('devices', 'device_user_id', 'device_users', 'x.deleted_at is null and (not x.is_deactivated or x.waiting_since is not null)')}
      and not exists (select from devices x where x.client_id = device_users.client_id and x.requested_user_id = device_users.device_user_id
        and x.waiting_since is not null and x.deleted_at is null)
      and ${isMissingIn('payloads', 'device_user_id', 'device_users', PENDING)}`,
    deletes: async (tx, ids, by) => {
      await hideUsers(tx, ids, by)
      return getReferences(tx, 'device_user', ids)
    },
    batch: ENDED_BATCH,
    action: 'retention:delete_device_users',
    locked_by: 'device_user_id',
    facts: 'device_user_reference',
    subjects: `select 'DeviceUser' as target_type, p.device_user_reference as target`,
  },
]

/** Deleted devices and users that become tombstones; users last, because devices refer to them. */
const FLEET_KINDS: readonly RecordKind[] = [
  {
    table: 'devices',
    follows: 'Device',
    is_deleted: true,
    time: 'deleted_at',
    received: DEVICE_SINCE,
    key: 'device_id',
    key_type: 'int',
    // Excludes blocked devices: the server identifies them by these fields.
    only: `deleted_at is not null and destroyed_at is null and blocked_at is null and ${nothingLeft('devices', 'device_id')}
      and ${isMissingIn('device_commands', 'device_id', 'devices')} and ${isMissingIn('device_activities', 'device_reference', 'devices')}`,
    destroyed_by: 'destroy_devices($1)',
    action: 'retention:destroy_devices',
    locked_by: 'device_id',
    facts: 'device_id, device_user_id',
    subjects: HOLDERS,
  },
  {
    table: 'device_users',
    follows: 'DeviceUser',
    is_deleted: true,
    time: 'deleted_at',
    received: PERSON_SINCE,
    key: 'device_user_id',
    key_type: 'int',
    only: `deleted_at is not null and destroyed_at is null and ${nothingLeft('device_users', 'device_user_id')}
      and ${isMissingIn('devices', 'device_user_id', 'device_users', 'x.deleted_at is null')}`,
    destroyed_by: 'destroy_device_users($1)',
    action: 'retention:destroy_device_users',
    locked_by: 'device_user_id',
    facts: 'device_user_reference',
    subjects: `select 'DeviceUser' as target_type, p.device_user_reference as target`,
  },
]

/** All record kinds that retention deletes or destroys, in this order: dependent rows of devices and users first. */
export const RETAINED_KINDS: readonly RecordKind[] = [
  ...RECORD_KINDS,
  ...RUN_KINDS,
  ...ENDED_KINDS,
  ...FLEET_KINDS,
]
