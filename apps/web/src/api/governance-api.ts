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
import { ALERTS, PAYLOADS, PEOPLE, PROPOSALS } from './after-change.ts'
import { allPages } from './all-pages.ts'
import { portalClient } from './api.ts'
import { getKey } from './call-keys.ts'
import { noticeDone } from './notices.ts'

const HOLDS = [
  'listLegalHolds',
  'readLegalHold',
  'listDeviceUsers',
  'readDeviceUser',
  'listDevices',
  'readDevice',
  'listPayloads',
  'readPayload',
] as const
const MATTERS = ['listLegalMatters', 'readLegalMatter', 'listMatterPeople', ...HOLDS] as const
const REQUESTS = ['listDataRequests', 'readDataRequest'] as const
const DESTRUCTIONS = ['listDestructions', 'readDestruction', 'listDestructionItems'] as const

/** Calls of the retention policy and its executions; they load with their tab: `retentionApi.readRetention({ query: {} })`. */
export const retentionApi = portalClient(
  { ...retentionEndpoints, ...certificateEndpoints, ...destructionEndpoints },
  {
    pauseRetention: ['readRetentionExecution'],
    saveRetention: ['listRetentionVersions', ...PROPOSALS],
    reviewRetention: [],
    saveDestructionReview: ['readDestructionReview', ...PROPOSALS, ...ALERTS],
    changeDestruction: DESTRUCTIONS,
    releaseDestruction: [...DESTRUCTIONS, ...ALERTS],
  },
)

/** Calls of approvals; they load with their tab: `proposalsApi.confirmProposal({ params: { proposal_id } })`. */
export const proposalsApi = portalClient(proposalEndpoints, {
  confirmProposal: [
    'listTransferConfigs',
    'readTransferConfig',
    ...MATTERS,
    ...PROPOSALS,
    'listRetentionVersions',
    'readRetentionForecast',
    'readDestructionReview',
    'listDestructions',
    'readClaimMapping',
    ...PEOPLE,
    ...ALERTS,
  ],
  rejectProposal: [...PROPOSALS, ...ALERTS],
  withdrawProposal: [...PROPOSALS, ...ALERTS],
  saveTwoPeople: [...PROPOSALS, ...ALERTS],
})

/** Calls of data subject requests; they load with their tab: `requestsApi.readDataRequest({ params: { data_request_id } })`. */
export const requestsApi = portalClient(dataRequestEndpoints, {
  openDataRequest: ['listDataRequests'],
  copyDataRequest: ['readDataRequest', 'listExports'],
  closeDataRequest: [...REQUESTS, ...ALERTS],
})

/** The calls of legal holds and matters, which load with their tabs: `holdsApi.readLegalHold({ params: { target_type, target } })`. */
export const holdsApi = portalClient(
  { ...legalHoldEndpoints, ...legalMatterEndpoints },
  {
    setLegalHold: HOLDS,
    releaseLegalHold: [...HOLDS, ...PROPOSALS],
    openLegalMatter: ['listLegalMatters'],
    holdMatterPeople: MATTERS,
    holdMatterUsers: MATTERS,
    holdMatterDevices: MATTERS,
    holdMatterRecordings: [...MATTERS, ...PAYLOADS],
    releaseMatterPerson: [...MATTERS, ...PROPOSALS],
    closeLegalMatter: [...MATTERS, ...PROPOSALS],
  },
)

/** The open legal matters. */
export const openMattersQuery = queryOptions({
  queryKey: getKey('listLegalMatters', 'open'),
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
