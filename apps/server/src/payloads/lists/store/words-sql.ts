import { type Bind, isAmong } from '../../../ports/database/binder.ts'
import { startOfPeriod } from '../../word-store.ts'
import { type Effort, readsByGroup } from './effort.ts'
import { behindSql, type Direction, inOrderSql } from './filter.ts'
import type { ScopePart } from './scope.ts'
import type { Window } from './words-window.ts'
import type { ListWords, WordTerm } from './words.ts'

/**
 * Keys read group by group for a word that is frequent in other groups; in a first step and in further ones.
 */
const [OF_GROUPS, FURTHER_OF_GROUPS] = [201, 1000]
/** Keys read per group before their groups are known. */
const FIRST_OF_GROUP = 4

/** A term with its tokens bound: month after month, `width` of each. */
interface BoundTerm {
  tokens: string
  width: number
}

/** A term whose entries are read, with `groups` in these only. */
interface Driver extends BoundTerm {
  groups: { ids: string; count: number } | undefined
}

/** Payloads of all groups that are scanned in place of each index entry of a word. */
const SCANNED_FOR_ENTRY = 9

/** Most tokens and groups of a month whose entries are read pair by pair. */
const MAX_PAIRS = 2000

/**
 * SQL of one part of a list by words: `t, id, is_end`, as in `keysSql`. Reads a bounded number of entries of
 * the first term, month by month, and checks the other terms. Months count from the oldest of the window.
 *
 * With groups, the visible ones of the newest payloads are checked first; entries are read when they are too few, or the
 * groups are few: group by group, so hidden ones cost nothing. With very many groups or words, entries of all groups are read; when they are cut early, the newest payloads of the groups are checked
 * instead, whichever reaches further.
 */
export function wordsSql(
  words: ListWords,
  { periods }: Window,
  part: ScopePart,
  { direction, payload_ids }: { direction: Direction; payload_ids: readonly number[] | undefined },
  effort: Effort,
  bind: Bind,
): string {
  const service = bind(part.service, 'smallint')
  const months = boundMonths(periods, bind)
  const terms = words.terms.map((term) => boundTerm(words, term, part.service, periods, bind))
  const [first, ...others] = terms as [BoundTerm, ...BoundTerm[]]
  const types = part.types ? `type = any(${bind(part.types, 'smallint[]')})` : undefined
  const probe = (term: BoundTerm) => probeSql(term, service, months)
  const chosen = payload_ids ? [`s.id = any(${bind(payload_ids, 'bigint[]')})`] : []
  const ofNewest = { ...effort, scanned: SCANNED_FOR_ENTRY * effort.scanned }
  if (part.groups && !readsByGroup(part.groups, ofNewest.scanned, effort.isByGroup)) {
    const visible = [isAmong('group_id', bind(part.groups, 'int[]')), ...(types ? [types] : [])].join(' and ')
    const has = [...chosen, ...terms.map(probe)].join(' and ')
    const starts = bind(periods.map(startOfPeriod), 'bigint[]')
    return byNewest(service, { visible, has, starts }, direction, ofNewest)
  }
  const driver = getDriver(first, part, bind)
  const groups = part.groups && !driver.groups ? bind(part.groups, 'int[]') : undefined
  const conditions = [
    ...(groups ? [isAmong('group_id', groups)] : []),
    ...(types ? [types] : []),
    ...chosen,
    ...others.map(probe),
  ]
  const scanned = conditions.length === 0 ? effort.keys : effort.scanned
  const { way, behind } = direction
  const far = inOrderSql({ ...direction, way: way === 'desc' ? 'asc' : 'desc' }, 't', 'id')
  const head = `with s as materialized (
    ${newestSql(driver, service, { months, count: periods.length }, direction, scanned)}),
  d as materialized (
    select t, id from s ${conditions.length > 0 ? `where ${conditions.join(' and ')}` : ''} limit ${effort.keys}),
  e as materialized (
    select t, id from s where (select count(*) from d) < ${effort.keys} and (select count(*) from s) = ${scanned} ${far} limit 1)`
  if (!groups)
    return `${head}
  select t, id, false as is_end from d union all select t, id, true from e`
  const most = effort.scanned > 1500 ? FURTHER_OF_GROUPS : OF_GROUPS
  const starts = bind(periods.map(startOfPeriod), 'bigint[]')
  return `${head},
  ${newestOfGroups(groups, { service, types }, direction, most)},
  ge as materialized (select t, id from gk where (select count(*) from gk) = ${most} ${far} limit 1),
  u as materialized (
    select exists (select from e) and coalesce((select (ge.t, ge.id) ${behind} (e.t, e.id) from ge, e), true) as by_groups),
  gd as materialized (
    select t, id from (select t, id, width_bucket(t, ${starts}) as n from gk where (select by_groups from u) offset 0) s
    where ${[...chosen, ...terms.map(probe)].join(' and ')} ${inOrderSql(direction, 't', 'id')} limit ${effort.keys})
  select t, id, false as is_end from d where not (select by_groups from u)
  union all select t, id, true from e where not (select by_groups from u)
  union all select t, id, false from gd
  union all select t, id, true from ge where (select by_groups from u) and (select count(*) from gd) < ${effort.keys}`
}

/** Checks the visible ones among the newest payloads for the words. */
function byNewest(
  service: string,
  { visible, has, starts }: { visible: string; has: string; starts: string },
  direction: Direction,
  { keys, scanned }: Effort,
): string {
  const inOrder = inOrderSql(direction, 'payload_time', 'payload_id')
  const newest = `from payloads where client_id = $1 and service = ${service} and ${behindSql('payload_time', direction)} ${inOrder}`
  return `with d as materialized (
    select t, id from (
      select t, id, width_bucket(t, ${starts}) as n from (
        select payload_time as t, payload_id as id, group_id, type ${newest} limit ${scanned}) v
      where ${visible} ${inOrderSql(direction, 't', 'id')} offset 0) s
    where ${has} ${inOrderSql(direction, 't', 'id')} limit ${keys})
  select t, id, false as is_end from d
  union all
  select t, id, true from (select payload_time as t, payload_id as id ${newest} offset ${scanned - 1} limit 1) e
  where (select count(*) from d) < ${keys}`
}

/** The months of a window; bound by the first use, because a statement has no parameter that it does not use. */
type Months = () => string

function boundMonths(periods: readonly number[], bind: Bind): Months {
  let bound: string | undefined
  return () => (bound ??= bind(periods, 'smallint[]'))
}

function boundTerm(
  words: ListWords,
  term: WordTerm,
  service: number,
  periods: readonly number[],
  bind: Bind,
): BoundTerm {
  const tokens = periods.map((period) => words.getTokens(term, service, period))
  return { tokens: bind(tokens.flat(), 'bigint[]'), width: tokens[0]?.length ?? 0 }
}

function getDriver(term: BoundTerm, { groups }: ScopePart, bind: Bind): Driver {
  const isByGroup = groups !== null && groups.length * term.width <= MAX_PAIRS
  return { ...term, groups: isByGroup ? { ids: bind(groups, 'int[]'), count: groups.length } : undefined }
}

/** SQL of the entries of one term behind a place, in the order of the list: `n, t, id, group_id, type`. At most `limit`. */
export function termSql(
  words: ListWords,
  term: WordTerm,
  part: ScopePart,
  { periods }: Window,
  direction: Direction,
  limit: number,
  bind: Bind,
): string {
  const months = boundMonths(periods, bind)
  const driver = getDriver(boundTerm(words, term, part.service, periods, bind), part, bind)
  return newestSql(
    driver,
    bind(part.service, 'smallint'),
    { months, count: periods.length },
    direction,
    limit,
  )
}

/**
 * The outer limit stops behind the newest month that fills it. SQL does not promise that order; a test checks
 * it.
 */
function newestSql(
  term: Driver,
  service: string,
  { months, count }: { months: Months; count: number },
  direction: Direction,
  limit: number,
): string {
  const inWay = direction.way === 'desc' ? `${count}, 1, -1` : `1, ${count}`
  return `select m.n, x.* from generate_series(${inWay}) m (n) cross join lateral (
      ${monthSql(term, service, months, direction, limit)}) x limit ${limit}`
}

/** SQL of the entries of a term in month `m.n`, in the order of the list: at most `limit`, each payload once. */
function monthSql(
  { tokens, width, groups }: Driver,
  service: string,
  months: Months,
  direction: Direction,
  limit: number,
): string {
  const inOrder = inOrderSql(direction, 'payload_time', 'payload_id')
  const entries = (token: string, more: string, most: number) =>
    `select payload_time as t, payload_id as id, group_id, type from content_words w
      where client_id = $1 and service = ${service} and period = (${months()})[m.n] and token = ${token}
        and ${behindSql('payload_time', direction)} ${more} ${inOrder} limit ${most}`
  const ofMonth = `unnest((${tokens})[(m.n - 1) * ${width} + 1 : m.n * ${width}]) k (token)`
  if (groups) {
    // A token is of one month already. The plus keeps the planner from the index without groups.
    const ofPair = (more: string, most: number) =>
      `select payload_time as t, payload_id as id, group_id, type from content_words w
        where client_id = $1 and token = k.token and group_id = k.group_id and +service = ${service}
          and ${behindSql('payload_time', direction)} ${more} ${inOrder} limit ${most}`
    const pairs = `(select token, group_id from ${ofMonth} cross join unnest(${groups.ids}) g (group_id)) k`
    // Rounded, so that few texts are prepared.
    const count = 2 ** Math.floor(Math.log2(width * groups.count))
    return sampledSql(pairs, ofPair, count, direction, limit)
  }
  if (width === 1) return entries(`(${tokens})[m.n]`, '', limit)
  const ofToken = (more: string, most: number) => entries('k.token', more, most)
  return sampledSql(ofMonth, ofToken, width, direction, limit)
}

/**
 * SQL of the entries of many keys `k`, in the order of the list: at most `limit`, each payload once. The first
 * entries of each key estimate how far all must be read.
 */
function sampledSql(
  keys: string,
  entries: (more: string, most: number) => string,
  count: number,
  direction: Direction,
  limit: number,
): string {
  const { behind, upTo } = direction
  const sample = Math.max(1, Math.ceil(limit / count))
  const isFurther = `and (payload_time, payload_id) ${behind} (k.t, k.id) and (far.t is null or payload_time ${upTo} far.t)`
  return `with a as materialized (
      select k.*, x.t, x.id, x.group_id as of_group, x.type, x.nth from ${keys} cross join lateral (
        select y.*, row_number() over () as nth from (${entries('', sample)}) y) x),
    far as materialized (
      select t from (select distinct t, id from a) y ${inOrderSql(direction, 't', 'id')} offset ${limit - 1} limit 1),
    b as materialized (
      select x.* from a k left join far on true cross join lateral (${entries(isFurther, limit)}) x
      where k.nth = ${sample} and (far.t is null or k.t ${upTo} far.t))
    select distinct t, id, group_id, type from (
      select t, id, of_group as group_id, type from a union all select t, id, group_id, type from b) z
    ${inOrderSql(direction, 't', 'id')} limit ${limit}`
}

/** SQL: whether the payload `s.id` of month `s.n` has a term. Not `exists`: that may become a join with all entries. */
function probeSql({ tokens, width }: BoundTerm, service: string, months: Months): string {
  // Of many words: the payload has fewer words of its own.
  if (width > 1)
    return `(select true from content_words y where y.client_id = $1 and y.payload_id = s.id and y.token = any(${tokens}) limit 1)`
  return `(select true from content_words y where y.client_id = $1 and y.service = ${service} and y.period = (${months()})[s.n]
      and y.token = (${tokens})[s.n] and y.payload_time = s.t and y.payload_id = s.id limit 1)`
}

/** SQL of `gk`: the newest payloads of the groups, with any words; none when `e` is empty. */
function newestOfGroups(
  groups: string,
  { service, types }: { service: string; types: string | undefined },
  direction: Direction,
  most: number,
): string {
  const { behind, upTo, within } = direction
  const inOrder = inOrderSql(direction, 'payload_time', 'payload_id')
  const ofGroup = (group: string, ...more: string[]) =>
    `where ${['client_id = $1', `service = ${service}`, `group_id = ${group}`, ...(types ? [types] : []), ...more].join(' and ')}`
  return `ga as materialized (
    select g.group_id, x.* from unnest(${groups}) g (group_id) cross join lateral (
      select t, id, row_number() over () as nth from (
        select payload_time as t, payload_id as id from payloads
        ${ofGroup('g.group_id', behindSql('payload_time', direction))} ${inOrder} limit ${FIRST_OF_GROUP}) y) x
    where exists (select from e)),
  gfar as materialized (
    select coalesce((select t from ga ${inOrderSql(direction, 't', 'id')} offset ${most - 1} limit 1), $4::bigint) as t),
  gb as (
    select x.t, x.id from ga, gfar cross join lateral (
      select payload_time as t, payload_id as id from payloads
      ${ofGroup('ga.group_id', `(payload_time, payload_id) ${behind} (ga.t, ga.id)`, `payload_time ${upTo} gfar.t`, `payload_time ${within} $4::bigint`)}
      ${inOrder} limit ${most}) x
    where ga.nth = ${FIRST_OF_GROUP} and ga.t ${upTo} gfar.t),
  gk as materialized (
    select t, id from (select t, id from ga union all select t, id from gb) k ${inOrderSql(direction, 't', 'id')} limit ${most})`
}
