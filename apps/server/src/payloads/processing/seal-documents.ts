import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod/mini'
import { listClients } from '../../clients/store.ts'
import type { AppContext } from '../../app-context.ts'
import { jobKind } from '../../jobs/kind.ts'
import { isDamage } from '../data-damage.ts'
import { findSealedMetadata, openSealedMetadata, type SealedMetadata } from '../sealed-metadata-store.ts'
import { type ClearDocument, findClear, writeSealed } from './of-before-store.ts'

/** Documents sealed in one transaction. */
const BATCH = 100

/**
 * Empties what documents of before keep of the metadata in the clear. The sealed form is opened first and must say the same: what cannot be
 * read otherwise keeps its copy. Each batch is committed by itself, so a run that is broken off goes on where it stopped. PostgreSQL keeps
 * the old row versions until it has vacuumed, and write-ahead logs and backups hold them longer.
 */
export const sealDocuments = jobKind({
  name: 'payloads.seal_documents',
  input: z.object({}),
  every: 3600,
  async run(ctx, _input, signal) {
    for (const { client_id } of await listClients(ctx.db)) {
      let sealed = 0
      for (let after: number | undefined = 0; after !== undefined;) {
        signal.throwIfAborted()
        const batch: ClearDocument[] = await findClear(ctx, client_id, after, BATCH)
        sealed += await sealBatch(ctx, client_id, batch)
        after = batch.at(-1)?.payload_id
      }
      if (sealed > 0) ctx.log.info({ client_id, sealed }, 'documents of before are sealed')
    }
  },
})

async function sealBatch(
  ctx: AppContext,
  client_id: number,
  batch: readonly ClearDocument[],
): Promise<number> {
  const payload_ids = batch.map(({ payload_id }) => payload_id)
  const found = await ctx.db.read(client_id, (q) => findSealedMetadata(q, payload_ids))
  const byId = new Map(found.map((each) => [each.payload_id, each]))
  const good: ClearDocument[] = []
  for (const document of batch) {
    const sealed = byId.get(document.payload_id)
    if (sealed && (await saysTheSame(ctx, sealed, document))) good.push(document)
    else
      ctx.log.warn(
        { payload_id: document.payload_id },
        'metadata stays in the clear: its sealed form is no substitute',
      )
  }
  await writeSealed(
    ctx,
    client_id,
    good.map(({ list_doc, ...each }) => ({ ...each, list_doc: withoutFacts(list_doc) })),
  )
  return good.length
}

async function saysTheSame(
  ctx: AppContext,
  sealed: SealedMetadata,
  { meta }: ClearDocument,
): Promise<boolean> {
  try {
    return isDeepStrictEqual(await openSealedMetadata(ctx, sealed), JSON.parse(meta))
  } catch (error) {
    if (isDamage(error)) return false
    throw error
  }
}

/** What rows of lists carried of it. */
function withoutFacts(list_doc: string): string {
  const {
    notes: _notes,
    reason_for_blocking: _reason,
    ...rest
  } = JSON.parse(list_doc) as Record<string, unknown>
  return JSON.stringify(rest)
}
