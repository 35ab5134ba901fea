import { findClient } from '../clients/store.ts'
import type { AppContext } from '../app-context.ts'
import { accountKeyContext } from '../ports/keys/contexts.ts'

/** The account key of a client, which the server gives to no device. */
export async function readAccountKey(
  { db, keys }: Pick<AppContext, 'db' | 'keys'>,
  client: string,
): Promise<Buffer> {
  const found = await findClient(db, client)
  if (!found) throw new Error(`no client ${client}`)
  return keys.unwrap(found.account_key, accountKeyContext(client))
}
