import { DEDUPLICATION_MS, EXPIRY_MARGIN_SECONDS, PROVIDER_CLIENT } from '@custodia/contract'
import { type KeptSession, makeKeptSession } from './kept-session.ts'

/** Answer of a token exchange: a short-lived id token and, after sign-in, the refresh handle. */
export interface ExchangedTokens {
  id_token: string
  refresh_token?: string | undefined
  /** Seconds. */
  expires_in: number
}

export interface EndedSession {
  /** The session was rejected or cleared; the user did not sign out. */
  isLost: boolean
  /** After the next sign-in the user returns to the same page. */
  mayReturn: boolean
}

type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

/** Dependencies of the session; injected so that tests use a fake clock. */
export interface SessionHost {
  /** Storage of all tabs. The handle in it is useless without the HttpOnly cookie. */
  storage: Store
  /** Storage of this tab: the account of a pending sign-in. */
  tabStorage: Store
  /** Milliseconds. */
  now: () => number
  /** Undefined when the server rejects the handle of `client`; a network failure rejects the promise. */
  refresh: (handle: string, client: string) => Promise<ExchangedTokens | undefined>
  /** Runs `task` under a lock across tabs: the cookie rotates with every refresh. */
  exclusively: <T>(task: () => Promise<T>) => Promise<T>
}

const CHOSEN_KEY = 'custodia.client'

export type Session = ReturnType<typeof createSession>

/** The id token, refreshed when it expires. */
function makeIdToken(
  host: SessionHost,
  shareCalls: ShareCalls,
  session: { handle: () => string | undefined; homeClient: () => string; onRefused: () => void },
) {
  let token: { value: string; expiresAt: number } | undefined
  const hold = (tokens: ExchangedTokens) => {
    token = {
      value: tokens.id_token,
      expiresAt: host.now() + tokens.expires_in * 1000 - EXPIRY_MARGIN_SECONDS * 1000,
    }
  }
  const drop = () => {
    token = undefined
  }
  const refresh = shareCalls(
    () =>
      host.exclusively(async () => {
        const handle = session.handle()
        if (handle === undefined) return
        const tokens = await host.refresh(handle, session.homeClient())
        if (tokens === undefined) session.onRefused()
        // The user signed out during the request.
        else if (session.handle() === handle) hold(tokens)
      }),
    DEDUPLICATION_MS,
    host.now,
  )
  return {
    hold,
    drop,
    read: async (): Promise<string | undefined> => {
      if (token === undefined || token.expiresAt <= host.now()) {
        drop()
        await refresh()
      }
      return token?.value
    },
  }
}

/** Listeners of a session, one for each event. */
function makeListeners() {
  let onEnded: (ended: EndedSession) => unknown = () => {}
  let onReplaced: (present: KeptSession) => unknown = () => {}
  let onSupportRefused: () => unknown = () => {}
  return {
    ended: (ended: EndedSession) => void onEnded(ended),
    replaced: (present: KeptSession) => void onReplaced(present),
    supportRefused: () => void onSupportRefused(),
    /** `listener` runs whenever the server rejects support mode. */
    whenSupportRefused: (listener: () => unknown) => {
      onSupportRefused = listener
    },
    /** `listener` runs whenever the session ends, in any tab. */
    whenEnded: (listener: (ended: EndedSession) => unknown) => {
      onEnded = listener
    },
    /** `listener` runs when another tab signs in or changes the client: this tab must reload. */
    whenReplaced: (listener: (present: KeptSession) => unknown) => {
      onReplaced = listener
    },
  }
}

/** Which session this tab has, and what other tabs did to it. */
function makeTabSession(host: SessionHost, shareCalls: ShareCalls) {
  const kept = makeKeptSession(host.storage)
  const listeners = makeListeners()
  const chosenClient = () => host.tabStorage.getItem(CHOSEN_KEY) ?? ''
  const client = () => kept.own()?.client ?? chosenClient()
  const supportReference = () => kept.own()?.support
  const homeClient = () => (supportReference() === undefined ? client() : PROVIDER_CLIENT)
  let isSigningOut = false

  /** Checks whether another tab signed out, signed in again or changed the client. */
  const look = () => {
    if (!kept.isReplaced()) return
    const present = kept.present()
    const isSignedIn = kept.own() !== undefined
    // The screen shows data of the old session: the tab keeps it until it reloads.
    if (typeof present === 'object' && isSignedIn) return listeners.replaced(present)
    const isLost = present === 'lost'
    const mayReturn = isLost && supportReference() === undefined
    token.drop()
    kept.adopt()
    if (typeof present === 'object') listeners.replaced(present)
    else if (isSignedIn) listeners.ended({ isLost, mayReturn })
  }

  /** The user signs out: a call that the server refuses before the end does not lead back to the page. */
  const beginSignOut = () => {
    isSigningOut = true
  }

  /**
   * Clears tokens, client and support mode in all tabs.
   * @param isRequested the user signed out: no return to the page
   */
  const end = ({ isRequested = isSigningOut } = {}) => {
    isSigningOut = false
    // A session that another tab began is not this tab's to end.
    if (kept.isReplaced()) return look()
    // Support mode ends with the session, so its pages are no return target.
    const mayReturn = !isRequested && supportReference() === undefined
    token.drop()
    kept.clear(isRequested ? 'signed_out' : 'lost')
    listeners.ended({ isLost: !isRequested, mayReturn })
  }

  const handle = () => kept.own()?.handle
  const token = makeIdToken(host, shareCalls, { handle, homeClient, onRefused: end })
  return {
    kept,
    listeners,
    token,
    chosenClient,
    client,
    supportReference,
    homeClient,
    look,
    beginSignOut,
    end,
  }
}

/**
 * The session of this browser (spec section 4): the id token in memory; handle, client and support mode in shared
 * storage. A change by another tab makes this tab reload; a rejected refresh ends the session.
 */
export function createSession(host: SessionHost, shareCalls: ShareCalls) {
  const { kept, listeners, token, ...tab } = makeTabSession(host, shareCalls)
  const { look, beginSignOut, end, client, homeClient, chosenClient, supportReference } = tab
  const change = (next: KeptSession) => {
    if (kept.isReplaced()) look()
    else kept.write(next)
  }
  const { whenEnded, whenReplaced, whenSupportRefused, supportRefused } = listeners
  return {
    look,
    beginSignOut,
    end,
    /** Stores the result of a code exchange; all tabs are signed in. */
    keep: (tokens: ExchangedTokens) => {
      token.hold(tokens)
      if (tokens.refresh_token === undefined) return
      kept.write({ client: chosenClient(), handle: tokens.refresh_token })
      host.tabStorage.removeItem(CHOSEN_KEY)
    },
    /** Takes over the session that another tab began; the caller checks whose it is. */
    adopt: () => {
      token.drop()
      kept.adopt()
    },
    /** The session that another tab may have begun. */
    present: kept.present,
    /** True while a refresh handle exists; the server may still reject it. */
    isSignedIn: () => kept.own() !== undefined,
    /** Client whose data is on screen; `admin` for provider staff outside support mode. */
    client,
    /** Client of the sign-in: it renews tokens, in support mode too. */
    homeClient,
    /** Provider staff outside support mode (spec section 4). */
    isAdmin: () => client() === PROVIDER_CLIENT && supportReference() === undefined,
    /** Account of a pending sign-in in this tab. */
    chosenClient,
    chooseClient: (chosen: string) => host.tabStorage.setItem(CHOSEN_KEY, chosen),
    supportReference,
    /** Enters support mode for `supported` under approval `reference` (spec section 4). */
    beginSupport: (reference: string, supported: string) => {
      const own = kept.own()
      if (own) change({ handle: own.handle, client: supported, support: reference })
    },
    /** Leaves support mode. Throws when not in support mode (spec section 8). */
    endSupport: () => {
      const own = kept.own()
      if (own?.support === undefined) throw new Error('Support mode cannot end: it is not on')
      change({ handle: own.handle, client: PROVIDER_CLIENT })
    },
    /** A token valid for at least 5 s, refreshed when needed; undefined when signed out. */
    token: token.read,
    /** The server rejected a call: the approval was revoked or expired. */
    supportRefused,
    whenSupportRefused,
    whenEnded,
    whenReplaced,
  }
}

type ShareCalls = <T>(call: () => Promise<T>, windowMs: number, now?: () => number) => () => Promise<T>
