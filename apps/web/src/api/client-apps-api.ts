import { clientAppEndpoints } from '@custodia/contract'
import { portalClient } from './api.ts'

const APPS = ['listClientApps', 'readClientApp'] as const

/** The calls of client apps, which load with their list. */
export const appsApi = portalClient(clientAppEndpoints, {
  createClientApp: APPS,
  updateClientApp: APPS,
  reviewClientApp: [],
  deleteClientApp: APPS,
  testClientAppToken: [],
})
