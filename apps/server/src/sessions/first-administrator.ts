import type { Client } from '../clients/store.ts'
import type { Database } from '../ports/database/pool.ts'
import { findRoles, systemRoles } from '../roles/store.ts'

/** Roles of the first administrator of an account, while the identity provider names none of the account. */
const ROLES = {
  client: ['Account Administrator'],
  provider: ['Provider Administrator', 'Account Administrator'],
} as const

/** Whether this is the account's first administrator, by their permanent reference. */
export const isFirstAdministrator = (
  { first_administrator }: Pick<Client, 'first_administrator'>,
  user_reference: string,
): boolean => first_administrator !== null && first_administrator === user_reference

/**
 * Default roles for the first administrator; undefined for other people, and if the account has a claimed role.
 * Providers may send only roles that the account lacks, which must not lock the first administrator out.
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
