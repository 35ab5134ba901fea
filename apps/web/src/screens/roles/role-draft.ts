import {
  type Condition,
  type Fault,
  fault,
  type PayloadType,
  type Permission,
  RoleInput,
  RoleReference,
  type StoredRole,
} from '@custodia/contract'
import { shapeFaults } from '../../ui/form/faults.ts'

/** A condition in the editor: lists are always present, and `id` is a stable React key. */
export interface ConditionDraft extends Required<Condition> {
  id: number
}
export interface RuleDraft extends Required<Omit<Permission, 'conditions'>> {
  id: number
  conditions: ConditionDraft[]
}

/** Form state of a role; fault paths are those of the API input. */
export interface RoleDraft {
  role_reference: string
  description: string
  permissions: RuleDraft[]
  payload_types: PayloadType[]
  cidr_ranges: string[]
  alert_permissions: RoleInput['alert_permissions']
  is_alertable: boolean
}

const nextId = (drafts: readonly { id: number }[]): number => Math.max(0, ...drafts.map(({ id }) => id)) + 1

export const newCondition = (among: readonly ConditionDraft[]): ConditionDraft => ({
  id: nextId(among),
  names_matching: [],
  keys_matching: [],
  values_matching: [],
  is_denied: false,
  is_regex: false,
})

export const newRule = (among: readonly RuleDraft[]): RuleDraft => ({
  id: nextId(among),
  actions_matching: [],
  is_denied: false,
  is_regex: false,
  conditions: [],
})

export const NEW_ROLE: RoleDraft = {
  role_reference: '',
  description: '',
  permissions: [newRule([])],
  payload_types: [],
  cidr_ranges: [],
  alert_permissions: { ops_read: false, ops_write: false, sec_read: false, sec_write: false },
  is_alertable: false,
}

export const draftOfRole = (role: StoredRole): RoleDraft => ({
  role_reference: role.role_reference,
  description: role.description ?? '',
  permissions: role.permissions.map((rule, index) => ({
    ...newRule([]),
    ...rule,
    id: index + 1,
    conditions: (rule.conditions ?? []).map((condition, place) => ({
      ...newCondition([]),
      ...condition,
      id: place + 1,
    })),
  })),
  payload_types: role.payload_types,
  cidr_ranges: role.cidr_ranges,
  alert_permissions: role.alert_permissions,
  is_alertable: role.is_alertable,
})

/** A copy has the original's rights and no name. */
export const copyOfRole = (role: StoredRole): RoleDraft => ({ ...draftOfRole(role), role_reference: '' })

const LISTS = ['names_matching', 'keys_matching', 'values_matching'] as const

const conditionInput = ({ is_denied, is_regex, ...lists }: ConditionDraft): Condition => ({
  ...Object.fromEntries(LISTS.flatMap((name) => (lists[name].length > 0 ? [[name, lists[name]]] : []))),
  ...(is_denied ? { is_denied } : {}),
  ...(is_regex ? { is_regex } : {}),
})

/** API input of a draft, without default values. */
export const roleInput = (draft: RoleDraft): RoleInput => ({
  ...(draft.description.trim() === '' ? {} : { description: draft.description.trim() }),
  permissions: draft.permissions.map(({ actions_matching, is_denied, is_regex, conditions }) => ({
    actions_matching,
    ...(is_denied ? { is_denied } : {}),
    ...(is_regex ? { is_regex } : {}),
    ...(conditions.length > 0 ? { conditions: conditions.map(conditionInput) } : {}),
  })),
  payload_types: draft.payload_types,
  cidr_ranges: draft.cidr_ranges,
  alert_permissions: draft.alert_permissions,
  is_alertable: draft.is_alertable,
})

/** Whether nothing is filled in. */
export const isEmptyCondition = (condition: ConditionDraft): boolean =>
  LISTS.every((name) => condition[name].length === 0)

/** Validates a role's rights before the request; reports conditions without patterns. */
export function rightsFaults(draft: RoleDraft): Fault[] {
  const empty = draft.permissions.flatMap(({ conditions }, i) =>
    conditions.flatMap((condition, k) =>
      isEmptyCondition(condition) ? [fault(`permissions.${i}.conditions.${k}`, 'no_patterns')] : [],
    ),
  )
  const paths = new Set(empty.map(({ path }) => path))
  return [...empty, ...shapeFaults(RoleInput, roleInput(draft)).filter(({ path }) => !paths.has(path))]
}

export const roleFaults = (draft: RoleDraft): Fault[] => [
  ...shapeFaults(RoleReference, draft.role_reference.trim(), 'role_reference'),
  ...rightsFaults(draft),
]

/** Moves a rule; an index outside the list changes nothing. */
export function moveRule(rules: readonly RuleDraft[], from: number, to: number): RuleDraft[] {
  const moved = [...rules]
  if (from === to || to < 0 || to >= rules.length) return moved
  moved.splice(to, 0, ...moved.splice(from, 1))
  return moved
}
