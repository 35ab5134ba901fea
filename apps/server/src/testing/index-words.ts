import type { AppContext } from '../app-context.ts'
import { findWordIndex, isComplete, wantWordIndex } from '../payloads/store.ts'
import { indexNextBatch } from '../payloads/words/index-words.ts'

type Parts = Pick<AppContext, 'db' | 'keys' | 'objects' | 'now'>

/** Runs all pending index work of a client. Older rows are indexed once no transaction from before the index runs. */
export async function indexAllWords(ctx: Parts, client_id: number, client: string): Promise<void> {
  for (;;) {
    while (await indexNextBatch(ctx, { client_id, client }, 2));
    const index = await ctx.db.read(client_id, findWordIndex)
    if (!index || isComplete(index)) return
  }
}

/** Lets the client's words be searched, and reads them all. */
export async function letWordsBeSearched(ctx: Parts, client_id: number, client: string): Promise<void> {
  await ctx.db.write(client_id, (tx) => wantWordIndex(tx, true))
  await indexAllWords(ctx, client_id, client)
}
