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
import { ALERTS, refetchAfter, type StaleAfter } from './after-change.ts'
import { ownAccountCalls } from './home-api.ts'
import { signInAgain, tokenOfPerson } from './interruption.ts'

const ALERTS_OF_CLIENTS = ['listAlertsOfClients', 'readAlertOfClient', ...ALERTS] as const
const REQUESTS_TO_CLIENTS = [
  'listSupportAccessByState',
  'listSupportAccessOfClient',
  'readSupportAccessOfClient',
  'readSupportSessionOfClient',
] as const

const rows = {
  ...clientEndpoints,
  ...internalClaimMappingEndpoints,
  ...internalRoleEndpoints,
  ...carrierEndpoints,
  ...statisticsEndpoints,
  ...staffEndpoints,
  ...internalSupportEndpoints,
  ...internalAlertEndpoints,
  ...internalLicenseEndpoints,
}

/** The provider's own calls; each names the client that it concerns: `internalApi.listRolesOfClient({ params: { client } })`. */
export const internalApi = makeClientOf(rows, {
  ...ownAccountCalls,
  credentials: async () => {
    const token = await tokenOfPerson()
    return token === undefined ? undefined : { token }
  },
  signInAgain,
  onSuccess: refetchAfter({
    createClient: ['listClients', 'listLicenses'],
    suspendClient: ['listClients'],
    resumeClient: ['listClients'],
    proposeClientDeletion: ['listClients'],
    confirmClientDeletion: ['listClients'],
    withdrawClientDeletion: ['listClients'],
    saveClientIdentity: ['listClients'],
    secondClientIdentity: ['listClients'],
    withdrawClientIdentity: ['listClients'],
    previewClaimsOfClient: [],
    requestSupportAccess: REQUESTS_TO_CLIENTS,
    cancelSupportAccess: REQUESTS_TO_CLIENTS,
    startSupportMode: [],
    endSupportMode: [],
    notifyClients: ALERTS_OF_CLIENTS,
    clearAlertsOfClient: ALERTS_OF_CLIENTS,
    dismissAlertsOfClient: ALERTS_OF_CLIENTS,
    saveLicenses: ['listLicenses', 'readLicenses'],
  } satisfies StaleAfter<typeof rows>),
})

/** Device telemetry for the provider's staff. */
export const internalTelemetryApi = makeClientOf(internalTelemetryEndpoints, ownAccountCalls)
