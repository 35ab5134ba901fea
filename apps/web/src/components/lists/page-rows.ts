/** Rows per page: enough for the tallest screen, small enough to arrive quickly. */
export const PAGE_ROWS = 100
