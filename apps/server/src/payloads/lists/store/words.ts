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

/**
 * The months in which every word has a payload or comment in the scope's groups. A word in other groups only
 * costs the same as a missing one: each word is looked up in each group of the reader.
 */
export async function visiblePeriods(
  q: Queryable,
  words: ListWords,
  scope: Scope,
): Promise<readonly number[]> {
  const [beginnings, whole] = [true, false].map((is) =>
    words.terms.filter(({ is_prefix }) => is_prefix === is),
  )
  const periods = await narrowed(q, { ...words, terms: whole ?? [] }, scope, MOST_PROBES)
  return narrowed(q, { ...words, terms: beginnings ?? [], periods }, scope, MOST_OF_BEGINNING)
}

async function narrowed(
  q: Queryable,
  words: ListWords,
  scope: Scope,
  most: number,
): Promise<readonly number[]> {
  const { periods, terms } = words
  const tokensOf = ({ service }: ScopePart) =>
    terms.flatMap((term, n) =>
      periods.flatMap((period) =>
        words.tokensOf(term, service, period).map((token) => ({ found: `${n} ${period}`, token })),
      ),
    )
  const parts = scope.flatMap((part) => {
    const { groups } = part
    return groups === null ? [] : [{ groups, tokens: tokensOf(part), service: part.service }]
  })
  const probes = parts.reduce((sum, { groups, tokens }) => sum + groups.length * tokens.length, 0)
  if (terms.length === 0 || parts.length < scope.length || probes > most) return periods
  const found = new Set<string>()
  for (const { groups, tokens, service } of parts) {
    const table = service === COMMENTS ? 'comment_words' : 'content_words'
    const { rows } = await q.query<{ nth: number }>(
      visibleSql(table),
      [q.client_id, tokens.map(({ token }) => token), groups],
      `visible_${table}`,
    )
    for (const { nth } of rows) found.add(tokens[nth - 1]?.found ?? '')
  }
  return periods.filter((period) => terms.every((_term, n) => found.has(`${n} ${period}`)))
}

/**
 * One index lookup per word and group, up to the first group that has it: a hidden word takes as many as a missing one.
 * Not `exists`: that may become a join.
 */
const visibleSql = (table: string) => `
  select nth::int as nth from unnest($2::bigint[]) with ordinality x (token, nth)
  where (select true from unnest($3::int[]) g (id) cross join lateral (
    select from ${table} w where w.client_id = $1 and w.token = x.token and w.group_id = g.id limit 1) y limit 1)`

/** A resolved word search, and whether the index is complete. */
export interface ResolvedWords extends ListWords {
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
  return { ...resolved, periods: await visiblePeriods(q, resolved, scope) }
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
