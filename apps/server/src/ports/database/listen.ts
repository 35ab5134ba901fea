import pg from 'pg'
import { hangUp, KEEP_ALIVE, PATIENCE } from './connect.ts'
import { translatePgError } from './problem.ts'

const MAX_PAUSE_MS = 5_000
/** A listener may be idle for hours, so it checks its connection this often. */
const HEARTBEAT_MS = 5_000

/**
 * Called with a notification's payload, or with null after a reconnect, because notifications may have been
 * missed.
 */
export type NotificationHandler = (payload: string | null) => void

export interface Listener {
  /** Resolves once notifications are received. */
  listen(channel: string, handler: NotificationHandler): Promise<() => Promise<void>>
  close(): Promise<void>
}

/** LISTEN on one dedicated connection, which reconnects with growing pauses. */
export function openListener(connection: string, appName: string): Listener {
  const handlers = new Map<string, Set<NotificationHandler>>()
  let client: pg.Client | null = null
  let connecting: Promise<void> | null = null
  let timer: NodeJS.Timeout | undefined
  let closed = false

  async function connect(): Promise<void> {
    const next = new pg.Client({
      connectionString: connection,
      application_name: `${appName} listen`,
      ...KEEP_ALIVE,
      connectionTimeoutMillis: PATIENCE.connection,
      query_timeout: PATIENCE.statement,
    })
    next.on('notification', ({ channel, payload }) => {
      for (const handler of handlers.get(channel) ?? []) handler(payload ?? '')
    })
    next.on('error', () => undefined)
    try {
      await next.connect()
      for (const channel of handlers.keys()) await next.query(`listen ${channel}`)
    } catch (error) {
      hangUp(next)
      throw error
    }
    const heartbeat = setInterval(() => {
      next.query('select 1').catch(() => hangUp(next))
    }, HEARTBEAT_MS)
    next.once('end', () => {
      clearInterval(heartbeat)
      if (client === next) client = null
      if (!closed) reconnect(50)
    })
    client = next
  }

  function reconnect(pause: number): void {
    clearTimeout(timer)
    timer = setTimeout(() => {
      connecting = connect()
      connecting.then(
        () => {
          for (const set of handlers.values()) for (const handler of set) handler(null)
        },
        () => !closed && reconnect(Math.min(pause * 2, MAX_PAUSE_MS)),
      )
    }, pause)
  }

  return {
    async listen(channel, handler) {
      if (!/^[a-z_][a-z0-9_]{0,62}$/.test(channel)) throw new Error(`${channel} is not a channel name`)
      const set = handlers.get(channel) ?? new Set()
      handlers.set(channel, set.add(handler))
      connecting ??= connect().catch((error: unknown) => {
        connecting = null
        throw translatePgError(error)
      })
      await connecting
      await client?.query(`listen ${channel}`)
      return async () => {
        set.delete(handler)
        if (set.size > 0) return
        handlers.delete(channel)
        await client?.query(`unlisten ${channel}`)
      }
    },
    async close() {
      closed = true
      clearTimeout(timer)
      await connecting?.catch(() => undefined)
      if (client) hangUp(client)
    },
  }
}
