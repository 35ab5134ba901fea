import { makeClientOf } from '@custodia/client'
import { accountEndpoints, sessionEndpoints } from '@custodia/contract'
import { ownAccountCalls } from './own-account-calls.ts'

/** Calls of the session at the account where the person signed in, or signs in: never in support mode. */
export const homeApi = makeClientOf(sessionEndpoints, ownAccountCalls)

/** What a visitor may know about an account before signing in. */
export const accountOf = (client: string) =>
  makeClientOf(accountEndpoints, { ...ownAccountCalls, client: () => client }).readAccountMetadata({})
