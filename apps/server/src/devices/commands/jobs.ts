import { COMMAND_ANSWER_DAYS } from '@custodia/contract'
import { Gauge, type Registry } from 'prom-client'
import * as z from 'zod/mini'
import { listClients } from '../../clients/store.ts'
import { WAIT_CHANNEL } from '../../device-records/token-store.ts'
import { jobKind, periodicJob } from '../../jobs/kind.ts'
import type { Database } from '../../ports/database/pool.ts'
import { failUnanswered, findPushToken } from './command-store.ts'

/** Commands per transaction. */
const BATCH = 500

/** Fails commands without an answer for thirty days since they were sent or acknowledged. */
export const endUnansweredCommands = periodicJob({
  name: 'commands.unanswered',
  every: 3600,
  async run(ctx, _input, signal) {
    for (const { client_id } of await listClients(ctx.db)) {
      for (let ended = BATCH; ended === BATCH;) {
        signal.throwIfAborted()
        const now = ctx.now()
        const since = now - COMMAND_ANSWER_DAYS * 86_400
        ended = await ctx.db.write(client_id, (tx) => failUnanswered(tx, { since, now, most: BATCH }))
      }
    }
  },
})

/** Wakes a device that has an open command. A device that the push service does not know finds out at its next call. */
export const wakeDevice = jobKind({
  name: 'commands.wake',
  input: z.object({ client_id: z.int(), device_id: z.int() }),
  async run({ db, push }, { client_id, device_id }) {
    const fcm_token = push && (await db.read(client_id, (q) => findPushToken(q, device_id)))
    if (fcm_token) await push.wake(fcm_token)
  },
})

interface Turn {
  /** Resolves on a possible command, on the timeout or when the connection closes. */
  over: Promise<void>
  end: () => void
}

/** Devices that wait for a command in this process. A new call of a device ends its earlier wait. */
export interface WaitingDevices {
  /** @param device `<client_id> <device_id>`, as in notifications */
  begin(device: string, seconds: number): Promise<Turn>
  /** Number of waiting devices in this process. */
  count(): number
  /** Ends all waits when the process closes; the devices call again. */
  close(): void
}

export function waitingDevices(db: Pick<Database, 'listen'>): WaitingDevices {
  const mutex = new Map<string, () => void>()
  let isClosed = false
  let listening: Promise<unknown> | undefined
  const endAll = () => {
    for (const end of mutex.values()) end()
  }
  /** Null: the process may have missed notifications. */
  const toResponse = (device: string | null) => (device === null ? endAll() : mutex.get(device)?.())

  return {
    async begin(device, seconds) {
      listening ??= db.listen(WAIT_CHANNEL, toResponse).catch((error: unknown) => {
        listening = undefined
        throw error
      })
      await listening
      mutex.get(device)?.()
      const { promise, resolve } = Promise.withResolvers<void>()
      const end = () => {
        clearTimeout(timer)
        if (mutex.get(device) === end) mutex.delete(device)
        resolve()
      }
      const timer = setTimeout(end, isClosed ? 0 : seconds * 1000)
      mutex.set(device, end)
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
export const measureWaiting = (registry: Registry, waiting: Pick<WaitingDevices, 'count'>): Gauge =>
  new Gauge({
    name: 'custodia_devices_waiting',
    help: 'Devices whose calls are held until there is a command for them',
    registers: [registry],
    collect() {
      this.set(waiting.count())
    },
  })
