/** What all tabs know of the session. */
export interface KeptSession {
  /** The client whose data is on screen. */
  client: string
  /** The refresh handle. */
  handle: string
  /** The approval under which staff act. */
  support?: string
}

/** Where the session is kept; other tabs hear of each change of it. */
export const SESSION_KEY = 'custodia.session'
/** Held by the one tab that renews the session. */
export const REFRESH_LOCK = 'custodia.refresh'
const SIGNED_OUT = 'signed_out'

/**
 * The session in the storage that all tabs share, as one text, so that none ever sees half a change; and this tab's own view of
 * it, which changes by the tab's own acts only.
 */
export function makeKeptSession(storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>) {
  let seen = storage.getItem(SESSION_KEY)
  let own = parse(seen)
  const put = (text: string | null) => {
    seen = text
    own = parse(text)
    if (text === null) storage.removeItem(SESSION_KEY)
    else storage.setItem(SESSION_KEY, text)
  }
  return {
    /** As this tab knows it; undefined when signed out. */
    own: () => own,
    /** Whether another tab has changed it since. */
    isReplaced: () => storage.getItem(SESSION_KEY) !== seen,
    /** What stands there now: a session, or how the last one ended. */
    present: (): KeptSession | 'signed_out' | 'lost' => {
      const text = storage.getItem(SESSION_KEY)
      return parse(text) ?? (text === SIGNED_OUT ? 'signed_out' : 'lost')
    },
    write: (next: KeptSession) => put(JSON.stringify(next)),
    clear: (how: 'signed_out' | 'lost') => put(how === 'signed_out' ? SIGNED_OUT : null),
    /** Takes what stands there now as this tab's own. */
    adopt: () => {
      seen = storage.getItem(SESSION_KEY)
      own = parse(seen)
    },
  }
}

/** Undefined for anything else than a session: whatever stands there is no reason for a blank page. */
function parse(text: string | null): KeptSession | undefined {
  if (text === null || !text.startsWith('{')) return undefined
  try {
    const { client, handle, support } = JSON.parse(text) as Record<string, unknown>
    if (typeof client !== 'string' || typeof handle !== 'string') return undefined
    return { client, handle, ...(typeof support === 'string' ? { support } : {}) }
  } catch {
    return undefined
  }
}
