import type { Page, Total } from '@custodia/contract'
import type { Paging } from './list-definition.ts'

/** A list call of the server: a page of rows, or with `type=total` their number. */
type ListCall<Query, Row> = (
  query: Query & Partial<Paging> & { type?: 'page' | 'total' },
  signal: AbortSignal,
) => Promise<Page<Row> | Total>

/**
 * `readPage` and `readTotal` of a list definition, from the one call that answers both.
 *
 * @example ...listPages((query: GroupFilters, signal) => api.listGroups({ query }, { signal }))
 */
export function listPages<Query extends object, Row>(call: ListCall<Query, Row>) {
  return {
    readPage: async (query: Query, paging: Paging, signal: AbortSignal): Promise<Page<Row>> => {
      const answer = await call({ ...query, ...paging }, signal)
      if ('total' in answer) throw new Error('a page was asked for, a total came')
      return answer
    },
    readTotal: async (query: Query, signal: AbortSignal): Promise<Total> => {
      const answer = await call({ ...query, type: 'total' }, signal)
      if ('data' in answer) throw new Error('a total was asked for, a page came')
      return answer
    },
  }
}
