import { SNIPPET_PLACES, type Snippet } from '@custodia/contract'
import { type Access, hasData, interpretWords, type SearchWords, snippetIn } from '@custodia/domain'
import type { AppContext } from '../../app-context.ts'
import { getActor, type Handler, type PortalUser } from '../../http/context.ts'
import { Problem } from '../../http/problem.ts'
import { refusedWords } from '../lists/store/words.ts'
import { type DataSubject, findDataSubjects, notePayloadAudit } from '../store.ts'
import { findWordIndex } from '../word-store.ts'
import { readTexts } from './index-words.ts'

/** Bytes of one text, and milliseconds for all texts of a call. */
const [MAX_BYTES, MAX_MS] = [256 * 1024, 3000]

/**
 * The passages with the words in payloads that the caller may search and whose content the caller may read. They are cut
 * from the opened texts and kept nowhere. Problems: content_search_off, invalid_input.
 */
export function readSnippets(ctx: AppContext): Handler<'readSnippets'> {
  return async (context, { body: { words, payload_references } }) => {
    const { caller } = context
    const { client, client_id } = caller
    const search = interpretWords(words)
    const subjects = await context.read(async (q) => {
      if (!(await findWordIndex(q))?.is_wanted) throw new Problem('content_search_off')
      if ('fault' in search) throw refusedWords(search.fault)
      return findDataSubjects(q, payload_references)
    })
    const places = new Map(
      [...subjects.values()].map((subject) => [subject.payload_id, readablePlaces(caller, subject)]),
    )
    const ids = [...places].flatMap(([payload_id, readable]) => (readable?.size ? payload_id : []))
    const limits = { bytes: MAX_BYTES, until: performance.now() + MAX_MS }
    const passages = new Map<number, Passage>()
    for (const { payload_id, texts } of await readTexts(ctx, client_id, client, ids, limits)) {
      const passage = getPassage(texts, places.get(payload_id), search as SearchWords)
      if (passage) passages.set(payload_id, passage)
    }
    if (passages.size > 0) {
      const entry = { at: context.now, portal_user: getActor(caller), action: context.action }
      // Before the response: each payload shown gets an audit entry with the call.
      await context.write((tx, log_id) => notePayloadAudit(tx, [...passages.keys()], { ...entry, log_id }))
    }
    const data = payload_references.map((payload_reference): Snippet => {
      const { payload_id = 0 } = subjects.get(payload_reference) ?? {}
      const passage = passages.get(payload_id)
      if (passage) return { payload_reference, status: 'Ok', passage }
      return { payload_reference, status: places.get(payload_id) ? 'NoSnippet' : 'NoMatchingRecord' }
    })
    return { data }
  }
}

type Passage = NonNullable<Snippet['passage']>
type Place = Passage['place']

/** The texts of a payload that the caller may read, as `getReach` of a search does; none without data. Undefined: out of reach. */
function readablePlaces(
  { access, support_reference }: Pick<PortalUser, 'access' | 'support_reference'>,
  subject: DataSubject,
): ReadonlySet<Place> | undefined {
  const may = (action: string) => (access as Access).permits(action, subject)
  const isFound = ['payloads:list', 'payloads:search', 'payloads.snippets:read'].every(may)
  if (!isFound) return undefined
  if (!hasData(subject)) return new Set()
  const plays = may('payloads:play')
  return new Set<Place>([
    ...(plays ? (['text', 'file'] as const) : []),
    ...(may('payloads:read') && (plays || support_reference === undefined) ? (['note'] as const) : []),
  ])
}

function getPassage(
  texts: readonly (readonly [string, string])[],
  places: ReadonlySet<Place> | undefined,
  search: SearchWords,
): Passage | undefined {
  for (const place of SNIPPET_PLACES)
    for (const [field, whole] of texts) {
      if (field !== place || !places?.has(place)) continue
      const text = snippetIn(whole, search)
      if (text !== undefined) return { place, text }
    }
  return undefined
}
