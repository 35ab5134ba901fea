import { type EntityType, REQUEST_KEPT_DAYS } from '@custodia/contract'
import type { RecordStage } from '@custodia/domain'
import { RETENTION } from '../../http/context.ts'
import { CLOCK, HELD_THEN } from '../../held-records/store.ts'
import type { Tx } from '../../ports/database/lease.ts'
import { type DependentRows, WITH_POSITIONS, WITH_TELEMETRY } from './dependent-rows.ts'

/** Records that stand beside payloads and go some time; SQL speaks of columns of their table. */
export interface StoredKind {
  table: string
  /** What tells it from another kind of its table. */
  name?: string
  /** What deleting or destroying them is called in the account's log. */
  action: string
  /** SQL: when a record was, by which its table is read and partitioned, and when it came. */
  time: string
  received: string
  /** What tells records of the same second apart, in the order of the index of the lists. */
  key: string
  key_type: 'bigint' | 'int' | 'text'
  /** SQL: the order in which its writers lock rows; null: what nobody changes is not locked. */
  locked_by: string | null
  /** SQL: further, what of it can go at all: what is over. */
  only?: string
  /** SQL: the call of what takes the keys `$1` to their end, or leaves tombstones of them, resolving to how many. */
  destroyed_by?: string
  /** The application may remove none: a function does, which keeps what no policy that there was could let go. */
  is_evidence?: true
  /** How many at most go in one transaction, where much hangs on each. */
  batch?: number
  /** SQL: further columns that `subjects` asks of `p`, each with its name. */
  facts: string
  /** SQL: `target_type` and `target` of everybody by whom a record `p` could be held, who has `payload_time`, `claimed_time` and `payload_end_time`. */
  subjects: string
  /** What hangs on records that go, in their transaction. */
  with?: DependentRows
}

/** Those that go by the entry of something else. */
export interface RecordKind extends StoredKind {
  /** Whose entry counts. */
  follows: Exclude<EntityType, 'Payload'>
  /** What is deleted before it is destroyed: its time is when it was, and it came when it was there first. */
  is_deleted?: true
  /**
   * Deletes what is not in use any more, whose time is when its use ended, and resolves to the references; it came when it was there first. What is
   * not deleted so is destroyed.
   */
  deletes?: (
    tx: Tx,
    ids: readonly number[],
    by: { updated_at: number; updated_by: string },
  ) => Promise<string[]>
}

/** Those that no policy is about, and that go after days of their own. */
export interface SelfExpiringKind extends StoredKind {
  days: number
}

/** By what a kind is told from all others. */
export const nameOf = ({ name, table }: StoredKind): string => name ?? table

/** What becomes of records of a kind next, as `decideRecord` asks. */
export const stageOf = ({ deletes, is_deleted }: RecordKind): RecordStage =>
  deletes ? 'ended' : is_deleted ? 'deleted' : 'record'

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

/** Seconds within which the end of an act may still be noted in its entry. */
const ACT = 3600

/** What all logs of activity have alike. */
const ACTIVITIES = {
  time: 'activity_time',
  received: 'coalesce(activity_end_time, activity_time)',
  key: 'log_id',
  key_type: 'text',
  locked_by: 'activity_time, log_id',
  is_evidence: true,
} as const

/** SQL: everybody in the portal whom a record names, by its columns. */
const people = (...columns: string[]) =>
  `select 'PortalUser' as target_type, person as target from (values ${columns.map((name) => `(p.${name})`).join(', ')}) n (person)
   where person is not null`

/** SQL: when a request for support was over; approved ones end earlier at times. */
const ASKED_UNTIL = 'least(requested_expiry, coalesce(approval_expiry, requested_expiry))'

/** Every kind that retention destroys; sessions before what waits for them. */
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
  {
    table: 'device_commands',
    follows: 'Device',
    time: 'sent_at',
    received: 'completed_at',
    key: 'command_reference',
    key_type: 'text',
    only: 'completed_at is not null',
    is_evidence: true,
    action: 'retention:destroy_commands',
    locked_by: 'command_reference',
    facts: 'device_id, null::int as device_user_id, raised_by',
    subjects: `${OF_PHONES} union ${people('raised_by')}`,
  },
  {
    table: 'device_activities',
    follows: 'Device',
    ...ACTIVITIES,
    only: `activity_time <= ${CLOCK} - ${ACT}`,
    action: 'retention:destroy_device_activities',
    facts: `device_user_reference, (select d.device_id from devices d
      where d.client_id = device_activities.client_id and d.device_reference = device_activities.device_reference) as device_id, null::int as device_user_id`,
    subjects: `${OF_PHONES} union select 'DeviceUser', p.device_user_reference where p.device_user_reference is not null`,
  },
  {
    table: 'portal_activities',
    follows: 'PortalUser',
    ...ACTIVITIES,
    // What retention did is told for good: nothing else says that it was let.
    only: `user_reference <> '${RETENTION}' and activity_time <= ${CLOCK} - ${ACT}`,
    action: 'retention:destroy_activities',
    facts: 'user_reference',
    subjects: people('user_reference'),
  },
  {
    table: 'portal_sessions',
    follows: 'PortalUser',
    time: 'created_at',
    received: 'greatest(created_at, rotated_at, coalesce(ended_at, expires_at))',
    key: 'session_id',
    key_type: 'text',
    only: `(ended_at is not null or expires_at <= ${CLOCK})`,
    action: 'retention:destroy_sessions',
    locked_by: 'session_id',
    facts: 'user_reference',
    subjects: people('user_reference'),
  },
  {
    table: 'terms_acceptances',
    follows: 'PortalUser',
    time: 'accepted_at',
    received: 'accepted_at',
    key: 'acceptance_id',
    key_type: 'bigint',
    // Whoever still comes, or came, has accepted them.
    only: `not exists (select from portal_sessions s
      where s.client_id = terms_acceptances.client_id and s.user_reference = terms_acceptances.user_reference)`,
    is_evidence: true,
    action: 'retention:destroy_acceptances',
    locked_by: null,
    facts: 'user_reference',
    subjects: people('user_reference'),
  },
  {
    table: 'support_access',
    follows: 'SupportAccessRequest',
    time: 'requested_at',
    received: `greatest(updated_at, case when approval_state in ('pending', 'approved') then ${ASKED_UNTIL} end)`,
    key: 'request_reference',
    key_type: 'text',
    only: `(approval_state not in ('pending', 'approved') or ${ASKED_UNTIL} <= ${CLOCK})`,
    is_evidence: true,
    action: 'retention:destroy_support_requests',
    locked_by: 'request_reference',
    facts: 'requested_by, approved_by, updated_by',
    subjects: people('requested_by', 'approved_by', 'updated_by'),
  },
]

/** What goes after days of its own, counted from its end. */
export const SELF_EXPIRING_KINDS: readonly SelfExpiringKind[] = [
  {
    table: 'data_requests',
    days: REQUEST_KEPT_DAYS,
    time: 'closed_at',
    received: 'closed_at',
    key: 'data_request_id',
    key_type: 'text',
    only: 'closed_at is not null',
    destroyed_by: 'destroy_data_requests($1)',
    action: 'retention:destroy_data_requests',
    locked_by: 'data_request_id',
    facts: 'subject_type, subject, opened_by, closed_by',
    subjects: `${people('opened_by', 'closed_by')} union select p.subject_type, p.subject where p.subject_type in ('DeviceUser', 'PortalUser')`,
  },
]
