import { accountEndpoints } from './account.ts'
import { activityEndpoints } from './activities.ts'
import { alertEndpoints, internalAlertEndpoints } from './alerts.ts'
import { dashboardEndpoints } from './dashboard.ts'
import { deviceEndpoints } from './device.ts'
import { actionsOf, type Endpoint } from './endpoint.ts'
import { groupEndpoints } from './groups.ts'
import { internalEndpoints } from './internal.ts'
import { internalLicenseEndpoints, licenseEndpoints } from './licenses.ts'
import { payloadEndpoints } from './payloads.ts'
import { roleEndpoints } from './roles.ts'
import { sessionEndpoints } from './session.ts'
import { internalSupportEndpoints, supportAccessEndpoints } from './support-access.ts'
import { tagEndpoints } from './tags.ts'

export * from './access.ts'
export * from './tags.ts'
export * from './support-access.ts'
export * from './roles.ts'
export * from './licenses.ts'
export * from './internal.ts'
export * from './groups.ts'
export * from './alert-texts.ts'
export * from './alerts.ts'
export * from './activities.ts'
export * from './calling-codes.ts'
export * from './account.ts'
export * from './dashboard.ts'
export * from './device.ts'
export * from './endpoint.ts'
export * from './failures.ts'
export * from './faults.ts'
export * from './paging.ts'
export * from './payload-meta.ts'
export * from './payload-types.ts'
export * from './payloads.ts'
export * from './phrases.ts'
export * from './problems.ts'
export * from './scalars.ts'
export * from './session.ts'
export * from './sign-in-facts.ts'

/** The endpoint table: every call of the system, by name. */
export const api = {
  ...sessionEndpoints,
  ...dashboardEndpoints,
  ...groupEndpoints,
  ...roleEndpoints,
  ...tagEndpoints,
  ...accountEndpoints,
  ...activityEndpoints,
  ...supportAccessEndpoints,
  ...alertEndpoints,
  ...licenseEndpoints,
  ...payloadEndpoints,
  ...deviceEndpoints,
  ...internalEndpoints,
  ...internalSupportEndpoints,
  ...internalAlertEndpoints,
  ...internalLicenseEndpoints,
}
export type Api = typeof api

const actionsWithoutGroup = (rows: Readonly<Record<string, Endpoint>>): ReadonlySet<string> =>
  new Set(Object.values(rows).flatMap((row) => (row.groupless ? actionsOf(row) : [])))

/** Actions that concern no group: a condition on groups grants them nowhere. */
export const GROUPLESS_ACTIONS = /* @__PURE__ */ actionsWithoutGroup(api)
export type EndpointName = keyof Api
