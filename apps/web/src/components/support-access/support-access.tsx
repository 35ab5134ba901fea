import type { ApprovalState } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { allPages } from '../../api/all-pages.ts'
import { getKey, repeatedRead } from '../../api/call-keys.ts'
import { internalApi } from '../../api/internal-api.ts'
import type { Words } from '../words/spec-word.tsx'
import { leftText } from './time-left.ts'

/** '2 d 4 h left', '59 min left', '4:59 left'. */
export function TimeLeft({ seconds }: { seconds: number }) {
  const time = leftText(seconds)
  return seconds <= 0 ? <Trans>Time expired</Trans> : <Trans>{time} left</Trans>
}

/** Requests to all clients in one state, newest first, by page. */
export const requestsQuery = (approval_status: ApprovalState) =>
  infiniteQueryOptions({
    queryKey: getKey('listSupportAccessByState', 'pages', approval_status),
    queryFn: ({ pageParam, ...context }) =>
      internalApi.listSupportAccessByState(
        { params: { approval_status }, query: { last_key: pageParam } },
        repeatedRead(context),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.last_key,
    // Poll interval: a client may decide at any moment.
    refetchInterval: 30_000,
    staleTime: 5_000,
    meta: { isWatch: true },
  })

/** Number of requests in one state. */
export const requestTotalQuery = (approval_status: ApprovalState) =>
  queryOptions({
    queryKey: getKey('listSupportAccessByState', 'total', approval_status),
    queryFn: ({ signal }) =>
      internalApi.listSupportAccessByState(
        { params: { approval_status }, query: { type: 'total' } },
        { signal },
      ),
  })

/** The user's approved requests, which permit support mode until they expire. */
export const ownApprovedQuery = (user_reference: string) =>
  queryOptions({
    queryKey: getKey('listSupportAccessByState', 'own', user_reference),
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

/** States of a support access request (spec section 4). */
export const APPROVAL_STATE_WORDS: Words<ApprovalState> = {
  pending: msg({ context: 'state of a request', message: 'Pending' }),
  approved: msg({ context: 'state of a request', message: 'Approved' }),
  rejected: msg({ context: 'state of a request', message: 'Rejected' }),
  revoked: msg({ context: 'state of a request', message: 'Revoked' }),
  canceled: msg({ context: 'state of a request', message: 'Canceled' }),
  expired: msg({ context: 'state of a request', message: 'Expired' }),
}
