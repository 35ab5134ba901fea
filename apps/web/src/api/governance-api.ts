import { makeClientOf } from '@custodia/client'
import {
  certificateEndpoints,
  dataRequestEndpoints,
  destructionEndpoints,
  legalHoldEndpoints,
  legalMatterEndpoints,
  proposalEndpoints,
  retentionEndpoints,
  isProposed,
} from '@custodia/contract'
import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { queryOptions } from '@tanstack/react-query'
import { allPages } from './all-pages.ts'
import { portalCalls } from './api.ts'
import { keyOf } from './call-keys.ts'
import { noticeDone } from './notices.ts'

/** Calls of the retention policy and its executions; they load with their tab: `retentionApi.readRetention({ query: {} })`. */
export const retentionApi = makeClientOf(
  { ...retentionEndpoints, ...certificateEndpoints, ...destructionEndpoints },
  portalCalls,
)

/** Calls of approvals; they load with their tab: `proposalsApi.confirmProposal({ params: { proposal_id } })`. */
export const proposalsApi = makeClientOf(proposalEndpoints, portalCalls)

/** Calls of data subject requests; they load with their tab: `requestsApi.readDataRequest({ params: { data_request_id } })`. */
export const requestsApi = makeClientOf(dataRequestEndpoints, portalCalls)

/** The calls of legal holds and matters, which load with their tabs: `holdsApi.readLegalHold({ params: { target_type, target } })`. */
export const holdsApi = makeClientOf({ ...legalHoldEndpoints, ...legalMatterEndpoints }, portalCalls)

/** The open legal matters. */
export const openMattersQuery = queryOptions({
  queryKey: keyOf('listLegalMatters', 'open'),
  queryFn: ({ signal }) =>
    allPages((query) => holdsApi.listLegalMatters({ query: { ...query, is_open: true } }, { signal })),
})

/** Notice that an action is done, or awaits a second person. */
export function noticeDoneOrProposed(answer: unknown, done: string): void {
  noticeDone(
    isProposed(answer)
      ? i18n._(msg`Proposed. Takes effect if a second person approves it within seven days.`)
      : done,
  )
}
