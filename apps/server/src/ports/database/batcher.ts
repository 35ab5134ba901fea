import { DatabaseProblem } from './problem.ts'

interface WaitingItem<Item, Result> {
  item: Item
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}

export interface SharedWorkOptions<Item, Result> {
  /**
   * Reads or writes all items of one tenant, in one transaction if it writes. Resolves to their results in
   * order.
   */
  run: (client_id: number, items: readonly Item[]) => Promise<readonly Result[]>
  /** Largest total size of a batch. A single item may be larger. */
  most: number
  /** The size of an item; default 1. */
  getSize?: (item: Item) => number
}

/**
 * Batches database work of several callers per tenant. Items that arrive during a batch go into the next one,
 * so that no result is older than its request. Each caller waits for its own item, durable if written; a
 * failing item fails no other.
 */
export class Batcher<Item, Result> {
  readonly #options: Required<SharedWorkOptions<Item, Result>>
  /** By client; present while a batch runs. */
  readonly #waiting = new Map<number, WaitingItem<Item, Result>[]>()

  constructor({ getSize = () => 1, ...options }: SharedWorkOptions<Item, Result>) {
    this.#options = { ...options, getSize }
  }

  /** Resolves once the item is done. Throws the error of its batch. */
  add(client_id: number, item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(client_id)
      const mine: WaitingItem<Item, Result> = { item, resolve, reject }
      if (waiting) waiting.push(mine)
      else void this.#run(client_id, [mine])
    })
  }

  async #run(client_id: number, waiting: WaitingItem<Item, Result>[]): Promise<void> {
    this.#waiting.set(client_id, waiting)
    while (waiting.length > 0) await this.#do(client_id, this.#next(waiting), waiting)
    this.#waiting.delete(client_id)
  }

  /** Takes the items of the next batch from the front. */
  #next(waiting: WaitingItem<Item, Result>[]): WaitingItem<Item, Result>[] {
    let count = 0
    for (let size = 0; count < waiting.length; count++) {
      size += this.#options.getSize((waiting[count] as WaitingItem<Item, Result>).item)
      if (count > 0 && size > this.#options.most) break
    }
    return waiting.splice(0, count)
  }

  /** When one entry fails its batch, halves are retried until it fails alone. */
  async #do(
    client_id: number,
    batch: readonly WaitingItem<Item, Result>[],
    waiting: WaitingItem<Item, Result>[],
  ): Promise<void> {
    try {
      const results = await this.#options.run(
        client_id,
        batch.map(({ item }) => item),
      )
      for (const [i, { resolve }] of batch.entries()) resolve(results[i] as Result)
    } catch (error) {
      if (error instanceof DatabaseProblem && error.kind === 'unavailable') {
        // Waiting items would time out as well, so they fail at once.
        for (const { reject } of [...batch, ...waiting.splice(0)]) reject(error)
        return
      }
      if (batch.length === 1) {
        batch[0]?.reject(error)
        return
      }
      const middle = batch.length >> 1
      await this.#do(client_id, batch.slice(0, middle), waiting)
      await this.#do(client_id, batch.slice(middle), waiting)
    }
  }
}
