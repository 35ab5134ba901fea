import { accessEndpoints } from './access.ts'
import { dashboardEndpoints } from './dashboard.ts'
import { deviceEndpoints } from './device.ts'
import { payloadEndpoints } from './payloads.ts'
import { sessionEndpoints } from './session.ts'

export * from './access.ts'
export * from './dashboard.ts'
export * from './device.ts'
export * from './endpoint.ts'
export * from './failures.ts'
export * from './faults.ts'
export * from './paging.ts'
export * from './payload-meta.ts'
export * from './payload-types.ts'
export * from './payloads.ts'
export * from './problems.ts'
export * from './scalars.ts'
export * from './session.ts'

/** The endpoint table: every call of the system, by name. */
export const api = {
  ...sessionEndpoints,
  ...dashboardEndpoints,
  ...accessEndpoints,
  ...payloadEndpoints,
  ...deviceEndpoints,
}
export type Api = typeof api
export type EndpointName = keyof Api
