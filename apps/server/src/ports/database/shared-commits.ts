import { DatabaseProblem } from './problem.ts'

interface Waiting<Item, Result> {
  item: Item
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}

export interface SharedCommitsOptions<Item, Result> {
  /** Writes all items of one tenant in one transaction; resolves to what each came to, in their order. */
  commit: (client_id: number, items: readonly Item[]) => Promise<readonly Result[]>
  /** What one commit holds at most, in sizes. One item alone may be larger. */
  most: number
  /** What an item adds to a commit; 1 when left out. */
  sizeOf?: (item: Item) => number
}

/**
 * Commits what several callers write. What comes for a tenant while a commit of it is under way shares the next one; each caller still waits
 * until its own is durable. One that cannot be written fails no other.
 */
export class SharedCommits<Item, Result> {
  readonly #options: Required<SharedCommitsOptions<Item, Result>>
  /** By client; there while a commit of it is under way. */
  readonly #waiting = new Map<number, Waiting<Item, Result>[]>()

  constructor({ sizeOf = () => 1, ...options }: SharedCommitsOptions<Item, Result>) {
    this.#options = { ...options, sizeOf }
  }

  /** Resolves once the item is durable. Throws what its commit threw. */
  add(client_id: number, item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(client_id)
      const mine: Waiting<Item, Result> = { item, resolve, reject }
      if (waiting) waiting.push(mine)
      else void this.#run(client_id, [mine])
    })
  }

  async #run(client_id: number, waiting: Waiting<Item, Result>[]): Promise<void> {
    this.#waiting.set(client_id, waiting)
    while (waiting.length > 0) await this.#commit(client_id, this.#next(waiting), waiting)
    this.#waiting.delete(client_id)
  }

  /** Those that go into one commit, taken from the front. */
  #next(waiting: Waiting<Item, Result>[]): Waiting<Item, Result>[] {
    let count = 0
    for (let size = 0; count < waiting.length; count++) {
      size += this.#options.sizeOf((waiting[count] as Waiting<Item, Result>).item)
      if (count > 0 && size > this.#options.most) break
    }
    return waiting.splice(0, count)
  }

  /** One that cannot be committed fails the others: halves are tried until it stands alone. */
  async #commit(
    client_id: number,
    batch: readonly Waiting<Item, Result>[],
    waiting: Waiting<Item, Result>[],
  ): Promise<void> {
    try {
      const results = await this.#options.commit(
        client_id,
        batch.map(({ item }) => item),
      )
      for (const [i, { resolve }] of batch.entries()) resolve(results[i] as Result)
    } catch (error) {
      if (error instanceof DatabaseProblem && error.kind === 'unavailable') {
        // Who came meanwhile would wait as long again, for nothing.
        for (const { reject } of [...batch, ...waiting.splice(0)]) reject(error)
        return
      }
      if (batch.length === 1) {
        batch[0]?.reject(error)
        return
      }
      const middle = batch.length >> 1
      await this.#commit(client_id, batch.slice(0, middle), waiting)
      await this.#commit(client_id, batch.slice(middle), waiting)
    }
  }
}
