import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import type { Archive } from './archive.ts'
import { CLIENT } from './fill.ts'
import type { Options } from './options.ts'
import { fetchBytes, load } from './load.ts'
import { addPeople, PEOPLE } from './people.ts'
import type { Line } from './report.ts'
import { pidsOf, type Running, signIn, startProgram, sharedServer } from './server.ts'

const BASELINE = fileURLToPath(new URL('./fleet-baseline.ts', import.meta.url))
const BASE = `/admin/v1/api/${CLIENT}`

/** Paths of the server and of the floor; `part` is the part of the response that must be the same. */
const CASES = [
  { name: 'devices', path: '/devices', part: 'data' },
  { name: 'devices, total', path: '/devices?type=total', part: 'total' },
  { name: 'devices, by number', path: '/devices?number=44977', part: 'data' },
  { name: 'device users', path: '/users', part: 'data' },
  { name: 'device users, total', path: '/users?type=total', part: 'total' },
  { name: 'dashboard', path: '/dashboard', part: 'devices' },
] as const

/** First pages and totals of devices and device users, and the counts of the dashboard, compared with a bare handler with the same statements. */
export async function measureFleet(
  archive: Archive,
  options: Options,
  say: (step: string) => void,
): Promise<Line[]> {
  const actions = ['users:list', 'devices:list', 'dashboard:read']
  const roles = await addPeople(archive, 'Account Administrator', actions)
  const ours = await sharedServer(archive, options.server)
  const baseline = await startProgram(BASELINE, {
    DATABASE_URL: archive.connection,
    CLIENT_ID: String(archive.client_id),
  })
  try {
    const cases = PEOPLE.flatMap((person) => CASES.map((each) => ({ ...each, person })))
    const lines: Line[] = cases.map(({ name, person }) => ({ name, note: person, pairs: [] }))
    for (let round = 1; round <= options.rounds; round++) {
      say(`Round ${round} of ${options.rounds} …`)
      for (const [i, { path, part, person }] of cases.entries()) {
        const headers = await signIn(ours, person)
        const side = (running: Running, asked: string, application: string) => {
          const target = { port: running.port, path: () => asked, headers }
          return {
            read: async () =>
              (JSON.parse((await fetchBytes(target)).toString()) as Record<string, unknown>)[part],
            run: () =>
              load(
                { ...target, pids: () => pidsOf(archive, running, application) },
                options.clients,
                options.milliseconds,
              ),
          }
        }
        const subject = side(ours, `${BASE}${path}`, 'custodia')
        const role = new URLSearchParams({ role: roles[person] })
        const bare = side(baseline, `${path}${path.includes('?') ? '&' : '?'}${role}`, 'fleet-floor')
        assert.deepEqual(await subject.read(), await bare.read(), 'both sides must answer the same')
        // The second side finds warm caches: the sides alternate.
        const early = round % 2 === 0 ? await subject.run() : undefined
        const other = await bare.run()
        lines[i]?.pairs.push({ subject: early ?? (await subject.run()), floor: other })
      }
    }
    return lines
  } finally {
    await Promise.all([ours.stop(), baseline.stop()])
  }
}
