import { findHeld } from '../../../held-records/store.ts'
import { END_OF_TIME } from '../../../http/time-range.ts'
import type { Queryable } from '../../../ports/database/lease.ts'
import type { Effort } from './effort.ts'
import { getDirection, type ListFilter } from './filter.ts'
import type { ListKey } from './place.ts'
import { type KeyedRow, rowsSql, rowText } from './rows.ts'
import { getWindow } from './words-window.ts'

/** The limits of one request for its page. */
export interface PageEffort {
  /** Index entries scanned first, per part of the scope; the number of keys follows from the page size. */
  scanned: number
  /** The effort of the next attempt when the page is not full. */
  further: Effort
  /** Attempts in all. Afterwards the page stays short. */
  rounds: number
  /** Most runs that a search merges; absent: the default. */
  runs?: number
}

const LIST_EFFORT: PageEffort = { scanned: 1500, further: { keys: 1000, scanned: 20_000 }, rounds: 5 }
/** Keys of a search are rows, and each further condition costs more. */
const SEARCH: PageEffort = { ...LIST_EFFORT, further: { keys: 201, scanned: 6000 }, rounds: 6 }
/** Index entries of a search; all are read before the first condition is checked. */
const LOOKED_UP = 600
/** Keys of words are index entries; each costs one lookup per further word. */
const WORDS: PageEffort = { scanned: 500, further: { keys: 201, scanned: 2500 }, rounds: 5 }
const getEffort = ({ search, words }: ListFilter): PageEffort =>
  words
    ? WORDS
    : search === undefined
      ? LIST_EFFORT
      : search.runs
        ? { ...SEARCH, scanned: LOOKED_UP }
        : SEARCH

export interface ListPage {
  /** JSON texts of the rows. */
  rows: string[]
  /** Place after the page; absent on the last one. A short page may still have one. */
  next: ListKey | undefined
  places: ListKey[]
}

/**
 * The place before the first row. Ids begin at 1, so it excludes rows at `to` and includes rows at `from`.
 */
export const firstPlace = ({ order, from, to }: Pick<ListFilter, 'order' | 'from' | 'to'>): ListKey => [
  order === 'oldest' ? from : Math.min(to, END_OF_TIME),
  0,
]

/** Rows behind a place (absent: from the top), at most `limit`, in the order of the filter. */
export async function readListPage(
  q: Queryable,
  filter: ListFilter,
  limit: number,
  from: ListKey | undefined,
  effort?: PageEffort,
): Promise<ListPage> {
  const page = await walk(q, filter, limit, from, effort)
  if (!filter.include.includes('held') || !filter.knows_holds || page.rows.length === 0) return page
  const held = await findHeld(
    q,
    page.places.map(([, payload_id]) => payload_id),
  )
  const isHeld = (row: number) => held.has(page.places[row]?.[1] ?? 0)
  return { ...page, rows: page.rows.map((row, i) => `${row.slice(0, -1)},"is_held":${isHeld(i)}}`) }
}

/** What the steps of a page have read so far. */
interface Progress {
  round: number
  keys: number
  rows: number
  scanned: number
  isByGroup: boolean
}

/** The effort of a further step: little when the rows so far show that few keys or entries will do. */
function effortAfter(further: Effort, limit: number, progress: Progress): Effort {
  const { round, keys, rows, scanned, isByGroup } = progress
  const missing = limit - rows
  // Few rows are missing when most keys matched. Those of the groups have not been read yet.
  const isShort = round === 1 && (isByGroup || rows * 2 > limit)
  const isNearlyAll = rows > 0 && rows * 10 >= keys * 9 && missing < 51
  const quarter = Math.ceil(further.scanned / 4)
  return {
    keys: Math.min(isNearlyAll ? 51 : isShort ? 201 : Infinity, further.keys),
    scanned: 2 * scanned * missing <= quarter * rows ? quarter : further.scanned,
  }
}

async function walk(
  q: Queryable,
  filter: ListFilter,
  limit: number,
  from: ListKey | undefined,
  { scanned, further, rounds }: PageEffort = getEffort(filter),
): Promise<ListPage> {
  let after: ListKey = from ?? firstPlace(filter)
  const rows: string[] = []
  const places: ListKey[] = []
  const direction = getDirection(filter)
  let last: ListKey = after
  let isByGroup = false
  const seen = { keys: 0, scanned: 0 }
  for (let round = 0; round < rounds; round++) {
    const window = filter.words && getWindow(filter.words, direction, after, round)
    if (filter.words && !window) return { rows, places, next: undefined }
    const effort = {
      ...(round === 0
        ? { keys: limit < 51 ? 51 : 201, scanned }
        : effortAfter(further, limit, { ...seen, round, rows: rows.length, isByGroup })),
      window,
      isByGroup,
    }
    const { text, values } = rowsSql(filter, after, effort)
    const step = await q.query<KeyedRow>(text, values)
    let is_cut = false
    for (const row of step.rows) {
      const { t, id, is_end, is_found } = row
      if (is_found && !is_end) {
        // One more than the page holds, so there is a next page, which begins behind the last row of this
        // one.
        if (rows.length === limit) return { rows, places, next: last }
        rows.push(rowText(row))
        last = [t, id]
        places.push(last)
      }
      after = [t, id]
      is_cut = is_end
      if (is_end) break
    }
    seen.keys += step.rows.length - (is_cut ? 1 : 0)
    seen.scanned += effort.scanned
    isByGroup ||= is_cut
    if (is_cut || step.rows.length >= effort.keys) continue
    if (!window?.next) return { rows, places, next: undefined }
    after = window.next
  }
  return { rows, places, next: after }
}
