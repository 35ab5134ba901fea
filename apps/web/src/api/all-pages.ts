import type { Page, Total } from '@custodia/contract'

/** More rows than this belong in a list with filters, not in a choice. */
const MOST_ROWS = 2_000
const ROWS_PER_PAGE = 200

/** The page that a list call answers. */
export async function pageOf<Row>(answer: Promise<Page<Row> | Total>): Promise<Page<Row>> {
  const page = await answer
  if ('total' in page) throw new Error('a page was asked for, a total came')
  return page
}

/** The number that a list call with `type=total` answers. */
export async function totalOf<Row>(answer: Promise<Page<Row> | Total>): Promise<Total> {
  const total = await answer
  if ('data' in total) throw new Error('a total was asked for, a page came')
  return total
}

/** All rows of a list call, page after page, up to two thousand. */
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
