import pg from 'pg'
import { hangUp, KEEP_ALIVE, PATIENCE } from './connect.ts'
import { translatePgError } from './problem.ts'

const MAX_PAUSE_MS = 5_000
/** Milliseconds between two checks of a connection that may be idle for hours, or holds locks. */
const HEARTBEAT_MS = 5_000

/**
 * Called with a notification's payload, or with null after a reconnect, because notifications may have been
 * missed.
 */
export type NotificationHandler = (payload: string | null) => void

interface Listener {
  /** Resolves once notifications are received. */
  listen(channel: string, handler: NotificationHandler): Promise<() => Promise<void>>
  close(): Promise<void>
}

function newClient(connection: string, application_name: string): pg.Client {
  const client = new pg.Client({
    connectionString: connection,
    application_name,
    ...KEEP_ALIVE,
    connectionTimeoutMillis: PATIENCE.connection,
    query_timeout: PATIENCE.statement,
  })
  client.on('error', () => undefined)
  return client
}

/** Checks an open connection until it ends. */
function keepChecking(client: pg.Client, onEnd: () => void): void {
  const heartbeat = setInterval(() => {
    client.query('select 1').catch(() => hangUp(client))
  }, HEARTBEAT_MS)
  client.once('end', () => {
    clearInterval(heartbeat)
    onEnd()
  })
}

/** LISTEN on one dedicated connection, which reconnects with growing pauses. */
export function openListener(connection: string, appName: string): Listener {
  const handlers = new Map<string, Set<NotificationHandler>>()
  let client: pg.Client | null = null
  let connecting: Promise<void> | null = null
  let timer: NodeJS.Timeout | undefined
  let closed = false

  async function connect(): Promise<void> {
    const next = newClient(connection, `${appName} listen`)
    next.on('notification', ({ channel, payload }) => {
      for (const handler of handlers.get(channel) ?? []) handler(payload ?? '')
    })
    try {
      await next.connect()
      for (const channel of handlers.keys()) await next.query(`listen ${channel}`)
    } catch (error) {
      hangUp(next)
      throw error
    }
    keepChecking(next, () => {
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

/** Locks of one process, for work that may last hours. */
export interface Locks {
  /**
   * Runs the work under the named lock. False: another process, or other work of this one, has it. `lost`
   * aborts when the lock is lost.
   */
  hold(name: string, work: (lost: AbortSignal) => Promise<void>): Promise<boolean>
  close(): Promise<void>
}

/** Any number of advisory locks on one connection: work of hours takes no connection of the pools. */
export function openLocks(connection: string, appName: string): Locks {
  /** The database would grant the same session a lock twice. */
  const held = new Map<string, AbortController>()
  let connected: Promise<pg.Client> | undefined

  async function connect(): Promise<pg.Client> {
    const client = newClient(connection, `${appName} locks`)
    await client.connect()
    keepChecking(client, () => {
      connected = undefined
      for (const lost of held.values()) lost.abort(new Error('the connection of the locks was lost'))
    })
    return client
  }

  async function open(): Promise<pg.Client> {
    connected ??= connect().catch((error: unknown) => {
      connected = undefined
      throw translatePgError(error)
    })
    return connected
  }

  async function ask(client: pg.Client, what: string, name: string): Promise<boolean> {
    const text = `select ${what}(hashtextextended($1, 0)) as is_done`
    const { rows } = await client.query<{ is_done: boolean }>(text, [name])
    return rows[0]?.is_done === true
  }

  return {
    async hold(name, work) {
      if (held.has(name)) return false
      const lost = new AbortController()
      held.set(name, lost)
      try {
        const client = await open()
        const isMine = await ask(client, 'pg_try_advisory_lock', name).catch((error: unknown) => {
          // Whether it was granted is unknown.
          hangUp(client)
          throw translatePgError(error)
        })
        if (!isMine) return false
        try {
          await work(lost.signal)
        } finally {
          await ask(client, 'pg_advisory_unlock', name).catch(() => hangUp(client))
        }
        return true
      } finally {
        held.delete(name)
      }
    },
    async close() {
      const client = await connected?.catch(() => undefined)
      if (client) hangUp(client)
    },
  }
}
