import { decideRecord, type PolicyVersion } from '@custodia/domain'
import { heldPayload, KEEPS } from '../../held-records/store.ts'
import { STATE_CODES } from '../../payload-records/codes.ts'
import type { Queryable } from '../../ports/database/lease.ts'
import { RECORD_KINDS, type RecordKind } from './kind-store.ts'

/** Records of one kind of one person. Times in epoch seconds; null: none expires. */
export interface KeptRecordGroup {
  table: string
  follows: RecordKind['follows']
  count: number
  first_at: number
  last_at: number
  destroy_first: number | null
  destroy_last: number | null
  /** Ended records without an expiry. */
  never: number
  /** Active records, which stay. */
  under_way: number
  held: number
}

export type RecordsOf =
  | { target_type: 'DeviceUser'; target: string; device_user_id: number }
  | { target_type: 'PortalUser'; target: string }

/** SQL: records of a device user; `$2` is their id, `$3` their reference. */
const OF_DEVICE_USER: Readonly<Record<string, string>> = {
  device_logs: 'device_user_id = $2',
  gps_points: 'device_user_id = $2',
  telemetry: 'device_user_id = $2',
  device_commands: `exists (select from device_history d where d.client_id = device_commands.client_id and d.device_id = device_commands.device_id
    and d.device_user_id = $2 and d.from_at <= device_commands.sent_at and (d.to_at is null or d.to_at > device_commands.sent_at))`,
  device_activities: 'device_user_reference = $3',
}
/** SQL: records of a portal user. */
const OF_PORTAL_USER: Readonly<Record<string, string>> = {
  device_commands: 'raised_by = $3',
  portal_activities: 'user_reference = $3',
  portal_sessions: 'user_reference = $3',
  terms_acceptances: 'user_reference = $3',
  support_access: '$3 in (requested_by, approved_by)',
}

/** SQL: a portal user's (`$2`) statements on payloads, by table: their time and condition. */
const STATEMENTS: readonly { table: string; time: string; theirs: string }[] = [
  {
    table: 'payload_comments',
    time: 'raised_at',
    theirs: `(x.raised_by = $2 or x.comment_id in (select v.comment_id from payload_comment_versions v where v.client_id = $1 and v.updated_by = $2))`,
  },
  { table: 'payload_marks', time: 'marked_at', theirs: '$2 in (x.marked_by, x.decided_by)' },
  { table: 'payload_plays', time: 'first_at', theirs: 'x.person = $2' },
  { table: 'payload_receipts', time: 'confirmed_at', theirs: 'x.is_person and x.client_app_user = $2' },
]

/** Like `KeptRecordGroup` for rows that expire with their payload; `never` counts rows of destroyed payloads. */
export type ReportedGroup = Omit<KeptRecordGroup, 'follows'> & { follows: 'Payload' }

/** Counts a portal user's comments, marks and receipts on payloads; empty kinds are omitted. */
export async function countReported(q: Queryable, user_reference: string): Promise<ReportedGroup[]> {
  const groups: ReportedGroup[] = []
  for (const { table, time, theirs } of STATEMENTS) {
    const { rows } = await q.query<Pick<ReportedGroup, 'count' | 'first_at' | 'last_at' | 'never' | 'held'>>(
      `select count(*)::int as count, min(x.${time}) as first_at, max(x.${time}) as last_at,
         count(*) filter (where p.state = ${STATE_CODES.Destroyed})::int as never,
         count(*) filter (where p.state <> ${STATE_CODES.Destroyed} and ${heldPayload('$1')})::int as held
       from ${table} x join payloads p using (client_id, payload_id) where x.client_id = $1 and ${theirs} having count(*) > 0`,
      [q.client_id, user_reference],
    )
    for (const row of rows)
      groups.push({
        table,
        follows: 'Payload',
        ...row,
        destroy_first: null,
        destroy_last: null,
        under_way: 0,
      })
  }
  return groups
}

/** Counts a person's other records by kind, as `decideRecord` says; empty kinds are omitted. */
export async function countKeptRecords(
  q: Queryable,
  versions: readonly PolicyVersion[],
  whose: RecordsOf,
): Promise<KeptRecordGroup[]> {
  const conditions = whose.target_type === 'DeviceUser' ? OF_DEVICE_USER : OF_PORTAL_USER
  const groups: KeptRecordGroup[] = []
  for (const kind of RECORD_KINDS) {
    const mine = conditions[kind.table]
    if (mine === undefined) continue
    const { rows } = await q.query<RecordCount>(countSql(kind, mine), [
      q.client_id,
      whose.target_type === 'DeviceUser' ? whose.device_user_id : null,
      whose.target,
      versions.map(({ at }) => at),
    ])
    const group = countTogether(kind, rows, versions)
    if (group) groups.push(group)
  }
  return groups
}

/** Records between the same two policy versions. */
interface RecordCount {
  is_over: boolean
  count: number
  held: number
  first_at: number
  last_at: number
  /** Arrival time, and the basis of the first and the last record. */
  came_at: number
  from_first: number
  from_last: number
}

/** All records of a span have the same days, so one decision applies to all. */
function countTogether(
  { table, follows }: RecordKind,
  rows: readonly RecordCount[],
  versions: readonly PolicyVersion[],
): KeptRecordGroup | undefined {
  if (rows.length === 0) return undefined
  const over = rows.filter(({ is_over }) => is_over)
  const goes = over.flatMap(({ came_at, from_first, from_last }) => {
    const { goes_at } = decideRecord(
      { follows, recorded_at: came_at, received_at: came_at },
      { versions, holds: [] },
      Number.NaN,
    )
    return goes_at === null ? [] : [from_first, from_last].map((from) => from + goes_at - came_at)
  })
  const sum = (of: readonly RecordCount[], what: 'count' | 'held') =>
    of.reduce((all, row) => all + row[what], 0)
  const never = over.filter(
    ({ came_at }) =>
      decideRecord(
        { follows, recorded_at: came_at, received_at: came_at },
        { versions, holds: [] },
        Number.NaN,
      ).goes_at === null,
  )
  return {
    table,
    follows,
    count: sum(rows, 'count'),
    first_at: Math.min(...rows.map(({ first_at }) => first_at)),
    last_at: Math.max(...rows.map(({ last_at }) => last_at)),
    destroy_first: goes.length > 0 ? Math.min(...goes) : null,
    destroy_last: goes.length > 0 ? Math.max(...goes) : null,
    never: sum(never, 'count'),
    under_way: sum(rows, 'count') - sum(over, 'count'),
    held: sum(rows, 'held'),
  }
}

function countSql(
  { table, time, received, facts, subjects, only = 'true' }: RecordKind,
  mine: string,
): string {
  return `
  with any_held as materialized (select exists (select from legal_holds h where h.client_id = $1 and ${KEEPS}) as is_any),
  mine as materialized (
    select client_id, ${facts}, ${only} as is_over, ${time} as payload_time, ${received} as claimed_time,
      greatest(${time}, ${received}) as payload_end_time from ${table} where client_id = $1 and ${mine} and ($2::int is not null or $3::text is not null))
  select is_over, count(*)::int as count, min(payload_time) as first_at, max(payload_time) as last_at,
    min(least(payload_time, claimed_time)) as came_at, min(payload_end_time) as from_first, max(payload_end_time) as from_last,
    count(*) filter (where (select is_any from any_held) and exists (select from (${subjects}) s
      join legal_holds h on h.client_id = p.client_id and h.target_type = s.target_type and h.target = s.target where ${KEEPS}))::int as held
  from mine p
  group by is_over, (select count(*) from unnest($4::bigint[]) v (at) where v.at < least(p.payload_time, p.claimed_time))`
}
