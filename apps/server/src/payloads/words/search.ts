import { type PayloadSummary, type PayloadType, type SearchTotal, TOTAL_CAP } from '@custodia/contract'
import { type Access, hasPhrases } from '@custodia/domain'
import type { AppContext } from '../../app-context.ts'
import { getActor, type Handler, type PortalContext, type PortalUser } from '../../http/context.ts'
import { getPlaces } from '../../http/page.ts'
import { PreparedJson } from '../../http/prepared-json.ts'
import { SERVICE_CODES } from '../../payload-records/codes.ts'
import type { ReadSearchPage } from '../lists/matching.ts'
import { getDirection, type ListFilter, type ListQuery, resolveFilter } from '../lists/store/filter.ts'
import { firstPlace, type ListPage, type PageEffort, readListPage } from '../lists/store/page.ts'
import type { ListKey } from '../lists/store/place.ts'
import { intersectScopes, type Scope, type ScopeFilter, getScope } from '../lists/store/scope.ts'
import { rarestFirst } from '../lists/store/words-rarest.ts'
import { type ResolvedWords, resolveWords } from '../lists/store/words.ts'
import { findEarliest, findSettled } from './index-store.ts'
import { readTexts } from './index-words.ts'

type Opening = Pick<AppContext, 'db' | 'keys' | 'objects'>
type SearchQuery = Omit<ListQuery, 'date_filter'> & {
  processed_from?: number
  processed_to?: number
  except?: readonly string[]
}
type Parts = Opening & Pick<AppContext, 'cursors'>

/** Most payloads that one request opens to compare quoted text; a page with more candidates stays short. */
const OPENED = 200
/** Candidates opened between two checks for a full page. */
const OPENED_TOGETHER = 50

/**
 * The visible payloads with these words, or their number; none when no text is visible. Problems: content_search_off,
 * invalid_input.
 */
export const searchPayloads =
  (ctx: Parts, effort?: PageEffort): Handler<'searchPayloads'> =>
  async (context, { query, body }) => {
    const { client_id } = context.caller
    const { words } = body
    if (query.type === 'total') return countHits(ctx, context, query, words)
    const asked = { ...query, words }
    const { from, until } = getPlaces<ListKey>(ctx.cursors, {
      name: 'searchPayloads',
      client_id,
      query: asked,
    })
    const { page, is_complete } = await readSearchPage(
      ctx,
      context,
      query,
      { words, from, limit: query.limit },
      effort,
    )
    const { last_key } = until(page.next)
    const key = last_key === undefined ? '' : `"last_key":"${last_key}",`
    return new PreparedJson<{
      count: number
      last_key?: string
      data: PayloadSummary[]
      is_complete: boolean
    }>(`{"count":${page.rows.length},${key}"data":[${page.rows.join(',')}],"is_complete":${is_complete}}`)
  }

/** Counts what the pages of the search show, so that hidden payloads leave no trace. */
async function countHits(
  ctx: Opening,
  context: PortalContext,
  { payload_types, ...query }: SearchQuery,
  words: string,
): Promise<SearchTotal> {
  const asked = { words, from: undefined, limit: TOTAL_CAP, isCount: true }
  const { page, is_complete, settled } = await readSearchPage(ctx, context, { ...query, include: [] }, asked)
  const by_type: Partial<Record<PayloadType, number>> = {}
  // Stays the same while nothing new is found, so that a repeated count leaves no entry in the audit log.
  let seen_until = page.next ? settled : (query.processed_from ?? settled)
  for (const row of page.rows) {
    const { payload_type, processed_at } = JSON.parse(row) as PayloadSummary
    by_type[payload_type] = (by_type[payload_type] ?? 0) + 1
    seen_until = Math.max(seen_until, Math.min((processed_at ?? 0) + 1, settled))
  }
  const total = Object.entries(by_type).reduce(
    (sum, [type, count]) =>
      payload_types === undefined || payload_types.includes(type as PayloadType) ? sum + count : sum,
    0,
  )
  return { total, by_type, is_complete, seen_until, ...(page.next && { is_capped: true }) }
}

/** Pages of content searches, for acts on all that match. Problems: content_search_off, invalid_input. */
export const searchPages =
  (ctx: Opening): ReadSearchPage =>
  (...asked) =>
    readSearchPage(ctx, ...asked)

/** What is read of a search: a page, or a count. */
interface SearchStep {
  words: string
  from: ListKey | undefined
  limit: number
  isCount?: boolean
}

async function readSearchPage(
  ctx: Opening,
  context: PortalContext,
  query: SearchQuery,
  asked: SearchStep,
  effort?: PageEffort,
): Promise<{ page: ListPage; is_complete: boolean; settled: number }> {
  const { caller } = context
  const { words, settled, ...resolution } = await resolved(ctx, context, query, asked)
  const found = resolution.found && { ...resolution.found, isCount: asked.isCount }
  const read = async (after: ListKey | undefined, limit: number): Promise<ListPage> =>
    found
      ? unseen(await context.read((q) => readListPage(q, found, limit, after, effort)), query.except)
      : { rows: [], places: [], next: undefined }
  const page =
    words.phrases.length === 0
      ? await read(asked.from, asked.limit)
      : await compared(ctx, caller, words, read, asked.from, asked.limit)
  return { page, is_complete: words.is_complete, settled }
}

/** The page without the payloads that the caller has seen; it may be short. */
function unseen(page: ListPage, seen: readonly string[] = []): ListPage {
  if (seen.length === 0) return page
  const isNew = page.rows.map((row) => !seen.includes((JSON.parse(row) as PayloadSummary).payload_reference))
  return {
    ...page,
    rows: page.rows.filter((_, nth) => isNew[nth]),
    places: page.places.filter((_, nth) => isNew[nth]),
  }
}

/**
 * The payloads in which the caller may learn of a hit, because a hit reveals content. Message texts and file names need
 * the playback permission, notes the permission to open. In support mode the approved role must permit playback.
 */
function getReach(
  { access, support_reference }: Pick<PortalUser, 'access' | 'support_reference'>,
  filter: ScopeFilter,
): Scope {
  const of = (action: string) => getScope(access as Access, action, filter)
  const played = of('payloads:play')
  const opened = of('payloads:read')
  const isMessage = ({ service }: { service: number }) => service === SERVICE_CODES.messages
  const shown = [
    ...played.filter(isMessage),
    ...(support_reference === undefined ? opened : intersectScopes(opened, played)).filter(
      (part) => !isMessage(part),
    ),
  ]
  return [of('payloads:list'), shown].reduce(intersectScopes, of('payloads:search'))
}

/** The requested range of processing times, as far as the index is complete. */
function getProcessed(
  { processed_from, processed_to }: SearchQuery,
  settled: number,
): readonly [number, number] | undefined {
  if (processed_from === undefined && processed_to === undefined) return undefined
  return [processed_from ?? 0, Math.min(processed_to ?? settled, settled)]
}

/** The requested list with the rarest word first; undefined when it must be empty. */
function resolved(
  ctx: Opening,
  { caller, now, read }: PortalContext,
  query: SearchQuery,
  { words: typed, from, isCount = false }: SearchStep,
): Promise<{ found: ListFilter | undefined; words: ResolvedWords; settled: number }> {
  const { client, access } = caller
  return read(async (q) => {
    const by_time = { ...query, reader: getActor(caller), date_filter: 'payload_time' } as const
    const filter = await resolveFilter(q, access, 'payloads:search', by_time)
    const reached = filter ? intersectScopes(filter.scope, getReach(caller, query)) : []
    const isLimited = access.matters !== undefined
    const words = await resolveWords(ctx, q, { client, typed, scope: reached, isLimited })
    const { scope } = words
    // Pages do not depend on what is still to be indexed.
    const isSettling = isCount || query.processed_from !== undefined || query.processed_to !== undefined
    const settled = isSettling ? await findSettled(q, now) : now
    const none = { found: undefined, words, settled }
    if (!filter || scope.length === 0 || words.periods.length === 0) return none
    const processed = getProcessed(query, settled)
    if (processed) {
      // Few payloads are new: the index is read from the earliest of them only.
      const services = [...new Set(scope.map(({ service }) => service))]
      const earliest = await findEarliest(q, services, processed)
      if (earliest === undefined) return none
      filter.from = Math.max(filter.from, earliest)
    }
    const place = from ?? firstPlace(filter)
    const ordered = await rarestFirst(q, words, scope, getDirection(filter), place)
    if (ordered.terms.length === 0) return none
    return { found: { ...filter, scope, processed, words: ordered }, words, settled }
  })
}

/** The candidates whose texts contain the quoted text. */
async function compared(
  ctx: Opening,
  { client, client_id }: Pick<PortalUser, 'client' | 'client_id'>,
  { phrases }: ResolvedWords,
  read: (after: ListKey | undefined, limit: number) => Promise<ListPage>,
  from: ListKey | undefined,
  limit: number,
): Promise<ListPage> {
  const rows: string[] = []
  const places: ListKey[] = []
  let after = from
  for (let opened = 0; opened < OPENED;) {
    const page = await read(after, OPENED_TOGETHER)
    const ids = page.places.map(([, payload_id]) => payload_id)
    const texts = await readTexts(ctx, client_id, client, ids)
    const good = new Set(
      texts
        .filter((each) =>
          hasPhrases(
            each.texts.map(([, text]) => text),
            phrases,
          ),
        )
        .map(({ payload_id }) => payload_id),
    )
    for (const [i, place] of page.places.entries()) {
      if (good.has(place[1])) {
        // One more than the page holds: the next one begins behind the last row of this one.
        if (rows.length === limit) return { rows, places, next: places.at(-1) }
        rows.push(page.rows[i] ?? '')
        places.push(place)
      }
    }
    if (!page.next) return { rows, places, next: undefined }
    after = page.next
    opened += Math.max(ids.length, OPENED_TOGETHER)
  }
  return { rows, places, next: after }
}
