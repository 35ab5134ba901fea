import type { PortalPerson } from '@custodia/contract'
import { type Client, findClient } from '../clients/store.ts'
import type { Handlers, PortalContext } from '../http/context.ts'
import { pageOf } from '../http/page.ts'
import { Problem } from '../http/problem.ts'
import { END_OF_TIME, timeRange } from '../http/time-range.ts'
import { isEmbedded } from '../identity-providers/store.ts'
import {
  countPeople,
  endSessionOf,
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

/** Handlers of portal users. The identity provider has them, so their data comes from their sessions. */
export const peopleRoutes = (
  services: Services,
): Handlers<'listPeople' | 'readPerson' | 'endPersonSession'> => ({
  async listPeople(context, { query }) {
    const { caller, readFromReplica } = context
    const { from, to } = timeRange(query)
    const filter: PeopleFilter = {
      ...providerOf(services, context, await ownClient(services, context)),
      search: query.search ?? '',
      role: query.role ?? null,
      has_sessions: query.has_sessions ?? null,
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
