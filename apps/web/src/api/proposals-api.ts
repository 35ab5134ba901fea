import { makeClientOf } from '@custodia/client'
import { proposalEndpoints } from '@custodia/contract'
import { portalCalls } from './api.ts'

/** Calls of approvals; they load with their tab: `proposalsApi.confirmProposal({ params: { proposal_id } })`. */
export const proposalsApi = makeClientOf(proposalEndpoints, portalCalls)
