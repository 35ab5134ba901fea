import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import { PROVIDER_CLIENT } from '@custodia/contract'

/** Cookies of a request by name; the first of a name counts (RFC 6265 sends the most specific path first). */
export function readCookies(header: string | undefined): Map<string, string> {
  const cookies = new Map<string, string>()
  for (const pair of (header ?? '').split(';')) {
    const at = pair.indexOf('=')
    const name = pair.slice(0, at).trim()
    if (at > 0 && !cookies.has(name)) cookies.set(name, pair.slice(at + 1).trim())
  }
  return cookies
}

/** Names and attributes of our cookies, which depend on whether the portal is reached over TLS. */
export interface Cookies {
  /** The half of a session that scripts cannot read. Each session has one of its own, so that tabs do not disturb each other. */
  sessionName(session_id: string): string
  /** Sets the session's cookie half until the browser closes; the storage of the other half survives that. */
  setSession(session_id: string, value: string): string
  removeSession(session_id: string): string
  /** Cookies of sessions in `present` beyond the newest few, to be removed: a browser must not drown in them. */
  surplusSessions(present: Iterable<string>): string[]
  /** Cookie name of a pending sign-in; a browser may have several. */
  signInName(state: string): string
  isSignInName(name: string): boolean
  setSignIn(state: string, client: string, value: string, seconds: number): string
}

/** Sessions that one browser may hold at a time. */
const SESSIONS = 10

/** `__Host-` and `__Secure-` (RFC 6265bis 4.1.3) need TLS; a portal tried out on the own machine has none. */
export function cookiesFor(publicUrl: string): Cookies {
  const isSecure = publicUrl.startsWith('https:')
  const secure = isSecure ? '; Secure' : ''
  const session = `${isSecure ? '__Host-' : ''}custodia-`
  const signIn = `${isSecure ? '__Secure-' : ''}custodia-sign-in-`
  const signInName = (state: string) => `${signIn}${state.slice(0, 16)}`
  const removed = (name: string) => `${name}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict${secure}`
  return {
    sessionName: (session_id) => session + session_id,
    setSession: (session_id, value) =>
      `${session}${session_id}=${value}; Path=/; HttpOnly; SameSite=Strict${secure}`,
    removeSession: (session_id) => removed(session + session_id),
    surplusSessions: (present) =>
      [...present]
        .filter((name) => name.startsWith(session) && !name.startsWith(signIn))
        // Ids of sessions sort by their age.
        .toSorted()
        .slice(0, -(SESSIONS - 1))
        .map(removed),
    signInName,
    isSignInName: (name) => name.startsWith(signIn),
    // Lax would not be sent along a cross-site POST; the exchange is a fetch of our own page.
    setSignIn: (state, client, value, seconds) =>
      `${signInName(state)}=${value}; Path=${exchangePath(client)}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`,
  }
}

/** Where the code is redeemed. The provider's own people have two addresses for it. */
const exchangePath = (client: string): string =>
  client === PROVIDER_CLIENT ? '/admin/v1' : `/admin/v1/api/${client}/exchange`

/** Seconds during which a replaced cookie still counts, so that parallel tabs and lost answers do no harm. */
export const GRACE_SECONDS = 30

/** Whether the cookie of rotation `presented` is the newest, or was until just now. */
export function isCurrent(
  { rotation, rotated_at }: { rotation: number; rotated_at: number },
  presented: number,
  now: number,
): boolean {
  return presented === rotation || (presented === rotation - 1 && now - rotated_at <= GRACE_SECONDS)
}

/** The half of a session that only the browser's cookie jar holds. */
export interface CookieHalves {
  /** Value of the cookie after that many rotations. */
  of(session_id: string, rotation: number): string
  /** The rotation of a genuine cookie, also of one that was replaced since; undefined for anything else. */
  read(session_id: string, value: string | undefined): number | undefined
}

/**
 * Derives each half from session and rotation, so that parallel requests get the same successor and every earlier half is
 * recognised when it turns up again. `secret` is a named secret; without it no half can be made.
 */
export function cookieHalves(secret: Buffer): CookieHalves {
  // A key object: Node tests a key of bytes with two exceptions, which takes longer than the rest.
  const key = createSecretKey(secret)
  const of = (session_id: string, rotation: number) =>
    `${rotation}.${createHmac('sha256', key).update(`${session_id} ${rotation}`).digest('base64url')}`
  return {
    of,
    read(session_id, value) {
      const [, rotation] = /^(\d{1,6})\.[\w-]{43}$/.exec(value ?? '') ?? []
      if (value === undefined || rotation === undefined) return undefined
      const expected = Buffer.from(of(session_id, Number(rotation)))
      const given = Buffer.from(value)
      return given.length === expected.length && timingSafeEqual(given, expected)
        ? Number(rotation)
        : undefined
    },
  }
}
