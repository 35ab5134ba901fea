import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import { measureRights } from './access-rights.ts'
import { addVisitor, type Archive } from './archive.ts'
import { CLIENT } from './fill.ts'
import { fillAccess, RESTRICTED_ROLE } from './fill-access.ts'
import type { Options } from './options.ts'
import { fetchBytes, load } from './load.ts'
import type { Line } from './report.ts'
import { pidsOf, type Running, signIn, startProgram, sharedServer } from './server.ts'

const BASELINE = fileURLToPath(new URL('./access-baseline.ts', import.meta.url))
const BASE = `/admin/v1/api/${CLIENT}`

/** Addresses of the server and of the floor, and the person who requests them. */
const CASES = [
  { name: 'groups, all', person: 'administrator', path: '/groups', floor: '/groups' },
  { name: 'groups, a quarter of them', person: 'quarter', path: '/groups', floor: '/groups?restricted' },
  {
    name: 'groups, searched',
    person: 'administrator',
    path: '/groups?search=99',
    floor: '/groups?search=99',
  },
  { name: 'roles', person: 'administrator', path: '/roles?is_system=false', floor: '/roles' },
] as const

/** Long lists of groups and roles: authorised by the server, compared with the lists alone. */
export async function measureAccess(
  archive: Archive,
  options: Options,
  say: (step: string) => void,
): Promise<Line[]> {
  await fillAccess(archive.owner, archive.client_id, options.access_roles)
  await addVisitor(archive, 'administrator', 'Account Administrator')
  await addVisitor(archive, 'quarter', RESTRICTED_ROLE)
  const ours = await sharedServer(archive, options.server)
  const baseline = await startProgram(BASELINE, {
    DATABASE_URL: archive.connection,
    CLIENT_ID: String(archive.client_id),
  })
  try {
    const lines: Line[] = CASES.map(({ name, person }) => ({ name, note: person, pairs: [] }))
    for (let round = 1; round <= options.rounds; round++) {
      say(`Round ${round} of ${options.rounds} …`)
      for (const [i, each] of CASES.entries()) {
        const headers = await signIn(ours, each.person)
        const side = (running: Running, path: string, application: string) => {
          const target = { port: running.port, path: () => path, headers }
          return {
            read: async () => (JSON.parse((await fetchBytes(target)).toString()) as { data: unknown[] }).data,
            run: () =>
              load(
                { ...target, pids: () => pidsOf(archive, running, application) },
                options.clients,
                options.milliseconds,
              ),
          }
        }
        const sides = {
          subject: side(ours, `${BASE}${each.path}`, 'custodia'),
          floor: side(baseline, each.floor, 'access-floor'),
        }
        assert.deepEqual(
          await sides.subject.read(),
          await sides.floor.read(),
          'both sides must answer the same',
        )
        // The second side finds warm caches: the sides alternate.
        const early = round % 2 === 0 ? await sides.subject.run() : undefined
        const other = await sides.floor.run()
        lines[i]?.pairs.push({ subject: early ?? (await sides.subject.run()), floor: other })
      }
    }
    return [...lines, ...(await measureRights(archive, options))]
  } finally {
    await Promise.all([ours.stop(), baseline.stop()])
  }
}
