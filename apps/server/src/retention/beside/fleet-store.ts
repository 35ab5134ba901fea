import { STATE_CODES } from '../../payloads/codes.ts'
import { RECORD_KINDS, type RecordKind } from './kind-store.ts'

const noneOf = (table: string, column: string, of: string, further = 'true') =>
  `not exists (select from ${table} x where x.client_id = ${of}.client_id and x.${column} = ${of}.${column} and ${further})`

/** SQL: whether nothing is left of a phone, or a person, that has its own end. */
const nothingLeft = (of: string, column: string) =>
  [
    noneOf('payloads', column, of, `x.state <> ${STATE_CODES.Destroyed}`),
    ...['device_logs', 'gps_points', 'telemetry'].map((table) => noneOf(table, column, of)),
  ].join(' and ')

/** Phones and people that were deleted, and of which a tombstone stays; people last, for phones name them. */
const FLEET_KINDS: readonly RecordKind[] = [
  {
    table: 'devices',
    follows: 'Device',
    is_deleted: true,
    time: 'deleted_at',
    received: `coalesce((select min(h.from_at) from device_history h
      where h.client_id = devices.client_id and h.device_id = devices.device_id), 0)`,
    key: 'device_id',
    key_type: 'int',
    // One that is blocked is recognised by what would go.
    only: `deleted_at is not null and destroyed_at is null and blocked_at is null and ${nothingLeft('devices', 'device_id')}
      and ${noneOf('device_commands', 'device_id', 'devices')} and ${noneOf('device_activities', 'device_reference', 'devices')}`,
    destroyed_by: 'destroy_devices',
    action: 'retention:destroy_devices',
    locked_by: 'device_id',
    facts: 'device_id, device_user_id',
    subjects: `select 'DeviceUser' as target_type, u.device_user_reference as target from device_users u
      where u.client_id = p.client_id and u.device_user_id in (select p.device_user_id union select d.device_user_id from device_history d
        where d.client_id = p.client_id and d.device_id = p.device_id)`,
  },
  {
    table: 'device_users',
    follows: 'DeviceUser',
    is_deleted: true,
    time: 'deleted_at',
    // No row says since when they are there: only a policy that was saved as counting for what is kept concerns them.
    received: '0::bigint',
    key: 'device_user_id',
    key_type: 'int',
    only: `deleted_at is not null and destroyed_at is null and ${nothingLeft('device_users', 'device_user_id')}
      and ${noneOf('devices', 'device_user_id', 'device_users', 'x.deleted_at is null')}`,
    destroyed_by: 'destroy_device_users',
    action: 'retention:destroy_device_users',
    locked_by: 'device_user_id',
    facts: 'device_user_reference',
    subjects: `select 'DeviceUser' as target_type, p.device_user_reference as target`,
  },
]

/** Everything beside payloads that retention destroys, in this order: what hangs on phones and people before them. */
export const DESTROYED_KINDS: readonly RecordKind[] = [...RECORD_KINDS, ...FLEET_KINDS]
