import {
  beginningPattern,
  endingPattern,
  interpretSearch,
  reverse,
  type SearchTerm,
  wholePattern,
  withCallingCodes,
  wordPattern,
} from '@custodia/domain'
import { type Bind, isAmong } from '../../../ports/database/binder.ts'
import type { Queryable } from '../../../ports/database/lease.ts'

/**
 * Hashes of numbers and name words, people with devices, devices, and single payloads: each has its payloads in list order. B-trees,
 * because under row-level security PostgreSQL uses no trigram, GIN or text-search index, whose operators are
 * not leakproof.
 */
export interface Runs {
  numbers: readonly string[]
  words: readonly string[]
  people: readonly number[]
  devices: readonly number[]
  payloads: readonly string[]
}

/** The conditions of a search, and the index runs that answer them. */
export interface ListSearch {
  terms: readonly SearchTerm[]
  /** The runs of the rarest term. Absent: it is so frequent that the list itself is read. */
  runs?: Runs | undefined
  /** Terms without runs: each key is checked against them. */
  asked: readonly SearchTerm[]
  /** What a total reads first; undefined where that is no more than `runs`. */
  counted?: CountedRuns | undefined
  /** Whether some of these may be a person's name. */
  asks_people: boolean
}

/** Runs of one term and of a second one, perhaps not all of each, and the terms beyond: enough to count up to a limit. */
export interface CountedRuns {
  runs: Runs
  and: Runs | undefined
  asked: readonly SearchTerm[]
}

/** Most runs of one term. A more frequent term is read from the list. */
const MAX_RUNS = 300

/**
 * The place of a search: the service whose rules compare terms, and the visible groups; null: every group.
 */
interface SearchPlace {
  service: number
  groups: readonly number[] | null
}

/**
 * Resolves a text within these groups: a search, one payload, or undefined when nothing matches. The lookup
 * itself leaves out other groups, so that their content costs the same time as missing content.
 */
export async function resolveSearch(
  q: Queryable,
  typed: string,
  { service, groups }: SearchPlace,
  most = MAX_RUNS,
): Promise<{ search: ListSearch } | { payload_ids: readonly number[] } | undefined> {
  const { references, terms } = interpretSearch(typed)
  if (references.length > 0) {
    const { rows } = await q.query<{ id: number }>(REFERENCE, [q.client_id, references, groups])
    if (rows.length > 0) return { payload_ids: rows.map((row) => row.id) }
  }
  if (terms.length === 0) return undefined
  const found = await findRuns(q, terms, groups, most)
  if (found.some((runs) => getCount(runs) === 0)) return undefined
  const few = found.filter((runs) => getCount(runs) <= most)
  const runs = few.length > 1 ? await rarest(q, service, few) : few[0]
  const left = terms.map((term, n) => ({ term, runs: found[n] })).filter((each) => each.runs !== runs)
  const asks_people = left.some((each) => (each.runs?.people.length ?? 0) > 0)
  const first = runs ?? found[0]
  const [second, ...others] = terms
    .map((term, n) => ({ term, runs: found[n] }))
    .filter((each) => each.runs !== first)
  const counted =
    first && (!runs || second)
      ? { runs: first, and: second?.runs, asked: others.map(({ term }) => term) }
      : undefined
  return { search: { terms, runs, asked: left.map(({ term }) => term), counted, asks_people } }
}

const REFERENCE = `select payload_id as id from payloads
  where client_id = $1 and payload_reference = any($2) and ($3::int[] is null or group_id = any($3))`
/** The number of runs. */
export const getCount = (runs: Runs): number =>
  RUN_TABLES.reduce((sum, { kind }) => sum + runs[kind].length, 0)

/** Texts in "C" order from `low` up to `high`, exclusive. */
interface Span {
  low: string
  high: string
}
/** The span of words with this prefix: letters, digits and marks all sort before the last character. */
const wordSpan = (word: string): Span => ({ low: word, high: `${word}\u{10FFFF}` })
/**
 * The span of reversed numbers with this prefix (':' follows '9'), or of the exact number (' ' sorts before
 * every digit).
 */
const endingSpan = (digits: string): Span => ({ low: reverse(digits), high: `${reverse(digits)}:` })
const wholeSpan = (digits: string): Span => ({ low: reverse(digits), high: `${reverse(digits)} ` })
const beginningSpan = (digits: string): Span => ({ low: digits, high: `${digits}:` })

async function findRuns(
  q: Queryable,
  terms: readonly SearchTerm[],
  groups: readonly number[] | null,
  most: number,
): Promise<Runs[]> {
  const words = terms.flatMap(({ word }, n) => (word === undefined ? [] : [{ n, ...wordSpan(word) }]))
  const numbers = terms.flatMap(({ endings, wholes }, n) =>
    [...endings.map(endingSpan), ...wholes.map(wholeSpan)].map((span) => ({ n, ...span })),
  )
  const beginnings = terms.flatMap(({ beginnings: begun, national }, n) =>
    [...begun, ...(national === undefined ? [] : withCallingCodes(national))].map((digits) => ({
      n,
      ...beginningSpan(digits),
    })),
  )
  const columns = (spans: readonly ({ n: number } & Span)[]) => [
    spans.map(({ n }) => n),
    spans.map(({ low }) => low),
    spans.map(({ high }) => high),
  ]
  const { rows } = await q.query<{ n: number; kind: keyof Runs; found: string[] }>(
    groups ? findSql('$12::int[]') : findSql(undefined),
    [q.client_id, most + 1, ...[words, numbers, beginnings].flatMap(columns), ...(groups ? [groups] : [])],
  )
  return terms.map((_term, n) => {
    const of = (kind: keyof Runs) => [
      ...new Set(rows.filter((row) => row.n === n && row.kind === kind).flatMap(({ found }) => found)),
    ]
    return {
      numbers: of('numbers'),
      words: of('words'),
      people: of('people').map(Number),
      devices: [],
      payloads: [],
    }
  })
}

/** Whether a number has a payload in one of these groups. */
export async function isNumberIn(q: Queryable, number: string, groups: readonly number[]): Promise<boolean> {
  return (
    (await q.value<boolean>(
      `select ${isInGroups('payload_numbers', 'number_hash', 'n.hash', '$3::int[]')} as is_found
     from (select hashtextextended($2::text, 0) as hash offset 0) n`,
      [q.client_id, number, groups],
    )) ?? false
  )
}

/** The device user with this reference, if one of these groups has a payload of theirs. Others cost as little as a missing one. */
export function findUserIn(
  q: Queryable,
  reference: string,
  groups: readonly number[] | null,
): Promise<number | undefined> {
  return q.value<number>(
    `select u.device_user_id from device_users u where u.client_id = $1 and u.device_user_reference = $2
     and ($3::int[] is null or ${isInGroups('payloads', 'device_user_id', 'u.device_user_id', '$3::int[]')})`,
    [q.client_id, reference, groups],
  )
}

/**
 * SQL: whether the run has a payload in one of these groups. It checks group after group, up to the first
 * match.
 */
const isInGroups = (table: string, column: string, value: string, groups: string): string => {
  const next = (
    further: string,
  ) => `(select x.group_id from ${table} x where x.client_id = $1 and x.${column} = ${value} ${further}
    order by x.group_id limit 1)`
  return `coalesce((with recursive seen (id) as (
    select ${next('')}
    union all
    select ${next('and x.group_id > seen.id')} from seen where seen.id is not null and not ${isAmong('seen.id', groups)})
  select true from seen where ${isAmong('id', groups)} limit 1), false)`
}

/**
 * SQL for the values of words, people and numbers that match the terms, at most $2. With `groups` only values
 * with a payload there, unless there are so many that the list itself is read.
 */
function findSql(groups: string | undefined): string {
  const found = (value: string, table: string, column: string, span: string, isVisible: string) => {
    const all = `select ${value} as value from ${table} s
      where s.client_id = $1 and s.${column} >= ${span}.low and s.${column} < ${span}.high limit $2`
    // Hashes as text: they exceed the numbers of JavaScript.
    return groups
      ? `array(select value::text from (select value, count(*) over () as reached from (${all}) a) c
          where reached >= $2 or ${isVisible})`
      : `array(select value::text from (${all}) a)`
  }
  const inGroups = (table: string, column: string) => isInGroups(table, column, 'c.value', groups ?? '')
  const words = 'from unnest($3::int[], $4::text[], $5::text[]) as w (n, low, high)'
  const hash = 'hashtextextended(word, 0)'
  return `
  select n, 'words' as kind, ${found(hash, 'search_words', 'word', 'w', inGroups('payload_words', 'word_hash'))} as found ${words}
  union all
  select n, 'people', ${found('device_user_id', 'device_user_words', 'word', 'w', inGroups('payloads', 'device_user_id'))} ${words}
  union all
  select n, 'numbers', ${found('number_hash', 'search_numbers', 'reversed', 'd', inGroups('payload_numbers', 'number_hash'))}
  from unnest($6::int[], $7::text[], $8::text[]) as d (n, low, high)
  union all
  select n, 'numbers', ${found('number_hash', 'search_numbers', 'digits', 'b', inGroups('payload_numbers', 'number_hash'))}
  from unnest($9::int[], $10::text[], $11::text[]) as b (n, low, high)`
}

/** Newest entries of a run, sampled to estimate its frequency. */
const SAMPLE = 20

/** The rarest term, by the time range of the newest entries of its runs. */
async function rarest(q: Queryable, service: number, terms: readonly Runs[]): Promise<Runs | undefined> {
  const values = SEARCHED.flatMap(({ kind }) => [
    terms.flatMap((runs, n) => runs[kind].map(() => n)),
    terms.flatMap((runs) => [...runs[kind]]),
  ])
  const { rows } = await q.query<{ n: number }>(RAREST, [q.client_id, service, ...values])
  return terms[rows[0]?.n ?? 0]
}

/** The tables of each kind of run, in list order. */
export const RUN_TABLES = [
  { kind: 'numbers', table: 'payload_numbers', column: 'number_hash', cast: 'bigint' },
  { kind: 'words', table: 'payload_words', column: 'word_hash', cast: 'bigint' },
  { kind: 'people', table: 'payloads', column: 'device_user_id', cast: 'int' },
  { kind: 'devices', table: 'payloads', column: 'device_id', cast: 'int' },
  { kind: 'payloads', table: 'payloads', column: 'payload_id', cast: 'bigint' },
] as const satisfies readonly { kind: keyof Runs; table: string; column: string; cast: string }[]

/** Those of a search. */
const SEARCHED = RUN_TABLES.slice(0, 3)

const RAREST = `
  select n, sum(rate) as rate from (${SEARCHED.map(
    ({ table, column, cast }, i) => `
    select n, case when count(t) = ${SAMPLE} then ${SAMPLE} / (1 + max(t) - min(t))::float8 else 0 end as rate
    from unnest($${3 + 2 * i}::int[], $${4 + 2 * i}::${cast}[]) as r (n, value) left join lateral (
      select payload_time as t from ${table} where client_id = $1 and ${column} = r.value and service = $2
      order by payload_time desc limit ${SAMPLE}) x on true
    group by n, value`,
  ).join('\n    union all')}) rates
  group by n order by rate, n limit 1`

/**
 * Whether a row matches the search: in the line of its payload, or the name of its person. Needs the tables
 * of `ROW_TABLES`.
 */
export function searchSql(term: SearchTerm, client_id: number, bind: Bind, asksPeople = true): string {
  const { word, endings, wholes, beginnings } = term
  const patterns = [
    ...(word === undefined ? [] : [wordPattern(word)]),
    ...endings.map(endingPattern),
    ...wholes.map(wholePattern),
  ]
  const like = `o.search_text like any(${bind(patterns, 'text[]')})`
  const inLine =
    beginnings.length === 0 ? like : `(${like} or o.search_text ~ ${bind(beginningPattern(term), 'text')})`
  if (word === undefined || !asksPeople) return inLine
  const { low, high } = wordSpan(word)
  return `(${inLine} or p.device_user_id in (select w.device_user_id from device_user_words w
    where w.client_id = ${bind(client_id, 'int')} and w.word >= ${bind(low, 'text')} and w.word < ${bind(high, 'text')}))`
}

/** The same for a key `s.id`, before its row is read; undefined when the runs answer all of it. */
export function askedSql(
  search: ListSearch,
  isFromRuns: boolean,
  client_id: number,
  bind: Bind,
): string | undefined {
  const isAll = search.runs !== undefined && !isFromRuns
  const asked = isAll ? search.terms : search.asked
  const asks_people = isAll || search.asks_people
  if (asked.length === 0) return undefined
  const conditions = asked.map((term) => searchSql(term, client_id, bind, asks_people)).join(' and ')
  const tables = asks_people
    ? 'payloads p left join payload_documents o on o.payload_id = p.payload_id where p.payload_id = s.id'
    : 'payload_documents o where o.payload_id = s.id'
  // Not `exists`: that may become a join with all payloads.
  return `(select ${conditions} from ${tables})`
}
