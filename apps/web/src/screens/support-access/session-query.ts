import type { SupportSession } from '@custodia/contract'
import { queryOptions } from '@tanstack/react-query'
import { repeatedQuery } from '../../api/call-keys.ts'
import { internalSessionApi, sessionApi } from '../../api/support-sessions-api.ts'

/** Poll interval while staff may act, in milliseconds. */
const LIVE_EVERY = 5_000

const isOpen = (session: SupportSession | undefined): boolean =>
  session?.request.approval_state === 'approved' || session?.request.approval_state === 'pending'

/** A request with its steps; read again while staff may act. */
export const sessionQuery = (request_reference: string) =>
  queryOptions({
    ...repeatedQuery(sessionApi, 'readSupportSession', { params: { request_reference } }),
    refetchInterval: ({ state: { data } }) => (isOpen(data) ? LIVE_EVERY : false),
  })

/** The same for the provider. */
export const sessionOfClientQuery = (client: string, request_reference: string) =>
  queryOptions({
    ...repeatedQuery(internalSessionApi, 'readSupportSessionOfClient', {
      params: { client, request_reference },
    }),
    refetchInterval: ({ state: { data } }) => (isOpen(data) ? LIVE_EVERY : false),
  })
