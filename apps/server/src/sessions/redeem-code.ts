import { createHash, randomBytes } from 'node:crypto'
import { type Exchange, ID_TOKEN_SECONDS, type Locale } from '@custodia/contract'
import { ulid } from 'ulid'
import * as z from 'zod/mini'
import { type Client, findClient } from '../clients/store.ts'
import type { Context } from '../http/context.ts'
import { Problem } from '../http/problem.ts'
import { getIssuer } from '../identity-providers/store.ts'
import { returnAddress } from '../ports/identity/embedded.ts'
import { pageLocale } from '../ports/identity/page.ts'
import {
  type IdentityProvider,
  ProviderUnavailable,
  SignInRefused,
  type VerifiedIdentity,
} from '../ports/identity/port.ts'
import { readCookies } from './cookies.ts'
import { activityEntry, getCaller } from './make-sessions.ts'
import { writeMembership } from './membership.ts'
import { insertSession } from './store.ts'
import { SEALED, sealProviderTokens, SESSION_SECONDS, type SessionServices } from './tokens.ts'

/** Seconds within which a sign-in must be completed. */
const SIGN_IN_SECONDS = 600

/** A pending sign-in, sealed in a cookie, so that only the browser that began it can complete it. */
export const PendingSignIn = z.object({
  client: z.string(),
  issuer: z.string(),
  redirect_uri: z.string(),
  state: z.string(),
  nonce: z.string(),
  code_verifier: z.string(),
})
type PendingSignIn = z.output<typeof PendingSignIn>

const secret = (): string => randomBytes(32).toString('base64url')

/** Begins a sign-in to `client`; sets the cookie that completes it. Problems: not_found, account_suspended, unavailable. */
export async function readSignInUrl(
  services: SessionServices,
  context: Context,
  reference: string,
  { local_port, login_hint }: { local_port?: number | undefined; login_hint?: string | undefined },
): Promise<{ url: string }> {
  const { ctx, cookies, seal } = services
  const client = await findClient(ctx.db, reference)
  if (!client) throw new Problem('not_found', { detail: 'no such client' })
  if (client.suspended_at !== null) throw new Problem('account_suspended')
  const provider = await services.providers(client)
  const pending: PendingSignIn = {
    client: client.client,
    issuer: provider.issuer,
    redirect_uri: returnAddress(ctx.config.publicUrl, local_port),
    state: secret(),
    nonce: secret(),
    code_verifier: secret(),
  }
  const url = await provider
    .signInUrl({ ...pending, locale: getLocale(context), login_hint })
    .catch((error: unknown) => unavailable(services, error))
  const sealed = await seal.seal(SEALED.sign_in, pending, context.now + SIGN_IN_SECONDS)
  void context.reply.header(
    'set-cookie',
    cookies.setSignIn(pending.state, client.client, sealed, SIGN_IN_SECONDS),
  )
  return { url }
}

/** The language from the portal's cookie, else from the browser's headers. */
function getLocale({ request }: Context): Locale {
  return pageLocale(readCookies(request.headers.cookie).get('locale'), request.headers['accept-language'])
}

/** The problem for an unreachable provider; the log has the reason. Rethrows other errors. */
function unavailable(services: SessionServices, error: unknown): never {
  if (!(error instanceof ProviderUnavailable)) throw error
  services.ctx.log.warn({ err: error }, 'the identity provider is unavailable')
  throw new Problem('unavailable', { detail: error.message })
}

export type ExchangeAnswer = z.output<typeof Exchange>

/** What came back from the provider by way of the browser. */
interface ReturnedCode {
  client: string
  code: string
  redirect_uri: string | undefined
  /** May be absent: the cookie and PKCE bind the code to this browser as well (RFC 9700 2.1.1). */
  state: string | undefined
  /** Absent when the provider does not name itself. */
  iss: string | undefined
}

/** Completes a sign-in: answers tokens and sets the session's cookie. Problems: sign_in_refused, unavailable. */
export async function redeemCode(
  services: SessionServices,
  context: Context,
  returned: ReturnedCode,
): Promise<ExchangeAnswer> {
  const pending = await takePending(services, context, returned)
  const client = await findClient(services.ctx.db, pending.client)
  if (!client) throw new Problem('sign_in_refused', { detail: 'the client is gone' })
  if (client.suspended_at !== null)
    throw new Problem('sign_in_refused', { detail: 'the client is suspended' })
  const provider = await services.providers(client)
  try {
    const verified = await redeemAtProvider(services, provider, pending, returned)
    return await openSession(services, context, client, { ...verified, provider })
  } catch (error) {
    if (!(error instanceof SignInRefused)) throw error
    await recordRefusal(services, context, client, error)
    throw new Problem('sign_in_refused', { detail: error.message })
  }
}

/** The sign-in under way in this browser to which the code belongs; its cookie is spent. */
async function takePending(
  { cookies, seal }: SessionServices,
  context: Context,
  returned: ReturnedCode,
): Promise<PendingSignIn> {
  const { state } = returned
  const present = readCookies(context.request.headers.cookie)
  const names = [...present.keys()].filter((name) =>
    state === undefined ? cookies.isSignInName(name) : name === cookies.signInName(state),
  )
  const opened = await Promise.all(
    names.map((name) => seal.open(SEALED.sign_in, present.get(name) ?? '', context.now)),
  )
  const fitting = opened
    .flatMap((value) => PendingSignIn.safeParse(value).data ?? [])
    .filter((each) => each.client === returned.client && each.redirect_uri === returned.redirect_uri)
    .filter((each) => state === undefined || each.state === state)
  const [pending, ...others] = fitting
  if (!pending || others.length > 0) {
    throw new Problem('sign_in_refused', { detail: 'no such sign-in is under way in this browser' })
  }
  void context.reply.header('set-cookie', cookies.setSignIn(pending.state, pending.client, '', 0))
  return pending
}

async function redeemAtProvider(
  services: SessionServices,
  provider: IdentityProvider,
  pending: PendingSignIn,
  { code, iss }: ReturnedCode,
): Promise<VerifiedIdentity> {
  if (provider.issuer !== pending.issuer) {
    throw new SignInRefused('the client has another identity provider now')
  }
  const { redirect_uri, nonce, code_verifier } = pending
  try {
    return await provider.redeem({ code, iss, redirect_uri, nonce, code_verifier })
  } catch (error) {
    return unavailable(services, error)
  }
}

/** Records the refusal of an identified person in the client's audit log. An unidentified one has no log. */
async function recordRefusal(
  { ctx, access }: SessionServices,
  context: Context,
  client: Client,
  { message, user_reference }: SignInRefused,
): Promise<void> {
  if (user_reference === undefined) return
  const { client_id } = client
  ctx.log.warn({ client_id, reason: message }, 'a person that the identity provider identified was refused')
  const entry = await activityEntry(access, getCaller(context), {
    action: 'session:sign_in',
    client,
    membership: { user_reference, roles: [], user_group: null, groups: null },
    session_id: '',
    status_code: 400,
    denial_reason: `sign_in_refused: ${message}`,
  })
  await ctx.audit.append(entry)
}

async function openSession(
  services: SessionServices,
  context: Context,
  client: Client,
  { claims, tokens, expires_in, provider }: VerifiedIdentity & { provider: IdentityProvider },
): Promise<ExchangeAnswer> {
  const { ctx, cookies, halves, seal } = services
  const { now } = context
  const session_id = ulid()
  const refresh_token = randomBytes(32).toString('base64url')
  // Without a refresh token, the session lasts as long as the provider's own token.
  const life = tokens.refresh_token === undefined ? Math.min(expires_in, SESSION_SECONDS) : SESSION_SECONDS
  const expires_at = now + life
  const { client_id } = client
  const opened = {
    session_id,
    client_id,
    refresh_hash: hashHandle(refresh_token),
    provider_tokens: await sealProviderTokens(seal, provider, tokens, expires_at),
    expires_at,
    ip: context.ip,
    issuer: getIssuer(ctx, client),
  }
  const { user_reference } = await writeMembership(ctx, client, claims, async (membership) => {
    const entry = await activityEntry(services.access, getCaller(context), {
      action: 'session:sign_in',
      client,
      membership,
      session_id,
      status_code: 200,
      denial_reason: null,
    })
    return async (tx) => {
      await insertSession(tx, { ...membership, ...opened }, now)
      await ctx.audit.appendWithin(tx, entry)
      return membership
    }
  })
  const present = readCookies(context.request.headers.cookie).keys()
  for (const header of [
    ...cookies.surplusSessions(present),
    cookies.setSession(session_id, halves.of(session_id, 0)),
  ]) {
    void context.reply.header('set-cookie', header)
  }
  const id_token = await services.tokens.issue(
    { user_reference, client: client.client, client_id, session_id },
    now,
  )
  return { id_token, refresh_token, expires_in: Math.min(ID_TOKEN_SECONDS, life) }
}

/** The stored hash of a refresh handle, which has 256 random bits, so a plain hash suffices. */
export const hashHandle = (handle: string): Buffer => createHash('sha256').update(handle).digest()
