import type { Page } from '@custodia/contract'

/** A longer list needs filters instead of a select, and does not sort by its columns. */
export const MAX_ROWS = 2_000
const ROWS_PER_PAGE = 200

/** Reads all rows of a list call, page by page, up to 2,000. */
export async function allPages<Row>(
  call: (paging: { limit: number; last_key?: string | undefined }) => Promise<Page<Row>>,
): Promise<Row[]> {
  const rows: Row[] = []
  let last_key: string | undefined
  do {
    const page = await call({ limit: ROWS_PER_PAGE, last_key })
    rows.push(...page.data)
    last_key = page.last_key
  } while (last_key !== undefined && rows.length < MAX_ROWS)
  return rows
}
