import type { Page, Total } from '@custodia/contract'

/** A longer list needs filters instead of a select, and does not sort by its columns. */
export const MOST_ROWS = 2_000
const ROWS_PER_PAGE = 200

/** The page that a list call returns. */
export async function pageOf<Row>(answer: Promise<Page<Row> | Total>): Promise<Page<Row>> {
  const page = await answer
  if ('total' in page) throw new Error('a page was asked for, a total came')
  return page
}

/** The number that a list call with `type=total` returns. */
export async function totalOf<Row>(answer: Promise<Page<Row> | Total>): Promise<Total> {
  const total = await answer
  if ('data' in total) throw new Error('a total was asked for, a page came')
  return total
}

/** Reads all rows of a list call, page by page, up to 2,000. */
export async function allPages<Row>(
  call: (paging: { limit: number; last_key?: string | undefined }) => Promise<Page<Row> | Total>,
): Promise<Row[]> {
  const rows: Row[] = []
  let last_key: string | undefined
  do {
    const page = await pageOf(call({ limit: ROWS_PER_PAGE, last_key }))
    rows.push(...page.data)
    last_key = page.last_key
  } while (last_key !== undefined && rows.length < MOST_ROWS)
  return rows
}
