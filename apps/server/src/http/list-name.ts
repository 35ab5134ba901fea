import { hash } from 'node:crypto'

/** Fields of a list's query that say which part of it is wanted, not which list. */
const PAGING: ReadonlySet<string> = new Set(['limit', 'last_key', 'type', 'client'])

/** Name under which the page keys of a list are sealed: a place in one client's list with one filter means nothing in another. */
export function listName(name: string, client_id: number | 'all', query: object): string {
  const filter = Object.entries(query)
    .filter(([key]) => !PAGING.has(key))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `${name} ${client_id} ${hash('sha256', JSON.stringify(filter), 'base64url')}`
}
