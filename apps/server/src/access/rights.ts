import { getActions, api, type Endpoint, type Role } from '@custodia/contract'
import {
  actionsFor,
  type AccessGroup,
  compileNetworks,
  type CompiledRole,
  compileRole,
  type GroupIndex,
  indexGroups,
  type Networks,
  systemRolesFor,
} from '@custodia/domain'
import { applyChange, groupIndexChange } from './group-index-change.ts'

/** The closed list of actions, from the endpoint table. */
const ACTIONS: readonly string[] = [...new Set((Object.values(api) as Endpoint[]).flatMap(getActions))].sort()

/** A client's stored rights. */
export interface RightsSource {
  /** `clients.access_epoch`: raised with every change of any of this. */
  epoch: number
  is_provider: boolean
  /** In order of their ids, so that a new group comes last and the places of the others stay. */
  groups: readonly AccessGroup[]
  /** The roles that the client made, by reference. */
  roles: readonly Role[]
  /** Built-in roles of that time; absent: those of this program. */
  builtin_roles?: readonly Role[]
  /** The last change of each role, by its reference. */
  role_changes: ReadonlyMap<string, { updated_at: number; updated_by: string }>
  default_role: string | null
  cidr_ranges: readonly string[]
  /** The contact for requests for more rights. */
  contact: string | null
  /** Reasons for downloads and exports; empty: free text; null: none required. */
  reasons: readonly string[] | null
}

/** A client's rights, compiled. Never changed: a change makes another one. */
export interface Rights {
  source: RightsSource
  actions: readonly string[]
  groupIndex: GroupIndex
  /** Every role by reference, those of the system included. */
  roles: ReadonlyMap<string, CompiledRole>
  /** The account's networks. */
  networks: Networks
  /** Roles that may reach otherwise than in the rights from which these were carried over. */
  touched: ReadonlySet<string>
}

/** A stored role, with its earlier compilation. */
export interface SavedRole {
  document: Role
  compiled: CompiledRole
}

/**
 * Compiles stored rights. With `known`, an older state of the same client, it compiles only the differences: full
 * compilation of 500 roles over 10,000 groups takes about a second, the difference some milliseconds. `saved` is the
 * role that the draft worker compiled already, which can take half a second for hostile patterns.
 */
export function compileRights(source: RightsSource, known?: Rights, saved?: SavedRole): Rights {
  const actions = known?.actions ?? actionsFor(source, ACTIONS)
  const change = known && groupIndexChange(known.groupIndex, source.groups)
  const groupIndex = change?.groupIndex ?? indexGroups(source.groups)
  const before = new Map((known ? getDocuments(known.source) : []).map((role) => [role.role_reference, role]))
  const touched = new Set<string>()
  const compile = (role: Role): CompiledRole => {
    const old = known?.roles.get(role.role_reference)
    const isSame = isEqual(before.get(role.role_reference), role)
    if (!old || !change || !isSame) {
      touched.add(role.role_reference)
      return saved?.compiled.groupIndex === groupIndex && isEqual(saved.document, role)
        ? saved.compiled
        : compileRole(role, groupIndex, actions)
    }
    const { role: carried, is_touched } = applyChange(old, role, change, actions)
    if (is_touched) touched.add(role.role_reference)
    return carried
  }
  const roles = new Map(getDocuments(source).map((role) => [role.role_reference, compile(role)]))
  for (const reference of known?.roles.keys() ?? []) if (!roles.has(reference)) touched.add(reference)
  return { source, actions, groupIndex, roles, networks: compileNetworks(source.cidr_ranges), touched }
}

/** All roles as documents, the built-in ones included. */
export const getDocuments = (
  source: Pick<RightsSource, 'roles' | 'builtin_roles' | 'is_provider'>,
): readonly Role[] => [...source.roles, ...(source.builtin_roles ?? systemRolesFor(source))]

/** The same rights with one role replaced, added (already compiled against their groups) or, when null, removed. */
export function withRole(rights: Rights, reference: string, role: CompiledRole | null): Rights {
  const roles = new Map(rights.roles)
  if (role) roles.set(reference, role)
  else roles.delete(reference)
  return { ...rights, roles, touched: new Set([reference]) }
}

/** The same rights with other groups. */
export function withGroups(rights: Rights, groups: readonly AccessGroup[]): Rights {
  return compileRights({ ...rights.source, groups }, rights)
}

/** Documents from the database have one order of properties; another one only costs a compilation. */
const isEqual = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b)
