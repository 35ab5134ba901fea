import { createHash, randomBytes } from 'node:crypto'
import { type Exchange, ID_TOKEN_SECONDS } from '@custodia/contract'
import { ulid } from 'ulid'
import type * as z from 'zod/mini'
import type { Context } from '../http/context.ts'
import { Problem } from '../http/problem.ts'
import { type IdentityProvider, SignInRefused, type VerifiedIdentity } from '../ports/identity/port.ts'
import { activityEntry, callerOf } from './activity.ts'
import { readCookies } from './cookies.ts'
import { SEALED, SESSION_SECONDS, type SessionServices } from './session-services.ts'
import { sealProviderTokens } from './provider-tokens.ts'
import { PendingSignIn, unavailable } from './read-sign-in-url.ts'
import { writeMembership } from './membership.ts'
import { insertSession } from './store.ts'
import { findClient, type Client } from '../clients/store.ts'
import { issuerOf } from '../identity-providers/store.ts'

export type ExchangeAnswer = z.output<typeof Exchange>

/** What came back from the provider by way of the browser. */
export interface ReturnedCode {
  client: string
  code: string
  redirect_uri: string | undefined
  /** May be absent: the cookie and PKCE bind the code to this browser as well (RFC 9700 2.1.1). */
  state: string | undefined
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
    const verified = await redeemAtProvider(services, provider, pending, returned.code)
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
  code: string,
): Promise<VerifiedIdentity> {
  if (provider.issuer !== pending.issuer) {
    throw new SignInRefused('the client has another identity provider now')
  }
  const { redirect_uri, nonce, code_verifier } = pending
  try {
    return await provider.redeem({ code, redirect_uri, nonce, code_verifier })
  } catch (error) {
    return unavailable(services, error)
  }
}

/** Of somebody whom the provider named, the refusal is on record in the client's audit log; others are nobody's. */
async function recordRefusal(
  { ctx, access }: SessionServices,
  context: Context,
  client: Client,
  { message, user_reference }: SignInRefused,
): Promise<void> {
  if (user_reference === undefined) return
  const { client_id } = client
  ctx.log.warn({ client_id, reason: message }, 'a person whom the identity provider named was refused')
  const entry = await activityEntry(access, callerOf(context), {
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
  // A provider that gives nothing to renew with vouches for as long as its own token lives.
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
    issuer: issuerOf(ctx, client),
  }
  const { user_reference } = await writeMembership(ctx, client, claims, async (membership) => {
    const entry = await activityEntry(services.access, callerOf(context), {
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

/** What is stored of a refresh handle; it has 256 random bits, so a plain hash suffices. */
export const hashHandle = (handle: string): Buffer => createHash('sha256').update(handle).digest()
