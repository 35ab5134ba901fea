import type pg from 'pg'
import type { AppContext } from '../app-context.ts'
import type { Findings } from './checks.ts'

/** What is verified, and with which parts. */
export interface Scope {
  ctx: Pick<AppContext, 'db' | 'objects' | 'keys' | 'now' | 'log'>
  /** A connection of one's own. */
  session: Session
  /** Another one, which holds the list of objects while it is compared. */
  listing: Session
  findings: Findings
  checked: Checked
  /** Epoch seconds: only payloads that changed since; null: all. */
  since: number | null
  signal?: AbortSignal | undefined
}

/** How much was looked at. */
export interface Checked {
  clients: number
  payloads: number
  /** In the store, whatever belongs to them. */
  objects: number
  /** Objects opened, and bytes as they lie in the store. */
  opened: number
  opened_bytes: number
  /** Keys that no row names, for more than eight days; absent: not everything was looked at. */
  keys_unnamed?: number
}

export interface Client {
  client_id: number
  client: string
}

export interface Session {
  query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>
}

/** A session that sees one tenant after the other; statements may take as long as the archive needs. */
export function sessionOf(connection: pg.ClientBase): Session {
  let last: Promise<unknown> = Promise.resolve()
  return {
    // One after another, however many ask at a time.
    query<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
      const result = last.then(() => connection.query(text, [...values])).then(({ rows }) => rows as Row[])
      last = result.catch(() => undefined)
      return result
    },
  }
}

/** What follows concerns this client, also where row-level security is forced on the owner. */
export async function enter(session: Session, { client_id }: Client): Promise<void> {
  await session.query(`select set_config('custodia.client_id', $1, false)`, [String(client_id)])
}
