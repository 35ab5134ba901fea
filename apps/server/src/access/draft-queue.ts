import { Problem } from '../http/problem.ts'

/** How many tasks of each kind may wait behind the running one. */
export interface QueueLimits {
  per_client: number
  in_all: number
}

/** The owner of a task. A newer review replaces the waiting one of the same person; every save runs. */
export interface Turn {
  client_id: number
  /** Unique among those who act for the client. */
  person: string
  kind: 'save' | 'review'
}

/** Does a work when its turn comes. Problems: too_many_requests, unavailable. */
export type TakeTurn = <T>(turn: Turn, work: () => Promise<T>) => Promise<T>

interface QueuedDraft {
  begin: () => Promise<void>
  refuse: (problem: Problem) => void
}

interface ClientQueue {
  saves: QueuedDraft[]
  /** One of each person, in the order in which they came. */
  reviews: Map<string, QueuedDraft>
}

/**
 * Runs tasks one after another and takes the clients in turn, so that a busy client delays another one by one task of
 * each at most. Saves run before reviews and are counted apart. A task over the limits is refused at once. Callers
 * hold no database connection while they wait.
 */
export function takeTurns({ per_client, in_all }: QueueLimits): TakeTurn {
  /** Queues by client; the next client is first. */
  const waiting = new Map<number, ClientQueue>()
  const counts = { save: 0, review: 0 }
  let isBusy = false

  async function workOff(): Promise<void> {
    isBusy = true
    for (let [turn] = waiting; turn; [turn] = waiting) {
      const [client_id, queue] = turn
      const next = takeNext(queue)
      waiting.delete(client_id)
      if (getSize(queue, 'save') + getSize(queue, 'review') > 0) waiting.set(client_id, queue)
      await next?.begin()
    }
    isBusy = false
  }

  function takeNext({ saves, reviews }: ClientQueue): QueuedDraft | undefined {
    const save = saves.shift()
    if (save) {
      counts.save--
      return save
    }
    const [first] = reviews
    if (!first) return undefined
    const [person, review] = first
    reviews.delete(person)
    counts.review--
    return review
  }

  return ({ client_id, person, kind }, work) => {
    const own = waiting.get(client_id) ?? { saves: [], reviews: new Map<string, QueuedDraft>() }
    const replaced = kind === 'review' ? own.reviews.get(person) : undefined
    if (!replaced) {
      const size = getSize(own, kind)
      if (size >= per_client) return Promise.reject(tooMany(`${size} of this client wait`))
      if (counts[kind] >= in_all)
        return Promise.reject(new Problem('unavailable', { detail: `${counts[kind]} wait` }))
      counts[kind]++
    }
    return new Promise((resolve, reject) => {
      const entry: QueuedDraft = { begin: () => work().then(resolve, reject), refuse: reject }
      if (kind === 'save') own.saves.push(entry)
      else own.reviews.set(person, entry)
      waiting.set(client_id, own)
      replaced?.refuse(tooMany('a newer review of the same person waits'))
      if (!isBusy) void workOff()
    })
  }
}

const getSize = ({ saves, reviews }: ClientQueue, kind: Turn['kind']): number =>
  kind === 'save' ? saves.length : reviews.size

const tooMany = (detail: string): Problem => new Problem('too_many_requests', { detail })
