import { type Claims, SignInRefused } from '../ports/identity/port.ts'
import { readDefaults, type SignInClient, type Standing } from './store.ts'
import type { Database } from '../ports/database/pool.ts'

/**
 * What a person is in `client`, from the claims of its provider; the account's defaults fill what a token lacks. Throws
 * SignInRefused for a person of another client. Only a provider that serves this client alone need not name it.
 */
export async function standingOf(db: Database, client: SignInClient, claims: Claims): Promise<Standing> {
  const named = claims.client ?? (client.oidc_issuer === null ? undefined : client.client)
  if (named !== client.client) throw new SignInRefused('a person of another client')
  const { user_reference, roles, user_group, groups = null } = claims
  if (roles !== undefined && user_group !== undefined) return { user_reference, roles, user_group, groups }
  const defaults = await readDefaults(db, client.client_id)
  return {
    user_reference,
    // An empty list is an answer: this person has no role.
    roles: roles ?? (defaults.role === null ? [] : [defaults.role]),
    user_group: user_group ?? defaults.group_reference,
    groups,
  }
}
