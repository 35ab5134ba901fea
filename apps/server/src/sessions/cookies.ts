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
