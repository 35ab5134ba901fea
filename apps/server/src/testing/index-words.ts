import type { AppContext } from '../app-context.ts'
import { findWordIndex, isComplete, wantWordIndex } from '../payloads/store.ts'
import { indexSome } from '../payloads/words/index-words.ts'

type Parts = Pick<AppContext, 'db' | 'keys' | 'objects' | 'now'>

/**
 * Reads or erases all words of a client that are to be read or erased. What is from before is read when no transaction runs any more that may not
 * know of the index.
 */
export async function indexAllWords(ctx: Parts, client_id: number, client: string): Promise<void> {
  for (;;) {
    while (await indexSome(ctx, { client_id, client }, 2));
    const index = await ctx.db.read(client_id, findWordIndex)
    if (!index || isComplete(index)) return
  }
}

/** Lets the client's words be searched, and reads them all. */
export async function letWordsBeSearched(ctx: Parts, client_id: number, client: string): Promise<void> {
  await ctx.db.write(client_id, (tx) => wantWordIndex(tx, true))
  await indexAllWords(ctx, client_id, client)
}
