import pg from 'pg'
import { hangUp, KEEP_ALIVE, PATIENCE } from './connect.ts'
import { translatePgError } from './problem.ts'

/** Milliseconds between two checks of the connection, which holds the locks. */
const HEARTBEAT_MS = 5_000

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
    const client = new pg.Client({
      connectionString: connection,
      application_name: `${appName} locks`,
      ...KEEP_ALIVE,
      connectionTimeoutMillis: PATIENCE.connection,
      query_timeout: PATIENCE.statement,
    })
    client.on('error', () => undefined)
    await client.connect()
    const heartbeat = setInterval(() => {
      client.query('select 1').catch(() => hangUp(client))
    }, HEARTBEAT_MS)
    client.once('end', () => {
      clearInterval(heartbeat)
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
