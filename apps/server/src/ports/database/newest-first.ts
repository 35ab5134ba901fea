import { type Total, TOTAL_CAP } from '@custodia/contract'
import { type Bind, binder } from './binder.ts'
import type { Queryable } from './lease.ts'

/** A big table that is read newest first, as a statement knows it. */
export interface TimeOrdered {
  /** Called `r` in all that follows. */
  table: string
  /** Its time in epoch seconds, and what tells rows of the same second apart; both stand in every index that is walked. */
  time: string
  id: string
  id_type: 'text' | 'bigint'
  /** What a row holds, of `r` and of what `joins` adds. */
  columns: string
  joins?: string
}

/** Which rows are wanted. */
export interface WantedRows {
  /** Epoch seconds, inclusive. */
  from: number
  /** Epoch seconds, exclusive. */
  to: number
  /** A column that stands before the time in an index: rows are looked for once per value. */
  walked?: { column: string; cast: string; values: readonly (number | string)[] } | undefined
  /** Conditions on a row `r`, all of which must hold; the dearest last. */
  conditions: readonly ((bind: Bind) => string)[]
}

/** Place of a row. */
export type TimeKey = readonly [time: number, id: string | number]

export interface RowsPage<Row> {
  rows: Row[]
  /** Place after the page; absent on the last one. A page may have fewer rows than asked for and still have one. */
  next: TimeKey | undefined
}

/** Index entries looked at by the first statement of a request, by each further one, and how many statements there are. */
const SCANNED_FIRST = 1500
const SCANNED = 20_000
const ROUNDS = 5
/** Counting stops after looking at that many entries. */
const TOTAL_SCANNED = 200_000

/**
 * Rows behind a place (absent: from the newest), at most `limit`. The work of a request is bounded however rarely a row matches: then its
 * page stays short, and the next one goes on.
 */
export async function readNewest<Row>(
  q: Queryable,
  of: TimeOrdered,
  wanted: WantedRows,
  limit: number,
  from: TimeKey | undefined,
): Promise<RowsPage<Row>> {
  // No id is before the smallest one: nothing of the second `to` itself is behind this place.
  let after: TimeKey = from ?? [wanted.to, of.id_type === 'text' ? '' : 0]
  const rows: Row[] = []
  const keys: TimeKey[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const effort = effortOf(wanted, limit, round)
    const { text, values } = pageSql(q, of, wanted, after, effort, limit + 1 - rows.length)
    const [step] = (await q.query<Step<Row>>(text, values)).rows
    if (!step) break
    rows.push(...step.rows)
    keys.push(...step.keys)
    if (rows.length > limit) return { rows: rows.slice(0, limit), next: keys[limit - 1] }
    if (!step.end_key || step.scanned < effort) return { rows, next: undefined }
    after = step.end_key
  }
  return { rows, next: after }
}

/** How many rows are wanted, counted up to a limit. */
export async function countNewest(q: Queryable, of: TimeOrdered, wanted: WantedRows): Promise<Total> {
  const limit = wanted.conditions.length > 0 ? TOTAL_SCANNED : TOTAL_CAP + 1
  const { bind, values } = binder()
  const scan = scanSql(q, of, wanted, [wanted.to, of.id_type === 'text' ? '' : 0], limit, bind)
  const { rows } = await q.query<{ scanned: number; found: number }>(
    `select count(*)::int as scanned, count(*) filter (where is_match)::int as found from (${scan}) c`,
    values,
  )
  const { scanned = 0, found = 0 } = rows[0] ?? {}
  if (found > TOTAL_CAP) return { total: TOTAL_CAP, is_capped: true }
  return scanned < limit ? { total: found } : { total: found, is_capped: true }
}

interface Step<Row> {
  scanned: number
  end_key: TimeKey | null
  rows: Row[]
  keys: TimeKey[]
}

/** Entries that one value yields at most: of all values together so many are complete, whichever they come from. */
function effortOf({ walked, conditions }: WantedRows, limit: number, round: number): number {
  if (conditions.length === 0) return limit + 1
  const scanned = round > 0 ? SCANNED : SCANNED_FIRST
  return Math.max(limit + 1, Math.floor(scanned / (walked?.values.length || 1)))
}

/** Looks at a bounded number of entries and fetches in full only those that match. */
function pageSql(
  q: Queryable,
  of: TimeOrdered,
  wanted: WantedRows,
  after: TimeKey,
  effort: number,
  limit: number,
): { text: string; values: unknown[] } {
  const { bind, values } = binder()
  const text = `
    with c as materialized (${scanSql(q, of, wanted, after, effort, bind)}),
      f as materialized (select at, id from c where is_match order by at desc, id desc limit ${limit})
    select (select count(*)::int from c) as scanned,
      (select json_build_array(at, id) from c order by at, id limit 1) as end_key,
      coalesce((select json_agg(json_build_array(at, id) order by at desc, id desc) from f), '[]') as keys,
      coalesce((select json_agg(x) from (
        select ${of.columns} from f join ${of.table} r on r.client_id = ${bind(q.client_id, 'int')} and r.${of.id} = f.id and r.${of.time} = f.at
        ${of.joins ?? ''} order by f.at desc, f.id desc) x), '[]') as rows`
  return { text, values }
}

/** Keys of the next entries behind a place, each with whether it matches. The time stands alone as well: it chooses the partitions. */
function scanSql(
  q: Queryable,
  of: TimeOrdered,
  { from, walked, conditions }: WantedRows,
  after: TimeKey,
  effort: number,
  bind: Bind,
): string {
  const [time, id] = [bind(after[0], 'bigint'), bind(after[1], of.id_type)]
  const is_match = conditions.map((condition) => condition(bind)).join(' and ') || 'true'
  const client = bind(q.client_id, 'int')
  const scan = (narrowing: string) => `
    select r.${of.time} as at, r.${of.id} as id, ${is_match} as is_match from ${of.table} r
    where r.client_id = ${client} and r.${of.time} >= ${bind(from, 'bigint')} and r.${of.time} <= ${time}
      and (r.${of.time}, r.${of.id}) < (${time}, ${id}) ${narrowing} order by r.${of.time} desc, r.${of.id} desc limit ${effort}`
  if (!walked) return scan('')
  return `select s.* from unnest(${bind(walked.values, `${walked.cast}[]`)}) as v
    cross join lateral (${scan(`and r.${walked.column} = v`)}) s order by at desc, id desc limit ${effort}`
}
