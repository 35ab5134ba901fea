import { type AccountMetadata, TERMS_VERSION } from '@custodia/contract'
import type { House } from '../house.ts'
import { Problem } from '../http/problem.ts'
import { listPeople } from '../ports/identity/people.ts'
import { findClient } from '../clients/store.ts'
import { isEmbedded } from '../identity-providers/store.ts'

/** What a visitor may know before signing in. */
export async function readAccountMetadata(house: House, reference: string): Promise<AccountMetadata> {
  const client = await findClient(house.db, reference)
  if (!client) throw new Problem('not_found', { detail: 'no such client' })
  const hasDemoPeople = house.config.demo && isEmbedded(house, client)
  return {
    client: client.client,
    client_name: client.client_name,
    terms_version: TERMS_VERSION,
    demo_people: hasDemoPeople ? await listPeople(house.db, client.client) : [],
    has_scanner: house.scanner.configured,
    has_transcoder: house.media !== undefined,
  }
}
