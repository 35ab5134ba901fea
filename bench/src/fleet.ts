import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../apps/server/src/testing/daemon.ts'
import { CLIENT } from './fill.ts'
import { addVisitor, type Archive, pidsOf, type Running, signIn, startProgram, startServer } from './house.ts'
import type { ListOptions } from './lists.ts'
import { fetchBytes, load } from './load.ts'
import type { Line } from './report.ts'

const FLOOR = fileURLToPath(new URL('./fleet-floor.ts', import.meta.url))
const BASE = `/admin/v1/api/${CLIENT}`
const CONNECTIONS = 8
const USER = 'administrator'

/** Asked of the server and of the floor; `part` is what both must say alike. */
const CASES = [
  { name: 'devices', path: '/devices', part: 'data' },
  { name: 'device users', path: '/users', part: 'data' },
  { name: 'dashboard', path: '/dashboard', part: 'devices' },
] as const

/** First pages of devices and device users, and the counts of the dashboard, beside a bare handler with the same statements. */
export async function measureFleet(
  archive: Archive,
  options: ListOptions,
  say: (step: string) => void,
): Promise<Line[]> {
  await addVisitor(archive, USER, 'Account Administrator')
  const ours = await startServer(archive, options.server)
  const floor = await startProgram(FLOOR, await freePort(), {
    DATABASE_URL: archive.connection,
    CLIENT_ID: String(archive.client_id),
  })
  try {
    const headers = await signIn(ours, USER)
    const lines: Line[] = CASES.map(({ name }) => ({ name, note: '', pairs: [] }))
    for (let round = 1; round <= options.rounds; round++) {
      say(`Round ${round} of ${options.rounds} …`)
      for (const [i, { path, part }] of CASES.entries()) {
        const side = (running: Running, asked: string, application: string) => {
          const target = { port: running.port, path: () => asked, headers }
          return {
            read: async () =>
              (JSON.parse((await fetchBytes(target)).toString()) as Record<string, unknown>)[part],
            run: () =>
              load(
                { ...target, pids: () => pidsOf(archive, running, application) },
                CONNECTIONS,
                options.milliseconds,
              ),
          }
        }
        const subject = side(ours, `${BASE}${path}`, 'custodia')
        const beside = side(floor, path, 'fleet-floor')
        assert.deepEqual(await subject.read(), await beside.read(), 'both sides must answer the same')
        // Whoever comes second finds everything warmer: turn about.
        const early = round % 2 === 0 ? await subject.run() : undefined
        const other = await beside.run()
        lines[i]?.pairs.push({ subject: early ?? (await subject.run()), floor: other })
      }
    }
    return lines
  } finally {
    await Promise.all([ours.stop(), floor.stop()])
  }
}
