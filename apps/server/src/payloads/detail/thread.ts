import { type PayloadPlace, PayloadSummary, type ThreadMessage } from '@custodia/contract'
import { dataStatus } from '@custodia/domain'
import type { AppContext } from '../../app-context.ts'
import { getActor, type Handler, type PortalContext } from '../../http/context.ts'
import { getPlaces } from '../../http/page.ts'
import { Problem } from '../../http/problem.ts'
import { timeRange } from '../../http/time-range.ts'
import type { Queryable } from '../../ports/database/lease.ts'
import { isDamage, reportDamage } from '../data-damage.ts'
import { openObject, readWhole, getText } from '../data-objects.ts'
import { type ListFilter, resolveFilter } from '../lists/store/filter.ts'
import { readListPage } from '../lists/store/page.ts'
import type { ListKey } from '../lists/store/place.ts'
import { readListTotal } from '../lists/store/total.ts'
import { readText } from '../processing/message-parts.ts'
import { findSealedMetadata, openSealedMetadata, type SealedMetadata } from '../sealed-metadata-store.ts'
import { type DataSubject, findDataSubjects, notePayloadAudit } from '../store.ts'

/** Texts opened concurrently. */
const AT_ONCE = 4
/** Most bytes of texts that one page opens; such a page has fewer messages. */
const PAGE_BYTES = 1024 ** 2

/**
 * The messages of a conversation, from either end or from a date, with the texts that the caller may read.
 * Problem: not_found, when the caller may see none of its messages.
 */
export function readThread(ctx: AppContext): Handler<'readThread'> {
  return async (context, { params, query }) => {
    const { caller } = context
    const { client_id } = caller
    const name = `readThread ${JSON.stringify(params)}`
    const { from, until } = getPlaces<ListKey>(ctx.cursors, { name, client_id, query })
    const found = await context.read(async (q) => {
      const ofThread = { ...params, service: 'messages', date_filter: 'payload_time' } as const
      const whole = await resolveFilter(q, caller.access, 'devices.sms:read', {
        ...ofThread,
        order: 'newest',
      })
      if (!whole) throw new Problem('not_found', { detail: 'no such conversation in reach' })
      const filter = { ...whole, order: query.order, ...timeRange(query) }
      if (query.type === 'total') return readListTotal(q, filter)
      const page = await readMessages(q, filter, query.limit, from)
      if (page.rows.length === 0 && !from && !page.next) {
        const { rows } = await readListPage(q, whole, 1, undefined)
        if (rows.length === 0) throw new Problem('not_found', { detail: 'no message in reach' })
      }
      return page
    })
    if ('total' in found) return found
    const { rows, next, subjects } = found
    const data = await openAll(ctx, context, rows, subjects)
    const shown = data.flatMap(({ payload_reference, text }) =>
      text === undefined ? [] : (subjects.get(payload_reference)?.payload_id ?? []),
    )
    if (shown.length > 0) {
      const entry = { at: context.now, portal_user: getActor(caller), action: 'devices.sms:read' }
      // Before the response: each shown message gets an audit entry with the call.
      await context.write((tx, log_id) => notePayloadAudit(tx, shown, { ...entry, log_id }))
    }
    return { count: data.length, ...until(next), data }
  }
}

async function readMessages(
  q: Queryable,
  filter: ListFilter,
  limit: number,
  from: ListKey | undefined,
): Promise<{ rows: PayloadSummary[]; next: ListKey | undefined; subjects: Map<string, DataSubject> }> {
  const { rows, next } = await readListPage(q, filter, limit, from)
  const messages = rows.map((row) => PayloadSummary.parse(JSON.parse(row)))
  const references = messages.map(({ payload_reference }) => payload_reference)
  const subjects = await findDataSubjects(q, references)
  const fitting = countFitting(
    references.map((reference) => getText(subjects.get(reference)?.objects ?? [])?.size ?? 0),
  )
  if (fitting < messages.length) return readMessages(q, filter, fitting, from)
  return { rows: messages, next, subjects }
}

/** How many of these sizes fit into a page; at least one. */
function countFitting(sizes: readonly number[]): number {
  let sum = 0
  const over = sizes.findIndex((size) => (sum += size) > PAGE_BYTES)
  return over < 0 ? sizes.length : Math.max(1, over)
}

async function openAll(
  ctx: AppContext,
  context: PortalContext,
  rows: readonly PayloadSummary[],
  subjects: ReadonlyMap<string, DataSubject>,
): Promise<ThreadMessage[]> {
  const messages: ThreadMessage[] = []
  for (let i = 0; i < rows.length; i += AT_ONCE) {
    const some = rows.slice(i, i + AT_ONCE)
    messages.push(
      ...(await Promise.all(
        some.map((row) => openMessage(ctx, context, row, subjects.get(row.payload_reference))),
      )),
    )
  }
  return messages
}

async function openMessage(
  ctx: AppContext,
  { caller }: PortalContext,
  row: PayloadSummary,
  subject: DataSubject | undefined,
): Promise<ThreadMessage> {
  const status = dataStatus({ action: 'payloads:play', access: caller.access, payload: subject })
  // A caller without the playback permission in this group gets no text; the list already shows that the message
  // exists.
  if (status === 'GroupNotAuthorised') return { ...row, status: 'TypeNotAuthorised' }
  if (status !== 'Ok') return { ...row, status }
  // Only a worker opens documents that are more than a text.
  const text = getText(subject?.objects ?? [])
  if (!text) return { ...row, status: 'NoS3Url' }
  const { client, client_id } = caller
  try {
    const bytes = await readWhole(await openObject(ctx, client, row.payload_reference, text))
    return { ...row, status, ...readText(bytes) }
  } catch (error) {
    if (!isDamage(error)) throw error
    await reportDamage(ctx, { client_id, payload_reference: row.payload_reference, kind: text.kind }, error)
    return { ...row, status: 'NoS3Url' }
  }
}

/** Metadata opened concurrently: each needs the key service. */
const PLACES_AT_ONCE = 8

interface Location {
  latitude: number
  longitude: number
  accuracy?: number
}

/** Returns the places of visible payloads whose metadata has one. */
export function readPayloadPlaces(ctx: AppContext): Handler<'readPayloadPlaces'> {
  return async ({ caller, readFromReplica }, { query: { payload_references } }) => {
    const { access } = caller
    const found = await readFromReplica(async (q) => {
      const subjects = await findDataSubjects(q, payload_references)
      const data = payload_references.map((payload_reference): PayloadPlace => {
        const payload = subjects.get(payload_reference)
        const status = dataStatus({ action: 'payloads.places:read', access, payload })
        // A payload without data, such as a missed call, still has a place.
        return { payload_reference, status: status === 'NoS3Url' ? 'Ok' : status }
      })
      const result = data.flatMap(({ status, payload_reference }) =>
        status === 'Ok' ? (subjects.get(payload_reference)?.payload_id ?? []) : [],
      )
      return { data, sealed: await findSealedMetadata(q, result) }
    })
    const answers = new Map(found.data.map((answer) => [answer.payload_reference, answer]))
    const waiting = found.sealed.values()
    const open = async () => {
      for (const each of waiting) {
        const place = await getPlace(ctx, caller.client_id, each)
        const answer = answers.get(each.payload_reference)
        if (place && answer) answer.place = place
      }
    }
    await Promise.all(Array.from({ length: PLACES_AT_ONCE }, open))
    return { data: found.data }
  }
}

/** Undefined without a place; reports damaged metadata to the client's staff and returns undefined. */
async function getPlace(
  ctx: AppContext,
  client_id: number,
  sealed: SealedMetadata,
): Promise<PayloadPlace['place']> {
  try {
    const meta = await openSealedMetadata(ctx, sealed)
    const fix = meta.payload_location as Location | null | undefined
    const location = fix ?? (meta.last_known_location as Location | null | undefined)
    if (!location) return undefined
    const { latitude, longitude, accuracy = null } = location
    return { latitude, longitude, accuracy, is_last_known: !fix }
  } catch (error) {
    if (!isDamage(error)) throw error
    const { payload_reference } = sealed
    await reportDamage(ctx, { client_id, payload_reference, kind: 'meta' }, error)
    return undefined
  }
}
