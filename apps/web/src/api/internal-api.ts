import { makeClientOf } from '@custodia/client'
import {
  carrierEndpoints,
  clientEndpoints,
  internalAlertEndpoints,
  internalLicenseEndpoints,
  internalClaimMappingEndpoints,
  internalRoleEndpoints,
  internalSupportEndpoints,
  staffEndpoints,
  statisticsEndpoints,
} from '@custodia/contract'
import { callSucceeded } from './after-change.ts'
import { ownAccountCalls } from './own-account-calls.ts'

/** The provider's own calls; each names the client that it concerns: `internalApi.listRolesOfClient({ params: { client } })`. */
export const internalApi = makeClientOf(
  {
    ...clientEndpoints,
    ...internalClaimMappingEndpoints,
    ...internalRoleEndpoints,
    ...carrierEndpoints,
    ...statisticsEndpoints,
    ...staffEndpoints,
    ...internalSupportEndpoints,
    ...internalAlertEndpoints,
    ...internalLicenseEndpoints,
  },
  { ...ownAccountCalls, onSuccess: callSucceeded },
)
