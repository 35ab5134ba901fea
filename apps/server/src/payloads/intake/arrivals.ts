import type { House } from '../../house.ts'
import type { Context } from '../../http/context.ts'
import { DatabaseProblem } from '../../ports/database/problem.ts'
import { findAwaited, noteArrivals } from './arrive.ts'
import { originalKey } from '../original-key.ts'
import { noteUploadActivity } from './upload-activity.ts'

/** An upload whose bytes are durable and whose row does not say so yet. */
export interface Arrival {
  client_id: number
  client: string
  payload_reference: string
  /** Where the bytes lie. */
  key: string
  context: Context
  /** Seconds that the bytes took. */
  duration: number
}

interface Waiting {
  arrival: Arrival
  resolve: () => void
  reject: (error: unknown) => void
}

/** Arrivals per transaction. */
const BATCH = 64

/**
 * Commits arrivals. Those of one client that come while a commit is under way share the next one; each caller still waits until its own
 * is durable.
 */
export class Arrivals {
  readonly #house: House
  /** By client; there while a commit of it is under way. */
  readonly #waiting = new Map<number, Waiting[]>()

  constructor(house: House) {
    this.#house = house
  }

  /** Resolves when the payload is `Uploaded`, or was before. */
  note(arrival: Arrival): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(arrival.client_id)
      const mine: Waiting = { arrival, resolve, reject }
      if (waiting) waiting.push(mine)
      else void this.#run(arrival.client_id, [mine])
    })
  }

  async #run(client_id: number, waiting: Waiting[]): Promise<void> {
    this.#waiting.set(client_id, waiting)
    while (waiting.length > 0) await this.#commit(client_id, waiting.splice(0, BATCH))
    this.#waiting.delete(client_id)
  }

  /** One that cannot be committed fails the others: halves are tried until it stands alone. */
  async #commit(client_id: number, batch: readonly Waiting[]): Promise<void> {
    try {
      await this.#write(
        client_id,
        batch.map(({ arrival }) => arrival),
      )
      for (const { resolve } of batch) resolve()
    } catch (error) {
      const isUnavailable = error instanceof DatabaseProblem && error.kind === 'unavailable'
      if (batch.length === 1 || isUnavailable) {
        for (const { reject } of batch) reject(error)
        return
      }
      const middle = batch.length >> 1
      await this.#commit(client_id, batch.slice(0, middle))
      await this.#commit(client_id, batch.slice(middle))
    }
  }

  async #write(client_id: number, batch: readonly Arrival[]): Promise<void> {
    // An upload and its repeat are one arrival.
    const byKey = new Map(batch.map((arrival) => [arrival.key, arrival]))
    const arrivalOf = (payload: Parameters<typeof keyOf>[0]) => byKey.get(keyOf(payload))
    const references = [...new Set(batch.map(({ payload_reference }) => payload_reference))]
    // Absent: an earlier answer got lost, and the payload has moved on. Another key: the address of a refused upload.
    const awaited = (await findAwaited(this.#house, client_id, references)).filter(arrivalOf)
    if (awaited.length === 0) return
    await noteArrivals(this.#house, client_id, awaited, 'upload', (tx, arrived) =>
      noteUploadActivity(
        this.#house,
        tx,
        client_id,
        arrived.flatMap((payload) => {
          const arrival = arrivalOf(payload)
          return arrival ? [{ ...arrival, payload_id: payload.payload_id, status_code: 200 }] : []
        }),
      ),
    )
  }
}

const keyOf = (payload: { client: string; payload_reference: string; rejected_count: number }): string =>
  originalKey(payload.client, payload.payload_reference, payload.rejected_count)
