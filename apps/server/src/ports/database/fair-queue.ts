import { DatabaseProblem } from './problem.ts'

/**
 * Lets tenants share a number of connections in turn. The many calls of one tenant wait for each other, and the next
 * call of another tenant waits for one connection at most.
 */
export class FairQueue {
  #free: number
  /** Calls that wait, by tenant; the tenant whose turn is next comes first. */
  readonly #waiting = new Map<number, (() => void)[]>()

  constructor(connections: number) {
    this.#free = connections
  }

  /** How many calls wait. */
  get waiting(): number {
    return [...this.#waiting.values()].reduce((sum, { length }) => sum + length, 0)
  }

  /** Does `work` in the tenant's turn. Throws `unavailable` when the turn has not come within `patience_ms`. */
  async run<T>(clientId: number, patience_ms: number, work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1
    else await this.#waitForTurn(clientId, patience_ms)
    try {
      return await work()
    } finally {
      this.#release()
    }
  }

  #waitForTurn(clientId: number, patience_ms: number): Promise<void> {
    const own = this.#waiting.get(clientId) ?? []
    this.#waiting.set(clientId, own)
    return new Promise((resolve, reject) => {
      const begin = () => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        own.splice(own.indexOf(begin), 1)
        if (own.length === 0) this.#waiting.delete(clientId)
        reject(new DatabaseProblem('unavailable', null, new Error('no connection became free in time')))
      }, patience_ms)
      own.push(begin)
    })
  }

  /** Gives the connection to the next tenant, and puts the other calls of that tenant behind those of all others. */
  #release(): void {
    const [next] = this.#waiting
    if (!next) {
      this.#free += 1
      return
    }
    const [clientId, own] = next
    const begin = own.shift()
    this.#waiting.delete(clientId)
    if (own.length > 0) this.#waiting.set(clientId, own)
    begin?.()
  }
}
