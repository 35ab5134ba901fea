import { session } from './current-session.ts'

/** Where the visitor wanted to go before signing in. */
const DESTINATION_KEY = 'custodia.destination'

/** Keeps `href` as the destination after the sign-in. */
export const rememberDestination = (href: string): void => sessionStorage.setItem(DESTINATION_KEY, href)

/** Whether an address is one behind the sign-in. */
export const isDestination = (href: string): boolean => /^\/(dashboard|internal)(?=[/?#]|$)/.test(href)

/** Takes the remembered destination, once. Only paths of the portal count; staff of the provider land in its own area. */
export function takeDestination(): string {
  const href = sessionStorage.getItem(DESTINATION_KEY)
  sessionStorage.removeItem(DESTINATION_KEY)
  return href !== null && isDestination(href) ? href : session.isAdmin() ? '/internal' : '/dashboard'
}
