import { PROVIDER_ROLES, skeletonOf, SYSTEM_ROLES } from '@custodia/domain'

const NAMES = new Set([...SYSTEM_ROLES, ...PROVIDER_ROLES].map((role) => role.role_reference))
const SKELETONS = new Set([...NAMES].map(skeletonOf))

/** Whether a role of the system has this name; those of the provider's own client are nobody else's either. */
export const isSystemRole = (role_reference: string): boolean => NAMES.has(role_reference)

/** The same to the eye: no role of a client may be taken for one of the system. */
export const looksLikeSystemRole = (role_reference: string): boolean =>
  SKELETONS.has(skeletonOf(role_reference))
