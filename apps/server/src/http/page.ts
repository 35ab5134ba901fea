import { hash } from 'node:crypto'
import type { Page } from '@custodia/contract'
import type { Cursors } from './cursor.ts'

/** The sort key of a list's rows. */
type Place = readonly (string | number)[]

interface PageRequest {
  /** The list's name, with the path parameters that select a list. */
  name: string
  /** The client whose rows it shows. */
  client_id: number | 'all'
  /** The call's query: its filters belong to the name. */
  query: { limit: number; last_key?: string | undefined }
}

/** Query fields that select a part of a list, not another list. */
const PAGING: ReadonlySet<string> = new Set(['limit', 'last_key', 'type', 'client'])

/** A key is only valid for one client's list with one filter: the name under which it is sealed. */
function getName({ name, client_id, query }: PageRequest): string {
  const filter = Object.entries(query)
    .filter(([key]) => !PAGING.has(key))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `${name} ${client_id} ${hash('sha256', JSON.stringify(filter), 'base64url')}`
}

/**
 * For lists that cut their own pages: the start of the page, and the key of its end. Problem: invalid_cursor.
 */
export function getPlaces<Key extends Place>(cursors: Cursors, request: PageRequest) {
  const list = getName(request)
  const { last_key } = request.query
  return {
    /** Undefined on the first page. */
    from: last_key === undefined ? undefined : (cursors.open(list, last_key) as unknown as Key),
    /** Empty on the last page. */
    until: (next: Key | undefined): { last_key?: string } =>
      next === undefined ? {} : { last_key: cursors.seal(list, next) },
  }
}

/**
 * A page of a list by key. Problem: invalid_cursor.
 * @param read gets the rows after a key, one more than the page holds, which shows whether a next page exists
 * @param heavy for long rows: the page ends before it has more bytes, and has one row at least
 */
export async function getPage<Row, Key extends Place>(
  cursors: Cursors,
  request: PageRequest,
  read: (from: Key | undefined, limit: number) => Promise<Row[]>,
  getKey: (row: Row) => Key,
  heavy?: { getBytes: (row: Row) => number; most: number },
): Promise<Page<Row>> {
  const { from, until } = getPlaces<Key>(cursors, request)
  const { limit } = request.query
  const rows = await read(from, limit + 1)
  const data = rows.slice(0, heavy ? Math.min(limit, fitting(rows, heavy)) : limit)
  const last = rows.length > data.length ? data.at(-1) : undefined
  return { count: data.length, ...until(last && getKey(last)), data }
}

function fitting<Row>(
  rows: readonly Row[],
  { getBytes, most }: { getBytes: (row: Row) => number; most: number },
): number {
  let bytes = 0
  const beyond = rows.findIndex((row, i) => (bytes += getBytes(row)) > most && i > 0)
  return beyond < 0 ? rows.length : beyond
}

/** As `getPage`, for rows sorted by name. The first page begins after the empty name. */
export const pageByName = <Row>(
  cursors: Cursors,
  request: PageRequest,
  read: (after: string, limit: number) => Promise<Row[]>,
  named: (row: Row) => string,
): Promise<Page<Row>> =>
  getPage(
    cursors,
    request,
    ([after]: readonly [string] = [''], limit) => read(after, limit),
    (row) => [named(row)] as const,
  )

/** As `getPage`, for rows by reference or in the order that the reader chose: `shown` gives a row's place, and what the answer has of it. */
export async function pageBySort<Row, Shown>(
  cursors: Cursors,
  request: PageRequest,
  read: (from: readonly [string | number, string] | undefined, limit: number) => Promise<Row[]>,
  shown: (row: Row) => { key: readonly [string | number, string]; row: Shown },
): Promise<Page<Shown>> {
  const { data, ...page } = await getPage(cursors, request, read, (row) => shown(row).key)
  return { ...page, data: data.map((row) => shown(row).row) }
}
