import { FILTER_LIMIT, type PayloadSummary } from '@custodia/contract'
import { actorOf, type PortalContext } from '../../http/context.ts'
import { findDataSubjects, findDeviceUsersOf } from '../store.ts'
import { type ListQuery, resolveFilter } from './store/filter.ts'
import { type ListPage, readListPage } from './store/page.ts'
import type { ListKey } from './store/place.ts'

/** Rows per read. */
const PAGE = 200

/** Recordings of a page in order; `hasMore` when the list goes on. */
export interface Chosen {
  references: string[]
  hasMore: boolean
}

/** The references of a page. */
const referencesIn = ({ rows }: ListPage): string[] =>
  rows.map((row) => (JSON.parse(row) as PayloadSummary).payload_reference)

/** A selection, or words in addition to a list's filter. */
export interface Narrowing {
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
  { payload_references, words }: Narrowing,
  readSearchPage: ReadSearchPage,
): AsyncGenerator<Chosen, void, undefined> {
  if (payload_references)
    return yield { references: await listedOf(context, payload_references), hasMore: false }
  const filter = { ...query, reader: actorOf(context.caller) }
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
async function listedOf(context: PortalContext, payload_references: readonly string[]): Promise<string[]> {
  const subjects = await context.read((q) => findDataSubjects(q, payload_references))
  return payload_references.filter((reference) => {
    const subject = subjects.get(reference)
    return subject !== undefined && context.caller.access.permits('payloads:list', subject)
  })
}

/** The device users of a selection, or of all recordings that match a search or a filter, and the number without one. */
export async function usersOfRecordings(
  ...chosen: Parameters<typeof chosenPages>
): Promise<{ users: string[]; without_user: number; is_cut: boolean }> {
  const [context] = chosen
  const { references, is_cut } = await chosenReferences(...chosen)
  const found = await context.read((q) => findDeviceUsersOf(q, references))
  return {
    users: found.flatMap(({ device_user_reference }) => device_user_reference ?? []),
    without_user: found.find(({ device_user_reference }) => device_user_reference === null)?.payloads ?? 0,
    is_cut,
  }
}
