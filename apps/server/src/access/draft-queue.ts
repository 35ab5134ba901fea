import { Problem } from '../http/problem.ts'

/** How many works may wait, beside the one that is done. */
export interface QueueLimits {
  per_client: number
  in_all: number
}

/** Does a work of a client when its turn comes. Problems: too_many_requests, unavailable. */
export type TakeTurn = <T>(client_id: number, work: () => Promise<T>) => Promise<T>

/**
 * One work after another, the clients in turns: however many one of them brings, another one waits for one work of each at most.
 * What would have to wait too long is refused at once. Nobody should hold a database connection while they wait.
 */
export function takeTurns({ per_client, in_all }: QueueLimits): TakeTurn {
  /** The client whose turn it is stands first. */
  const waiting = new Map<number, (() => Promise<void>)[]>()
  let count = 0
  let isBusy = false

  async function workOff(): Promise<void> {
    isBusy = true
    for (let [turn] = waiting; turn; [turn] = waiting) {
      const [client_id, [next, ...later]] = turn
      waiting.delete(client_id)
      if (later.length > 0) waiting.set(client_id, later)
      count--
      await next?.()
    }
    isBusy = false
  }

  return (client_id, work) => {
    const own = waiting.get(client_id) ?? []
    if (own.length >= per_client)
      return Promise.reject(new Problem('too_many_requests', { detail: `${own.length} of this client wait` }))
    if (count >= in_all) return Promise.reject(new Problem('unavailable', { detail: `${count} wait` }))
    return new Promise((resolve, reject) => {
      waiting.set(client_id, [...own, () => work().then(resolve, reject)])
      count++
      if (!isBusy) void workOff()
    })
  }
}
