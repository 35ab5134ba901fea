import { FILTER_LIMIT, type PayloadSummary } from '@custodia/contract'
import { actorOf, type PortalContext } from '../../http/context.ts'
import { findDataSubjects, findDeviceUsersOf } from '../store.ts'
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

/** The device users of a selection, or of all recordings that match a filter, and the number without one. */
export async function usersOfRecordings(
  context: PortalContext,
  query: ListQuery,
  payload_references: readonly string[] | undefined,
): Promise<{ users: string[]; without_user: number; is_cut: boolean }> {
  const { references, is_cut } = payload_references
    ? { references: await listedOf(context, payload_references), is_cut: false }
    : await matchingReferences(context, query)
  const found = await context.read((q) => findDeviceUsersOf(q, references))
  return {
    users: found.flatMap(({ device_user_reference }) => device_user_reference ?? []),
    without_user: found.find(({ device_user_reference }) => device_user_reference === null)?.payloads ?? 0,
    is_cut,
  }
}
