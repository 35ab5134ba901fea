import { type Bind, binder, isAmong } from '../../../ports/database/binder.ts'
import { type Effort, readsByGroup } from './effort.ts'
import { behindSql, type Direction, getDirection, inOrderSql, type ListFilter } from './filter.ts'
import type { ListKey } from './place.ts'
import { byState, equalSql, runsSql, type Source, getSource } from './runs.ts'
import type { ScopePart } from './scope.ts'
import { askedSql } from './search.ts'
import { wordsSql } from './words-sql.ts'

/** Keys read per group before the page's groups are known. */
const FIRST_OF_GROUP = 4

/**
 * SQL that yields `t, id, is_end` after a place, in the filter's order: keys in scope and, with `is_end`,
 * where a part stopped; keys behind the first such place are incomplete. `effort` bounds the work of each
 * part, independent of the table's size.
 */
export function keysSql(
  filter: ListFilter,
  after: ListKey,
  effort: Effort,
): { text: string; values: unknown[] } {
  const direction = getDirection(filter)
  const { window } = effort
  const values: unknown[] = [filter.client_id, after[0], after[1], window?.end ?? direction.end]
  const { bind } = binder(values)
  const { words, payload_ids } = filter
  const union = (parts: readonly string[]) =>
    `select * from (${parts.map((part) => `(${part})`).join('\nunion all\n')}) u ${inOrderSql(direction, 't', 'id')}, is_end limit ${effort.keys}`
  if (words && window) {
    const ofWords = (part: ScopePart) =>
      wordsSql(words, window, part, { direction, payload_ids }, effort, bind)
    return { text: union(filter.scope.map(ofWords)), values }
  }
  const parts = byState(filter).flatMap((one) => {
    const source = getSource(one)
    const asked =
      one.search && !isById(source)
        ? askedSql(one.search, source.runs !== undefined, one.client_id, bind)
        : undefined
    return one.scope.map((part) =>
      partSql(source, direction, bindPart(source, part, asked, effort, bind), effort, bind),
    )
  })
  return { text: union(parts), values }
}

/**
 * As `keysSql`, with all columns of `payloads`; undefined unless the keys are the first entries of one index of that table:
 * reading them first would find each row twice.
 */
export function payloadsSql(
  filter: ListFilter,
  after: ListKey,
  effort: Effort,
): { text: string; values: unknown[] } | undefined {
  const source = getSource(filter)
  const [part] = filter.scope
  const isWhole = part?.groups === null && part.types === null && filter.scope.length === 1
  const isChecked = filter.words || source.runs || (filter.search && !isById(source))
  if (!isWhole || isChecked || source.table !== 'payloads' || byState(filter).length > 1) return undefined
  const direction = getDirection(filter)
  const values: unknown[] = [filter.client_id, after[0], after[1], direction.end]
  const bound = bindPart(source, part, undefined, effort, binder(values).bind)
  return { text: firstSql(source, direction, bound, effort, '*, '), values }
}

/** A few payloads, each read by its id. */
const isById = (source: Source): boolean => source.equals.some(({ cast }) => cast === 'bigint[]')

/** A part with its values bound: SQL expressions. */
interface BoundPart {
  /** Columns before the time, as conditions. */
  equals: string
  /** Conditions on the included columns of the index; empty when there are none. */
  carried: readonly string[]
  /** Condition that is checked per key `s.id`. */
  asked: string | undefined
  types: string | undefined
  groups: string | undefined
  isByGroup: boolean
  service: string
}

function bindPart(
  source: Source,
  part: ScopePart,
  asked: string | undefined,
  effort: Effort,
  bind: Bind,
): BoundPart {
  const conditions = source.equals.map((equal) => equalSql(equal, bind))
  const types = part.types ? `type = any(${bind(part.types, 'smallint[]')})` : undefined
  const groups = part.groups ? bind(part.groups, 'int[]') : undefined
  const service = bind(part.service, 'smallint')
  return {
    equals: ['client_id = $1', ...conditions, `service = ${service}`].join(' and '),
    service,
    carried: [...(groups ? [isAmong('group_id', groups)] : []), ...(types ? [types] : [])],
    asked,
    types,
    groups,
    isByGroup: part.groups !== null && readsByGroup(part.groups, effort.scanned, effort.isByGroup),
  }
}

const getConditions = ({ carried, asked }: BoundPart) => [...carried, ...(asked ? [asked] : [])]
const where = (...conditions: (string | undefined)[]) => `where ${conditions.filter(Boolean).join(' and ')}`

function partSql(source: Source, direction: Direction, part: BoundPart, effort: Effort, bind: Bind): string {
  if (source.runs) return runsSql(source.runs, direction, part, effort, bind)
  if (getConditions(part).length === 0 || isById(source)) return firstSql(source, direction, part, effort)
  return source.has_group_index && part.groups && part.isByGroup
    ? byGroups(part.groups, direction, part, effort)
    : byScan(source, direction, part, effort)
}

/** The first entries of an index, with further columns. */
function firstSql(
  { table, time, always }: Source,
  direction: Direction,
  { equals, carried }: BoundPart,
  { keys }: Effort,
  columns = '',
): string {
  return `select ${columns}${time} as t, payload_id as id, false as is_end from ${table}
    ${where(equals, always, behindSql(time, direction), ...carried)} ${inOrderSql(direction, time, 'payload_id')} limit ${keys}`
}

/** The first keys of a bounded number of index entries. */
function scanSql(source: Source, direction: Direction, part: BoundPart, effort: Effort): string {
  return `select t, id from (
      select ${source.time} as t, payload_id as id, group_id, type from ${source.table}
      ${where(part.equals, source.always, behindSql(source.time, direction))} ${inOrderSql(direction, source.time, 'payload_id')} limit ${effort.scanned}) s
    where ${getConditions(part).join(' and ')} ${inOrderSql(direction, 't', 'id')} limit ${effort.keys}`
}

function byScan(source: Source, direction: Direction, part: BoundPart, effort: Effort): string {
  return `with d as materialized (${scanSql(source, direction, part, effort)})
  select t, id, false as is_end from d
  union all
  select t, id, true from (
    select ${source.time} as t, payload_id as id from ${source.table}
    ${where(part.equals, source.always, behindSql(source.time, direction))} ${inOrderSql(direction, source.time, 'payload_id')} offset ${effort.scanned - 1} limit 1) e
  where (select count(*) from d) < ${effort.keys}`
}

/** The first few of every group, then more of those groups whose last one still precedes the farthest key of the page. */
function byGroups(groups: string, direction: Direction, part: BoundPart, effort: Effort): string {
  const ofGroup = (group: string, ...more: (string | undefined)[]) =>
    where(part.equals, `group_id = ${group}`, part.types, ...more)
  return `with a as materialized (
    select g.group_id, x.* from unnest(${groups}) g (group_id) cross join lateral (
      select t, id, row_number() over () as nth from (
        select payload_time as t, payload_id as id from payloads
        ${ofGroup('g.group_id', behindSql('payload_time', direction))} ${inOrderSql(direction, 'payload_time', 'payload_id')} limit ${FIRST_OF_GROUP}) y) x),
  far as materialized (
    select coalesce((select t from a ${inOrderSql(direction, 't', 'id')} offset ${effort.keys - 1} limit 1), $4::bigint) as t),
  b as (
    select x.t, x.id from a, far cross join lateral (
      select payload_time as t, payload_id as id from payloads
      ${ofGroup('a.group_id', `(payload_time, payload_id) ${direction.behind} (a.t, a.id)`, `payload_time ${direction.upTo} far.t`, `payload_time ${direction.within} $4::bigint`)}
      ${inOrderSql(direction, 'payload_time', 'payload_id')} limit ${effort.keys}) x
    where a.nth = ${FIRST_OF_GROUP} and a.t ${direction.upTo} far.t)
  select t, id, false as is_end from (select t, id from a union all select t, id from b) k
  ${inOrderSql(direction, 't', 'id')} limit ${effort.keys}`
}
