import {
  EXPLAINED_LIMIT,
  type ExplainedPerson,
  type PortalPerson,
  type Role,
  SUPPORT_ACTIONS,
  type SupportAccess,
} from '@custodia/contract'
import {
  type CompiledPermission,
  compilePermission,
  evaluate,
  explain,
  type Explanation,
  type Networks,
  type Principal,
  systemRolesFor,
  type Target,
} from '@custodia/domain'
import type { Rights } from '../access/rights.ts'
import { listApps } from '../client-apps/store.ts'
import { type Client, findClient } from '../clients/store.ts'
import type { AppContext } from '../app-context.ts'
import type { FindAuthorNames } from '../http/author-names.ts'
import type { Handlers, PortalContext } from '../http/context.ts'
import { pageOf } from '../http/page.ts'
import { Problem } from '../http/problem.ts'
import type { Queryable } from '../ports/database/lease.ts'
import { END_OF_TIME, timeRange } from '../http/time-range.ts'
import { isEmbedded } from '../identity-providers/store.ts'
import { findRecordings } from '../payload-records/store.ts'
import {
  countPeople,
  endSessionOf,
  findDisplayNames,
  findPerson,
  listPeople,
  openSessionsOf,
  type PeopleFilter,
  type PersonPlace,
  placeOf,
  type StoredPerson,
} from './people-store.ts'
import { versionOfAssignment } from './membership.ts'
import { revokeAtProvider, type SessionServices } from './tokens.ts'

type Services = Pick<SessionServices, 'ctx' | 'access' | 'providers' | 'seal'>

/** Support access of the provider's staff that the client has approved, as of now. */
type ListApproved = (
  q: Queryable,
  now: number,
) => Promise<readonly Pick<SupportAccess, 'role' | 'requested_by'>[]>

/** People and apps that are considered for the question who may open a recording. */
const CONSIDERED = 10_000

/** Handlers of portal users. The identity provider has them, so their data comes from their sessions. */
export const peopleRoutes = (
  services: Services,
  listApproved: ListApproved,
): Handlers<'listPeople' | 'readPerson' | 'endPersonSession' | 'readPersonAccess' | 'listPayloadAccess'> => ({
  async listPeople(context, { query }) {
    const { caller, readFromReplica } = context
    const { from, to } = timeRange(query)
    const filter: PeopleFilter = {
      ...providerOf(services, context, await ownClient(services, context)),
      search: query.search ?? '',
      role: query.role ?? null,
      has_sessions: query.has_sessions ?? null,
      is_temporary: query.is_temporary ?? null,
      by: query.date_filter,
      from: from === 0 ? null : from,
      to: to === END_OF_TIME ? null : to,
    }
    if (query.type === 'total') return { total: await readFromReplica((q) => countPeople(q, filter)) }
    const mark = await markRoles(services, context)
    const isOldestFirst = query.order === 'oldest'
    return pageOf<PortalPerson, PersonPlace>(
      services.ctx.cursors,
      { name: 'people', client_id: caller.client_id, query },
      async (after, limit) => {
        const people = await readFromReplica((q) => listPeople(q, filter, { after, limit, isOldestFirst }))
        return people.map(mark)
      },
      placeOf(filter.by),
    )
  },

  async readPerson(context, { params: { user_reference } }) {
    const { caller, now } = context
    const client = await ownClient(services, context)
    const provider = providerOf(services, context, client)
    const { person, sessions } = await context.readFromReplica(async (q) => ({
      person: await findPerson(q, user_reference, provider),
      sessions: await openSessionsOf(q, user_reference, now),
    }))
    if (!person) throw new Problem('not_found', { detail: 'no such person' })
    const mark = await markRoles(services, context)
    const own = sessions.map((each) => ({ ...each, is_own: each.session_id === caller.session_id }))
    const { issuer, ...rest } = person
    return {
      ...mark(rest),
      version: versionOfAssignment(rest.assignment ?? undefined),
      roles_from: client.claim_mapping.roles_from,
      issuer: issuer?.startsWith('https:') ? issuer : null,
      sessions: own,
    }
  },

  async readPersonAccess(context, { params: { user_reference } }) {
    const provider = providerOf(services, context, await ownClient(services, context))
    const person = await context.readFromReplica((q) => findPerson(q, user_reference, provider))
    if (!person) throw new Problem('not_found', { detail: 'no such person' })
    const explained = await explainer(services, context)
    return { networks: [...explained.networks], data: explained.actionsOf(person) }
  },

  async listPayloadAccess(context, { params, query: { may, user_reference, ip } }) {
    const { caller, now } = context
    const explained = await explainer(services, context)
    const filter = { ...ALL_PEOPLE, ...providerOf(services, context, await ownClient(services, context)) }
    const all = { after: undefined, limit: CONSIDERED, isOldestFirst: false }
    const found = await context.readFromReplica(async (q) => ({
      recording: (await findRecordings(q, [params.payload_reference]))[0],
      people: await listPeople(q, filter, all),
      apps: await listApps(q, { search: '', after: '', limit: CONSIDERED }),
      approvals: await listApproved(q, now),
    }))
    const { recording: target } = found
    if (!target || !caller.access.permits(context.action, target))
      throw new Problem('not_found', { detail: 'no such recording in reach' })
    const named = (
      kind: ExplainedPerson['kind'],
      of: Asked & { user_reference: string; display_name?: string | null },
    ): ExplainedPerson => ({
      kind,
      user_reference: of.user_reference,
      display_name: of.display_name ?? null,
      ...explained.decide({ ...of, ip }, may, target),
    })
    const answers = [
      ...found.people.map((each) => named('person', { ...each, roles: each.roles.map(({ role }) => role) })),
      ...found.apps.map((each) =>
        named('app', { ...each, user_reference: each.app_reference, groups: null }),
      ),
      ...found.approvals.map(({ role, requested_by }) =>
        named('support', { user_reference: requested_by, roles: [role], groups: null, isSupport: true }),
      ),
    ].filter((each) =>
      user_reference === undefined ? each.is_allowed : each.user_reference === user_reference,
    )
    return {
      group: explained.groupOf(target.group_id),
      networks: [...explained.networks],
      data: answers.slice(0, EXPLAINED_LIMIT),
      is_cut: answers.length > EXPLAINED_LIMIT,
    }
  },

  async endPersonSession(context, { params: { user_reference, session_id } }) {
    const ended = await context.write((tx) => endSessionOf(tx, user_reference, session_id, context.now))
    if (!ended) throw new Problem('not_found', { detail: 'no such open session' })
    await revokeAtProvider(services, context, [ended])
    return {}
  },
})

async function ownClient({ ctx }: Services, { caller }: PortalContext): Promise<Client> {
  const client = await findClient(ctx.db, caller.client)
  if (!client) throw new Problem('not_found', { detail: 'the client is gone' })
  return client
}

/** The kind of the client's provider, and how often the server checks people there. */
const providerOf = (
  { ctx }: Services,
  { now }: PortalContext,
  client: Client,
): Pick<PeopleFilter, 'is_embedded' | 'now'> => ({ is_embedded: isEmbedded(ctx, client), now })

/** Marks the roles that the client does not have. */
async function markRoles({ access }: Services, { caller }: PortalContext) {
  const { roles } = await access.presentRights(caller)
  return (person: StoredPerson): PortalPerson => ({
    ...person,
    roles: person.roles.map((each) => ({ ...each, exists: roles.has(each.role) })),
  })
}

/** Lists of all people. */
const ALL_PEOPLE = {
  search: '',
  role: null,
  has_sessions: null,
  is_temporary: null,
  by: 'last_seen',
  from: null,
  to: null,
} as const

/** Whose rights are explained. */
interface Asked {
  roles: readonly string[]
  groups: readonly string[] | null
  /** Absent: from any address that the roles allow. */
  ip?: string | undefined
  isSupport?: boolean
}

/** Group names that an explanation spells out. */
const NAMED_GROUPS = 20

/** Explains rights of the account as of now: the rights that authorise calls. */
async function explainer({ access }: Services, { caller }: PortalContext) {
  const rights = await access.presentRights(caller)
  const { source, groupIndex } = rights
  const documents = new Map<string, Role>(
    [...source.roles, ...systemRolesFor(source)].map((role) => [role.role_reference, role]),
  )
  const names = new Map(groupIndex.groups.map(({ group_id, group_reference }) => [group_id, group_reference]))
  const compiled = new Map<string, CompiledPermission[]>()
  const permissionsOf = (reference: string): CompiledPermission[] => {
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
  const decide = (asked: Asked, action: string, target?: Target) =>
    withNetworks(explain(...principalOf(rights, asked), permissionsOf, { action, target }))
  return {
    networks: source.cidr_ranges,
    groupOf: (group_id: number) => names.get(group_id) ?? '',
    decide,
    /** Every action that a role of the person names. */
    actionsOf: (person: StoredPerson) => {
      const asked = { roles: person.roles.map(({ role }) => role), groups: person.groups }
      const [principal, account] = principalOf(rights, asked)
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
function principalOf(
  rights: Rights,
  { roles, groups, ip, isSupport = false }: Asked,
): [Principal, { networks: Networks }] {
  const compiled = roles.flatMap((reference) => rights.roles.get(reference) ?? [])
  const anywhere = ip === undefined
  return [
    {
      roles: anywhere ? compiled.map((role) => ({ ...role, networks: 'any' as const })) : compiled,
      ip: ip ?? '',
      group_references: groups ?? undefined,
      actions: isSupport ? SUPPORT_ACTIONS : undefined,
    },
    { networks: anywhere ? 'any' : rights.networks },
  ]
}

/** Seconds for which a process keeps a name. */
const FRESH = 60
/** Names that a process keeps at most. */
const KEPT = 10_000

/** Looks up display names of portal users, and keeps them for a minute. */
export function displayNames({ db, now }: Pick<AppContext, 'db' | 'now'>): FindAuthorNames {
  const kept = new Map<string, { name: string | undefined; until: number }>()
  return async (client_id, references) => {
    const keyOf = (reference: string) => `${client_id} ${reference}`
    const missing = references.filter((reference) => (kept.get(keyOf(reference))?.until ?? 0) <= now())
    if (missing.length > 0) {
      const names = await db.read(client_id, (q) => findDisplayNames(q, missing))
      if (kept.size + missing.length > KEPT) kept.clear()
      for (const reference of missing)
        kept.set(keyOf(reference), { name: names.get(reference), until: now() + FRESH })
    }
    return new Map(
      references.flatMap((reference): [string, string][] => {
        const name = kept.get(keyOf(reference))?.name
        return name === undefined ? [] : [[reference, name]]
      }),
    )
  }
}
