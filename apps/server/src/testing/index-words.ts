import type { House } from '../house.ts'
import { findWordIndex, isComplete, wantWordIndex } from '../payloads/store.ts'
import { indexSome } from '../payloads/words/index-words.ts'

type Parts = Pick<House, 'db' | 'keys' | 'objects' | 'now'>

/**
 * Reads or erases all words of a client that are to be read or erased. What is from before is read when no transaction runs any more that may not
 * know of the index.
 */
export async function indexAllWords(house: Parts, client_id: number, client: string): Promise<void> {
  for (;;) {
    while (await indexSome(house, { client_id, client }, 2));
    const index = await house.db.read(client_id, findWordIndex)
    if (!index || isComplete(index)) return
  }
}

/** Lets the client's words be searched, and reads them all. */
export async function letWordsBeSearched(house: Parts, client_id: number, client: string): Promise<void> {
  await house.db.write(client_id, (tx) => wantWordIndex(tx, true))
  await indexAllWords(house, client_id, client)
}
