import { type SearchFault, interpretWords, MOST_WORDS, PREFIX_LETTERS } from '@custodia/domain'
import { fault, type Fault } from '@custodia/contract'
import type { AppContext } from '../../../app-context.ts'
import type { Queryable } from '../../../ports/database/lease.ts'
import { SERVICE_CODES } from '../../../payload-records/codes.ts'
import { type WordField, type WordKeys, wordKeys } from '../../word-keys.ts'
import { findPeriods, findVocabulary, findWordIndex, isComplete, MOST_IN_BUCKET } from '../../word-store.ts'
import { Problem } from '../../../http/problem.ts'
import { COMMENTS, type ListWords, type WordTerm } from './list-words.ts'
import type { Scope } from './scope.ts'
import { visiblePeriods } from './words-visible.ts'

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
  if ('fault' in search) throw refused(search.fault)
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
  if (sealed.length > MOST_IN_BUCKET || words.length > MOST_MEANT) throw refused('prefix_wide')
  return words
}

function refused(code: SearchFault | 'prefix_wide'): Problem {
  return new Problem('invalid_input', { faults: [faultOf(code)] })
}

function faultOf(code: SearchFault | 'prefix_wide'): Fault {
  if (code === 'words_many') return fault('words', code, { limit: MOST_WORDS })
  if (code === 'prefix_short') return fault('words', code, { limit: PREFIX_LETTERS })
  return fault('words', code)
}
