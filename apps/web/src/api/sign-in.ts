import { SIGN_IN_PATH } from '@custodia/contract'
import { localeCookie } from '../i18n/locale.ts'
import { shownLocale } from '../i18n/i18n.ts'
import { api, session } from './api.ts'
import { listedOrigins, openExternal } from './open-external.ts'

/** Remembers the account on this machine, as the suggestion of the next sign-in. */
const ACCOUNT_KEY = 'custodia.account'
/** Where the visitor wanted to go before signing in. */
const DESTINATION_KEY = 'custodia.destination'

/** The account chosen last, or an empty text. */
export const rememberedAccount = (): string => localStorage.getItem(ACCOUNT_KEY) ?? ''

/** Own origin, and those of identity providers that the server lists in index.html. */
const signInOrigins = (): string[] => [
  location.origin,
  ...listedOrigins(document.querySelector<HTMLMetaElement>('meta[name="sign-in-origins"]')?.content ?? ''),
]

const returnAddress = (): string => `${location.origin}${SIGN_IN_PATH}`

/** Stores the chosen client and leaves for the identity provider. Throws when the address cannot be had or is refused. */
export async function startSignIn(client: string): Promise<void> {
  session.chooseClient(client)
  localStorage.setItem(ACCOUNT_KEY, client)
  // The provider returns to an address without language prefix.
  document.cookie = localeCookie(shownLocale(), location.protocol === 'https:')
  const { url } = await api.readSignInUrl({ query: {} })
  openExternal(url, signInOrigins())
}

/** Exchanges the code of the provider; false, without a notice, when that fails (spec section 8). */
export async function completeSignIn(code: string, state: string | undefined): Promise<boolean> {
  try {
    session.keep(await api.exchange({ query: { code, state, redirect_uri: returnAddress() } }))
    return true
  } catch (error) {
    console.error(error)
    return false
  }
}

/** Ends the session here and on the server; a server that cannot be reached does not keep anybody signed in. */
export async function signOut(): Promise<void> {
  const ended = await api.signOut({ query: {} }).catch((error: unknown) => console.error(error))
  session.end()
  if (ended?.sign_out_url !== undefined) openExternal(ended.sign_out_url, signInOrigins())
}

/** Keeps `href` as the destination after the sign-in. */
export const rememberDestination = (href: string): void => sessionStorage.setItem(DESTINATION_KEY, href)

/** Takes the remembered destination, once. Only paths of the portal count. */
export function takeDestination(): string {
  const href = sessionStorage.getItem(DESTINATION_KEY)
  sessionStorage.removeItem(DESTINATION_KEY)
  return href !== null && /^\/(dashboard|internal)(?=[/?#]|$)/.test(href) ? href : '/dashboard'
}
