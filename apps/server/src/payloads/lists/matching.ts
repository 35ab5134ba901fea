import { FILTER_LIMIT, type PayloadSummary } from '@custodia/contract'
import type { Access } from '@custodia/domain'
import { actorOf, type PortalContext } from '../../http/context.ts'
import type { Queryable } from '../../ports/database/lease.ts'
import { findDataSubjects, findDeviceUsersOf } from '../store.ts'
import {
  type ConversationFilter,
  type ConversationKey,
  findUsersOfConversations,
  readConversations,
} from './store/conversations.ts'
import { type ListQuery, resolveFilter } from './store/filter.ts'
import { type ListPage, readListPage } from './store/page.ts'
import type { ListKey } from './store/place.ts'

/** Rows per read. */
export const PAGE = 200

/** Recordings of a page in order; `hasMore` when the list goes on. */
export interface Chosen {
  references: string[]
  hasMore: boolean
}

/** The references of a page. */
export const referencesIn = ({ rows }: ListPage): string[] =>
  rows.map((row) => (JSON.parse(row) as PayloadSummary).payload_reference)

/** The recordings that match a list's filter, page by page: what the caller may list. */
export async function* matchingPages(
  context: PortalContext,
  query: ListQuery,
): AsyncGenerator<Chosen, void, undefined> {
  const filter = { ...query, reader: actorOf(context.caller) }
  let from: ListKey | undefined
  do {
    const place = from
    const page = await context.read(async (q) => {
      const found = await resolveFilter(q, context.caller.access, 'payloads:list', filter)
      return found && readListPage(q, found, PAGE, place)
    })
    if (!page) return
    from = page.next
    yield { references: referencesIn(page), hasMore: from !== undefined }
  } while (from !== undefined)
}

/** Recordings that match a filter, at most the limit of one act. */
export async function matchingReferences(
  context: PortalContext,
  query: ListQuery,
): Promise<{ references: string[]; is_cut: boolean }> {
  const references: string[] = []
  for await (const page of matchingPages(context, query)) {
    references.push(...page.references)
    const is_cut = references.length > FILTER_LIMIT || (references.length === FILTER_LIMIT && page.hasMore)
    if (is_cut) return { references: references.slice(0, FILTER_LIMIT), is_cut }
  }
  return { references, is_cut: false }
}

/** Those of these recordings that the caller may list. */
export async function listedOf(
  context: PortalContext,
  payload_references: readonly string[],
): Promise<string[]> {
  const subjects = await context.read((q) => findDataSubjects(q, payload_references))
  return payload_references.filter((reference) => {
    const subject = subjects.get(reference)
    return subject !== undefined && context.caller.access.permits('payloads:list', subject)
  })
}

/** The filter of a list of conversations; undefined when nothing can match it. */
export async function resolveConversations(
  q: Queryable,
  access: Access,
  query: Partial<ListQuery>,
): Promise<ConversationFilter | undefined> {
  const { groups, payload_types, device_user_reference, device_reference, number, search, from, to } = query
  const list = await resolveFilter(q, access, 'payloads:list', {
    groups,
    payload_types,
    device_user_reference,
    device_reference,
    number,
    search,
    from,
    to,
    service: 'messages',
    date_filter: 'payload_time',
    order: 'newest',
    include: ['mark', 'heard'],
  })
  return list && { list, is_unreviewed: query.mark === 'none' }
}

/** The last messages of the conversations that match a filter, at most the limit of one act. */
export async function matchingConversations(
  context: PortalContext,
  query: Partial<ListQuery>,
): Promise<{ references: string[]; is_cut: boolean }> {
  const references: string[] = []
  let after: ConversationKey | undefined
  do {
    const from = after
    const page = await context.read(async (q) => {
      const filter = await resolveConversations(q, context.caller.access, query)
      return filter && readConversations(q, filter, { after: from, limit: PAGE })
    })
    references.push(...(page?.data ?? []).map((each) => each.last_payload_reference))
    after = page?.next
    if (references.length >= FILTER_LIMIT)
      return {
        references: references.slice(0, FILTER_LIMIT),
        is_cut: references.length > FILTER_LIMIT || after !== undefined,
      }
  } while (after !== undefined)
  return { references, is_cut: false }
}

/** Which recordings an act concerns; absent references: all that match a filter. */
interface Selection {
  payload_references?: readonly string[] | undefined
  of_conversations?: true | undefined
}

/** The device users of a selection, or of all recordings that match a filter, and the number without one. */
export async function usersOfRecordings(
  context: PortalContext,
  query: ListQuery,
  { payload_references, of_conversations }: Selection,
): Promise<{ users: string[]; recordings: number; without_user: number; is_cut: boolean }> {
  const { references, is_cut } = payload_references
    ? { references: await listedOf(context, payload_references), is_cut: false }
    : await (of_conversations ? matchingConversations : matchingReferences)(context, query)
  const lanes = context.caller.access.lanes('payloads:list')
  const found = await context.read((q) =>
    of_conversations ? findUsersOfConversations(q, references, lanes) : findDeviceUsersOf(q, references),
  )
  return {
    users: found.flatMap(({ device_user_reference }) => device_user_reference ?? []),
    recordings: found.reduce((sum, { payloads }) => sum + payloads, 0),
    without_user: found.find(({ device_user_reference }) => device_user_reference === null)?.payloads ?? 0,
    is_cut,
  }
}
