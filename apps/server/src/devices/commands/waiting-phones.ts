import { Gauge, type Registry } from 'prom-client'
import type { Database } from '../../ports/database/pool.ts'
import { WAIT_CHANNEL } from '../../device-records/token-store.ts'

export interface Turn {
  /** Resolves on a possible command, on the timeout or when the connection closes. */
  over: Promise<void>
  end: () => void
}

/** Devices that wait for a command in this process. A new call of a device ends its earlier wait. */
export interface WaitingPhones {
  /** @param phone `<client_id> <device_id>`, as in notifications */
  begin(phone: string, seconds: number): Promise<Turn>
  /** Number of waiting devices in this process. */
  count(): number
  /** Ends all waits when the process closes; the devices call again. */
  close(): void
}

export function waitingPhones(db: Pick<Database, 'listen'>): WaitingPhones {
  const mutex = new Map<string, () => void>()
  let isClosed = false
  let listening: Promise<unknown> | undefined
  const endAll = () => {
    for (const end of mutex.values()) end()
  }
  /** Null: the process may have missed notifications. */
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

/** Exports the number of waiting devices as a metric. */
export const measureWaiting = (registry: Registry, waiting: Pick<WaitingPhones, 'count'>): Gauge =>
  new Gauge({
    name: 'custodia_phones_waiting',
    help: 'Phones whose calls are held until there is a command for them',
    registers: [registry],
    collect() {
      this.set(waiting.count())
    },
  })
