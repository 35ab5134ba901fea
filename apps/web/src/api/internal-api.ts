import { makeClientOf } from '@custodia/client'
import {
  carrierEndpoints,
  clientEndpoints,
  internalAlertEndpoints,
  internalClaimMappingEndpoints,
  internalLicenseEndpoints,
  internalRoleEndpoints,
  internalSupportEndpoints,
  internalTelemetryEndpoints,
  staffEndpoints,
  statisticsEndpoints,
} from '@custodia/contract'
import { callSucceeded } from './after-change.ts'
import { ownAccountCalls } from './home-api.ts'
import { signInAgain, tokenOfPerson } from './interruption.ts'

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
  {
    ...ownAccountCalls,
    credentials: async () => {
      const token = await tokenOfPerson()
      return token === undefined ? undefined : { token }
    },
    signInAgain,
    onSuccess: callSucceeded,
  },
)

/** Device telemetry for the provider's staff. */
export const internalTelemetryApi = makeClientOf(internalTelemetryEndpoints, ownAccountCalls)
