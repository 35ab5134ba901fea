import { gpsEndpoints } from '@custodia/contract'
import { portalClient } from './api.ts'

/** The calls about positions, which load with what shows them. */
export const gpsApi = portalClient(gpsEndpoints, {})
