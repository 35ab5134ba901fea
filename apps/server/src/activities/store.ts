import { type Total, TOTAL_CAP } from '@custodia/contract'
import { type Bind, binder } from '../ports/database/binder.ts'
import type { Queryable } from '../ports/database/lease.ts'
import type { ActivityFilter } from './filter.ts'
import type { ActivityLog } from './logs.ts'

/** Place of an entry in its log. */
export type ActivityKey = readonly [activity_time: number, log_id: string]

/** Entries looked at by one statement: the first of a request, and each further one. */
const SCANNED_FIRST = 1500
const SCANNED = 20_000
/** Statements of one request. Afterwards its page stays short, and the next one goes on. */
const ROUNDS = 5
/** Counting stops after looking at that many entries; of a folded log, whose entries are looked up beside others, sooner. */
const TOTAL_SCANNED = { plain: 200_000, folded: 20_000 }

export interface ActivityPage<Row> {
  rows: Row[]
  /** Place after the page; absent on the last one. A page may have fewer rows than asked for and still have one. */
  next: ActivityKey | undefined
}

/** Entries behind a place (absent: from the newest), at most `limit`, newest first. */
export async function readActivities<Row extends { activity_time: number; log_id: string }>(
  q: Queryable,
  log: ActivityLog,
  filter: ActivityFilter,
  limit: number,
  from: ActivityKey | undefined,
): Promise<ActivityPage<Row>> {
  // No log_id is before the empty one: nothing of the second `to` itself is behind this place.
  let after: ActivityKey = from ?? [filter.to, '']
  const rows: Row[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const effort = round > 0 ? SCANNED : filter.conditions.length > 0 ? SCANNED_FIRST : limit + 1
    const { text, values } = pageSql(log, filter, after, effort, limit + 1 - rows.length)
    const [step] = (await q.query<Step<Row>>(text, values)).rows
    rows.push(...(step?.rows ?? []))
    if (rows.length > limit) {
      const last = rows[limit - 1] as Row
      return { rows: rows.slice(0, limit), next: [last.activity_time, last.log_id] }
    }
    if (!step?.end_key || step.scanned < effort) return { rows, next: undefined }
    after = step.end_key
  }
  return { rows, next: after }
}

interface Step<Row> {
  scanned: number
  end_key: ActivityKey | null
  rows: Row[]
}

/** How many entries pass the filter, counted up to a limit. */
export async function countActivities(
  q: Queryable,
  log: ActivityLog,
  filter: ActivityFilter,
): Promise<Total> {
  const { bind, values } = binder()
  const most = filter.isFolded ? TOTAL_SCANNED.folded : TOTAL_SCANNED.plain
  const limit = filter.conditions.length > 0 ? most : TOTAL_CAP + 1
  const { rows } = await q.query<{ scanned: number; found: number }>(
    `select count(*)::int as scanned, count(*) filter (where is_match)::int as found
     from (${scanSql(log, filter, [filter.to, ''], limit, bind)}) c`,
    values,
  )
  const { scanned = 0, found = 0 } = rows[0] ?? {}
  if (found > TOTAL_CAP) return { total: TOTAL_CAP, is_capped: true }
  return scanned < limit ? { total: found } : { total: found, is_capped: true }
}

const NEWEST_FIRST = 'order by activity_time desc, log_id desc'

/** Looks at a bounded number of entries and fetches in full only those that match. */
function pageSql(
  log: ActivityLog,
  filter: ActivityFilter,
  after: ActivityKey,
  effort: number,
  limit: number,
): { text: string; values: unknown[] } {
  const { bind, values } = binder()
  const text = `
    with c as materialized (${scanSql(log, filter, after, effort, bind)}),
      f as materialized (select activity_time, log_id from c where is_match ${NEWEST_FIRST} limit ${limit})
    select (select count(*)::int from c) as scanned,
      (select json_build_array(activity_time, log_id) from c order by activity_time, log_id limit 1) as end_key,
      coalesce((select json_agg(r) from (
        select ${log.columns(filter.isFolded)} from f join ${log.table} a on a.log_id = f.log_id and a.activity_time = f.activity_time
        order by f.activity_time desc, f.log_id desc) r), '[]') as rows`
  return { text, values }
}

/** Keys of the next entries behind a place, each with whether it matches. The time stands alone as well: it chooses the partitions. */
function scanSql(
  log: ActivityLog,
  filter: ActivityFilter,
  after: ActivityKey,
  effort: number,
  bind: Bind,
): string {
  const { client_id, from, walked, payload_id, conditions } = filter
  const [time, log_id] = [bind(after[0], 'bigint'), bind(after[1], 'text')]
  const is_match = conditions.map((condition) => condition(bind)).join(' and ') || 'true'
  const client = bind(client_id, 'int')
  const scan = (narrowing: string, tables = `${log.table} a`) => `
    select a.activity_time, a.log_id, ${is_match} as is_match from ${tables}
    where a.client_id = ${client} and a.activity_time >= ${bind(from, 'bigint')} and a.activity_time <= ${time}
      and (a.activity_time, a.log_id) < (${time}, ${log_id}) ${narrowing} ${NEWEST_FIRST} limit ${effort}`
  if (!walked) return scan('')
  const own = `select s.* from unnest(${bind(walked.values, 'text[]')}) as v
    cross join lateral (${scan(`and a.${walked.column} = v`)}) s`
  if (payload_id === undefined) return `${own} ${NEWEST_FIRST} limit ${effort}`
  const payload = `p.client_id = ${client} and p.payload_id = ${bind(payload_id, 'bigint')} and a.payload_reference is null`
  const audit = `payload_audit p join ${log.table} a on a.log_id = p.log_id and a.activity_time = p.at`
  return `select * from (${own} union all (${scan(`and ${payload} and p.at <= ${time}`, audit)})) s ${NEWEST_FIRST} limit ${effort}`
}
