import { type AccountMetadata, TERMS_VERSION } from '@custodia/contract'
import type { AppContext } from '../app-context.ts'
import { Problem } from '../http/problem.ts'
import { findClient } from '../clients/store.ts'

/** What a visitor may know before signing in. */
export async function readAccountMetadata(ctx: AppContext, reference: string): Promise<AccountMetadata> {
  const client = await findClient(ctx.db, reference)
  if (!client) throw new Problem('not_found', { detail: 'no such client' })
  return {
    client: client.client,
    client_name: client.client_name,
    terms_version: TERMS_VERSION,
    has_scanner: ctx.scanner.configured,
    has_transcoder: ctx.media !== undefined,
  }
}
