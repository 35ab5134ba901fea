import { type ExplainedPerson, type Role, SUPPORT_ACTIONS } from '@custodia/contract'
import {
  admits,
  type CompiledPermission,
  compileNetworks,
  compilePermission,
  evaluate,
  explain,
  type ExplainedTarget,
  type Explanation,
  hasData,
  type Networks,
  type Principal,
  stateAt,
} from '@custodia/domain'
import { temporaryRights } from '../access/assignment-store.ts'
import { compileRights, getDocuments, type Rights } from '../access/rights.ts'
import type { RightsDocuments, RightsKind, RightsVersion } from '../access/store.ts'
import type { RecordingFacts, RecordingPast } from '../payload-records/store.ts'

/** Whose rights are explained. */
export interface RightsSubject {
  roles: readonly string[]
  groups: readonly string[] | null
  /** Legal matters to whose recordings the person is limited; absent: not limited. */
  matters?: readonly string[] | null | undefined
  /** Absent: from any address that the roles allow. */
  ip?: string | undefined
  /** Networks of a client app itself; absent or empty: any. */
  cidr_ranges?: readonly string[]
  isSupport?: boolean
}

/** Group names that an explanation spells out. */
const NAMED_GROUPS = 20

/** Explains compiled rights: the ones that authorise calls, or those of a past moment. */
export function explainer(rights: Rights) {
  const { source, groupIndex } = rights
  const documents = new Map<string, Role>(getDocuments(source).map((role) => [role.role_reference, role]))
  const names = new Map(groupIndex.groups.map(({ group_id, group_reference }) => [group_id, group_reference]))
  const compiled = new Map<string, CompiledPermission[]>()
  const getPermissions = (reference: string): CompiledPermission[] => {
    const known = compiled.get(reference)
    if (known) return known
    const { permissions = [] } = documents.get(reference) ?? {}
    const made = permissions.map((each) => compilePermission(each, groupIndex))
    compiled.set(reference, made)
    return made
  }
  const withNetworks = ({ roles, ...decided }: Explanation) => ({
    ...decided,
    roles: roles.map(({ role_reference: role, ...reason }) => ({
      role,
      ...reason,
      networks: [...(documents.get(role)?.cidr_ranges ?? [])],
    })),
  })
  const decide = (asked: RightsSubject, action: string, target?: ExplainedTarget) =>
    withNetworks(explain(...getPrincipal(rights, asked), getPermissions, { action, target }))
  return {
    networks: source.cidr_ranges,
    getGroup: (group_id: number) => names.get(group_id) ?? '',
    decide,
    /** Every action that a role of the person names. */
    getActions: (asked: RightsSubject) => {
      const [principal, account] = getPrincipal(rights, asked)
      const reach = evaluate(principal, account)
      return rights.actions.flatMap((action) => {
        const decided = decide(asked, action)
        if (decided.roles.every(({ outcome }) => outcome === 'not_granted')) return []
        const groups = decided.is_allowed ? reach.groups(action) : []
        const ids = groups === 'all' ? [] : groups
        const first = ids.slice(0, NAMED_GROUPS).flatMap((id) => names.get(id) ?? [])
        return [{ action, groups: { is_all: groups === 'all', count: ids.length, first }, ...decided }]
      })
    },
  }
}

/** The person as `evaluate` takes it. */
function getPrincipal(
  rights: Rights,
  { roles, groups, matters, ip, cidr_ranges = [], isSupport = false }: RightsSubject,
): [Principal, { networks: Networks }] {
  const compiled = roles.flatMap((reference) => rights.roles.get(reference) ?? [])
  const anywhere = ip === undefined
  return [
    {
      roles: anywhere ? compiled.map((role) => ({ ...role, networks: 'any' as const })) : compiled,
      ip: ip ?? '',
      group_references: groups ?? undefined,
      matters: matters ?? undefined,
      actions: isSupport ? SUPPORT_ACTIONS : undefined,
    },
    { networks: anywhere ? 'any' : admits(compileNetworks(cidr_ranges), ip) ? rights.networks : [] },
  ]
}

/** Person, client app or support staff, as their rights were. */
export type Actor = RightsSubject & Pick<ExplainedPerson, 'kind' | 'user_reference'>

type Documents = { [Kind in RightsKind]: Map<string, RightsDocuments[Kind]> }

/** The rights of an account as recorded versions say, at the moment up to which they were added. */
export class PastRights {
  readonly #documents: Documents = {
    account: new Map(),
    app: new Map(),
    assignment: new Map(),
    builtin: new Map(),
    embedded: new Map(),
    group: new Map(),
    mapping: new Map(),
    person: new Map(),
    role: new Map(),
    support: new Map(),
    tag: new Map(),
  }
  readonly #is_embedded: boolean

  constructor(versions: readonly RightsVersion[], { is_embedded }: { is_embedded: boolean }) {
    this.#is_embedded = is_embedded
    for (const version of versions) this.add(version)
  }

  add({ kind, reference, document }: RightsVersion): void {
    const documents: Map<string, unknown> = this.#documents[kind]
    if (document === null) documents.delete(reference)
    else documents.set(reference, document)
  }

  /** The rights, compiled as those that authorise calls. `known`: others of the account, from which equal parts are taken. */
  compile(is_provider: boolean, known?: Rights): Rights {
    const { account, builtin, group, role, tag } = this.#documents
    const tags = Map.groupBy(tag.values(), ({ group_id }) => group_id)
    const groups = [...group.values()]
      .toSorted((a, b) => a.group_id - b.group_id)
      .map((each) => ({
        ...each,
        tags: (tags.get(each.group_id) ?? [])
          .toSorted((a, b) => (a.tag_key < b.tag_key ? -1 : 1))
          .map(({ tag_key, tag_value }) => ({ key: tag_key, value: tag_value })),
      }))
    const { role: default_role = null, cidr_ranges = [] } = account.get('') ?? {}
    return compileRights(
      {
        epoch: 0,
        is_provider,
        groups,
        roles: [...role.values()].map(({ document }) => document),
        ...(builtin.size > 0 && { builtin_roles: [...builtin.values()].map(({ document }) => document) }),
        role_changes: new Map(),
        default_role,
        cidr_ranges,
        contact: null,
        reasons: null,
      },
      known,
    )
  }

  /** A person at a moment; undefined: the account knew none of that reference. Lists of people say the same in SQL. */
  person(user_reference: string, at: number): Actor | undefined {
    const { mapping, assignment, person, embedded } = this.#documents
    const assigned = assignment.get(user_reference)
    const signedIn = person.get(user_reference)
    const provider = this.#is_embedded ? embedded.get(user_reference) : undefined
    if (!assigned && !signedIn && !provider) return undefined
    const isPortal = mapping.get('')?.claim_mapping?.roles_from === 'portal'
    const given = temporaryRights(assigned, at) ?? (isPortal ? assigned : undefined)
    const { roles, groups } = given
      ? { roles: given.roles.map(({ role }) => role), groups: given.groups }
      : (signedIn ?? (isPortal ? undefined : provider) ?? { roles: [], groups: null })
    return { kind: 'person', user_reference, roles, groups, matters: assigned?.matters ?? null }
  }

  /** All that could have rights at a moment. */
  actors(at: number): Actor[] {
    const { assignment, person, embedded, app, support } = this.#documents
    const references = new Set([...person.keys(), ...assignment.keys(), ...embedded.keys()])
    const approved = [...support.values()].filter((request) => stateAt(request, at) === 'approved')
    return [
      ...[...references].flatMap((reference) => this.person(reference, at) ?? []),
      ...[...app].map(([user_reference, { roles, cidr_ranges }]): Actor => ({
        kind: 'app',
        user_reference,
        roles,
        cidr_ranges,
        groups: null,
      })),
      ...approved.map(({ requested_by, role }): Actor => ({
        kind: 'support',
        user_reference: requested_by,
        roles: [role],
        groups: null,
        isSupport: true,
      })),
    ]
  }

  /** When approvals of support access and temporary roles end. */
  expiries(): number[] {
    const { assignment, support } = this.#documents
    return [
      ...[...support.values()].flatMap(({ approval_expiry, requested_expiry }) =>
        approval_expiry === null ? [] : [Math.min(approval_expiry, requested_expiry)],
      ),
      ...[...assignment.values()].flatMap(({ ends_at }) => ends_at ?? []),
    ]
  }
}

/** The group and the legal matters of a recording at a moment, and whether it had data to open. */
export function recordingAt(
  recording: Pick<RecordingFacts, 'payload_type' | 'group_id' | 'device_user_id'>,
  { states, owners, matters }: RecordingPast,
  at: number,
): { group_id: number; matters: string[]; is_available: boolean } {
  const { payload_type } = recording
  const state = states.findLast((each) => each.at <= at)?.payload_state
  const owner = owners.find(({ until }) => until > at) ?? recording
  const held = matters.filter(
    ({ device_user_id, from, until }) =>
      device_user_id === owner.device_user_id && from <= at && (until === null || until > at),
  )
  return {
    group_id: owner.group_id,
    matters: held.map(({ matter_id }) => matter_id),
    is_available: state !== undefined && hasData({ payload_type, payload_state: state }),
  }
}
