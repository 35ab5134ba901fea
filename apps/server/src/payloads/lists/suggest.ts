import { type PayloadSummary, serviceOf, type Suggestion, SUGGESTIONS } from '@custodia/contract'
import { interpretSearch, matchesTerm, nameLine, searchEntry, type SearchTerm } from '@custodia/domain'
import type { Handler } from '../../http/context.ts'
import { resolveFilter } from './store/filter.ts'
import { readListPage } from './store/page.ts'
import { findBeginning, findPeople, type PersonName } from './store/suggest.ts'

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
      return { data: [...payloads, ...suggestionsOf(rows, terms, people)].slice(0, SUGGESTIONS) }
    })
}

interface Found {
  suggestion: Exclude<Suggestion, { kind: 'payload' }>
  /** Terms that it alone matches. */
  fulfilled: number
}

/** Parties and people of these rows that match the search, each once; the best match first, then the newest. */
function suggestionsOf(
  rows: readonly PayloadSummary[],
  terms: readonly SearchTerm[],
  people: readonly PersonName[],
): Suggestion[] {
  const found = new Map<string, Found>()
  const add = (line: string, row: PayloadSummary, suggestion: Found['suggestion']) => {
    const fulfilled = terms.filter((term) => matchesTerm(line, term)).length
    if (fulfilled === 0) return
    const key = JSON.stringify({ ...suggestion, services: [] })
    const known = found.get(key) ?? { suggestion, fulfilled }
    const service = serviceOf(row.payload_type)
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
