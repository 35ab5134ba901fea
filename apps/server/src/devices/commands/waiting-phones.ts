import { Gauge, type Registry } from 'prom-client'
import type { Database } from '../../ports/database/pool.ts'
import { WAIT_CHANNEL } from '../../device-records/token-store.ts'

/** A phone's wait. */
export interface Turn {
  /** Resolves when there may be a command, when its time is over, or when nobody waits for the answer any more. */
  over: Promise<void>
  end: () => void
}

/** Phones of this process whose answers are held until there is a command for them. A phone that asks again ends the wait of before. */
export interface WaitingPhones {
  /** @param phone `<client_id> <device_id>`, as notifications name it */
  begin(phone: string, seconds: number): Promise<Turn>
  /** How many wait in this process. */
  count(): number
  /** Ends all of them, for a process that ends: phones ask again, elsewhere. */
  close(): void
}

export function waitingPhones(db: Pick<Database, 'listen'>): WaitingPhones {
  const mutex = new Map<string, () => void>()
  let isClosed = false
  let listening: Promise<unknown> | undefined
  const endAll = () => {
    for (const end of mutex.values()) end()
  }
  /** Null: notifications may have been missed. */
  const toResponse = (phone: string | null) => (phone === null ? endAll() : mutex.get(phone)?.())

  return {
    async begin(phone, seconds) {
      listening ??= db.listen(WAIT_CHANNEL, toResponse).catch((error: unknown) => {
        listening = undefined
        throw error
      })
      await listening
      mutex.get(phone)?.()
      const { promise, resolve } = Promise.withResolvers<void>()
      const end = () => {
        clearTimeout(timer)
        if (mutex.get(phone) === end) mutex.delete(phone)
        resolve()
      }
      const timer = setTimeout(end, isClosed ? 0 : seconds * 1000)
      mutex.set(phone, end)
      return { over: promise, end }
    },
    count: () => mutex.size,
    close() {
      isClosed = true
      endAll()
    },
  }
}

/** Tells how many phones wait, among the figures of this process. */
export const measureWaiting = (registry: Registry, waiting: Pick<WaitingPhones, 'count'>): Gauge =>
  new Gauge({
    name: 'custodia_phones_waiting',
    help: 'Phones whose calls are held until there is a command for them',
    registers: [registry],
    collect() {
      this.set(waiting.count())
    },
  })
