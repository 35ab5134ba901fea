import { PROVIDER_ROLES, SYSTEM_ROLES } from '@custodia/domain'

const NAMES = new Set([...SYSTEM_ROLES, ...PROVIDER_ROLES].map((role) => role.role_reference))

/** Whether a role of the system has this name; those of the provider's own client are nobody else's either. */
export const isSystemRole = (role_reference: string): boolean => NAMES.has(role_reference)
