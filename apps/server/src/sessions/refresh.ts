import { ID_TOKEN_SECONDS } from '@custodia/contract'
import { findClient } from '../clients/store.ts'
import type { Context } from '../http/context.ts'
import { Problem } from '../http/problem.ts'
import { ProviderUnavailable, SignInRefused } from '../ports/identity/port.ts'
import { GRACE_SECONDS, isCurrent, readCookies } from './cookies.ts'
import { activityEntry, getCaller } from './make-sessions.ts'
import { writeMembership } from './membership.ts'
import { type ExchangeAnswer, hashHandle } from './redeem-code.ts'
import {
  claimCheck,
  endSession,
  findByHandle,
  lockRotation,
  type EndReason,
  type StoredSession,
  renewSession,
  writeRotation,
} from './store.ts'
import { readProviderTokens, sealProviderTokens, type SessionServices } from './tokens.ts'

/** Age in seconds of the provider's last answer at which a refresh asks it again: at every regular refresh. */
const CHECK_SECONDS = ID_TOKEN_SECONDS - 60

/**
 * A new id token for a refresh handle and its cookie, and a new cookie. A cookie that was replaced longer than the
 * grace period ago was copied, so its session ends. Problem: session_ended.
 */
export async function refresh(
  services: SessionServices,
  context: Context,
  client: string,
  handle: string,
): Promise<ExchangeAnswer> {
  const { ctx, cookies, halves } = services
  const { now } = context
  const session = await findByHandle(ctx.db, hashHandle(handle), now)
  if (!session || session.client !== client) throw new Problem('session_ended', { detail: 'no such session' })
  const { session_id } = session
  const cookie = readCookies(context.request.headers.cookie).get(cookies.sessionName(session_id))
  const presented = halves.read(session_id, cookie)
  // Knowing the handle alone must not even suffice to end the session.
  if (presented === undefined) throw new Problem('session_ended', { detail: 'the cookie half is missing' })
  const rotation = await rotate(services, session_id, presented, now)
  if (rotation === 'ended') return ended(services, context, session_id, 'ended meanwhile')
  if (rotation === 'reused')
    return refuse(services, context, session, 'cookie_reused', 'a cookie came back that had been replaced')
  const refusal = await checkAtProvider(services, session, now)
  if (refusal) return refuse(services, context, session, 'provider_refused', refusal.message)
  // A token outlives no due check: else a refresh just before it would put it off.
  const age = now - session.checked_at
  const fresh = age < CHECK_SECONDS ? ID_TOKEN_SECONDS - age : ID_TOKEN_SECONDS
  const expires_in = Math.min(ID_TOKEN_SECONDS, fresh, session.expires_at - now)
  void context.reply.header('set-cookie', cookies.setSession(session_id, halves.of(session_id, rotation)))
  const { user_reference, client_id } = session
  const id_token = await services.tokens.issue(
    { user_reference, client, client_id, session_id },
    now,
    expires_in,
  )
  return { id_token, expires_in }
}

/** The rotation of the browser's next cookie; `reused` if the browser sent one that was replaced long ago. */
function rotate(
  { ctx }: SessionServices,
  session_id: string,
  presented: number,
  now: number,
): Promise<number | 'ended' | 'reused'> {
  return ctx.db.globalWrite(async (tx) => {
    const stored = await lockRotation(tx, session_id, now)
    if (!stored) return 'ended'
    const { rotation, rotated_at } = stored
    // No second rotation within the grace: else a third tab would fall two behind.
    if (now - rotated_at <= GRACE_SECONDS && isCurrent(stored, presented, now)) return rotation
    if (presented === rotation) {
      await writeRotation(tx, session_id, rotation + 1, now)
      return rotation + 1
    }
    return 'reused'
  })
}

/** Asks the provider again when its last answer is old. Resolves to the reason for a refusal, if any. */
async function checkAtProvider(
  services: SessionServices,
  session: StoredSession,
  now: number,
): Promise<SignInRefused | undefined> {
  const { ctx, seal } = services
  const { session_id, checked_at } = session
  if (now - checked_at < CHECK_SECONDS) return undefined
  if (!(await claimCheck(ctx.db, session_id, checked_at, now))) return undefined
  try {
    const client = await findClient(ctx.db, session.client)
    if (!client) throw new SignInRefused('the client is gone')
    const provider = await services.providers(client)
    const tokens = await readProviderTokens(seal, session.provider_tokens, now)
    if (tokens && tokens.issuer !== provider.issuer)
      throw new SignInRefused('the client has another identity provider now')
    // Without a refresh token, the session lasts as long as the provider's last token.
    if (tokens?.refresh_token === undefined) return undefined
    const verified = await provider.renew(tokens)
    const sealed = await sealProviderTokens(seal, provider, verified.tokens, session.expires_at)
    // oxlint-disable-next-line require-await -- a sign-in prepares more
    await writeMembership(ctx, client, verified.claims, async (membership) => {
      if (membership.user_reference !== session.user_reference) throw new SignInRefused('another person')
      return (tx) => renewSession(tx, session_id, membership, sealed)
    })
    return undefined
  } catch (error) {
    if (error instanceof SignInRefused) return error
    // The check stays due, so the next refresh retries. The maximum session length limits the failures.
    await claimCheck(ctx.db, session_id, now, checked_at)
    if (!(error instanceof ProviderUnavailable)) throw error
    ctx.log.warn({ err: error, session_id }, 'the identity provider could not be asked about a session')
    return undefined
  }
}

/** Ends the session, on record in the client's audit log. */
async function refuse(
  services: SessionServices,
  context: Context,
  session: StoredSession,
  reason: EndReason,
  detail: string,
): Promise<never> {
  const { ctx, access } = services
  const { session_id, user_reference } = session
  const client = await findClient(ctx.db, session.client)
  const entry =
    client &&
    (await activityEntry(access, getCaller(context), {
      action: 'session:refresh',
      client,
      membership: { user_reference, roles: [], user_group: null, groups: null },
      session_id,
      status_code: 401,
      denial_reason: `${reason}: ${detail}`,
    }))
  await ctx.db.globalWrite(async (tx) => {
    const [isFirst] = await endSession(tx, session_id, reason, context.now)
    if (isFirst && entry) await ctx.audit.appendWithin(tx, entry)
  })
  return ended(services, context, session_id, reason)
}

function ended(services: SessionServices, context: Context, session_id: string, detail: string): never {
  void context.reply.header('set-cookie', services.cookies.removeSession(session_id))
  throw new Problem('session_ended', { detail })
}
