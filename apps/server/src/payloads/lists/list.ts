import { type PayloadSummary, getService, type Suggestion, SUGGESTIONS } from '@custodia/contract'
import { interpretSearch, matchesTerm, nameLine, searchEntry, type SearchTerm } from '@custodia/domain'
import type { AppContext } from '../../app-context.ts'
import { findGroupOfDevice } from '../../device-records/store.ts'
import { findUser } from '../../device-users/store.ts'
import { getActor, type Handler, type PortalContext, type PortalUser } from '../../http/context.ts'
import { getPlaces } from '../../http/page.ts'
import { preparedPage } from '../../http/prepared-json.ts'
import { Problem } from '../../http/problem.ts'
import type { Queryable } from '../../ports/database/lease.ts'
import { withoutContent } from '../without-content.ts'
import { resolveConversations } from './matching.ts'
import { findBeginning, findPeople, type PersonName } from './store/contacts.ts'
import { type ConversationKey, countConversations, readConversations } from './store/conversations.ts'
import { type ListQuery, resolveFilter } from './store/filter.ts'
import { type PageEffort, readListPage } from './store/page.ts'
import type { ListKey } from './store/place.ts'
import { readListTotal } from './store/total.ts'

type Cursors = Pick<AppContext, 'cursors'>
type ListInput = ListQuery & {
  limit: number
  last_key?: string | undefined
  type: 'page' | 'total'
  most: number
}

/** The payloads that the caller may see, newest or oldest first, or their total. */
export const listPayloads =
  ({ cursors }: Cursors, effort?: PageEffort): Handler<'listPayloads'> =>
  (context, { query }) =>
    listed(context, { cursors, name: 'listPayloads', action: 'payloads:list', query, effort })

/**
 * The payloads of one device. Problem: not_found, when the caller sees neither the device nor a payload of
 * it.
 */
export const listPayloadsOfDevice =
  ({ cursors }: Cursors): Handler<'listPayloadsOfDevice'> =>
  (context, { params, query }) =>
    listed(context, {
      cursors,
      name: `listPayloadsOfDevice ${params.device_reference}`,
      action: 'devices.payloads:list',
      query: { ...query, ...params },
      subject: (q) => findGroupOfDevice(q, params.device_reference),
    })

/**
 * The payloads of one device user. Problem: not_found, when the caller sees neither the person nor a payload of theirs.
 */
export const listPayloadsOfUser =
  ({ cursors }: Cursors): Handler<'listPayloadsOfUser'> =>
  (context, { params, query }) =>
    listed(context, {
      cursors,
      name: `listPayloadsOfUser ${params.device_user_reference}`,
      action: 'users.payloads:list',
      query: { ...query, ...params },
      subject: (q) => findUser(q, params.device_user_reference),
    })

interface ListRequest {
  cursors: AppContext['cursors']
  name: string
  /** The action on whose payloads the list is. */
  action: string
  query: ListInput
  effort?: PageEffort | undefined
  /** The subject of the list, which may be visible when the list is empty. */
  subject?: (q: Queryable) => Promise<{ group_id: number } | undefined>
}

function listed({ caller, readFromReplica }: PortalContext, list: ListRequest) {
  const { cursors, name, action, query, effort, subject } = list
  const { client_id } = caller
  const { from, until } = getPlaces<ListKey>(cursors, { name, client_id, query })
  return readFromReplica(async (q) => {
    const filter = await resolveFilter(
      q,
      caller.access,
      action,
      { ...query, reader: getActor(caller) },
      effort?.runs,
    )
    const assertKnown = async () => {
      const about = await subject?.(q)
      if (subject && !(about && caller.access.permits(action, about)))
        throw new Problem('not_found', { detail: 'neither it nor a payload of it is in reach' })
    }
    if (query.type === 'total') {
      const total = filter ? await readListTotal(q, filter, query.most) : { total: 0 }
      if (total.total === 0) await assertKnown()
      return total
    }
    const { rows, next } = filter
      ? await readListPage(q, filter, query.limit, from, effort)
      : { rows: [], next: undefined }
    if (rows.length === 0 && !from && !next) await assertKnown()
    return preparedPage<PayloadSummary>(shown(rows, caller), until(next).last_key)
  })
}

/**
 * Rows as the caller may see them: notes are content, and in support mode only the payload itself shows them.
 */
function shown(rows: readonly string[], { support_reference }: PortalUser): readonly string[] {
  if (support_reference === undefined) return rows
  return rows.map((row) => JSON.stringify(withoutContent(JSON.parse(row) as PayloadSummary)))
}

/**
 * Conversations with a message that matches the filters, latest first, or their number. Counts and times cover what the
 * caller may see, so that a hidden message leaves no trace.
 */
export const listConversations =
  ({ cursors }: Cursors): Handler<'listConversations'> =>
  ({ caller, readFromReplica }, { query }) => {
    const { client_id, access } = caller
    const { from, until } = getPlaces<ConversationKey>(cursors, {
      name: 'listConversations',
      client_id,
      query,
    })
    return readFromReplica(async (q) => {
      const filter = await resolveConversations(q, access, query)
      if (query.type === 'total') return filter ? countConversations(q, filter, query.most) : { total: 0 }
      const { data, next } = filter
        ? await readConversations(q, filter, { after: from, limit: query.limit })
        : { data: [], next: undefined }
      return { count: data.length, ...until(next), data }
    })
  }

/** Payloads read: the newest matches of the search. */
const NEWEST = 200

/**
 * Suggests meanings of the search text from the newest payloads of the caller's list, so that it reveals
 * nothing that the list does not show.
 */
export function suggestPayloads(): Handler<'suggestPayloads'> {
  return async ({ caller: { access }, readFromReplica }, { query }) =>
    readFromReplica(async (q) => {
      const filter = await resolveFilter(q, access, 'payloads:list', {
        ...query,
        date_filter: 'payload_time',
        order: 'newest',
      })
      const page = filter && (await readListPage(q, filter, NEWEST, undefined))
      const rows = (page?.rows ?? []).map((row) => JSON.parse(row) as PayloadSummary)
      const references = rows.flatMap(({ device_user_reference }) => device_user_reference ?? [])
      const people = await findPeople(q, [...new Set(references)])
      const { terms } = interpretSearch(query.search)
      const payloads = await findBeginning(q, access, query)
      return { data: [...payloads, ...getSuggestions(rows, terms, people)].slice(0, SUGGESTIONS) }
    })
}

interface FoundSuggestion {
  suggestion: Exclude<Suggestion, { kind: 'payload' }>
  /** Terms that it alone matches. */
  fulfilled: number
}

/** Parties and people of these rows that match the search, each once; the best match first, then the newest. */
function getSuggestions(
  rows: readonly PayloadSummary[],
  terms: readonly SearchTerm[],
  people: readonly PersonName[],
): Suggestion[] {
  const found = new Map<string, FoundSuggestion>()
  const add = (line: string, row: PayloadSummary, suggestion: FoundSuggestion['suggestion']) => {
    const fulfilled = terms.filter((term) => matchesTerm(line, term)).length
    if (fulfilled === 0) return
    const key = JSON.stringify({ ...suggestion, services: [] })
    const known = found.get(key) ?? { suggestion, fulfilled }
    const service = getService(row.payload_type)
    if (!known.suggestion.services.includes(service)) known.suggestion.services.push(service)
    found.set(key, known)
  }
  const names = new Map(people.map((person) => [person.device_user_reference, person]))
  for (const row of rows) {
    for (const party of row.parties ?? []) {
      const { phone_number } = party
      const contact_name = party.contact_name || null
      const { text } = searchEntry([party], phone_number === null ? [] : [phone_number.trim()])
      add(text, row, { kind: 'party', contact_name, phone_number, services: [] })
    }
    const { device_user_reference } = row
    const person = device_user_reference === null ? undefined : names.get(device_user_reference)
    if (person) {
      const name = [person.first_name, person.surname].filter(Boolean).join(' ') || null
      add(nameLine(`${name ?? ''} ${person.device_user_reference}`), row, {
        kind: 'person',
        device_user_reference: person.device_user_reference,
        name,
        services: [],
      })
    }
  }
  const most = Math.max(0, ...[...found.values()].map(({ fulfilled }) => fulfilled))
  return [...found.values()].filter(({ fulfilled }) => fulfilled === most).map(({ suggestion }) => suggestion)
}
