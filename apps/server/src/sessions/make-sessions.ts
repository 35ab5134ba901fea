import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { ClientReference, TERMS_VERSION } from '@custodia/contract'
import type { FastifyRequest } from 'fastify'
import type { AccessCache } from '../access/load.ts'
import type { AppContext } from '../app-context.ts'
import { type Client, findClient } from '../clients/store.ts'
import type { MountedApp } from '../http/admit.ts'
import { newLogId } from '../http/audit.ts'
import type { AuditEntry, Context, PortalUser } from '../http/context.ts'
import { Problem } from '../http/problem.ts'
import { type EmbeddedProvider, embeddedProvider } from '../ports/identity/embedded.ts'
import type { RefusedSignIn } from '../ports/identity/interaction.ts'
import { isOfLoopback, type Loopback } from '../ports/identity/relying-party.ts'
import { makeSeal } from '../ports/identity/sealed.ts'
import { signingKey } from '../ports/identity/signing-keys.ts'
import { cookieHalves, cookiesFor, isCurrent, readCookies } from './cookies.ts'
import { liveSessions, type Membership } from './store.ts'
import { idTokens, type SessionServices } from './tokens.ts'

interface Activity {
  action: 'session:sign_in' | 'session:refresh'
  client: Client
  membership: Pick<Membership, 'user_reference' | 'roles' | 'user_group' | 'groups'>
  session_id: string
  status_code: number
  /** Why it was refused; null: it was not. */
  denial_reason: string | null
}

type Caller = Pick<Context, 'ip' | 'request_id' | 'now'> & { browser: string | undefined }

/** An audit entry of a person who has no authenticated session (yet). */
export async function activityEntry(
  access: AccessCache,
  caller: Caller,
  activity: Activity,
): Promise<AuditEntry> {
  const { client, membership } = activity
  const { client_id, access_epoch } = client
  return {
    log_id: newLogId(),
    caller: {
      kind: 'portal',
      client_id,
      client: client.client,
      client_name: client.client_name,
      session_id: activity.session_id,
      ...membership,
      group_id: await access.getGroupId(client_id, access_epoch, membership.user_group),
      group_references: membership.groups,
      access: await access.getAccess({
        client_id,
        epoch: access_epoch,
        roles: membership.roles,
        groups: membership.groups,
        matters: null,
        ip: caller.ip,
      }),
      terms_accepted_at: null,
      session_expires_at: caller.now,
      is_provider: false,
    },
    ip: caller.ip,
    browser: caller.browser?.slice(0, 255),
    activity_time: caller.now,
    activity_end_time: caller.now,
    duration: 0,
    action: activity.action,
    is_allowed: activity.denial_reason === null,
    denial_reason: activity.denial_reason,
    parameters: '{}',
    status_code: activity.status_code,
    request_id: caller.request_id,
  }
}

/** The caller of a call that needs no authentication. */
export const getCaller = ({ ip, request_id, now, request }: Context): Caller => ({
  ip,
  request_id,
  now,
  browser: request.headers['user-agent'],
})

/** Writes refusals of the embedded provider's sign-in page into the audit log of the person's client. */
function refusalRecorder(ctx: AppContext, access: AccessCache): (refused: RefusedSignIn) => Promise<void> {
  return async ({ client: reference, user_reference, ip, browser, reason }) => {
    const client = await findClient(ctx.db, reference)
    if (!client) return
    const caller = { ip, browser, now: ctx.now(), request_id: newLogId() }
    const entry = await activityEntry(access, caller, {
      action: 'session:sign_in',
      client,
      membership: { user_reference, roles: [], user_group: null, groups: null },
      session_id: '',
      status_code: 401,
      denial_reason: `sign_in_refused: ${reason}`,
    })
    await ctx.audit.append(entry)
  }
}

export interface SessionOptions extends OtherCallers {
  access: AccessCache
  /** Where the people of clients sign in, when this is the embedded provider and the way to it. */
  otherProviders: (embedded: EmbeddedProvider | undefined, way: Loopback) => SessionServices['providers']
  /** The address of this process, e.g. `http://127.0.0.1:4000`; read on the first request. */
  loopback: () => string
}

export interface Sessions extends SessionServices {
  authenticatePortal(request: FastifyRequest, now: number): Promise<PortalUser>
  /** The id of `wanted`, a session that lives, when the request carries its cookie. */
  sessionOfRequest(
    request: Pick<FastifyRequest, 'headers'>,
    wanted: { session_id: string; rotation: number; rotated_at: number },
  ): string | undefined
  /** The embedded identity provider, unless the installation names another: answers `/oidc/*`. */
  identityProvider: MountedApp | undefined
  /** The same as an address for devices, and the way to it. */
  embedded: EmbeddedProvider | undefined
  way: Loopback
}

/** Sessions of the portal, with keys that all processes of the installation share. */
export async function makeSessions(
  ctx: AppContext,
  { access, loopback, otherProviders, ...others }: SessionOptions,
): Promise<Sessions> {
  const { db, keys, config } = ctx
  const inside = randomBytes(32).toString('base64url')
  const embedded = config.oidc
    ? undefined
    : await embeddedProvider({
        db,
        keys,
        publicUrl: config.publicUrl,
        now: ctx.now,
        isDemo: config.demo,
        getAddress: (request) => getAddress(request, config.trustProxy),
        onRefused: refusalRecorder(ctx, access),
        onFault: (error) => ctx.log.error({ err: error }, 'the embedded identity provider failed'),
      })
  const way = { address: loopback, inside }
  const services: SessionServices = {
    ctx,
    access,
    providers: otherProviders(embedded, way),
    tokens: idTokens(await signingKey(db, keys, 'portal', ctx.now()), config.publicUrl),
    halves: cookieHalves(await keys.namedSecret('session-cookies')),
    cookies: cookiesFor(config.publicUrl),
    seal: makeSeal(await keys.namedSecret('session-seal')),
  }
  const live = liveSessions(db, TERMS_VERSION)
  return {
    ...services,
    embedded,
    way,
    authenticatePortal: (request, now) => authenticatePortal({ ...services, live }, others, request, now),
    sessionOfRequest: (request, wanted) => sessionOfRequest(services, request, wanted),
    identityProvider: embedded && {
      listener: embedded.listener,
      getAddress: (request) =>
        isOfLoopback(request, inside) ? undefined : getAddress(request, config.trustProxy),
    },
  }
}

/**
 * The caller's address of a raw request, by Fastify's rule: each of the `proxies` in front appends the address it saw
 * to X-Forwarded-For; earlier entries are not trusted.
 */
export function getAddress(request: IncomingMessage, proxies: number): string {
  const forwarded = [request.headers['x-forwarded-for'] ?? []].flat().join(',')
  const seen = forwarded
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')
  const hops = [...seen, request.socket.remoteAddress ?? '']
  return hops.at(-1 - Math.min(proxies, hops.length - 1)) ?? ''
}

/**
 * The id of `wanted` if it is an open session of the request's browser, else undefined. For addresses that a player
 * opens without a token. A browser may have several sessions.
 */
export function sessionOfRequest(
  { ctx, halves, cookies }: Pick<SessionServices, 'ctx' | 'halves' | 'cookies'>,
  request: Pick<FastifyRequest, 'headers'>,
  wanted: { session_id: string; rotation: number; rotated_at: number },
): string | undefined {
  const { session_id } = wanted
  const value = readCookies(request.headers.cookie).get(cookies.sessionName(session_id))
  const presented = halves.read(session_id, value)
  return presented !== undefined && isCurrent(wanted, presented, ctx.now()) ? session_id : undefined
}

type Services = Pick<SessionServices, 'ctx' | 'access' | 'tokens'> & { live: ReturnType<typeof liveSessions> }

/** Who may come with something else than an id token of ours alone. */
interface OtherCallers {
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
async function authenticatePortal(
  services: Services,
  others: OtherCallers,
  request: FastifyRequest,
  now: number,
): Promise<PortalUser> {
  const { token, request_reference } = getCredentials(request.headers.authorization)
  if (token === undefined) throw new Problem('authentication_required')
  const at = { ip: request.ip, now }
  const person = await getPerson(services, token, request.ip, now)
  if (request_reference !== undefined) {
    if (!person) throw new Problem('authentication_required')
    return others.enterSupportMode(person, request_reference, at).catch((error: unknown) => {
      // The log of the known client records the refusal, else the log of the staff.
      if (!(error instanceof Problem) || error.caller) throw error
      throw new Problem(error.code, { detail: error.detail ?? error.code, caller: person })
    })
  }
  const caller = person ?? (await getApp(services, others, token, request, at))
  if (!caller) throw new Problem('authentication_required')
  return caller
}

/** The app of a foreign token, for the client that the call names, because such a token names none. */
async function getApp(
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
async function getPerson(
  { access, tokens, live }: Services,
  token: string,
  ip: string,
  now: number,
): Promise<PortalUser | undefined> {
  const claims = await tokens.verify(token, now)
  if (!claims) return undefined
  const { client_id, session_id } = claims
  const session = await live.add(client_id, session_id)
  if (!session) throw new Problem('session_ended')
  const { client, client_name, user_reference, roles, user_group, groups, matters, terms_accepted_at } =
    session
  const group_id = await access.getGroupId(client_id, session.access_epoch, user_group)
  const caller = { kind: 'portal', client_id, user_reference, user_group, group_id, roles } as const
  const isOver = session.ended_at !== null || session.suspended_at !== null || session.expires_at <= now
  if (isOver) throw new Problem('session_ended', { caller })
  const rights = await access.getAccess({
    client_id,
    epoch: session.access_epoch,
    roles,
    groups,
    matters,
    ip,
  })
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
function getCredentials(header = ''): { token?: string | undefined; request_reference?: string | undefined } {
  const support = /^support +([^:\s]{1,64}):([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(header)
  if (support) return { request_reference: support[1], token: support[2] }
  return { token: /^(?:bearer +)?([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(header)?.[1] }
}
