import { PROVIDER_ROLES, SYSTEM_ROLES } from '@custodia/domain'

const NAMES = new Set([...SYSTEM_ROLES, ...PROVIDER_ROLES].map((role) => role.role_reference))
const LOWER_CASE = new Set([...NAMES].map((name) => name.toLowerCase()))

/** Whether a role of the system has this name; those of the provider's own client are nobody else's either. */
export const isSystemRole = (role_reference: string): boolean => NAMES.has(role_reference)

/** The same in any case: no role of a client may be taken for one of the system. */
export const looksLikeSystemRole = (role_reference: string): boolean =>
  LOWER_CASE.has(role_reference.toLowerCase())
