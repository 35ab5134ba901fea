import type { Client } from '../clients/store.ts'
import type { Database } from '../ports/database/pool.ts'
import { findRoles, systemRoles } from '../roles/store.ts'

/** Roles of the first administrator of an account, while the identity provider names none of the account. */
const ROLES = {
  client: ['Account Administrator'],
  provider: ['Provider Administrator', 'Account Administrator'],
} as const

/** Whether this is the person whom the account was created with. A person is known by the reference that is theirs for good. */
export const isFirstAdministrator = (
  { first_administrator }: Pick<Client, 'first_administrator'>,
  user_reference: string,
): boolean => first_administrator !== null && first_administrator === user_reference

/**
 * The roles of the first administrator in place of those claimed; undefined for everyone else, and where a claimed role exists in the
 * account. Providers send roles of their own that no account has, which must not lock the first administrator out.
 */
export async function rolesInPlaceOf(
  claimed: readonly string[],
  { db }: { db: Database },
  client: Client,
  user_reference: string,
): Promise<string[] | undefined> {
  if (!isFirstAdministrator(client, user_reference)) return undefined
  const known = [...systemRoles(client), ...(await db.read(client.client_id, findRoles))]
  if (known.some(({ role_reference }) => claimed.includes(role_reference))) return undefined
  return [...ROLES[client.is_provider ? 'provider' : 'client']]
}
