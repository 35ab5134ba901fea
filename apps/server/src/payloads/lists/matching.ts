import { FILTER_LIMIT, type PayloadSummary } from '@custodia/contract'
import type { Access } from '@custodia/domain'
import { getActor, type PortalContext } from '../../http/context.ts'
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
const PAGE = 200

/** Recordings of a page in order; `hasMore` when the list goes on. */
export interface PageReferences {
  references: string[]
  hasMore: boolean
}

const referencesIn = ({ rows }: ListPage): string[] =>
  rows.map((row) => (JSON.parse(row) as PayloadSummary).payload_reference)

/** A selection, or words in addition to a list's filter. */
export interface ListNarrowing {
  payload_references?: readonly string[] | undefined
  words?: string | undefined
}

/** Reads a page of a content search; `words/` is as high as callers of this file, so the server hands it over. */
export type ReadSearchPage = (
  context: PortalContext,
  query: Omit<ListQuery, 'date_filter'>,
  asked: { words: string; from: ListKey | undefined; limit: number },
) => Promise<{ page: ListPage }>

/** The recordings of a selection, a search or a filter, page by page: what the caller may list. */
export async function* chosenPages(
  context: PortalContext,
  query: ListQuery,
  { payload_references, words }: ListNarrowing,
  readSearchPage: ReadSearchPage,
): AsyncGenerator<PageReferences, void, undefined> {
  if (payload_references)
    return yield { references: await getListed(context, payload_references), hasMore: false }
  const filter = { ...query, reader: getActor(context.caller) }
  const read = async (from: ListKey | undefined): Promise<ListPage | undefined> => {
    if (words !== undefined) return (await readSearchPage(context, filter, { words, from, limit: PAGE })).page
    return context.read(async (q) => {
      const found = await resolveFilter(q, context.caller.access, 'payloads:list', filter)
      return found && readListPage(q, found, PAGE, from)
    })
  }
  let from: ListKey | undefined
  do {
    const page = await read(from)
    if (!page) return
    from = page.next
    yield { references: referencesIn(page), hasMore: from !== undefined }
  } while (from !== undefined)
}

/** Recordings of a selection, a search or a filter, at most the limit of one act. */
export async function chosenReferences(
  ...chosen: Parameters<typeof chosenPages>
): Promise<{ references: string[]; is_cut: boolean }> {
  const references: string[] = []
  for await (const page of chosenPages(...chosen)) {
    references.push(...page.references)
    const is_cut = references.length > FILTER_LIMIT || (references.length === FILTER_LIMIT && page.hasMore)
    if (is_cut) return { references: references.slice(0, FILTER_LIMIT), is_cut }
  }
  return { references, is_cut: false }
}

/** Those of these recordings that the caller may list. */
async function getListed(context: PortalContext, payload_references: readonly string[]): Promise<string[]> {
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

/**
 * The device users of a selection, or of all recordings that match a search or a filter, and the number without one.
 * With `of_conversations` the recordings are the messages of whole conversations.
 */
export async function usersOfRecordings(
  context: PortalContext,
  query: ListQuery,
  { of_conversations, ...narrowing }: ListNarrowing & { of_conversations?: true | undefined },
  readSearchPage: ReadSearchPage,
): Promise<{ users: string[]; recordings: number; without_user: number; is_cut: boolean }> {
  const { references, is_cut } =
    of_conversations && !narrowing.payload_references
      ? await matchingConversations(context, query)
      : await chosenReferences(context, query, narrowing, readSearchPage)
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
