import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../apps/server/src/testing/daemon.ts'
import { addRole, CLIENT } from './fill.ts'
import { addVisitor, type Archive, pidsOf, type Running, signIn, startProgram, startServer } from './house.ts'
import type { ListOptions } from './lists.ts'
import { fetchBytes, load } from './load.ts'
import type { Line } from './report.ts'

const FLOOR = fileURLToPath(new URL('./fleet-floor.ts', import.meta.url))
const BASE = `/admin/v1/api/${CLIENT}`
/** One sees everything, one a fifth of the groups. */
const PEOPLE = ['administrator', 'two-hundred-groups'] as const

/** Asked of the server and of the floor; `part` is what both must say alike. */
const CASES = [
  { name: 'devices', path: '/devices', part: 'data' },
  { name: 'devices, total', path: '/devices?type=total', part: 'total' },
  { name: 'devices, by number', path: '/devices?number=44977', part: 'data' },
  { name: 'device users', path: '/users', part: 'data' },
  { name: 'device users, total', path: '/users?type=total', part: 'total' },
  { name: 'dashboard', path: '/dashboard', part: 'devices' },
] as const

/** First pages and totals of devices and device users, and the counts of the dashboard, beside a bare handler with the same statements. */
export async function measureFleet(
  archive: Archive,
  options: ListOptions,
  say: (step: string) => void,
): Promise<Line[]> {
  const ids = await addPeople(archive)
  const ours = await startServer(archive, options.server)
  const floor = await startProgram(FLOOR, await freePort(), {
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
        const reach =
          person === 'administrator' ? '' : `${path.includes('?') ? '&' : '?'}ids=${ids.join('.')}`
        const beside = side(floor, `${path}${reach}`, 'fleet-floor')
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

/** Resolves to the groups of the one who sees a fifth of them, large and silent ones among them. */
async function addPeople(archive: Archive): Promise<number[]> {
  const { owner, client_id } = archive
  const { rows } = await owner.query<{ group_id: number }>(
    'select group_id from groups where group_id % 5 = 3 order by group_reference',
  )
  const fifth = rows.map((row) => row.group_id)
  await addRole(owner, client_id, 'Fifth', fifth, ['users:list', 'devices:list', 'dashboard:read'])
  await addVisitor(archive, 'administrator', 'Account Administrator')
  await addVisitor(archive, 'two-hundred-groups', 'Fifth')
  return fifth
}
