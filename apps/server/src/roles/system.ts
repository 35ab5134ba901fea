import { PROVIDER_ROLES, skeletonOf, SYSTEM_ROLES } from '@custodia/domain'

const NAMES = new Set([...SYSTEM_ROLES, ...PROVIDER_ROLES].map((role) => role.role_reference))
const SKELETONS = new Set([...NAMES].map(skeletonOf))

/** Whether a system role has this name. The names of the provider's roles are reserved for every client. */
export const isSystemRole = (role_reference: string): boolean => NAMES.has(role_reference)

/** The same to the eye: no role of a client may be taken for one of the system. */
export const looksLikeSystemRole = (role_reference: string): boolean =>
  SKELETONS.has(skeletonOf(role_reference))
