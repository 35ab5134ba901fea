import { type SearchFault, interpretWords, MOST_WORDS, PREFIX_LETTERS } from '@custodia/domain'
import { fault, type Fault } from '@custodia/contract'
import type { AppContext } from '../../../app-context.ts'
import type { Queryable } from '../../../ports/database/lease.ts'
import { SERVICE_CODES } from '../../../payload-records/codes.ts'
import {
  findPeriods,
  findVocabulary,
  findWordIndex,
  isComplete,
  MOST_IN_BUCKET,
  type WordField,
  type WordKeys,
  wordKeys,
} from '../../word-store.ts'
import { Problem } from '../../../http/problem.ts'
import type { Scope, ScopePart } from './scope.ts'

/** Stands for comments where months are those of a service. */
export const COMMENTS = 0

/** One of the things that a text must have: any of these words. */
export interface WordTerm {
  words: readonly string[]
  /** Where it is the beginning of words, of which the vocabulary knows as many. */
  is_prefix: boolean
}

/** Words that payloads must have, as their tokens stand in the index. */
export interface ListWords {
  /** Months of which there are words, the oldest first. */
  periods: readonly number[]
  /** All of them. */
  terms: readonly WordTerm[]
  /** Of a term in a month: as many for each month. */
  tokensOf(term: WordTerm, service: number, period: number): readonly string[]
}

/** Most words that one search looks up in groups. A reader of very many groups reads the index instead. */
const MOST_PROBES = 50_000
/** The same for a prefix, because the vocabulary of the groups has already excluded nearly all other words. */
const MOST_OF_BEGINNING = 5000

/** What the groups of a scope have of some words. */
interface VisibleWords {
  /** Months in which every word has a payload or comment. */
  periods: readonly number[]
  /** All payloads with every word, if a word is rare in all of these groups; undefined: not known. */
  payload_ids: readonly number[] | undefined
}

/**
 * The months in which every word has a payload or comment in the scope's groups. A word in other groups only
 * costs the same as a missing one: each word is looked up in each group of the reader.
 */
export async function findVisible(q: Queryable, words: ListWords, scope: Scope): Promise<VisibleWords> {
  const [beginnings, whole] = [true, false].map((is) =>
    words.terms.filter(({ is_prefix }) => is_prefix === is),
  )
  const { periods, rare } = await narrowed(q, { ...words, terms: whole ?? [] }, scope, MOST_PROBES)
  if (rare) return { periods, payload_ids: await havingAll(q, words, scope, rare) }
  const both = await narrowed(q, { ...words, terms: beginnings ?? [], periods }, scope, MOST_OF_BEGINNING)
  return { periods: both.periods, payload_ids: undefined }
}

/** The payloads that have the rare terms, and all others too. */
async function havingAll(
  q: Queryable,
  { terms, periods, tokensOf }: ListWords,
  scope: Scope,
  rare: ReadonlyMap<WordTerm, ReadonlySet<number>>,
): Promise<readonly number[]> {
  const services = [...new Set(scope.map(({ service }) => service))]
  const [first = new Set<number>(), ...others] = rare.values()
  let ids = [...first].filter((id) => others.every((other) => other.has(id)))
  for (const term of terms) {
    if (rare.has(term) || ids.length === 0) continue
    const tokens = services.flatMap((service) => periods.flatMap((period) => tokensOf(term, service, period)))
    const { rows } = await q.query<{ id: number }>(HAVING, [q.client_id, ids, tokens], 'words_having')
    ids = rows.map(({ id }) => id)
  }
  return ids
}

const HAVING = `
  select distinct payload_id as id from content_words
  where client_id = $1 and payload_id = any($2::bigint[]) and token = any($3::bigint[])`

/** The months of the words, and the payloads of each that is rare; undefined: none is, or they are not known. */
async function narrowed(
  q: Queryable,
  words: ListWords,
  scope: Scope,
  most: number,
): Promise<{ periods: readonly number[]; rare?: ReadonlyMap<WordTerm, ReadonlySet<number>> }> {
  const { periods, terms } = words
  const wantedOf = ({ service }: ScopePart) =>
    terms.flatMap((term) =>
      periods.map((period) => ({ term, period, tokens: words.tokensOf(term, service, period) })),
    )
  const parts = scope.flatMap((part) => {
    const { groups } = part
    return groups === null ? [] : [{ groups, wanted: wantedOf(part), service: part.service }]
  })
  const probes = parts.reduce(
    (sum, { groups, wanted }) => sum + groups.length * wanted.flatMap(({ tokens }) => tokens).length,
    0,
  )
  if (terms.length === 0 || parts.length < scope.length || probes > most) return { periods }
  const found = new Map(terms.map((term) => [term, new Set<number>()]))
  const rare = new Map<WordTerm, Set<number>>()
  const frequent = new Set<WordTerm>()
  for (const { groups, wanted, service } of parts) {
    const { visible, entries } = await visibleIn(q, service, wanted, groups)
    for (const { term, period } of visible) found.get(term)?.add(period)
    for (const term of terms) {
      const ids = entries.get(term)
      if (ids) rare.set(term, new Set([...ids, ...(rare.get(term) ?? [])]))
      else frequent.add(term)
    }
  }
  for (const term of frequent) rare.delete(term)
  return {
    periods: periods.filter((period) => terms.every((term) => found.get(term)?.has(period))),
    ...(rare.size > 0 && { rare }),
  }
}

interface WantedWord {
  term: WordTerm
  period: number
  tokens: readonly string[]
}

/** Groups in which each word is looked up first: frequent words are found there. */
const FIRST_GROUPS = 8

/** Which of the words these groups have, and all payloads of the terms that are rare in them. */
async function visibleIn(
  q: Queryable,
  service: number,
  wanted: readonly WantedWord[],
  groups: readonly number[],
): Promise<{ visible: ReadonlySet<WantedWord>; entries: ReadonlyMap<WordTerm, ReadonlySet<number>> }> {
  const table = service === COMMENTS ? 'comment_words' : 'content_words'
  const lookUp = async (words: readonly WantedWord[], of: readonly number[]) => {
    if (words.length === 0) return []
    const values = [q.client_id, words.flatMap(({ tokens }) => tokens), of, words.length]
    const { rows } = await q.query<{ nth: number }>(visibleSql(table), values, `visible_${table}`)
    return rows.flatMap(({ nth }) => words[nth - 1] ?? [])
  }
  // Another index of comments begins with the token, and hidden groups would cost something there.
  const isFew = groups.length <= FIRST_GROUPS || service === COMMENTS
  const step = groups.length / FIRST_GROUPS
  const first = isFew
    ? groups
    : Array.from({ length: FIRST_GROUPS }, (_, i) => groups[Math.floor(i * step)] ?? 0)
  const visible = new Set(await lookUp(wanted, first))
  const entries = new Map<WordTerm, Set<number>>()
  const left = () => wanted.filter((word) => !visible.has(word))
  if (isFew || left().length === 0) return { visible, entries }
  const isRare = (term: WordTerm) => {
    const mine = wanted.filter((word) => word.term === term)
    return mine.filter((word) => visible.has(word)).length * 2 < mine.length
  }
  const rare = new Set([...new Set(wanted.map(({ term }) => term))].filter(isRare))
  const asked = wanted.filter((word) => !visible.has(word) || rare.has(word.term))
  const values = [q.client_id, asked.flatMap(({ tokens }) => tokens), groups]
  const { rows } = await q.query<{ token: string; id: number; nth: number }>(ENTRIES, values, 'rare_words')
  const idsOf = Map.groupBy(rows, ({ token }) => token)
  for (const word of left()) if (word.tokens.some((token) => idsOf.has(token))) visible.add(word)
  if (rows.length === MOST_ENTRIES || rows.some(({ nth }) => nth === RARE))
    for (const word of await lookUp(left(), groups)) visible.add(word)
  else
    for (const term of rare) {
      const tokens = wanted.filter((word) => word.term === term).flatMap((word) => word.tokens)
      entries.set(term, new Set(tokens.flatMap((token) => idsOf.get(token)?.map(({ id }) => id) ?? [])))
    }
  return { visible, entries }
}

/** Entries of rare words that are read, of a group and in all. */
const [RARE, MOST_ENTRIES] = [64, 1000]

/** Entries of the tokens $2 in the groups. One scan per group finds all of them, because the entries of a group are adjacent. */
const ENTRIES = `
  select token::text, id, nth::int from unnest($3::int[]) g (id_of_group) cross join lateral (
    select token, payload_id as id, row_number() over () as nth from (
      select token, payload_id from content_words w
      where w.client_id = $1 and w.group_id = g.id_of_group and w.token = any($2::bigint[]) limit ${RARE}) y) x
  limit ${MOST_ENTRIES}`

/**
 * Which of $4 words, each with as many of the tokens, these groups have. One index lookup per group, up to the first
 * that has the word: a hidden word takes as many as a missing one. Not `exists`: that may become a join.
 */
const visibleSql = (table: string) => `
  select nth from (
    select nth, ($2::bigint[])[(nth - 1) * width + 1 : nth * width] as tokens
    from (select cardinality($2::bigint[]) / greatest($4::int, 1) as width) w cross join generate_series(1, $4::int) nth offset 0) x
  where (select true from unnest($3::int[]) g (id) cross join lateral (
    select from ${table} w where w.client_id = $1 and w.group_id = g.id and w.token = any(x.tokens) limit 1) y limit 1)`

/** A resolved word search, and whether the index is complete. */
export interface ResolvedWords extends ListWords {
  /** The only payloads that have all words, when few; undefined: many, or not known. */
  payload_ids?: readonly number[] | undefined
  phrases: readonly (readonly string[])[]
  is_complete: boolean
}

/** Most words that a prefix may match. */
const MOST_MEANT = 500

/** The word fields of a service other than comments. */
const fieldsOf = (service: number): readonly WordField[] =>
  service === COMMENTS ? ['comment'] : service === SERVICE_CODES.messages ? ['text', 'file'] : ['note']

/**
 * Resolves the typed text to words of the scope and their months. Problems: content_search_off; invalid_input
 * when it is no valid search.
 */
export async function resolveWords(
  ctx: Pick<AppContext, 'keys'>,
  q: Queryable,
  { client, typed, scope }: { client: string; typed: string; scope: Scope },
): Promise<ResolvedWords> {
  const index = await findWordIndex(q)
  if (!index?.is_wanted) throw new Problem('content_search_off')
  const search = interpretWords(typed)
  if ('fault' in search) throw refusedWords(search.fault)
  const is_complete = index.wrapped_key !== null && isComplete(index)
  if (!index.wrapped_key) return { periods: [], terms: [], phrases: [], is_complete, tokensOf: () => [] }
  const keys = await wordKeys(ctx, client, index.wrapped_key)
  const { words, prefix, phrases } = search
  const terms = words.map((word): WordTerm => ({ words: [word], is_prefix: false }))
  if (prefix !== undefined)
    terms.push({ words: await meant(q, keys, prefix, groupsOf(scope)), is_prefix: true })
  const services = [...new Set(scope.map(({ service }) => service))]
  const periods = terms.some((term) => term.words.length === 0) ? [] : await findPeriods(q, services)
  const resolved = { periods, terms, phrases, is_complete, tokensOf: tokensBy(keys) }
  return { ...resolved, ...(await findVisible(q, resolved, scope)) }
}

/** The groups of all parts; null: every group. */
const groupsOf = (scope: Scope): number[] | null =>
  scope.some(({ groups }) => groups === null)
    ? null
    : [...new Set(scope.flatMap(({ groups }) => groups ?? []))]

/** Tokens of terms, each computed once. */
function tokensBy(keys: WordKeys): ListWords['tokensOf'] {
  const known = new Map<WordTerm, Map<string, readonly string[]>>()
  return (term, service, period) => {
    const ofTerm = known.get(term) ?? new Map<string, readonly string[]>()
    known.set(term, ofTerm)
    const place = `${service} ${period}`
    const tokens =
      ofTerm.get(place) ??
      fieldsOf(service).flatMap((field) => term.words.map((word) => keys.token(field, period, word)))
    ofTerm.set(place, tokens)
    return tokens
  }
}

/** The words of these groups' vocabulary with this prefix. Problem: invalid_input, when they are too many. */
async function meant(
  q: Queryable,
  keys: WordKeys,
  prefix: string,
  groups: readonly number[] | null,
): Promise<string[]> {
  const sealed = await findVocabulary(q, keys.bucketOf(prefix), groups)
  const words = sealed.map((each) => keys.openWord(each)).filter((word) => word.startsWith(prefix))
  if (sealed.length > MOST_IN_BUCKET || words.length > MOST_MEANT) throw refusedWords('prefix_wide')
  return words
}

/** Why a search means nothing, as a problem of its words. */
export function refusedWords(code: SearchFault | 'prefix_wide'): Problem {
  return new Problem('invalid_input', { faults: [faultOf(code)] })
}

function faultOf(code: SearchFault | 'prefix_wide'): Fault {
  if (code === 'words_many') return fault('words', code, { limit: MOST_WORDS })
  if (code === 'prefix_short') return fault('words', code, { limit: PREFIX_LETTERS })
  return fault('words', code)
}
