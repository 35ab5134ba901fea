import * as z from 'zod/mini'
import { ClientReference, Count, queryInteger, text } from './scalars.ts'

/** Rows per page: default and maximum (reading-the-spec: wire conventions). */
export const PAGE_DEFAULT = 50
export const PAGE_LIMIT = 200

/** Query fields of every list. `last_key` is opaque; it comes from the page before. */
export const pageQuery = {
  limit: z._default(queryInteger(1, PAGE_LIMIT), PAGE_DEFAULT),
  last_key: z.optional(text(1, 1024)),
  /** A page of rows, or only their total (spec section 4: query result type). */
  type: z._default(z.enum(['page', 'total']), 'page'),
}

/** The client in the path of a call. */
export const inClient = z.object({ client: ClientReference })

/** Limit of expensive counts. */
export const TOTAL_CAP = 10_000
export const Total = z.strictObject({
  total: Count,
  /** True when counting stopped: there are more than `total`. */
  is_capped: z.optional(z.boolean()),
})
export type Total = z.output<typeof Total>

/** Answer of a list: a page, or a total. `last_key` is absent on the last page. */
export function pageOf<T extends z.ZodMiniType>(row: T) {
  return z.union([
    z.strictObject({ count: Count, last_key: z.optional(z.string()), data: z.array(row) }),
    Total,
  ])
}
export interface Page<T> {
  count: number
  last_key?: string | undefined
  data: T[]
}
