import { makeClientOf } from '@custodia/client'
import { accountEndpoints, sessionEndpoints } from '@custodia/contract'
import { ownAccountCalls } from './own-account-calls.ts'

/** Calls at the user's own account, never in support mode. */
export const homeApi = makeClientOf(sessionEndpoints, ownAccountCalls)

/** Public facts of an account, readable before sign-in. */
export const accountOf = (client: string) =>
  makeClientOf(accountEndpoints, { ...ownAccountCalls, client: () => client }).readAccountMetadata({})
