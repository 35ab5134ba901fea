import type { AccessCache } from '../access/load.ts'
import type { Client } from '../clients/store.ts'
import type { AppContext } from '../app-context.ts'
import type { IdentityProvider } from '../ports/identity/port.ts'
import type { Seal } from '../ports/identity/sealed.ts'
import type { CookieHalves } from './cookie-halves.ts'
import type { Cookies } from './cookies.ts'
import type { IdTokens } from './id-tokens.ts'

/** What the calls of this folder work with. */
export interface SessionServices {
  ctx: AppContext
  access: AccessCache
  /** Finds where the people of a client sign in. */
  providers: (client: Client) => Promise<IdentityProvider>
  tokens: IdTokens
  halves: CookieHalves
  cookies: Cookies
  seal: Seal
}

/** Longest life of a session, in seconds, however often it is refreshed. */
export const SESSION_SECONDS = 12 * 3600

/** Purposes for which something is sealed. */
export const SEALED = { sign_in: 'sign-in', provider_tokens: 'provider-tokens' } as const
