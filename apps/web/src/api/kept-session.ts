import { PROVIDER_CLIENT } from '@custodia/contract'

/** Session state that all tabs share. */
export interface KeptSession {
  /** Client whose data is on screen. */
  client: string
  handle: string
  /** Approval under which staff act. */
  support?: string
}

/** Storage key of the session; other tabs receive its storage events. */
export const SESSION_KEY = 'custodia.session'
/** Storage key of the permitted actions and their session. */
export const ACTIONS_KEY = 'custodia.actions'
/** Lock held by the tab that refreshes the session. */
export const REFRESH_LOCK = 'custodia.refresh'
const SIGNED_OUT = 'signed_out'

/** Session in the storage that all tabs share, written as one text so that no tab reads half a change. This tab keeps its own copy. */
export function makeKeptSession(storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>) {
  let seen = storage.getItem(SESSION_KEY)
  let own = parse(seen)
  const put = (text: string | null) => {
    seen = text
    own = parse(text)
    // They contain the text of the session before, with its handle and support reference.
    storage.removeItem(ACTIONS_KEY)
    if (text === null) storage.removeItem(SESSION_KEY)
    else storage.setItem(SESSION_KEY, text)
  }
  return {
    /** This tab's copy; undefined when signed out. */
    own: () => own,
    /** Whether another tab changed the stored session. */
    isReplaced: () => storage.getItem(SESSION_KEY) !== seen,
    /** Stored state: a session, or how the last one ended. */
    present: (): KeptSession | 'signed_out' | 'lost' => {
      const text = storage.getItem(SESSION_KEY)
      return parse(text) ?? (text === SIGNED_OUT ? 'signed_out' : 'lost')
    },
    write: (next: KeptSession) => put(JSON.stringify(next)),
    clear: (how: 'signed_out' | 'lost') => put(how === 'signed_out' ? SIGNED_OUT : null),
    /** Copies the stored state to this tab. */
    adopt: () => {
      seen = storage.getItem(SESSION_KEY)
      own = parse(seen)
    },
  }
}

/** Undefined for anything but a session: invalid storage must not break the page. */
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

/** The client parameter of a call: left out for the provider's own account (spec section 7). */
export const clientParameter = (client: string): string | undefined =>
  client === PROVIDER_CLIENT ? undefined : client

/** Storage key of the list that the user reviews in this tab. */
export const QUEUE_KEY = 'custodia.review_queue'
const USER_KEY = 'custodia.user'

interface User {
  client: string
  user_reference: string
}

/** Name of a user in the storage of a tab. */
export const nameOfUser = ({ client, user_reference }: User): string =>
  JSON.stringify([client, user_reference])

/** The last user of this tab by `nameOfUser`; null: none. */
export const lastUser = (): string | null => sessionStorage.getItem(USER_KEY)

/** Forgets the list that another user of this tab reviewed: its filters may contain names and numbers. */
export function forgetOtherUser(present: User): void {
  const user = nameOfUser(present)
  if (lastUser() === user) return
  sessionStorage.removeItem(QUEUE_KEY)
  sessionStorage.setItem(USER_KEY, user)
}

/** Stores the permitted actions, so that the next page can request data before its profile. The server still decides. */
export function storeActions(actions: readonly string[]): void {
  localStorage.setItem(ACTIONS_KEY, JSON.stringify({ session: localStorage.getItem(SESSION_KEY), actions }))
}

/** Whether the last profile of this session (support mode included) allowed an action; false before the first profile. */
export function mayPerhaps(action: string): boolean {
  try {
    const { session, actions } = JSON.parse(localStorage.getItem(ACTIONS_KEY) ?? '{}') as {
      session?: string
      actions?: unknown
    }
    return session === localStorage.getItem(SESSION_KEY) && Array.isArray(actions) && actions.includes(action)
  } catch {
    return false
  }
}
