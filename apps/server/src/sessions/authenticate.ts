import { ClientReference, TERMS_VERSION } from '@custodia/contract'
import type { FastifyRequest } from 'fastify'
import type { PortalUser } from '../http/context.ts'
import { Problem } from '../http/problem.ts'
import type { SessionServices } from './tokens.ts'
import { readLiveSession } from './store.ts'
import { findClient } from '../clients/store.ts'

type Services = Pick<SessionServices, 'ctx' | 'access' | 'tokens'>

/** Who may come with something else than an id token of ours alone. */
export interface OtherCallers {
  /** Makes a member of staff the caller of a client under an approval. Problems: as of support mode. */
  enterSupportMode: (staff: PortalUser, request_reference: string, at: Moment) => Promise<PortalUser>
  /** The client app behind a token of its own issuer; undefined when the client has no such app. */
  authenticateApp: (token: string, client_id: number, at: Moment) => Promise<PortalUser | undefined>
}

/** Where a request comes from, and when (epoch seconds). */
interface Moment {
  ip: string
  now: number
}

/**
 * Authenticates a portal request: a person, staff of the provider in support mode, or a client app. Problems:
 * authentication_required, session_ended, network_not_permitted, support_mode_ended, terms_required, not_permitted,
 * unavailable.
 */
export async function authenticatePortal(
  services: Services,
  others: OtherCallers,
  request: FastifyRequest,
  now: number,
): Promise<PortalUser> {
  const { token, request_reference } = credentialsOf(request.headers.authorization)
  if (token === undefined) throw new Problem('authentication_required')
  const at = { ip: request.ip, now }
  const person = await personOf(services, token, request.ip, now)
  if (request_reference !== undefined) {
    if (!person) throw new Problem('authentication_required')
    return others.enterSupportMode(person, request_reference, at).catch((error: unknown) => {
      // The log of the known client records the refusal, else the log of the staff.
      if (!(error instanceof Problem) || error.caller) throw error
      throw new Problem(error.code, { detail: error.detail ?? error.code, caller: person })
    })
  }
  const caller = person ?? (await appOf(services, others, token, request, at))
  if (!caller) throw new Problem('authentication_required')
  return caller
}

/** The app of a foreign token, for the client that the call names, because such a token names none. */
async function appOf(
  { ctx }: Services,
  { authenticateApp }: OtherCallers,
  token: string,
  request: FastifyRequest,
  at: Moment,
): Promise<PortalUser | undefined> {
  const [params, query] = [request.params, request.query] as [{ client?: unknown }, { client?: unknown }]
  // The call is not validated yet: an invalid client reference counts as absent.
  const named = ClientReference.safeParse(params.client ?? query.client)
  const client = named.success ? await findClient(ctx.db, named.data) : undefined
  return client?.suspended_at === null ? authenticateApp(token, client.client_id, at) : undefined
}

/**
 * The person of an id token. The token names the session; the session's row has the person, the roles and the end.
 * Undefined for a token of another issuer. Problems: session_ended, network_not_permitted.
 */
async function personOf(
  { ctx, access, tokens }: Services,
  token: string,
  ip: string,
  now: number,
): Promise<PortalUser | undefined> {
  const claims = await tokens.verify(token, now)
  if (!claims) return undefined
  const { client_id, session_id } = claims
  const session = await readLiveSession(ctx.db, client_id, session_id, TERMS_VERSION)
  if (!session) throw new Problem('session_ended')
  const { client, client_name, user_reference, roles, user_group, groups, terms_accepted_at } = session
  const group_id = await access.groupIdOf(client_id, session.access_epoch, user_group)
  const caller = { kind: 'portal', client_id, user_reference, user_group, group_id, roles } as const
  const isOver = session.ended_at !== null || session.suspended_at !== null || session.expires_at <= now
  if (isOver) throw new Problem('session_ended', { caller })
  const rights = await access.accessOf({ client_id, epoch: session.access_epoch, roles, groups, ip })
  if (!rights.is_network_allowed) throw new Problem('network_not_permitted', { caller })
  return {
    ...caller,
    client,
    client_name,
    session_id,
    group_references: groups,
    access: rights,
    terms_accepted_at,
    issuer: session.issuer,
    session_expires_at: session.expires_at,
    is_provider: session.is_provider,
  }
}

/** The token of `Authorization`, bare, as a bearer, or with the approval under which staff act (spec section 7). */
function credentialsOf(header = ''): { token?: string | undefined; request_reference?: string | undefined } {
  const support = /^support +([^:\s]{1,64}):([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(header)
  if (support) return { request_reference: support[1], token: support[2] }
  return { token: /^(?:bearer +)?([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(header)?.[1] }
}
