import type { Queryable } from '../../../ports/database/lease.ts'
import { END_OF_TIME } from '../../../http/time-range.ts'
import type { ListFilter } from './filter.ts'
import type { Effort } from './effort.ts'
import type { ListKey } from './keys.ts'
import { type KeyedRow, rowsSql } from './rows.ts'
import { statementName } from './statement-name.ts'

/** How hard one request tries to fill its page. */
export interface Pace {
  /** Index entries scanned at first, per part of the scope; the keys it yields follow from the size of the page. */
  scanned: number
  /** What is tried next when that did not fill the page. */
  further: Effort
  /** Tries in all. Afterwards the page stays short. */
  rounds: number
  /** What a search looks up together at most; absent: as much as usual. */
  runs?: number
}

const PACE: Pace = { scanned: 1500, further: { keys: 1000, scanned: 20_000 }, rounds: 5 }
/** Keys of a search are rows already, and each that is asked costs more. */
const SEARCH: Pace = { ...PACE, further: { keys: 201, scanned: 6000 }, rounds: 6 }
/** Entries that are read of what a search looks up: they are read all before the first is asked anything. */
const LOOKED_UP = 600
const paceOf = ({ search }: ListFilter): Pace =>
  search === undefined ? PACE : search.runs ? { ...SEARCH, scanned: LOOKED_UP } : SEARCH

export interface ListPage {
  /** JSON texts of the rows. */
  rows: string[]
  /** Place after the page; absent on the last one. A page may have fewer rows than asked for and still have one. */
  next: ListKey | undefined
}

/** Rows behind a place (absent: from the top), at most `limit`, in the order of the filter. */
export async function readListPage(
  q: Queryable,
  filter: ListFilter,
  limit: number,
  from: ListKey | undefined,
  { scanned, further, rounds }: Pace = paceOf(filter),
): Promise<ListPage> {
  // No payload has an id below 1: nothing of the second `to` itself is before this place, and all of the second `from` is behind it.
  let after: ListKey = from ?? [filter.order === 'oldest' ? filter.from : Math.min(filter.to, END_OF_TIME), 0]
  const rows: string[] = []
  let last: ListKey = after
  for (let round = 0; round < rounds; round++) {
    const effort = round === 0 ? { keys: limit < 51 ? 51 : 201, scanned } : further
    const { text, values } = rowsSql(filter, after, effort)
    const step = await q.query<KeyedRow>(text, values, statementName(text))
    let is_cut = false
    for (const { t, id, is_end, row } of step.rows) {
      if (row !== null && !is_end) {
        // One more than the page holds: so there is a next page, and it begins behind the last row of this one.
        if (rows.length === limit) return { rows, next: last }
        rows.push(row)
        last = [t, id]
      }
      after = [t, id]
      is_cut = is_end
      if (is_end) break
    }
    if (!is_cut && step.rows.length < effort.keys) return { rows, next: undefined }
  }
  return { rows, next: after }
}
