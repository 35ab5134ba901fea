import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import { api, fullPath } from '@custodia/contract'
import { freePort } from '../../apps/server/src/testing/daemon.ts'
import { addRole, CLIENT } from './fill.ts'
import {
  addProvider,
  addVisitor,
  type Archive,
  pidsOf,
  type Running,
  signIn,
  startProgram,
  startServer,
} from './house.ts'
import type { ListOptions } from './lists.ts'
import { fetchBytes, load } from './load.ts'
import type { Line } from './report.ts'
import { REPORT_CASES, type ReportCase } from './report-cases.ts'

const FLOOR = fileURLToPath(new URL('./report-floor.ts', import.meta.url))
const PROVIDER = 'admin'
const CONNECTIONS = 8
const ACTIONS = [
  ...new Set(REPORT_CASES.flatMap(({ call, isProvider }) => (isProvider ? [] : api[call].action))),
]
/** One sees everything, one a fifth of the groups. */
const PEOPLE = ['everything', 'two-hundred-groups'] as const
const STAFF = 'staff'

/** First pages of what phones report and are told, signed in, beside a bare handler with the same statements. */
export async function measureReports(
  archive: Archive,
  options: ListOptions,
  say: (step: string) => void,
): Promise<Line[]> {
  const ids = await addPeople(archive)
  // No worker: it would end gaps and commands of phones that are not there.
  const ours = await startServer(archive, options.server, {}, ['api'])
  const startFloor = async (DATABASE_ROLE: string) =>
    startProgram(FLOOR, await freePort(), {
      DATABASE_URL: archive.connection,
      CLIENT_ID: String(archive.client_id),
      DATABASE_ROLE,
    })
  const floor = await startFloor('custodia_app')
  const staffFloor = await startFloor('custodia_staff')
  try {
    const cases = REPORT_CASES.flatMap((each) => whoAsks(each).map((person) => ({ ...each, person })))
    const lines: Line[] = cases.map(({ name, person }) => ({ name, note: person, pairs: [] }))
    for (let round = 1; round <= options.rounds; round++) {
      say(`Round ${round} of ${options.rounds} …`)
      for (const [i, each] of cases.entries()) {
        const headers = await signIn(ours, each.person, each.isProvider ? PROVIDER : CLIENT)
        const side = (running: Running, asked: string, application: string) => {
          const target = { port: running.port, path: () => asked, headers }
          return {
            read: async () => referencesIn(each.name, await fetchBytes(target)),
            run: () =>
              load(
                { ...target, pids: () => pidsOf(archive, running, application) },
                CONNECTIONS,
                options.milliseconds,
              ),
          }
        }
        const subject = side(ours, pathOf(each), 'custodia')
        const reach: Record<string, string> =
          each.person === 'two-hundred-groups' ? { ids: ids.join('.') } : {}
        const beside = side(
          each.isProvider ? staffFloor : floor,
          `/?${new URLSearchParams({ case: each.name, ...reach })}`,
          'report-floor',
        )
        assert.deepEqual(
          await subject.read(),
          await beside.read(),
          `both sides must answer the same: ${each.name}`,
        )
        // Whoever comes second finds everything warmer: turn about.
        const early = round % 2 === 0 ? await subject.run() : undefined
        const other = await beside.run()
        lines[i]?.pairs.push({ subject: early ?? (await subject.run()), floor: other })
      }
    }
    return lines
  } finally {
    await Promise.all([ours.stop(), floor.stop(), staffFloor.stop()])
  }
}

/** How many groups somebody sees does not matter for what is of one phone or person. */
function whoAsks({ isProvider, params }: ReportCase): readonly string[] {
  if (isProvider) return [STAFF]
  return params && ('device_reference' in params || 'device_user_reference' in params)
    ? ['everything']
    : PEOPLE
}

function pathOf({ call, params, query }: ReportCase): string {
  const named: Record<string, string> = { client: CLIENT, ...params }
  const path = fullPath(api[call]).replaceAll(/\{(\w+)\}/g, (_, name: string) => named[name] ?? '')
  return query ? `${path}?${new URLSearchParams(query)}` : path
}

/** Rows as both sides know them: positions are opened by one side alone. */
function referencesIn(name: string, bytes: Buffer): unknown[] {
  const { data } = JSON.parse(bytes.toString()) as { data: Record<string, unknown>[] }
  assert.ok(data.length > 0, `a page of ${name}`)
  return data.map((row) => row['gps_reference'] ?? row)
}

/** Resolves to the groups of the one who sees a fifth of them. */
async function addPeople(archive: Archive): Promise<number[]> {
  const { owner, client_id } = archive
  const { rows } = await owner.query<{ group_id: number }>(
    'select group_id from groups where group_id % 5 = 2 order by group_reference',
  )
  const fifth = rows.map((row) => row.group_id)
  await addRole(owner, client_id, 'Everything', 'all', ACTIONS)
  await addRole(owner, client_id, 'Fifth', fifth, ACTIONS)
  await addVisitor(archive, 'everything', 'Everything')
  await addVisitor(archive, 'two-hundred-groups', 'Fifth')
  await addProvider(archive, PROVIDER, STAFF)
  return fifth
}
