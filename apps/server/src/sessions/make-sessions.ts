import { randomBytes } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { AccessCache } from '../access/load.ts'
import type { AppContext } from '../app-context.ts'
import type { PortalUser } from '../http/context.ts'
import type { MountedApp } from '../http/limit-addresses.ts'
import { type EmbeddedProvider, embeddedProvider } from '../ports/identity/embedded.ts'
import { isOfLoopback, type Loopback } from '../ports/identity/relying-party.ts'
import { makeSeal } from '../ports/identity/sealed.ts'
import { signingKey } from '../ports/identity/signing-keys.ts'
import { refusalRecorder } from './activity.ts'
import { authenticatePortal, type OtherCallers } from './authenticate.ts'
import { cookieHalves } from './cookie-halves.ts'
import { cookiesFor } from './cookies.ts'
import { addressOf } from './forwarded-address.ts'
import { idTokens } from './id-tokens.ts'
import type { SessionServices } from './session-services.ts'
import { sessionOfRequest } from './session-of-request.ts'

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
  /** The same as an address for phones, and the way to it. */
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
        addressOf: (request) => addressOf(request, config.trustProxy),
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
  return {
    ...services,
    embedded,
    way,
    authenticatePortal: (request, now) => authenticatePortal(services, others, request, now),
    sessionOfRequest: (request, wanted) => sessionOfRequest(services, request, wanted),
    identityProvider: embedded && {
      listener: embedded.listener,
      addressOf: (request) =>
        isOfLoopback(request, inside) ? undefined : addressOf(request, config.trustProxy),
    },
  }
}
