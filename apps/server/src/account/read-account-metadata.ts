import { type AccountMetadata, TERMS_VERSION } from '@custodia/contract'
import type { House } from '../house.ts'
import { Problem } from '../http/problem.ts'
import { findClient } from '../clients/store.ts'

/** What a visitor may know before signing in. */
export async function readAccountMetadata(house: House, reference: string): Promise<AccountMetadata> {
  const client = await findClient(house.db, reference)
  if (!client) throw new Problem('not_found', { detail: 'no such client' })
  return {
    client: client.client,
    client_name: client.client_name,
    terms_version: TERMS_VERSION,
    has_scanner: house.scanner.configured,
    has_transcoder: house.media !== undefined,
  }
}
