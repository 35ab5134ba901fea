import { PROVIDER_CLIENT } from '@custodia/contract'
import { session } from './current-session.ts'
import type { KeptSession } from './kept-session.ts'

/** Where the visitor wanted to go before signing in. */
const DESTINATION_KEY = 'custodia.destination'

/** Keeps `href` as the destination after the sign-in. */
export const storeDestination = (href: string): void => sessionStorage.setItem(DESTINATION_KEY, href)

/** Whether an address is one behind the sign-in. */
export const isDestination = (href: string): boolean => /^\/(dashboard|internal)(?=[/?#]|$)/.test(href)

/** First page of a session: staff of the provider land in their own area. */
export const homeOf = ({ client, support }: Pick<KeptSession, 'client' | 'support'>) =>
  client === PROVIDER_CLIENT && support === undefined ? '/internal' : '/dashboard'

/** Takes the remembered destination, once. Only paths of the portal count. */
export function takeDestination(): string {
  const href = sessionStorage.getItem(DESTINATION_KEY)
  sessionStorage.removeItem(DESTINATION_KEY)
  return href !== null && isDestination(href)
    ? href
    : homeOf({ client: session.client(), support: session.supportReference() })
}
