import { makeClientOf } from '@custodia/client'
import { claimMappingEndpoints, peopleEndpoints, recertificationEndpoints } from '@custodia/contract'
import { portalCalls } from './api.ts'

/** The calls of the people who use the portal, which load with their list: `peopleApi.listPeople({ query: {} })`. */
export const peopleApi = makeClientOf(peopleEndpoints, portalCalls)

/** The calls of the claim mapping, which load with its form: `identityApi.readClaimMapping({ query: {} })`. */
export const identityApi = makeClientOf(claimMappingEndpoints, portalCalls)

/** The calls of recertifications, which load with their page: `recertificationsApi.listRecertifications({ query: {} })`. */
export const recertificationsApi = makeClientOf(recertificationEndpoints, portalCalls)
