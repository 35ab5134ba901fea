import { PROVIDER_CLIENT } from '@custodia/contract'
import { session } from './current-session.ts'
import type { KeptSession } from './kept-session.ts'

/** Storage key of the page that the visitor wanted before signing in. */
const DESTINATION_KEY = 'custodia.destination'

/** Stores `href` as the destination after the sign-in. */
export const storeDestination = (href: string): void => sessionStorage.setItem(DESTINATION_KEY, href)

/** Whether an address requires a sign-in. */
export const isDestination = (href: string): boolean => /^\/(dashboard|internal)(?=[/?#]|$)/.test(href)

/** First page of a session; provider staff land in their own area. */
export const homeOf = ({ client, support }: Pick<KeptSession, 'client' | 'support'>) =>
  client === PROVIDER_CLIENT && support === undefined ? '/internal' : '/dashboard'

/** Storage key: this window was opened only to sign in. */
const WINDOW_KEY = 'custodia.sign_in_window'

/** Marks this window as opened by a page that waits for the sign-in. */
export const markSignInWindow = (): void => sessionStorage.setItem(WINDOW_KEY, 'true')

/** Whether this window was opened only to sign in, and can close afterwards. */
export const isSignInWindow = (): boolean => sessionStorage.getItem(WINDOW_KEY) !== null

/** Takes the stored destination once. Only paths of the portal are valid. */
export function takeDestination(): string {
  const href = sessionStorage.getItem(DESTINATION_KEY)
  sessionStorage.removeItem(DESTINATION_KEY)
  return href !== null && isDestination(href)
    ? href
    : homeOf({ client: session.client(), support: session.supportReference() })
}

/** Stores the account on this machine as the default of the next sign-in. */
const ACCOUNT_KEY = 'custodia.account'

/** The account of the last sign-in, or an empty text. */
export const lastAccount = (): string => localStorage.getItem(ACCOUNT_KEY) ?? ''

export const storeLastAccount = (client: string): void => localStorage.setItem(ACCOUNT_KEY, client)
