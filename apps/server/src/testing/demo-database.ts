import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pino } from 'pino'
import { makeActivityPartitions } from '../activities/jobs.ts'
import { readConfig } from '../config.ts'
import { DEMO_CLIENTS } from '../demo/people.ts'
import { seedDemo } from '../demo/seed.ts'
import { createContext } from '../create-context.ts'
import { DEMO_CAST } from '../ports/identity/people.ts'
import { startServer } from '../serve.ts'
import { removeFolder } from './daemon.ts'
import { copiedDatabase, type Filling } from './database.ts'
import { FAST_DATABASE } from './unlimited.ts'

/** Files that belong to a database, by their path within the data folder, in base64. */
type Files = Record<string, string>

/**
 * The demo as a server leaves it that has just been started: clients, people, job queue, signing keys, partitions of the logs. Made
 * once for all tests, since the passwords and key pairs alone cost two seconds.
 */
const DEMO: Filling = {
  name: JSON.stringify([DEMO_CLIENTS, DEMO_CAST]),
  async fill(connection) {
    await using made = new AsyncDisposableStack()
    const dataDir = await mkdtemp(join(tmpdir(), 'custodia-demo-'))
    made.defer(() => removeFolder(dataDir))
    const config = readConfig({
      CUSTODIA_DATA: dataDir,
      DATABASE_URL: connection,
      LOG_LEVEL: 'fatal',
      PORT: '0',
      ...FAST_DATABASE,
    })
    const { ctx, queue, close } = await createContext(
      config,
      pino({ level: config.logLevel }),
      () => undefined,
    )
    made.defer(close)
    const server = await startServer(ctx, queue, join(dataDir, 'no-portal'))
    made.defer(() => server.close())
    await seedDemo(ctx)
    await makeActivityPartitions.run(ctx, {}, new AbortController().signal)
    return JSON.stringify({ ...(await filesIn(dataDir, 'keys')), ...(await filesIn(dataDir, 'demo')) })
  },
}

/** A database of one's own with the demo in it; the keys and enrolments that it was made with are put into `dataDir`. */
export async function demoDatabase(dataDir: string): Promise<{ connection: string; drop(): Promise<void> }> {
  const { note, ...database } = await copiedDatabase(DEMO)
  for (const [path, content] of Object.entries(JSON.parse(note) as Files)) {
    await mkdir(dirname(join(dataDir, path)), { recursive: true, mode: 0o700 })
    await writeFile(join(dataDir, path), content, { encoding: 'base64', mode: 0o600 })
  }
  return database
}

async function filesIn(folder: string, under: string): Promise<Files> {
  const files: Files = {}
  for (const entry of await readdir(join(folder, under), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    files[path.slice(folder.length + 1)] = await readFile(path, 'base64')
  }
  return files
}
