import { fault, type Fault, SERVICE_TYPES } from '@custodia/contract'
import { type SearchFault, interpretWords, MAX_WORDS, PREFIX_LETTERS } from '@custodia/domain'
import type { AppContext } from '../../../app-context.ts'
import { Problem } from '../../../http/problem.ts'
import { SERVICE_CODES, serviceOfCode, TYPE_CODES, getCodes } from '../../../payload-records/codes.ts'
import type { Queryable } from '../../../ports/database/lease.ts'
import {
  type BucketPart,
  findGroupsWith,
  findVocabulary,
  findWordIndex,
  isComplete,
  getKind,
  MAX_IN_BUCKET,
  type WordField,
  type WordKeys,
  wordKeys,
} from '../../word-store.ts'
import { getGroups, type Scope, type ScopePart } from './scope.ts'

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
  getTokens(term: WordTerm, service: number, period: number): readonly string[]
}

/** Most words of a term, times groups, that are looked up in the vocabulary; a term of more excludes no group. */
const MAX_LOOKED_UP = 5000

/**
 * The words as far as the groups of a scope have them: with the groups that have all of them, and the rarest term first. A
 * word in other groups only costs the same as a missing one.
 */
async function narrowed<Words extends ListWords>(
  q: Queryable,
  keys: WordKeys,
  words: Words,
  scope: Scope,
): Promise<Words & { scope: Scope }> {
  const groups = getGroups(scope)
  if (groups === null || words.periods.length === 0) return { ...words, scope }
  const known = words.terms.filter((term) => term.words.length * groups.length <= MAX_LOOKED_UP)
  const places = known.flatMap((term, nth) =>
    term.words.map((word) => ({ nth, bucket: keys.getBucket(word), tag: keys.getTag(word) })),
  )
  const found = await findGroupsWith(q, places, groups)
  const having = new Map(known.map((term, nth) => [term, new Set(found.get(nth))]))
  const isLeft = (id: number) => [...having.values()].every((ids) => ids.has(id))
  const left = scope.flatMap((part) => {
    const ids = part.groups?.filter(isLeft) ?? []
    return ids.length > 0 ? [{ ...part, groups: ids }] : []
  })
  const getSize = (term: WordTerm) => having.get(term)?.size ?? Infinity
  const terms = words.terms.toSorted((a, b) => getSize(a) - getSize(b))
  return { ...words, terms, scope: left, periods: left.length > 0 ? words.periods : [] }
}

/** A resolved word search, and whether the index is complete. */
export interface ResolvedWords extends ListWords {
  /** The scope, with the groups that have all words. */
  scope: Scope
  phrases: readonly (readonly string[])[]
  is_complete: boolean
}

/** Most words that a prefix may match. */
const MAX_MEANT = 500

/** The word field of a service, or of comments. */
const getField = (service: number): WordField =>
  service === COMMENTS ? 'comment' : service === SERVICE_CODES.messages ? 'text' : 'note'

/**
 * Resolves the typed text to words of the scope and their months. Problems: content_search_off; invalid_input
 * when it is no valid search.
 * @param isLimited whether legal matters limit the reader: the vocabulary has words of recordings that they do not see
 */
export async function resolveWords(
  ctx: Pick<AppContext, 'keys'>,
  q: Queryable,
  { client, typed, scope, isLimited }: { client: string; typed: string; scope: Scope; isLimited: boolean },
): Promise<ResolvedWords> {
  const services = [...new Set(scope.map(({ service }) => service))]
  const index = await findWordIndex(q, services)
  if (!index?.is_wanted) throw new Problem('content_search_off')
  const search = interpretWords(typed)
  if ('fault' in search) throw refusedWords(search.fault)
  if (search.prefix !== undefined && isLimited) throw refusedWords('prefix_limited')
  const is_complete = index.wrapped_key !== null && isComplete(index)
  if (!index.wrapped_key)
    return { periods: [], terms: [], phrases: [], scope, is_complete, getTokens: () => [] }
  const keys = await wordKeys(ctx, client, index.wrapped_key)
  const { words, prefix, phrases } = search
  const terms = words.map((word): WordTerm => ({ words: [word], is_prefix: false }))
  if (prefix !== undefined)
    terms.push({ words: await findMeantWords(q, keys, prefix, scope), is_prefix: true })
  const periods = terms.some((term) => term.words.length === 0) ? [] : index.periods
  const resolved = { periods, terms, phrases, is_complete, getTokens: tokensBy(keys) }
  return narrowed(q, keys, resolved, scope)
}

/** Tokens of terms, each computed once. */
function tokensBy(keys: WordKeys): ListWords['getTokens'] {
  const known = new Map<WordTerm, Map<string, readonly string[]>>()
  return (term, service, period) => {
    const ofTerm = known.get(term) ?? new Map<string, readonly string[]>()
    known.set(term, ofTerm)
    const place = `${service} ${period}`
    const tokens = ofTerm.get(place) ?? term.words.map((word) => keys.token(getField(service), period, word))
    ofTerm.set(place, tokens)
    return tokens
  }
}

/** The kinds of texts in a part of a scope. */
function getKinds({ service, types }: ScopePart): number[] {
  if (service === COMMENTS) return (types ?? Object.values(TYPE_CODES)).map((type) => getKind(type, true))
  return (types ?? getCodes(SERVICE_TYPES[serviceOfCode(service)])).map((type) => getKind(type, false))
}

/**
 * The words with this prefix in texts of the scope. Problem: invalid_input, when they are too many, which must not depend on
 * texts that the caller does not see.
 */
async function findMeantWords(q: Queryable, keys: WordKeys, prefix: string, scope: Scope): Promise<string[]> {
  const parts = scope.flatMap((part) =>
    getKinds(part).flatMap((kind): BucketPart[] => {
      const bucket = keys.getBucket(prefix, kind)
      return part.groups?.map((group) => [bucket, group]) ?? [[bucket, null]]
    }),
  )
  const sealed = await findVocabulary(q, parts)
  const words = sealed.map((each) => keys.openWord(each)).filter((word) => word.startsWith(prefix))
  if (sealed.length > MAX_IN_BUCKET || words.length > MAX_MEANT) throw refusedWords('prefix_wide')
  return words
}

type WordFault = SearchFault | 'prefix_wide' | 'prefix_limited'

/** Why a search means nothing, as a problem of its words. */
export function refusedWords(code: WordFault): Problem {
  return new Problem('invalid_input', { faults: [getFault(code)] })
}

function getFault(code: WordFault): Fault {
  if (code === 'words_many') return fault('words', code, { limit: MAX_WORDS })
  if (code === 'prefix_short') return fault('words', code, { limit: PREFIX_LETTERS })
  return fault('words', code)
}
