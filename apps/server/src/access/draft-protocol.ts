import type { Role } from '@custodia/contract'
import type { AccessGroup, RolePreview, RoleRules } from '@custodia/domain'

/** A role draft that the worker validates. */
export interface DraftQuestion {
  role: RoleRules & Pick<Role, 'permissions'>
  actions: readonly string[]
  /** The client's groups; absent: those of the question before. */
  groups?: readonly AccessGroup[]
}

/** Reaches are bit sets over the groups in the order in which they were sent. */
export interface DraftAnswer {
  preview: RolePreview
  allow: ReadonlyMap<string, bigint>
  deny: ReadonlyMap<string, bigint>
}
