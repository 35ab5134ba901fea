import { makeClientOf } from '@custodia/client'
import { sessionEndpoints, SIGN_IN_PATH } from '@custodia/contract'
import { shownLocale } from '../i18n/i18n.ts'
import { localeCookie } from '../i18n/locale.ts'
import { session } from './current-session.ts'
import { clientParameter } from './client-parameter.ts'
import { homeApi } from './home-api.ts'
import { ownAccountCalls } from './own-account-calls.ts'
import { openExternal } from './open-external.ts'
import { storeLastAccount } from './last-account.ts'

/**
 * Leaves for an identity provider. Our own server has just named the address, and names only what the client's provider and the
 * operator allow; a list of all providers in the page would tell visitors who the customers are.
 */
const leaveFor = (address: string): void => openExternal(address, [new URL(address).origin])

/** Calls at the account that was chosen here, whoever may be signed in from another tab meanwhile. */
const signInApi = makeClientOf(sessionEndpoints, {
  ...ownAccountCalls,
  client: () => clientParameter(session.chosenClient()),
})

const returnAddress = (): string => `${location.origin}${SIGN_IN_PATH}`

/** The version of the terms that this tab's sign-in accepts. */
const ACCEPTS_KEY = 'custodia.accepts_terms'

/** Somebody of the demo, chosen where it says that this accepts the terms. */
export interface ChosenPerson {
  user_reference: string
  terms_version: string
}

/** Stores the chosen client and leaves for the identity provider. Throws when the address cannot be had or is refused. */
export async function startSignIn(client: string, person?: ChosenPerson): Promise<void> {
  session.chooseClient(client)
  if (person) sessionStorage.setItem(ACCEPTS_KEY, person.terms_version)
  else sessionStorage.removeItem(ACCEPTS_KEY)
  storeLastAccount(client)
  // The provider returns to an address without language prefix.
  document.cookie = localeCookie(shownLocale(), location.protocol === 'https:')
  const { url } = await signInApi.readSignInUrl({ query: { login_hint: person?.user_reference } })
  leaveFor(url)
}

/** Exchanges the code of the provider; false, without a notice, when that fails (spec section 8). */
export async function completeSignIn(code: string, state: string | undefined): Promise<boolean> {
  try {
    session.keep(await signInApi.exchange({ query: { code, state, redirect_uri: returnAddress() } }))
    await acceptTermsOfChoice()
    return true
  } catch (error) {
    console.error(error)
    return false
  }
}

/** What choosing somebody of the demo said yes to. When it fails, the portal asks as it asks everybody. */
async function acceptTermsOfChoice(): Promise<void> {
  const version = sessionStorage.getItem(ACCEPTS_KEY)
  sessionStorage.removeItem(ACCEPTS_KEY)
  if (version === null) return
  await homeApi.acceptTerms({ body: { version } }).catch((error: unknown) => console.error(error))
}

/** Ends the session here and on the server; a server that cannot be reached does not keep anybody signed in. */
export async function signOut(): Promise<void> {
  const ended = await homeApi.signOut({ query: {} }).catch((error: unknown) => console.error(error))
  session.end({ isRequested: true })
  if (ended?.sign_out_url !== undefined) leaveFor(ended.sign_out_url)
}
