import { PROVIDER_CLIENT } from '@custodia/contract'
import { session } from './current-session.ts'
import type { KeptSession } from './kept-session.ts'

/** Storage key of the page that the visitor wanted before signing in. */
const DESTINATION_KEY = 'custodia.return_to'

/**
 * Stores `href` as the destination after the sign-in.
 * @param user whose page it is, see `lastUser`: its filters may contain names and numbers. Null: of the next user
 */
export const storeDestination = (href: string, user: string | null): void =>
  sessionStorage.setItem(DESTINATION_KEY, JSON.stringify([href, user]))

/** Whether an address requires a sign-in. */
export const isDestination = (href: string): boolean => /^\/(dashboard|internal)(?=[/?#]|$)/.test(href)

/** First page of a session; provider staff land in their own area. */
export const getHome = ({ client, support }: Pick<KeptSession, 'client' | 'support'>) =>
  client === PROVIDER_CLIENT && support === undefined ? '/internal' : '/dashboard'

/** Storage key: this window was opened only to sign in. */
const WINDOW_KEY = 'custodia.sign_in_window'

/** Marks this window as opened by a page that waits for the sign-in. */
export const markSignInWindow = (): void => sessionStorage.setItem(WINDOW_KEY, 'true')

/** Whether this window was opened only to sign in, and can close afterwards. */
export const isSignInWindow = (): boolean => sessionStorage.getItem(WINDOW_KEY) !== null

/**
 * Takes the stored destination once: the first page for another user than its own. Only paths of the portal are valid.
 * @param readUser who is signed in now
 */
export async function takeDestination(readUser: () => Promise<string> = presentUser): Promise<string> {
  const [href, user] = JSON.parse(sessionStorage.getItem(DESTINATION_KEY) ?? '[""]') as [
    string,
    string | null,
  ]
  sessionStorage.removeItem(DESTINATION_KEY)
  if (isDestination(href) && (user === null || user === (await readUser().catch(() => undefined))))
    return href
  return getHome({ client: session.client(), support: session.supportReference() })
}

const presentUser = async () => (await import('./sign-in-again.ts')).presentUser()

/** Stores the account on this machine as the default of the next sign-in. */
const ACCOUNT_KEY = 'custodia.account'

/** The account of the last sign-in, or an empty text. */
export const lastAccount = (): string => localStorage.getItem(ACCOUNT_KEY) ?? ''

export const storeLastAccount = (client: string): void => localStorage.setItem(ACCOUNT_KEY, client)
