import { type SearchFault, interpretWords, MOST_WORDS, PREFIX_LETTERS } from '@custodia/domain'
import { fault, type Fault } from '@custodia/contract'
import type { AppContext } from '../../../app-context.ts'
import type { Queryable } from '../../../ports/database/lease.ts'
import { SERVICE_CODES } from '../../../payload-records/codes.ts'
import { type WordField, type WordKeys, wordKeys } from '../../word-keys.ts'
import { findPeriods, findVocabulary, findWordIndex, isComplete, MOST_IN_BUCKET } from '../../word-store.ts'
import { Problem } from '../../../http/problem.ts'

/** One required term of a text: any of these words. */
export interface WordTerm {
  words: readonly string[]
  /** Whether it is a prefix of words in the vocabulary. */
  is_prefix: boolean
}

/** Words that payloads must have, as tokens of the index. */
export interface ListWords {
  /** Months that have words, the oldest first. */
  periods: readonly number[]
  terms: readonly WordTerm[]
  /** The tokens of a term in a month; equally many for each month. */
  tokensOf(term: WordTerm, service: number, period: number): readonly string[]
}

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

/** The service number of comments in month lists. */
export const COMMENTS = 0

/**
 * Resolves the typed text to the client's words. Undefined: no match. Problems: content_search_off;
 * invalid_input when it is no valid search.
 */
export async function resolveWords(
  ctx: Pick<AppContext, 'keys'>,
  q: Queryable,
  { client, typed, services }: { client: string; typed: string; services: readonly number[] },
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
  if (prefix !== undefined) terms.push({ words: await meant(q, keys, prefix), is_prefix: true })
  const periods = terms.some((term) => term.words.length === 0) ? [] : await findPeriods(q, services)
  return { periods, terms, phrases, is_complete, tokensOf: tokensBy(keys) }
}

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

/** The words of the vocabulary with this prefix. Problem: invalid_input, when they are too many. */
async function meant(q: Queryable, keys: WordKeys, prefix: string): Promise<string[]> {
  const sealed = await findVocabulary(q, keys.bucketOf(prefix))
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
