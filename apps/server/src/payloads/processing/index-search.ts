import type { Party, PayloadDocument, PayloadMeta } from '@custodia/contract'
import { searchEntry, searchEntryOf } from '@custodia/domain'
import * as z from 'zod/mini'
import { listClients } from '../../clients/store.ts'
import { findWordless, insertUserWords, type NamedUser } from '../../device-users/store.ts'
import type { AppContext } from '../../app-context.ts'
import { jobKind } from '../../jobs/kind.ts'
import { isDamage } from '../data-damage.ts'
import { findSealedMetadata, openSealedMetadata, type SealedMetadata } from '../sealed-metadata-store.ts'
import { findUnsearched, type UnsearchedDocument, writeSearched } from './of-before-store.ts'

/** Documents and people written in one transaction. */
const BATCH = 500

/**
 * Lets searches find payloads and people of before. The newest payloads come first, for they are looked for most. Each batch is committed by
 * itself, so a run that is broken off goes on where it stopped; when all are done, there is nothing to find.
 */
export const indexSearch = jobKind({
  name: 'payloads.index_search',
  input: z.object({}),
  every: 3600,
  async run(ctx, _input, signal) {
    for (const { client_id } of await listClients(ctx.db)) {
      await indexPeople(ctx, client_id, signal)
      let indexed = 0
      for (let before: number | undefined = Number.MAX_SAFE_INTEGER; before !== undefined;) {
        signal.throwIfAborted()
        const batch: UnsearchedDocument[] = await findUnsearched(ctx, client_id, before, BATCH)
        await indexBatch(ctx, client_id, batch)
        indexed += batch.length
        before = batch.at(-1)?.payload_id
      }
      if (indexed > 0) ctx.log.info({ client_id, indexed }, 'payloads of before can be searched for')
    }
  },
})

async function indexPeople(ctx: AppContext, client_id: number, signal: AbortSignal): Promise<void> {
  for (let after: number | undefined = 0; after !== undefined;) {
    signal.throwIfAborted()
    const from: number = after
    const people: NamedUser[] = await ctx.db.read(client_id, (q) => findWordless(q, from, BATCH))
    if (people.length > 0) await ctx.db.write(client_id, (tx) => insertUserWords(tx, people))
    after = people.at(-1)?.device_user_id
  }
}

/** What lists show is enough, except where they leave out parties. */
async function indexBatch(
  ctx: AppContext,
  client_id: number,
  batch: readonly UnsearchedDocument[],
): Promise<void> {
  const documents = batch.map((row) => ({ row, document: JSON.parse(row.list_doc) as PayloadDocument }))
  const large = documents.filter(
    ({ document: { parties, party_count } }) => (party_count ?? 0) > (parties?.length ?? 0),
  )
  const payload_ids = large.map(({ row }) => row.payload_id)
  const found = await ctx.db.read(client_id, (q) => findSealedMetadata(q, payload_ids))
  const sealed = new Map(found.map((each) => [each.payload_id, each]))
  const items = await Promise.all(
    documents.map(async ({ row, document }) => {
      const whole = sealed.get(row.payload_id)
      const meta = whole && (await opened(ctx, whole))
      const entry = meta
        ? searchEntryOf(meta)
        : searchEntry(document.parties ?? [], numbersOf(row, document.parties))
      return { place: { ...row, client_id }, entry }
    }),
  )
  await writeSearched(ctx, client_id, items)
}

/** All numbers as they came: what has a comma stands in the document without. */
function numbersOf({ all_numbers }: UnsearchedDocument, parties: readonly Party[] = []): string[] {
  const written = new Map(
    parties.map(({ phone_number }) => [phone_number?.trim().replaceAll(',', ' '), phone_number?.trim()]),
  )
  return all_numbers
    .split(',')
    .filter(Boolean)
    .map((number) => written.get(number) ?? number)
}

/** Undefined: it is damaged, and `custodia verify` says so. */
async function opened(ctx: AppContext, sealed: SealedMetadata): Promise<PayloadMeta | undefined> {
  try {
    return (await openSealedMetadata(ctx, sealed)) as PayloadMeta
  } catch (error) {
    if (isDamage(error)) return undefined
    throw error
  }
}
