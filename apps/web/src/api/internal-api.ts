import { makeClientOf } from '@custodia/client'
import {
  internalAlertEndpoints,
  internalEndpoints,
  internalLicenseEndpoints,
  internalSupportEndpoints,
} from '@custodia/contract'
import { callSucceeded } from './after-change.ts'
import { homeCalls } from './home-calls.ts'

/** The provider's own calls; each names the client that it concerns: `internalApi.listRolesOfClient({ params: { client } })`. */
export const internalApi = makeClientOf(
  {
    ...internalEndpoints,
    ...internalSupportEndpoints,
    ...internalAlertEndpoints,
    ...internalLicenseEndpoints,
  },
  { ...homeCalls, onSuccess: callSucceeded },
)
