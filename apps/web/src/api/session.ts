import { DEDUPLICATION_MS, EXPIRY_MARGIN_SECONDS, PROVIDER_CLIENT } from '@custodia/contract'
import { type KeptSession, makeKeptSession } from './kept-session.ts'

/** What an exchange with the server yields: a short id token and, after sign-in, the refresh handle. */
export interface ExchangedTokens {
  id_token: string
  refresh_token?: string | undefined
  /** Seconds. */
  expires_in: number
}

export interface EndedSession {
  /** The person did not sign out: the session was refused or cleared. */
  isLost: boolean
  /** After the next sign-in the person goes on where they were. */
  mayReturn: boolean
}

type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

/** What the session needs from browser and server; passed in so that its rules run under a fake clock. */
export interface SessionHost {
  /** Shared by the tabs of this browser. The handle in it is worthless without the HttpOnly cookie. */
  storage: Store
  /** Of this tab alone: the account of a sign-in that is under way. */
  tabStorage: Store
  /** Milliseconds. */
  now: () => number
  /** Undefined when the server refuses the handle of `client`; a network that is down rejects instead. */
  refresh: (handle: string, client: string) => Promise<ExchangedTokens | undefined>
  /** Runs `task` while no other tab does: the cookie half rotates with every refresh. */
  exclusively: <T>(task: () => Promise<T>) => Promise<T>
}

const CHOSEN_KEY = 'custodia.client'

export type Session = ReturnType<typeof createSession>

/**
 * The session of this browser (spec section 4), as this tab knows it since its page was loaded: the id token lives in memory, the
 * refresh handle, the client and the support mode in the storage of all tabs. What another tab changes is never mixed in: the
 * listeners of `look` lead this tab to where it begins anew. A refused refresh ends the session.
 */
export function createSession(host: SessionHost, shareCalls: ShareCalls) {
  const kept = makeKeptSession(host.storage)
  let token: { value: string; expiresAt: number } | undefined
  let onEnded: (ended: EndedSession) => unknown = () => {}
  let onReplaced: (present: KeptSession) => unknown = () => {}
  let onSupportRefused: () => unknown = () => {}

  const chosenClient = () => host.tabStorage.getItem(CHOSEN_KEY) ?? ''
  const client = () => kept.own()?.client ?? chosenClient()
  const supportReference = () => kept.own()?.support
  const homeClient = () => (supportReference() === undefined ? client() : PROVIDER_CLIENT)
  const hold = (tokens: ExchangedTokens) => {
    token = {
      value: tokens.id_token,
      expiresAt: host.now() + tokens.expires_in * 1000 - EXPIRY_MARGIN_SECONDS * 1000,
    }
  }

  /** Looks whether another tab has signed out, signed in anew or changed the client meanwhile. */
  const look = () => {
    if (!kept.isReplaced()) return
    const present = kept.present()
    const isSignedIn = kept.own() !== undefined
    // What is on screen belongs to the session of old: the tab goes on as what it was until it loads anew.
    if (typeof present === 'object' && isSignedIn) return onReplaced(present)
    const isLost = present === 'lost'
    const mayReturn = isLost && supportReference() === undefined
    token = undefined
    kept.adopt()
    if (typeof present === 'object') onReplaced(present)
    else if (isSignedIn) onEnded({ isLost, mayReturn })
  }

  /**
   * Forgets tokens, client and support mode, in all tabs.
   *
   * @param isWished the person signed out: where they were is over for them
   */
  const end = ({ isRequested = false } = {}) => {
    // A new session that another tab began is not this one's to end.
    if (kept.isReplaced()) return look()
    // Support mode does not come back with the sign-in, and so its pages do not either.
    const mayReturn = !isRequested && supportReference() === undefined
    token = undefined
    kept.clear(isRequested ? 'signed_out' : 'lost')
    onEnded({ isLost: !isRequested, mayReturn })
  }

  const refresh = shareCalls(
    () =>
      host.exclusively(async () => {
        const handle = kept.own()?.handle
        if (handle === undefined) return
        const tokens = await host.refresh(handle, homeClient())
        if (tokens === undefined) end()
        // Signed out while the answer was on its way.
        else if (kept.own()?.handle === handle) hold(tokens)
      }),
    DEDUPLICATION_MS,
    host.now,
  )

  const change = (next: KeptSession) => {
    if (kept.isReplaced()) look()
    else kept.write(next)
  }

  return {
    look,
    end,
    /** What the exchange of a code brought: from now on all tabs are signed in. */
    keep: (tokens: ExchangedTokens) => {
      hold(tokens)
      if (tokens.refresh_token === undefined) return
      kept.write({ client: chosenClient(), handle: tokens.refresh_token })
      host.tabStorage.removeItem(CHOSEN_KEY)
    },
    /** True while there is something to refresh from; the server may still refuse it. */
    isSignedIn: () => kept.own() !== undefined,
    /** The client whose data is on screen; `admin` for the provider's staff outside support mode. */
    client,
    /** The client at which the person signed in: tokens are renewed there, in support mode too. */
    homeClient,
    /** Staff at home: the client is the provider's and there is no support reference (spec section 4). */
    isAdmin: () => client() === PROVIDER_CLIENT && supportReference() === undefined,
    /** The account at which this tab is about to sign in. */
    chosenClient,
    chooseClient: (chosen: string) => host.tabStorage.setItem(CHOSEN_KEY, chosen),
    supportReference,
    /** From now on calls are made within `supported`, under the approval that `reference` names (spec section 4). */
    beginSupport: (reference: string, supported: string) => {
      const own = kept.own()
      if (own) change({ handle: own.handle, client: supported, support: reference })
    },
    /** Back to the provider's own account. Throws when not in support mode (spec section 8). */
    endSupport: () => {
      const own = kept.own()
      if (own?.support === undefined) throw new Error('Support mode cannot end: it is not on')
      change({ handle: own.handle, client: PROVIDER_CLIENT })
    },
    /** A token that is good for at least 5 s, refreshed when needed; undefined when signed out. */
    token: async (): Promise<string | undefined> => {
      if (token === undefined || token.expiresAt <= host.now()) {
        token = undefined
        await refresh()
      }
      return token?.value
    },
    /** The server refused a call because the approval was revoked or is over. */
    supportRefused: () => void onSupportRefused(),
    /** `listener` runs whenever support mode was refused. */
    whenSupportRefused: (listener: () => unknown) => {
      onSupportRefused = listener
    },
    /** `listener` runs whenever the session ends, in whichever tab. */
    whenEnded: (listener: (ended: EndedSession) => unknown) => {
      onEnded = listener
    },
    /** `listener` runs when another tab signed in, or changed the client: this tab must load anew. */
    whenReplaced: (listener: (present: KeptSession) => unknown) => {
      onReplaced = listener
    },
  }
}

type ShareCalls = <T>(call: () => Promise<T>, windowMs: number, now?: () => number) => () => Promise<T>
