import { ID_TOKEN_SECONDS } from '@custodia/contract'
import type { Context } from '../http/context.ts'
import { Problem } from '../http/problem.ts'
import { ProviderUnavailable, SignInRefused } from '../ports/identity/port.ts'
import { isCurrent, GRACE_SECONDS } from './cookie-halves.ts'
import { readCookies } from './cookies.ts'
import { SEALED, type SessionParts } from './parts.ts'
import { readProviderTokens } from './provider-tokens.ts'
import { type ExchangeAnswer, hashHandle } from './redeem-code.ts'
import { standingOf } from './standing.ts'
import {
  claimCheck,
  endSession,
  findByHandle,
  findClient,
  lockRotation,
  type EndReason,
  type StoredSession,
  writeRotation,
  writeStanding,
} from './store.ts'

/** Age of the provider's word, in seconds, at which it is asked again: with every refresh that a token's end brings about. */
const CHECK_SECONDS = ID_TOKEN_SECONDS - 60

/**
 * A new id token for a refresh handle together with its cookie. The cookie is replaced; one that was replaced longer than
 * the grace ago has been copied, so its session ends. Problem: session_ended.
 */
export async function refresh(
  parts: SessionParts,
  context: Context,
  client: string,
  handle: string,
): Promise<ExchangeAnswer> {
  const { house, cookies, halves } = parts
  const { now } = context
  const session = await findByHandle(house.db, hashHandle(handle), now)
  if (!session || session.client !== client) throw new Problem('session_ended', { detail: 'no such session' })
  const { session_id } = session
  const cookie = readCookies(context.request.headers.cookie).get(cookies.sessionName(session_id))
  const presented = halves.read(session_id, cookie)
  // Knowing the handle alone must not even suffice to end the session.
  if (presented === undefined) throw new Problem('session_ended', { detail: 'the cookie half is missing' })
  const rotation = await rotate(parts, session_id, presented, now)
  if (rotation === undefined) return ended(parts, context, session_id, 'cookie_reused')
  if (!(await checkAtProvider(parts, session, now)))
    return ended(parts, context, session_id, 'provider_refused')
  const life = session.expires_at - now
  void context.reply.header(
    'set-cookie',
    cookies.setSession(session_id, halves.of(session_id, rotation), life),
  )
  const { user_reference, client_id } = session
  const id_token = await parts.tokens.issue({ user_reference, client, client_id, session_id }, now)
  return { id_token, expires_in: Math.min(ID_TOKEN_SECONDS, life) }
}

/** The rotation whose cookie the browser gets; undefined when the session ended, also by this very cookie. */
function rotate(
  { house }: SessionParts,
  session_id: string,
  presented: number,
  now: number,
): Promise<number | undefined> {
  return house.db.globalWrite(async (tx) => {
    const stored = await lockRotation(tx, session_id, now)
    if (!stored) return undefined
    const { rotation, rotated_at } = stored
    // No second rotation within the grace: else a third tab would fall two behind.
    if (now - rotated_at <= GRACE_SECONDS && isCurrent(stored, presented, now)) return rotation
    if (presented === rotation) {
      await writeRotation(tx, session_id, rotation + 1, now)
      return rotation + 1
    }
    await endSession(tx, session_id, 'cookie_reused', now)
    return undefined
  })
}

/** Asks the provider when its word is old. False when it no longer vouches for the person; the session has then ended. */
async function checkAtProvider(parts: SessionParts, session: StoredSession, now: number): Promise<boolean> {
  const { house, seal } = parts
  const { session_id, checked_at } = session
  if (now - checked_at < CHECK_SECONDS) return true
  const tokens = await readProviderTokens(seal, session.provider_tokens, now)
  // Without a token to renew with, the session lives only as long as the provider vouched for.
  if (tokens?.refresh_token === undefined) return true
  if (!(await claimCheck(house.db, session_id, checked_at, now))) return true
  try {
    const client = await findClient(house.db, session.client)
    if (!client) throw new SignInRefused('the client is gone')
    const provider = await parts.providers(client)
    const voucher = await provider.renew(tokens)
    const standing = await standingOf(house.db, client, voucher.claims)
    if (standing.user_reference !== session.user_reference) throw new SignInRefused('another person')
    const sealed = await seal.seal(SEALED.provider_tokens, { ...voucher.tokens }, session.expires_at)
    await writeStanding(house.db, session_id, standing, sealed)
    return true
  } catch (error) {
    if (error instanceof SignInRefused) {
      await house.db.globalWrite((tx) => endSession(tx, session_id, 'provider_refused', now))
      return false
    }
    // Still due: the next refresh asks again. The session's longest life bounds how often that may fail.
    await claimCheck(house.db, session_id, now, checked_at)
    if (!(error instanceof ProviderUnavailable)) throw error
    house.log.warn({ err: error, session_id }, 'the identity provider could not be asked about a session')
    return true
  }
}

function ended(parts: SessionParts, context: Context, session_id: string, reason: EndReason): never {
  void context.reply.header('set-cookie', parts.cookies.setSession(session_id, '', 0))
  throw new Problem('session_ended', { detail: reason })
}
