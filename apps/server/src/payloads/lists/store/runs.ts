import { ALTERED_FAILURES, type PayloadQuery, QUARANTINE_FAILURES } from '@custodia/contract'
import { STATE_CODES } from '../../../payload-records/codes.ts'
import type { Bind } from '../../../ports/database/binder.ts'
import type { Effort } from './effort.ts'
import { behindSql, type Direction, inOrderSql, type ListFilter } from './filter.ts'
import { getCount, RUN_TABLES, type Runs } from './search.ts'

/** Sampled entries per run, to estimate its frequency; fewer per run when there are many runs. */
const getSample = (runs: number) => (runs > 100 ? 4 : 8)

/**
 * SQL of one part of a list that merges several runs (numbers, words or people), each in list order. The
 * first entries of a run estimate its frequency, and so how far all must be read. Keys behind a run that was
 * longer than estimated are left to the next step.
 */
export function runsSql(
  runs: Runs,
  direction: Direction,
  { service, carried, asked }: { service: string; carried: readonly string[]; asked: string | undefined },
  effort: Effort,
  bind: Bind,
): string {
  const { way, behind, upTo } = direction
  const count = getCount(runs)
  // A payload may be in several runs, as those of a person and of the device, and the scope is checked afterwards.
  const often = runs.people.length > 0 && runs.devices.length > 0 ? 4 : 2
  const needed = Math.max(often * effort.keys, carried.length > 0 || asked ? effort.scanned : 0)
  const wanted = bind(needed, 'int')
  const sample = bind(
    count === 1 ? needed : Math.max(getSample(count), Math.ceil(effort.keys / count)),
    'int',
  )
  const used = RUN_TABLES.filter(({ kind }) => runs[kind].length > 0)
  const entries = (
    { table, column }: (typeof RUN_TABLES)[number],
    value: string,
    limit: string,
    further = '',
  ) =>
    `select t, id, group_id, type, row_number() over () as nth from (
        select payload_time as t, payload_id as id, group_id, type from ${table}
        where client_id = $1 and ${column} = ${value} and service = ${service}
          and ${behindSql('payload_time', direction)} ${further}
        ${inOrderSql(direction, 'payload_time', 'payload_id')} limit ${limit}) y`
  const firsts = used.map(
    (
      each,
    ) => `select '${each.kind}' as kind, r.value::bigint, x.* from unnest(${bind(runs[each.kind], `${each.cast}[]`)}) r (value)
      cross join lateral (${entries(each, 'r.value', sample)}) x`,
  )
  const furthers = used.map(
    (each) =>
      `select x.*, open.most from open, far cross join lateral (${entries(
        each,
        `open.value${each.cast === 'int' ? '::int' : ''}`,
        'open.most',
        `and (payload_time, payload_id) ${behind} (open.t, open.id) and payload_time ${upTo} far.t`,
      )}) x where open.kind = '${each.kind}'`,
  )
  const farthest = way === 'desc' ? ['greatest', '-'] : ['least', '+']
  return `with a as materialized (${firsts.join('\n union all ')}),
  head as materialized (select t from a ${inOrderSql(direction, 't')} limit 1),
  long as materialized (
    select kind, value, a.t, id, ${sample} / (1 + abs(head.t - a.t))::float8 as rate from a, head where nth = ${sample}),
  far as materialized (
    select ${farthest[0]}($4::bigint, coalesce(
      ((select t from head) ${farthest[1]} ${wanted} / (select sum(rate) from long))::bigint, $4::bigint)) as t),
  open as materialized (
    select kind, value, long.t, id, ${effort.keys} + (3 * rate * abs(long.t - far.t))::int as most from long, far
    where long.t ${upTo} far.t),
  b as materialized (${furthers.join('\n union all ')}),
  e as not materialized (
    select a.t, a.id, group_id, type from a, far where a.t ${upTo} far.t union all select t, id, group_id, type from b),
  short as materialized (select t, id from b where nth = most ${inOrderSql(direction, 't', 'id')} limit 1),
  d as materialized (
    select t, id from (
      select distinct t, id from e
      where ${[...carried, `((select t from short) is null or (t, id) ${upTo} (select t, id from short))`].join(' and ')}
      ${inOrderSql(direction, 't', 'id')} offset 0) s
    ${asked ? `where ${asked}` : ''} ${inOrderSql(direction, 't', 'id')} limit ${effort.keys})
  select t, id, false as is_end from d
  union all
  select t, id, true from (
    select t, id from short
    union all
    (select e.t, e.id from e, far where far.t <> $4::bigint and (select t from short) is null
      order by ${['e.t', 'e.id'].map((column) => `${column} ${way === 'desc' ? 'asc' : 'desc'}`).join(', ')} limit 1)) c
  where (select count(*) from d) < ${effort.keys}`
}

/** SQL of all payloads of the runs that match the conditions, in any order and perhaps repeated. */
export const allOfRunsSql = (runs: Runs, conditions: string, bind: Bind): string =>
  RUN_TABLES.filter(({ kind }) => runs[kind].length > 0)
    .map(
      ({ kind, table, column, cast }) =>
        `select payload_id, group_id, type, payload_time from ${table} where ${column} = any(${bind(runs[kind], `${cast}[]`)}) and ${conditions}`,
    )
    .join(' union all ')

/** Newest entries of a run by which its frequency is estimated. */
const SAMPLED = 20

/**
 * SQL of the time `t` since which the runs have about so many entries, at least $3, in service $2 before $4; `is_part`: the
 * list is older.
 */
export const sinceSql = (runs: Runs, entries: number, bind: Bind): string =>
  `select t, t > coalesce((select min(payload_time) from payloads where client_id = $1 and service = $2 and payload_time >= $3), t) as is_part
  from (select greatest($3::bigint, (max(newest) - ${entries} / nullif(sum(rate), 0))::bigint) as t from (
    ${RUN_TABLES.filter(({ kind }) => runs[kind].length > 0)
      .map(
        ({ kind, table, column, cast }) => `
    select max(t) as newest, case when count(*) = ${SAMPLED} then ${SAMPLED} / (1 + max(t) - min(t))::float8 else 0 end as rate
    from unnest(${bind(runs[kind], `${cast}[]`)}) r (value) cross join lateral (
      select payload_time as t from ${table} where client_id = $1 and ${column} = r.value and service = $2
        and payload_time >= $3 and payload_time < $4 order by payload_time desc limit ${SAMPLED}) x group by value`,
      )
      .join(' union all ')}) s) x`

/** A column and its required value; `hash`: the hash of this text; `bigint[]`: any of these. */
interface Equal {
  column: string
  value: unknown
  cast?: 'hash' | 'text' | 'bigint[]'
}

/** SQL of the condition. */
export function equalSql({ column, value, cast }: Equal, bind: Bind): string {
  if (cast === 'bigint[]') return `${column} = any(${bind(value, cast)})`
  return `${column} = ${cast === 'hash' ? `hashtextextended(${bind(value, 'text')}, 0)` : bind(value, cast ?? 'int')}`
}

/** An index in list order, from which a list reads its keys. */
export interface Source {
  /** Table, with alias where it needs one. */
  table: string
  /** The column that the list sorts by. */
  time: string
  /** Index columns before the time, and their required values. */
  equals: readonly Equal[]
  /** The keys of all these runs together, each in its own index; the table is not read. */
  runs?: Runs
  /** A condition that is always true and permits a partial index. */
  always?: string
  /**
   * Whether the table also has an index that begins with the group, so that a few groups need no long scan.
   */
  has_group_index: boolean
}

/** States that payloads only have with a failure. */
const FAULTY: ReadonlySet<number> = new Set([STATE_CODES.Failed, STATE_CODES.Quarantined])

/** SQL condition of the partial index of these failures. */
const failedBy = (failures: readonly string[]): string =>
  `failure in (${failures.map((failure) => `'${failure}'`).join(', ')})`

/** States of which `payload_unconfirmed` has no rows, and `payload_removed` all. */
const REMOVED: ReadonlySet<number> = new Set([STATE_CODES.Deleted, STATE_CODES.Destroyed])

const REMOVED_TABLE = 'payload_removed'

/** States of removed payloads that the source may have: destroyed ones have neither numbers nor words. */
export const statesKnown = ({ table, runs }: Pick<Source, 'table' | 'runs'>): readonly number[] => {
  const isOfContent = runs
    ? runs.numbers.length + runs.words.length === getCount(runs)
    : table === 'payload_numbers'
  return isOfContent ? [STATE_CODES.Deleted] : [STATE_CODES.Deleted, STATE_CODES.Destroyed]
}

/** Most people whose runs a list limited to legal matters merges. */
const MAX_LIMITED = 1000

/** The column of `payloads` that a list sorts by. */
const TIME_OF = {
  payload_time: 'payload_time',
  processed_at: 'processed_at',
  updated_at: 'updated_at',
} as const satisfies Record<PayloadQuery['date_filter'], string>

/** The most selective index with the requested order; the rows are checked for the remaining conditions. */
export function getSource(filter: ListFilter): Source {
  const time = TIME_OF[filter.date_filter]
  const payloads = { table: 'payloads', time, equals: [], has_group_index: false }
  if (filter.payload_ids) {
    const ids = { column: 'payload_id', value: filter.payload_ids, cast: 'bigint[]' } as const
    return { ...payloads, equals: [ids], always: `${time} is not null` }
  }
  if (filter.date_filter === 'updated_at') return { ...payloads, table: 'payload_changes' }
  if (filter.date_filter === 'processed_at')
    return { ...payloads, table: 'payload_changes', always: 'processed_at is not null' }
  if (filter.number !== undefined) {
    const hash = { column: 'number_hash', value: filter.number, cast: 'hash' } as const
    return { ...payloads, table: 'payload_numbers', equals: [hash] }
  }
  if (filter.search?.runs) return { ...payloads, runs: filter.search.runs }
  if (filter.limited && filter.limited.length <= MAX_LIMITED && filter.thread_id === undefined)
    return {
      ...payloads,
      runs: { numbers: [], words: [], devices: [], payloads: [], people: filter.limited },
    }
  // It excludes deleted payloads and duplicates.
  if (filter.mark !== undefined && filter.mark !== 'none' && !filter.has_states && filter.is_copy === false) {
    const equals = [
      { column: 'person', value: filter.marked_by, cast: 'text' },
      { column: 'mark', value: filter.mark, cast: 'text' },
    ] as const
    return { ...payloads, table: 'payload_marked', equals }
  }
  // `payload_opened` excludes deleted payloads and duplicates, too.
  if (
    (filter.heard === 'me' || filter.heard === 'others') &&
    !filter.has_states &&
    filter.is_copy === false
  ) {
    const person = {
      column: 'person',
      value: filter.heard === 'me' ? filter.reader : '',
      cast: 'text',
    } as const
    return { ...payloads, table: 'payload_opened', equals: [person] }
  }
  // It excludes deleted payloads and duplicates.
  if (
    filter.device_id !== undefined &&
    filter.thread_id !== undefined &&
    !filter.has_states &&
    filter.is_copy === false
  ) {
    const thread = { column: 'thread_id', value: filter.thread_id, cast: 'text' } as const
    return {
      ...payloads,
      table: 'payload_threads',
      equals: [{ column: 'device_id', value: filter.device_id }, thread],
    }
  }
  if (filter.device_id !== undefined)
    return { ...payloads, equals: [{ column: 'device_id', value: filter.device_id }] }
  if (filter.device_user_id !== undefined)
    return { ...payloads, equals: [{ column: 'device_user_id', value: filter.device_user_id }] }
  if (filter.held) return { ...payloads, runs: filter.held }
  // Few rows with an index of their own.
  if (filter.is_copy === true) return { ...payloads, always: 'is_copy' }
  if (filter.is_altered === true) return { ...payloads, always: failedBy(ALTERED_FAILURES) }
  const [state] = filter.states
  if (state !== undefined && filter.states.length === 1 && REMOVED.has(state))
    return { ...payloads, table: REMOVED_TABLE, equals: [{ column: 'state', value: state }] }
  if (filter.states.every((state) => state === STATE_CODES.Quarantined))
    return { ...payloads, always: failedBy(QUARANTINE_FAILURES) }
  if (filter.states.every((state) => FAULTY.has(state))) return { ...payloads, always: 'failure is not null' }
  if (filter.is_late === true) return { ...payloads, always: 'is_late' }
  // It excludes deleted payloads and duplicates.
  if (
    filter.has_receipt === false &&
    filter.is_copy === false &&
    !filter.states.some((state) => REMOVED.has(state))
  )
    return { ...payloads, table: 'payload_unconfirmed' }
  return { ...payloads, has_group_index: filter.search === undefined }
}

/**
 * The filter, or one filter for each of its states where each has entries of its own: those of other sources would be
 * read once per state.
 */
export function byState(filter: ListFilter): readonly ListFilter[] {
  if (filter.states.length < 2 || !filter.states.every((state) => REMOVED.has(state))) return [filter]
  const each = filter.states.map((state) => ({ ...filter, states: [state] }))
  return each.every((one) => getSource(one).table === REMOVED_TABLE) ? each : [filter]
}
