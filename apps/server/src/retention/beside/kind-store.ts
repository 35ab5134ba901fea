import type { EntityType } from '@custodia/contract'
import { HELD_THEN } from '../../legal-holds/store.ts'
import { type Companion, WITH_POSITIONS, WITH_TELEMETRY } from './companions.ts'

/** Records that stand beside payloads and go by the entry of something else; SQL speaks of columns of their table. */
export interface RecordKind {
  table: string
  /** Whose entry counts. */
  follows: Exclude<EntityType, 'Payload'>
  /** What destroying them is called in the account's log. */
  action: string
  /** SQL: when a record was, by which its table is read and partitioned, and when it came. */
  time: string
  received: string
  /** What tells records of the same second apart, in the order of the index of the lists. */
  key: string
  key_type: 'bigint' | 'text'
  /** SQL: the order in which its writers lock rows. */
  locked_by: string
  /** SQL: further columns that `subjects` asks of `p`, each with its name. */
  facts: string
  /** SQL: `target_type` and `target` of everybody by whom a record `p` could be held, who has `payload_time`, `claimed_time` and `payload_end_time`. */
  subjects: string
  /** What hangs on records that go, in their transaction. */
  with?: Companion
}

/** Whose a record of a phone is, and who held the phone at any time between when it was and when it came. */
const OF_PHONES = `select 'DeviceUser' as target_type, u.device_user_reference as target from device_users u
  where u.client_id = p.client_id and u.device_user_id in (select p.device_user_id union select d.device_user_id from device_history d
    where d.client_id = p.client_id and d.device_id = p.device_id and ${HELD_THEN})`

/** What all reports of phones have alike. */
const REPORTS = {
  follows: 'Device',
  received: 'received_at',
  key: 'row_id',
  key_type: 'bigint',
  facts: 'device_id, device_user_id',
  subjects: OF_PHONES,
} as const

/** Every kind that retention destroys. */
export const RECORD_KINDS: readonly RecordKind[] = [
  {
    table: 'device_logs',
    time: 'log_datetime',
    ...REPORTS,
    action: 'retention:destroy_logs',
    locked_by: 'device_id, log_id, log_datetime',
  },
  {
    table: 'gps_points',
    time: 'timestamp',
    ...REPORTS,
    action: 'retention:destroy_positions',
    locked_by: 'device_id, gps_reference, timestamp',
    with: WITH_POSITIONS,
  },
  {
    table: 'telemetry',
    time: 'telemetry_time',
    ...REPORTS,
    action: 'retention:destroy_telemetry',
    locked_by: 'device_id, telemetry_id, telemetry_time',
    with: WITH_TELEMETRY,
  },
]
