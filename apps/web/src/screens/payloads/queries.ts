import type { Conversation, Mark, Payload, PayloadState, PayloadSummary } from '@custodia/contract'
import { type InfiniteData, infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { readAgain } from '../../api/after-change.ts'
import { api } from '../../api/api.ts'
import { type CallName, callQuery, getKey, repeatedRead } from '../../api/call-keys.ts'
import { queryClient } from '../../api/query-client.ts'
import { toDateParameter } from '../../components/lists/date-range.ts'
import type { LinkTarget } from '../../components/lists/list-definition.ts'
import { getDetail, type ScreenService, screenService } from './services.ts'

/** States that change within moments. */
const ON_THE_WAY: readonly PayloadState[] = ['Recorded', 'Uploaded', 'Scanning']
/** Poll interval of a payload in progress, in milliseconds. */
const WATCH_MS = 10_000
/** First and maximum poll interval of a preparation, in milliseconds. */
const PREPARED_MS = { first: 1_500, most: 30_000 }

/** Next poll of a changing payload in milliseconds; false: never. A conversion takes moments or minutes. */
function pollInterval({ payload_state, media }: Payload, readings: number): number | false {
  if (ON_THE_WAY.includes(payload_state)) return WATCH_MS
  if (media?.being_prepared !== true) return false
  return Math.min(PREPARED_MS.most, PREPARED_MS.first * 1.3 ** readings)
}

export const payloadQuery = (payload_reference: string) =>
  queryOptions({
    queryKey: getKey('readPayload', payload_reference),
    queryFn: (context) => {
      const input = { params: { payload_reference } }
      const shown = context.client.getQueryData<Payload>(context.queryKey)
      // A view from the cache must reach the audit log, also when the user has moved on.
      if (shown !== undefined && pollInterval(shown, 0) === false) return api.readPayload(input)
      // Only a poll is a refresh: a recording that is opened again leaves an entry.
      return api.readPayload(input, repeatedRead(context))
    },
    refetchInterval: ({ state: { data, dataUpdateCount } }) =>
      data !== undefined && pollInterval(data, dataUpdateCount),
    meta: { isWatch: true },
  })

/** Audit entries of a payload, newest first. */
export const auditQuery = (payload_reference: string) =>
  queryOptions({
    ...callQuery(api, 'readPayloadAudit', { params: { payload_reference } }),
    // Header and timeline of one page share an answer, though the timeline is drawn later.
    staleTime: 5_000,
  })

/** The waveform: immutable and optional. */
export const peaksQuery = (payload_reference: string, is_ahead = false) =>
  queryOptions({
    queryKey: getKey('readPayloadPeaks', payload_reference),
    queryFn: ({ signal }) => api.readPayloadPeaks({ params: { payload_reference } }, { signal, is_ahead }),
    staleTime: Number.POSITIVE_INFINITY,
  })

/** Messages per page of a conversation. */
const THREAD_PAGE = 50

/**
 * A conversation from a time: `newer` messages, that second included, or `older` ones. New messages do not shift
 * pages. The read is audited for every message on the page.
 * @param anchor epoch seconds
 */
export const threadQuery = (
  { device_reference, thread_id, anchor }: { device_reference: string; thread_id: string; anchor: number },
  way: 'newer' | 'older',
) =>
  infiniteQueryOptions({
    queryKey: getKey('readThread', device_reference, thread_id, anchor, way),
    queryFn: ({ pageParam, signal }) => {
      const at = toDateParameter(anchor)
      const from = way === 'newer' ? { order: 'oldest' as const, from: at } : { to: at }
      const query = { limit: THREAD_PAGE, last_key: pageParam, ...from }
      return api.readThread({ params: { device_reference, thread_id }, query }, { signal })
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ last_key }) => last_key,
    // Each read is audited: no automatic refetch.
    staleTime: Number.POSITIVE_INFINITY,
  })

/** Milliseconds within which a started download reaches the server. */
const DOWNLOAD_START_MS = 1_500

type Page<Row> = { data: readonly Row[] }
type Rows<Row> = InfiniteData<Page<Row>>
const isRows = <Row>(data: unknown): data is Rows<Row> =>
  typeof data === 'object' && data !== null && 'pages' in data
/** The page that a list polls for new rows. */
const isPage = <Row>(data: unknown): data is Page<Row> =>
  typeof data === 'object' && data !== null && 'data' in data

/** Rows of all loaded lists. */
export const getRows = <Row>(data: unknown): readonly Row[] =>
  isRows<Row>(data) ? data.pages.flatMap((page) => page.data) : []

/**
 * Changes those rows of the loaded lists of a call that `is` selects, in their pages and in the last poll for new rows.
 * The answers stay as old as they are: otherwise each mark would put off the next poll.
 */
function changeRows<Row>(call: CallName, is: (row: Row) => boolean, changes: Partial<Row>): void {
  const change = (page: Page<Row>): Page<Row> => ({
    ...page,
    data: page.data.map((row) => (is(row) ? { ...row, ...changes } : row)),
  })
  for (const query of queryClient.getQueryCache().findAll({ queryKey: getKey(call) })) {
    const { data, dataUpdatedAt: updatedAt } = query.state
    const rows = isPage<Row>(data) ? data.data : getRows<Row>(data)
    if (!rows.some(is)) continue
    const next = isPage<Row>(data)
      ? change(data)
      : isRows<Row>(data) && { ...data, pages: data.pages.map(change) }
    query.setData(next, { updatedAt, manual: true })
    readAgain(...query.queryKey, 'total')
  }
}

/** Calls whose lists have rows of payloads. */
const LISTS = ['listPayloads', 'searchPayloads'] as const

/** The row of a payload in a loaded list. */
export function getRow(payload_reference: string): PayloadSummary | undefined {
  for (const call of LISTS)
    for (const [, data] of queryClient.getQueriesData<unknown>({ queryKey: getKey(call) })) {
      const row = getRows<PayloadSummary>(data).find((each) => each.payload_reference === payload_reference)
      if (row !== undefined) return row
    }
  return undefined
}

/** Link to the page of a payload: of its type where a loaded list knows it, else of `service`. */
export function pageOfPayload(payload_reference: string, service: ScreenService): LinkTarget {
  const row = getRow(payload_reference)
  return getDetail((row && screenService(row.payload_type)) ?? service, payload_reference)
}

/** Notes in the cache how many messages of a conversation wait for a mark, by any message that may be its last. */
export function noteConversation(references: readonly string[], unreviewed_count: number): void {
  changeRows<Conversation>('listConversations', (row) => references.includes(row.last_payload_reference), {
    unreviewed_count,
  })
}

/** Whether the loaded lists say that every message of this conversation has a mark. */
export const isConversationReviewed = (last_payload_reference: string): boolean =>
  queryClient
    .getQueriesData<unknown>({ queryKey: getKey('listConversations') })
    .some(([, data]) =>
      getRows<Conversation>(data).some(
        (row) => row.last_payload_reference === last_payload_reference && row.unreviewed_count === 0,
      ),
    )

/** Applies an action to loaded lists and pages of payloads without a refetch. */
function noteReview(
  payload_references: readonly string[],
  done: Partial<Pick<PayloadSummary, 'mark' | 'heard'>>,
  review: Partial<NonNullable<Payload['review']>>,
): void {
  const noted = new Set(payload_references)
  for (const call of LISTS) changeRows<PayloadSummary>(call, (row) => noted.has(row.payload_reference), done)
  for (const reference of noted)
    queryClient.setQueryData(payloadQuery(reference).queryKey, (payload) =>
      payload?.review ? { ...payload, review: { ...payload.review, ...review } } : payload,
    )
}

/** Notes in the cache that the user has heard or opened a payload. */
export function noteHeard(payload_reference: string): void {
  noteReview([payload_reference], { heard: 'me' }, { heard: 'me' })
  readAgain('listMarks', payload_reference)
  refreshAudit(payload_reference)
}

/** Notes in the cache which mark these payloads have now; null: none. */
export const noteMarks = (
  payload_references: readonly string[],
  { mark, marked_by }: { mark: Mark | null; marked_by: string | null },
): void => noteReview(payload_references, { mark: mark ?? undefined }, { mark, marked_by })

/** Refetches the audit after an audited action. */
export const refreshAudit = (payload_reference: string): void =>
  readAgain('readPayloadAudit', payload_reference)

/** Refetches the audit after a download start, which the browser does not report. */
export const refreshAuditSoon = (payload_reference: string): void =>
  void setTimeout(() => refreshAudit(payload_reference), DOWNLOAD_START_MS)

/** Milliseconds for which the facts of the next items are kept: a reviewer hears a recording for minutes. */
const AHEAD_MS = 600_000

/**
 * Loads facts and waveforms of the items that likely follow; never their data. The log tells it from a view: the
 * first screen that shows an item reads it again.
 */
export async function readAhead(references: readonly string[]): Promise<void> {
  for (const payload_reference of references) {
    const { queryKey } = payloadQuery(payload_reference)
    if (queryClient.getQueryState(queryKey)?.data !== undefined) continue
    const input = { params: { payload_reference } }
    const ahead = { staleTime: Number.POSITIVE_INFINITY, gcTime: AHEAD_MS, meta: { silent: true } }
    const payload: Payload | undefined = await queryClient
      .fetchQuery({
        ...ahead,
        queryKey,
        queryFn: ({ signal }) => api.readPayload(input, { signal, is_ahead: true }),
      })
      .catch(() => undefined)
    // The next screen reads it again; one that is open already, at once.
    void queryClient.invalidateQueries({ queryKey, exact: true })
    if (payload?.media?.has_peaks === true)
      await queryClient.prefetchQuery({ ...ahead, ...peaksQuery(payload_reference, true) })
  }
}

/** Prefetches a payload while its page loads. The page retries and reports failures. */
export const askForPayload = (payload_reference: string): Promise<void> =>
  queryClient.prefetchQuery({ ...payloadQuery(payload_reference), meta: { silent: true } })
