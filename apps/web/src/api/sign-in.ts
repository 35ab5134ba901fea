import { SIGN_IN_PATH } from '@custodia/contract'
import { shownLocale } from '../i18n/i18n.ts'
import { localeCookie } from '../i18n/locale.ts'
import { api } from './api.ts'
import { session } from './current-session.ts'
import { listedOrigins, openExternal } from './open-external.ts'
import { rememberAccount } from './remembered-account.ts'

/** Own origin, and those of identity providers that the server lists in index.html. */
const signInOrigins = (): string[] => [
  location.origin,
  ...listedOrigins(document.querySelector<HTMLMetaElement>('meta[name="sign-in-origins"]')?.content ?? ''),
]

const returnAddress = (): string => `${location.origin}${SIGN_IN_PATH}`

/** Stores the chosen client and leaves for the identity provider. Throws when the address cannot be had or is refused. */
export async function startSignIn(client: string): Promise<void> {
  session.chooseClient(client)
  rememberAccount(client)
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
