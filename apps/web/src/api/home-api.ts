import { makeClientOf } from '@custodia/client'
import { accountEndpoints, sessionEndpoints } from '@custodia/contract'
import { homeCalls } from './own-account-calls.ts'

/** Calls of the session at the account where the person signed in, or signs in: never in support mode. */
export const homeApi = makeClientOf(sessionEndpoints, homeCalls)

/** What a visitor may know about an account before signing in. */
export const accountOf = (client: string) =>
  makeClientOf(accountEndpoints, { ...homeCalls, client: () => client }).readAccountMetadata({})
