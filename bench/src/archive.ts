import { randomBytes, scryptSync } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { startEmbedded } from '../../apps/server/src/ports/database/embedded.ts'
import { connectedOwner, copiedDatabase } from '../../apps/server/src/testing/database.ts'
import { addPerson, bypassChecks, fill, type Fill } from './fill.ts'

/** Password of all people that `addVisitor` adds. */
export const PASSWORD = 'bench-password'

/** A filled database, and a folder for the keys and objects of the server. */
export interface Archive {
  folder: string
  connection: string
  owner: pg.Client
  client_id: number
  stop(): Promise<void>
}

/** Starts PostgreSQL with the settings of an installation, which the tests' own server lacks, for all databases of this process. */
export async function startPostgres(): Promise<() => Promise<void>> {
  const folder = makeFolder()
  const server = await startEmbedded({ dataDir: join(folder, 'postgres'), log: () => undefined })
  process.env.TEST_DATABASE_URL = server.url
  return async () => {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A temporary folder that the user of PostgreSQL can enter. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'custodia-bench-'))
  chmodSync(folder, 0o711)
  return folder
}

/** Fills a database once per shape. Every caller gets a copy of its own. */
export async function makeArchive(shape: Fill, say: (step: string) => void): Promise<Archive> {
  const { connection, note, drop } = await copiedDatabase({
    name: `bench ${JSON.stringify(shape)}`,
    async fill(empty) {
      say(`Filling ${shape.rows} payloads …`)
      const started = performance.now()
      const owner = await connectedOwner(empty)
      const client_id = await fill(owner, shape).finally(() => owner.end())
      say(`Filled in ${((performance.now() - started) / 1000).toFixed(0)} s.`)
      return String(client_id)
    },
  })
  const folder = makeFolder()
  const client_id = Number(note)
  const owner = await connectedOwner(connection)
  await bypassChecks(owner, client_id)
  // The copy is on the disk before anything is measured.
  await owner.query('checkpoint')
  return {
    folder,
    connection,
    owner,
    client_id,
    async stop() {
      await owner.end()
      await drop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Adds a person who can sign in with `signIn`. */
export async function addVisitor({ owner, client_id }: Archive, user: string, role: string): Promise<void> {
  await addPerson(owner, client_id, user, PASSWORD_HASH, role)
}

/** Adds the provider and an administrator of it, who can sign in with `signIn` too. */
export async function addProvider({ owner }: Archive, client: string, user: string): Promise<void> {
  const { rows } = await owner.query<{ client_id: number }>(
    `insert into clients (client, client_name, is_provider, account_key, created_at) values ($1, 'Provider', true, '', 0) returning client_id`,
    [client],
  )
  await addPerson(owner, rows[0]?.client_id ?? 0, user, PASSWORD_HASH, 'Provider Administrator', client)
}

/** As `ports/identity/passwords.ts` stores it, at the lowest cost: no bench measures sign-ins. */
const PASSWORD_HASH = cheapHash()

function cheapHash(): string {
  const [N, r, p, salt] = [2, 1, 1, randomBytes(16)]
  const hash = scryptSync(PASSWORD, salt, 32, { N, r, p })
  return ['scrypt', N, r, p, salt.toString('base64url'), hash.toString('base64url')].join('$')
}
