import { DEDUPLICATION_MS, EXPIRY_MARGIN_SECONDS, PROVIDER_CLIENT } from '@custodia/contract'
/** What an exchange with the server yields: a short id token and, after sign-in, the refresh handle. */
export interface ExchangedTokens {
  id_token: string
  refresh_token?: string | undefined
  /** Seconds. */
  expires_in: number
}

export interface EndedSession {
  /** The session was lost: whoever signs in again goes on where they were. */
  mayReturn: boolean
}

/** What the session needs from browser and server; passed in so that its rules run under a fake clock. */
export interface SessionHost {
  /** Survives a reload of this tab only. The handle in it is worthless without the HttpOnly cookie. */
  storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>
  /** Milliseconds. */
  now: () => number
  /** Undefined when the server refuses the handle of `client`; a network that is down rejects instead. */
  refresh: (handle: string, client: string) => Promise<ExchangedTokens | undefined>
  /** Runs `task` while no other tab does: the cookie half rotates with every refresh. */
  alone: <T>(task: () => Promise<T>) => Promise<T>
}

const KEYS = { client: 'custodia.client', handle: 'custodia.refresh', support: 'custodia.support' } as const

export type Session = ReturnType<typeof createSession>

/**
 * The session of this tab (spec section 4): the id token lives in memory, the refresh handle and the chosen client in
 * the tab's storage. A refused refresh ends the session.
 */
export function createSession(host: SessionHost, shareCalls: ShareCalls) {
  let token: { value: string; expiresAt: number } | undefined
  let onEnded: (ended: EndedSession) => unknown = () => {}
  let onSupportRefused: () => unknown = () => {}

  const client = () => host.storage.getItem(KEYS.client) ?? ''
  const supportReference = () => host.storage.getItem(KEYS.support) ?? undefined
  const homeClient = () => (supportReference() === undefined ? client() : PROVIDER_CLIENT)
  const keep = (tokens: ExchangedTokens) => {
    token = {
      value: tokens.id_token,
      expiresAt: host.now() + tokens.expires_in * 1000 - EXPIRY_MARGIN_SECONDS * 1000,
    }
    if (tokens.refresh_token !== undefined) host.storage.setItem(KEYS.handle, tokens.refresh_token)
  }

  const leaveSupport = () => {
    if (supportReference() === undefined) return
    host.storage.removeItem(KEYS.support)
    host.storage.setItem(KEYS.client, PROVIDER_CLIENT)
  }

  /**
   * Forgets tokens and support mode. The client stays as the suggestion of the next sign-in.
   *
   * @param isWished the person signed out: where they were is over for them
   */
  const end = ({ isWished = false } = {}) => {
    // Support mode does not come back with the sign-in, and so its pages do not either.
    const mayReturn = !isWished && supportReference() === undefined
    token = undefined
    host.storage.removeItem(KEYS.handle)
    leaveSupport()
    onEnded({ mayReturn })
  }

  const refresh = shareCalls(
    () =>
      host.alone(async () => {
        const handle = host.storage.getItem(KEYS.handle)
        if (handle === null) return
        const tokens = await host.refresh(handle, homeClient())
        if (tokens === undefined) end()
        else keep(tokens)
      }),
    DEDUPLICATION_MS,
    host.now,
  )

  return {
    keep,
    end,
    /** True while there is something to refresh from; the server may still refuse it. */
    isSignedIn: () => host.storage.getItem(KEYS.handle) !== null,
    /** The client whose data is on screen; `admin` for the provider's staff outside support mode. */
    client,
    /** The client at which the person signed in: tokens are renewed there, in support mode too. */
    homeClient,
    /** Staff at home: the client is the provider's and there is no support reference (spec section 4). */
    isAdmin: () => client() === PROVIDER_CLIENT && supportReference() === undefined,
    chooseClient: (chosen: string) => {
      host.storage.removeItem(KEYS.support)
      host.storage.setItem(KEYS.client, chosen)
    },
    supportReference,
    /** From now on calls are made within `supported`, under the approval that `reference` names (spec section 4). */
    beginSupport: (reference: string, supported: string) => {
      host.storage.setItem(KEYS.support, reference)
      host.storage.setItem(KEYS.client, supported)
    },
    /** Back to the provider's own account. Throws when not in support mode (spec section 8). */
    endSupport: () => {
      if (supportReference() === undefined) throw new Error('Support mode cannot end: it is not on')
      leaveSupport()
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
    /** `listener` runs whenever the session ends. */
    whenEnded: (listener: (ended: EndedSession) => unknown) => {
      onEnded = listener
    },
  }
}

type ShareCalls = <T>(call: () => Promise<T>, windowMs: number, now?: () => number) => () => Promise<T>
