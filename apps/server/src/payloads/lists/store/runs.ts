import type { Bind } from '../../../ports/database/binder.ts'
import { behindSql, type Direction, inOrderSql } from './direction.ts'
import type { Effort } from './effort.ts'
import { RUN_TABLES, type Runs } from './search.ts'

/** Entries that are read of every run at least. */
const FEWEST = 4

/**
 * SQL of one part of a list that is several runs merged: numbers, words or people, each of which has its entries in the order of the list.
 * At first the first few of every run are read, then more of those runs only whose last one still comes before the farthest that is
 * needed. Where a run was not read further, or the first reading ends, the part is cut: keys behind that are left to the next step.
 */
export function runsSql(
  runs: Runs,
  direction: Direction,
  { service, carried }: { service: string; carried: readonly string[] },
  effort: Effort,
  bind: Bind,
): string {
  const count = RUN_TABLES.reduce((sum, { kind }) => sum + runs[kind].length, 0)
  // A payload may stand in several runs, and what is out of scope is left out only afterwards.
  const wanted = Math.max(2 * effort.keys, carried.length > 0 ? effort.scanned : 0)
  const first = bind(Math.max(FEWEST, Math.ceil(wanted / count)), 'int')
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
      cross join lateral (${entries(each, 'r.value', first)}) x`,
  )
  const furthers = used.map(
    (each) =>
      `select x.* from open, far cross join lateral (${entries(
        each,
        `open.value${each.cast === 'int' ? '::int' : ''}`,
        '(select most from room)',
        `and (payload_time, payload_id) ${direction.behind} (open.t, open.id) and (payload_time, payload_id) ${direction.upTo} (far.t, far.id)`,
      )}) x where open.kind = '${each.kind}'`,
  )
  return `with a as materialized (${firsts.join('\n union all ')}),
  last as materialized (select t, id from a ${inOrderSql(direction, 't', 'id')} offset ${bind(wanted - 1, 'int')} limit 1),
  far as materialized (select * from last union all select $4::bigint, 0 where not exists (select from last)),
  open as materialized (
    select a.kind, a.value, a.t, a.id from a, far where a.nth = ${first} and (a.t, a.id) ${direction.before} (far.t, far.id)),
  room as materialized (
    select greatest(${effort.keys}, ${bind(wanted, 'int')} / greatest(count(*), 1))::int as most from open),
  b as materialized (${furthers.join('\n union all ')}),
  cut as materialized (
    select t, id from (select t, id from last union all select t, id from b where nth = (select most from room)) c
    ${inOrderSql(direction, 't', 'id')} limit 1),
  d as materialized (
    select distinct k.t, k.id from (select t, id, group_id, type from a union all select t, id, group_id, type from b) k
    left join cut on true
    where ${[...carried, `(cut.id is null or (k.t, k.id) ${direction.upTo} (cut.t, cut.id))`].join(' and ')}
    ${inOrderSql(direction, 'k.t', 'k.id')} limit ${effort.keys})
  select t, id, false as is_end from d
  union all
  select t, id, true from cut where (select count(*) from d) < ${effort.keys}`
}

/** SQL of all payloads of the runs, in any order and some more than once: those for which the conditions hold. */
export const allOfRunsSql = (runs: Runs, conditions: string, bind: Bind): string =>
  RUN_TABLES.filter(({ kind }) => runs[kind].length > 0)
    .map(
      ({ kind, table, column, cast }) =>
        `select payload_id from ${table} where ${column} = any(${bind(runs[kind], `${cast}[]`)}) and ${conditions}`,
    )
    .join(' union all ')
