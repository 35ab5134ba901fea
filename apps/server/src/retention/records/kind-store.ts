import { type EntityType, REQUEST_KEPT_DAYS } from '@custodia/contract'
import type { RecordStage } from '@custodia/domain'
import { REPORT_KINDS } from '../../devices/reports/store.ts'
import { CLAIMED, CLOCK, HELD_THEN } from '../../held-records/store.ts'
import { RETENTION } from '../../http/context.ts'
import type { Tx } from '../../ports/database/lease.ts'
import { type DependentRows, dependentRows } from './dependent-rows.ts'

/** A kind of records other than payloads; SQL refers to columns of its table. */
export interface StoredKind {
  table: string
  /** Name, if the table has several kinds. */
  name?: string
  /** Action in the account's audit log. */
  action: string
  /** SQL: time of a record, which partitions the table, and its arrival. */
  time: string
  received: string
  /** Order of records within a second, as in the list index. */
  key: string
  key_type: 'bigint' | 'int' | 'text'
  /** SQL: lock order of its writers; null: rows never change, so no lock. */
  locked_by: string | null
  /** SQL: condition for ended records. */
  only?: string
  /** SQL: call that destroys the keys `$1` or leaves tombstones; returns the number. */
  destroyed_by?: string
  /** Only a database function may delete them: it keeps what no policy could expire. */
  is_evidence?: true
  /** Maximum number per transaction, for records with many dependent rows. */
  batch?: number
  /** SQL: named columns of `p` that `subjects` needs. */
  facts: string
  /**
   * SQL: `target_type` and `target` of every subject whose hold keeps record `p` (`payload_time`, `claimed_time`,
   * `payload_end_time`).
   */
  subjects: string
  /** Dependent rows, deleted in the same transaction. */
  with?: DependentRows
}

/** Kinds that follow a policy entry. */
export interface RecordKind extends StoredKind {
  /** The policy entry. */
  follows: Exclude<EntityType, 'Payload'>
  /** Deleted before destruction: its time is that of the deletion, its arrival the creation. */
  is_deleted?: true
  /** Deletes unused entities and resolves to their references; their time is the end of use. Others are destroyed. */
  deletes?: (
    tx: Tx,
    ids: readonly number[],
    by: { updated_at: number; updated_by: string },
  ) => Promise<string[]>
}

/** Kinds with a fixed retention, without a policy. */
export interface SelfExpiringKind extends StoredKind {
  days: number
}

/** Unique name of a kind. */
export const getName = ({ name, table }: StoredKind): string => name ?? table

/** Next stage of a kind, for `decideRecord`. */
export const getStage = ({ deletes, is_deleted }: RecordKind): RecordStage =>
  deletes ? 'ended' : is_deleted ? 'deleted' : 'record'

/** Holder of the record, every holder between its time and its arrival, and users that a waiting device may have. */
const OF_DEVICES = `select 'DeviceUser' as target_type, u.device_user_reference as target from device_users u
  where u.client_id = p.client_id and u.device_user_id in (select p.device_user_id union select d.device_user_id from device_history d
    where d.client_id = p.client_id and d.device_id = p.device_id and ${HELD_THEN} union select c.device_user_id from (${CLAIMED}) c)`

/** Device reports of every kind. */
const REPORTS = REPORT_KINDS.map((kind): RecordKind => {
  const { table, time } = kind.list
  return {
    table,
    follows: 'Device',
    time,
    received: 'received_at',
    key: 'row_id',
    key_type: 'bigint',
    action: kind.destroyed_as,
    locked_by: `device_id, ${kind.reference}, ${time}`,
    facts: 'device_id, device_user_id',
    subjects: OF_DEVICES,
    ...(kind.newest && { with: dependentRows(kind) }),
  }
})

/** Seconds in which an audit entry may still change. */
const ACT = 3600

/** Common fields of audit logs. */
const ACTIVITIES = {
  time: 'activity_time',
  received: 'coalesce(activity_end_time, activity_time)',
  key: 'log_id',
  key_type: 'text',
  locked_by: 'activity_time, log_id',
  is_evidence: true,
} as const

/** SQL: portal users in these columns of a record. */
const portalUsers = (...columns: string[]) =>
  `select 'PortalUser' as target_type, person as target from (values ${columns.map((name) => `(p.${name})`).join(', ')}) n (person)
   where person is not null`

/** SQL: end of a support request; an approval may end earlier. */
const REQUEST_END = 'least(requested_expiry, coalesce(approval_expiry, requested_expiry))'

/** Kinds that retention destroys; sessions before the rows that refer to them. */
export const RECORD_KINDS: readonly RecordKind[] = [
  ...REPORTS,
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
    subjects: `${OF_DEVICES} union ${portalUsers('raised_by')}`,
  },
  {
    table: 'device_activities',
    follows: 'Device',
    ...ACTIVITIES,
    only: `activity_time <= ${CLOCK} - ${ACT}`,
    action: 'retention:destroy_device_activities',
    facts: `device_user_reference, (select d.device_id from devices d
      where d.client_id = device_activities.client_id and d.device_reference = device_activities.device_reference) as device_id, null::int as device_user_id`,
    subjects: `${OF_DEVICES} union select 'DeviceUser', p.device_user_reference where p.device_user_reference is not null`,
  },
  {
    table: 'portal_activities',
    follows: 'PortalUser',
    ...ACTIVITIES,
    // Entries of retention itself stay: no other record proves its acts.
    only: `user_reference <> '${RETENTION}' and activity_time <= ${CLOCK} - ${ACT}`,
    action: 'retention:destroy_activities',
    facts: 'user_reference',
    subjects: portalUsers('user_reference'),
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
    subjects: portalUsers('user_reference'),
  },
  {
    table: 'terms_acceptances',
    follows: 'PortalUser',
    time: 'accepted_at',
    received: 'accepted_at',
    key: 'acceptance_id',
    key_type: 'bigint',
    // A user with a session has accepted the terms.
    only: `not exists (select from portal_sessions s
      where s.client_id = terms_acceptances.client_id and s.user_reference = terms_acceptances.user_reference)`,
    is_evidence: true,
    action: 'retention:destroy_acceptances',
    locked_by: null,
    facts: 'user_reference',
    subjects: portalUsers('user_reference'),
  },
  {
    table: 'support_access',
    follows: 'SupportAccessRequest',
    time: 'requested_at',
    received: `greatest(updated_at, case when approval_state in ('pending', 'approved') then ${REQUEST_END} end)`,
    key: 'request_reference',
    key_type: 'text',
    only: `(approval_state not in ('pending', 'approved') or ${REQUEST_END} <= ${CLOCK})`,
    is_evidence: true,
    action: 'retention:destroy_support_requests',
    locked_by: 'request_reference',
    facts: 'requested_by, approved_by, updated_by',
    subjects: portalUsers('requested_by', 'approved_by', 'updated_by'),
  },
]

/** Kinds with a fixed retention from their end. */
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
    subjects: `${portalUsers('opened_by', 'closed_by')} union select p.subject_type, p.subject where p.subject_type in ('DeviceUser', 'PortalUser')`,
  },
]
