import { claimMappingEndpoints, peopleEndpoints, recertificationEndpoints } from '@custodia/contract'
import { ALERTS, PEOPLE, PROPOSALS } from './after-change.ts'
import { portalClient } from './api.ts'

const RECERTIFICATIONS = ['listRecertifications', 'readRecertification', 'listRecertifiedPeople'] as const

/** The calls of the people who use the portal, which load with their list: `peopleApi.listPeople({ query: {} })`. */
export const peopleApi = portalClient(peopleEndpoints, {
  savePersonRoles: [...PEOPLE, 'readProfile', ...PROPOSALS, ...ALERTS],
  reviewPersonRoles: [],
  endPersonSession: PEOPLE,
})

/** The calls of the claim mapping, which load with its form: `identityApi.readClaimMapping({ query: {} })`. */
export const identityApi = portalClient(claimMappingEndpoints, {
  saveClaimMapping: ['readClaimMapping', ...PEOPLE, ...PROPOSALS, ...ALERTS],
  reviewClaimMapping: [],
  previewClaims: [],
})

/** The calls of recertifications, which load with their page: `recertificationsApi.listRecertifications({ query: {} })`. */
export const recertificationsApi = portalClient(recertificationEndpoints, {
  startRecertification: ['listRecertifications'],
  decideRecertification: [...RECERTIFICATIONS, ...PEOPLE, ...PROPOSALS],
  endRecertification: [...RECERTIFICATIONS, ...ALERTS],
})
