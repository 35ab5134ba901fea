import type { ApprovalState } from '@custodia/contract'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { keyOf } from '../../api/call-keys.ts'
import { internalApi } from '../../api/internal-api.ts'
import { allPages, totalOf } from '../../api/all-pages.ts'

/** Requests to all clients in one state, newest first, page by page. */
export const requestsQuery = (approval_status: ApprovalState) =>
  infiniteQueryOptions({
    queryKey: keyOf('listSupportAccessByState', 'pages', approval_status),
    queryFn: async ({ pageParam, signal }) => {
      const query = pageParam === '' ? {} : { last_key: pageParam }
      const page = await internalApi.listSupportAccessByState(
        { params: { approval_status }, query },
        { signal },
      )
      if ('total' in page) throw new Error('a page was asked for, a total came')
      return page
    },
    initialPageParam: '',
    getNextPageParam: (page) => page.last_key,
    // A client may decide at any moment.
    refetchInterval: 30_000,
    staleTime: 5_000,
    meta: { isWatch: true },
  })

/** How many requests are in one state. */
export const requestTotalQuery = (approval_status: ApprovalState) =>
  queryOptions({
    queryKey: keyOf('listSupportAccessByState', 'total', approval_status),
    queryFn: ({ signal }) =>
      totalOf(
        internalApi.listSupportAccessByState(
          { params: { approval_status }, query: { type: 'total' } },
          { signal },
        ),
      ),
  })

/** One's own approved requests, under which support mode can start while they last. */
export const ownApprovedQuery = (user_reference: string) =>
  queryOptions({
    queryKey: keyOf('listSupportAccessByState', 'own', user_reference),
    queryFn: async ({ signal }) => {
      const approved = await allPages((paging) =>
        internalApi.listSupportAccessByState(
          { params: { approval_status: 'approved' }, query: paging },
          { signal },
        ),
      )
      return approved.filter(({ requested_by }) => requested_by === user_reference)
    },
    staleTime: 5_000,
  })
