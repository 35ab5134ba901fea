import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import { api, fullPath } from '@custodia/contract'
import { addProvider, type Archive } from './archive.ts'
import { UNTIL } from './bench.ts'
import { addRole, CLIENT } from './fill.ts'
import { fillReports } from './fill-reports.ts'
import type { Options } from './options.ts'
import { fetchBytes, load } from './load.ts'
import { addPeople, PEOPLE } from './people.ts'
import type { Line } from './report.ts'
import { REPORT_CASES, type ReportCase } from './report-cases.ts'
import { pidsOf, type Running, signIn, startProgram, sharedServer } from './server.ts'

const BASELINE = fileURLToPath(new URL('./report-baseline.ts', import.meta.url))
const PROVIDER = 'admin'
const ACTIONS = [
  ...new Set(REPORT_CASES.flatMap(({ call, isProvider }) => (isProvider ? [] : api[call].action))),
]
const STAFF = 'staff'
const EVERYTHING = 'Everything'

/** First pages of device reports and commands, signed in, compared with a bare handler with the same statements. */
export async function measureReports(
  archive: Archive,
  options: Options,
  say: (step: string) => void,
): Promise<Line[]> {
  const { groups, reporting_devices: devices } = options
  say('Filling reports …')
  await fillReports(archive, {
    devices,
    groups,
    positions: devices * 100,
    logs: devices * 50,
    commands: devices * 10,
    gaps: devices * 5,
    activities: devices * 50,
    telemetry_every: 900,
    until: UNTIL,
  })
  await addRole(archive.owner, archive.client_id, EVERYTHING, 'all', ACTIONS)
  const roles: Record<string, string> = await addPeople(archive, EVERYTHING, ACTIONS)
  await addProvider(archive, PROVIDER, STAFF)
  const ours = await sharedServer(archive, options.server)
  const startBaseline = async (DATABASE_ROLE: string) =>
    startProgram(BASELINE, {
      DATABASE_URL: archive.connection,
      CLIENT_ID: String(archive.client_id),
      DATABASE_ROLE,
    })
  const baseline = await startBaseline('custodia_app')
  const staffLevel = await startBaseline('custodia_staff')
  try {
    const cases = REPORT_CASES.flatMap((each) => peopleOf(each).map((person) => ({ ...each, person })))
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
                options.clients,
                options.milliseconds,
              ),
          }
        }
        const subject = side(ours, pathOf(each), 'custodia')
        const bare = side(
          each.isProvider ? staffLevel : baseline,
          `/?${new URLSearchParams({ case: each.name, role: roles[each.person] ?? '' })}`,
          'report-floor',
        )
        assert.deepEqual(
          await subject.read(),
          await bare.read(),
          `both sides must answer the same: ${each.name}`,
        )
        // The second side finds warm caches: the sides alternate.
        const early = round % 2 === 0 ? await subject.run() : undefined
        const other = await bare.run()
        lines[i]?.pairs.push({ subject: early ?? (await subject.run()), floor: other })
      }
    }
    return lines
  } finally {
    await Promise.all([ours.stop(), baseline.stop(), staffLevel.stop()])
  }
}

/** For the lists of one device or user it does not matter how many groups the person sees. */
function peopleOf({ isProvider, params }: ReportCase): readonly string[] {
  if (isProvider) return [STAFF]
  return params && ('device_reference' in params || 'device_user_reference' in params)
    ? ['unrestricted']
    : PEOPLE
}

function pathOf({ call, params, query }: ReportCase): string {
  const named: Record<string, string> = { client: CLIENT, ...params }
  const path = fullPath(api[call]).replaceAll(/\{(\w+)\}/g, (_, name: string) => named[name] ?? '')
  return query ? `${path}?${new URLSearchParams(query)}` : path
}

/** Rows as both sides know them: the floor does not open positions. */
function referencesIn(name: string, bytes: Buffer): unknown[] {
  const { data } = JSON.parse(bytes.toString()) as { data: Record<string, unknown>[] }
  assert.ok(data.length > 0, `a page of ${name}`)
  return data.map((row) => row['gps_reference'] ?? row)
}
