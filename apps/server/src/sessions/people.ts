import {
  dateParameterToEpoch,
  EXPLAINED_LIMIT,
  type ExplainedPerson,
  type PortalPerson,
  type SupportAccess,
} from '@custodia/contract'
import type { Rights } from '../access/rights.ts'
import { findRightsAt, findRightsKnownSince } from '../access/store.ts'
import type { AppContext } from '../app-context.ts'
import { listApps } from '../client-apps/store.ts'
import { type Client, findClient } from '../clients/store.ts'
import { findDisplayNames } from '../device-records/names-store.ts'
import type { FindAuthorNames } from '../http/author-names.ts'
import type { Handler, Handlers, PortalContext } from '../http/context.ts'
import { getPage } from '../http/page.ts'
import { Problem } from '../http/problem.ts'
import { END_OF_TIME, timeRange } from '../http/time-range.ts'
import { isEmbedded } from '../identity-providers/store.ts'
import { findRecordingPast, findRecordings } from '../payload-records/store.ts'
import type { Queryable } from '../ports/database/lease.ts'
import { type FindOpenings, readAccessReport } from './access-report.ts'
import { type Actor, type RightsSubject, explainer, PastRights, recordingAt } from './explain.ts'
import { versionOfAssignment } from './membership.ts'
import {
  countPeople,
  endSessionOf,
  findPerson,
  ALL_PEOPLE,
  listPeople,
  openSessionsOf,
  type PeopleFilter,
  type PersonPlace,
  getPlace,
  type StoredPerson,
} from './people-store.ts'
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
  { listApproved, findOpenings }: { listApproved: ListApproved; findOpenings: FindOpenings },
): Handlers<
  | 'listPeople'
  | 'readPerson'
  | 'endPersonSession'
  | 'readPersonAccess'
  | 'listPayloadAccess'
  | 'readAccessReport'
> => ({
  listPeople: listPeopleOf(services),

  async readPerson(context, { params: { user_reference } }) {
    const { caller, now } = context
    const client = await ownClient(services, context)
    const provider = getProvider(services, context, client)
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

  readPersonAccess: (context, input) => explainPerson(services, context, input),

  listPayloadAccess: listPayloadAccess(services, listApproved),

  async readAccessReport(context, input) {
    const { is_embedded } = getProvider(services, context, await ownClient(services, context))
    const { source } = await services.access.presentRights(context.caller)
    return readAccessReport(
      { keys: services.ctx.keys, findOpenings, is_embedded, is_provider: source.is_provider },
      context,
      input,
    )
  },

  async endPersonSession(context, { params: { user_reference, session_id } }) {
    const ended = await context.write((tx) => endSessionOf(tx, user_reference, session_id, context.now))
    if (!ended) throw new Problem('not_found', { detail: 'no such open session' })
    await revokeAtProvider(services, context, [ended])
    return {}
  },
})

/** People by their sessions, a page or the total. */
const listPeopleOf =
  (services: Services): Handler<'listPeople'> =>
  async (context, { query }) => {
    const { caller, readFromReplica } = context
    const { from, to } = timeRange(query)
    const filter: PeopleFilter = {
      ...getProvider(services, context, await ownClient(services, context)),
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
    return getPage<PortalPerson, PersonPlace>(
      services.ctx.cursors,
      { name: 'people', client_id: caller.client_id, query },
      async (after, limit) => {
        const people = await readFromReplica((q) => listPeople(q, filter, { after, limit, isOldestFirst }))
        return people.map(mark)
      },
      getPlace(filter.by),
    )
  }

/** Who may open a recording, now or at a past moment, and why. */
const listPayloadAccess =
  (services: Services, listApproved: ListApproved): Handler<'listPayloadAccess'> =>
  async (context, { params, query: { may, user_reference, ip, at: asked } }) => {
    const { caller, now } = context
    const at = getPast(asked, now)
    const provider = getProvider(services, context, await ownClient(services, context))
    const present = await services.access.presentRights(caller)
    const found = await context.readFromReplica(async (q) => {
      const [recording] = await findRecordings(q, [params.payload_reference])
      if (!recording || !caller.access.permits(context.action, recording))
        throw new Problem('not_found', { detail: 'no such recording in reach' })
      const known_since = await findRightsKnownSince(q)
      const then = recordingAt(recording, await findRecordingPast(q, recording), at ?? now)
      const target = { ...then, payload_type: recording.payload_type }
      if (at === undefined)
        return {
          known_since,
          target,
          rights: present,
          actors: await presentActors(q, provider, listApproved),
        }
      const past = new PastRights(await findRightsAt(q, at, [then.group_id]), provider)
      const actors = at < known_since ? [] : past.actors(at)
      const names = await findDisplayNames(
        q,
        actors.map((each) => each.user_reference),
      )
      return {
        known_since,
        target,
        rights: past.compile(present.source.is_provider),
        actors: actors.map((each) => ({ ...each, display_name: names.get(each.user_reference) ?? null })),
      }
    })
    const { known_since, target, rights, actors } = found
    const explained = explainer(rights)
    const answers = actors
      .map(({ kind, user_reference: who, display_name, ...of }): ExplainedPerson => ({
        kind,
        user_reference: who,
        display_name,
        ...explained.decide({ ...of, ip }, may, target),
      }))
      .filter((each) =>
        user_reference === undefined ? each.is_allowed : each.user_reference === user_reference,
      )
    return {
      known_since,
      is_available: target.is_available,
      group: explained.getGroup(target.group_id),
      networks: [...explained.networks],
      data: answers.slice(0, EXPLAINED_LIMIT),
      is_cut: answers.length > EXPLAINED_LIMIT,
    }
  }

async function ownClient({ ctx }: Services, { caller }: PortalContext): Promise<Client> {
  const client = await findClient(ctx.db, caller.client)
  if (!client) throw new Problem('not_found', { detail: 'the client is gone' })
  return client
}

/** The kind of the client's provider, and how often the server checks people there. */
const getProvider = (
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

/** The moment that a question about the past names; undefined: now. */
function getPast(asked: string | undefined, now: number): number | undefined {
  const at = asked === undefined ? undefined : dateParameterToEpoch(asked)
  return at === undefined || at >= now ? undefined : at
}

/** What a person may do, or might do at a past moment. */
async function explainPerson(
  services: Services,
  context: PortalContext,
  {
    params: { user_reference },
    query,
  }: { params: { user_reference: string }; query: { at?: string | undefined } },
) {
  const at = getPast(query.at, context.now)
  const provider = getProvider(services, context, await ownClient(services, context))
  const present = await services.access.presentRights(context.caller)
  const { known_since, person, versions } = await context.readFromReplica(async (q) => ({
    known_since: await findRightsKnownSince(q),
    person: await findPerson(q, user_reference, provider),
    versions: at === undefined ? [] : await findRightsAt(q, at, null),
  }))
  if (!person) throw new Problem('not_found', { detail: 'no such person' })
  const answer = (rights: Rights, asked: RightsSubject | undefined) => {
    const explained = explainer(rights)
    return { known_since, networks: [...explained.networks], data: asked ? explained.getActions(asked) : [] }
  }
  if (at === undefined)
    return answer(present, {
      roles: person.roles.map(({ role }) => role),
      groups: person.groups,
      matters: person.assignment?.matters,
    })
  if (at < known_since) return { known_since, networks: [], data: [] }
  const past = new PastRights(versions, provider)
  return answer(past.compile(present.source.is_provider, present), past.person(user_reference, at))
}

/** People, client apps and approved support staff as of now. */
async function presentActors(
  q: Queryable,
  provider: Pick<PeopleFilter, 'is_embedded' | 'now'>,
  listApproved: ListApproved,
): Promise<(Actor & { display_name: string | null })[]> {
  const all = { after: undefined, limit: CONSIDERED, isOldestFirst: false }
  const people = await listPeople(q, { ...ALL_PEOPLE, ...provider }, all)
  const apps = await listApps(q, { search: '', after: '', limit: CONSIDERED })
  return [
    ...people.map(({ user_reference, display_name, roles, groups, assignment }) => ({
      kind: 'person' as const,
      user_reference,
      display_name,
      roles: roles.map(({ role }) => role),
      groups,
      matters: assignment?.matters,
    })),
    ...apps.map(({ app_reference, roles, cidr_ranges }) => ({
      kind: 'app' as const,
      user_reference: app_reference,
      display_name: null,
      roles,
      cidr_ranges,
      groups: null,
    })),
    ...(await listApproved(q, provider.now)).map(({ role, requested_by }) => ({
      kind: 'support' as const,
      user_reference: requested_by,
      display_name: null,
      roles: [role],
      groups: null,
      isSupport: true,
    })),
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
    const getKey = (reference: string) => `${client_id} ${reference}`
    const missing = references.filter((reference) => (kept.get(getKey(reference))?.until ?? 0) <= now())
    if (missing.length > 0) {
      const names = await db.read(client_id, (q) => findDisplayNames(q, missing))
      if (kept.size + missing.length > KEPT) kept.clear()
      for (const reference of missing)
        kept.set(getKey(reference), { name: names.get(reference), until: now() + FRESH })
    }
    return new Map(
      references.flatMap((reference): [string, string][] => {
        const name = kept.get(getKey(reference))?.name
        return name === undefined ? [] : [[reference, name]]
      }),
    )
  }
}
