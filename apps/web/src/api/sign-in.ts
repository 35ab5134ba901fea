import { makeClientOf } from '@custodia/client'
import { sessionEndpoints, SIGN_IN_PATH } from '@custodia/contract'
import { shownLocale } from '../i18n/i18n.ts'
import { localeCookie } from '../i18n/locale.ts'
import { session } from './current-session.ts'
import { homeApi, ownAccountCalls } from './home-api.ts'
import { clientParameter } from './kept-session.ts'
import { openExternal } from './navigate.ts'
import { storeLastAccount } from './sign-in-memory.ts'

/** Leaves for an identity provider. The server names the address; a list in the page would reveal the customers. */
const leaveFor = (address: string): void => openExternal(address, [new URL(address).origin])

/** Calls at the account of this tab's sign-in, whatever account another tab uses. */
const signInApi = makeClientOf(sessionEndpoints, {
  ...ownAccountCalls,
  client: () => clientParameter(session.chosenClient()),
})

const returnAddress = (): string => `${location.origin}${SIGN_IN_PATH}`

/** Terms version that this sign-in accepts. */
const ACCEPTS_KEY = 'custodia.accepts_terms'

/** The demo user of this sign-in; the choice accepts the terms. */
export interface ChosenPerson {
  user_reference: string
  terms_version: string
}

/** Stores the client and leaves for the identity provider. Throws when the address is missing or not allowed. */
export async function startSignIn(client: string, person?: ChosenPerson): Promise<void> {
  session.chooseClient(client)
  if (person) sessionStorage.setItem(ACCEPTS_KEY, person.terms_version)
  else sessionStorage.removeItem(ACCEPTS_KEY)
  storeLastAccount(client)
  // The provider returns to an address without a language prefix.
  document.cookie = localeCookie(shownLocale(), location.protocol === 'https:')
  const { url } = await signInApi.readSignInUrl({ query: { login_hint: person?.user_reference } })
  leaveFor(url)
}

/** Exchanges the provider's code; false, without a notice, when that fails (spec section 8). */
export async function completeSignIn(
  code: string,
  { state, iss }: { state?: string | undefined; iss?: string | undefined },
): Promise<boolean> {
  try {
    session.keep(await signInApi.exchange({ query: { code, state, iss, redirect_uri: returnAddress() } }))
    await acceptTermsOfChoice()
    return true
  } catch (error) {
    console.error(error)
    return false
  }
}

/** Accepts the terms for a demo user. On failure the portal asks as usual. */
async function acceptTermsOfChoice(): Promise<void> {
  const version = sessionStorage.getItem(ACCEPTS_KEY)
  sessionStorage.removeItem(ACCEPTS_KEY)
  if (version === null) return
  await homeApi.acceptTerms({ body: { version } }).catch((error: unknown) => console.error(error))
}

/** Ends the session here and on the server; an unreachable server does not block the sign-out. */
export async function signOut(): Promise<void> {
  session.beginSignOut()
  const ended = await homeApi.signOut({ query: {} }).catch((error: unknown) => console.error(error))
  session.end({ isRequested: true })
  if (ended?.sign_out_url !== undefined) leaveFor(ended.sign_out_url)
}
