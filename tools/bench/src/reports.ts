import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import { api, type Api, type EndpointName, fullPath } from '@custodia/contract'
import { fillReports } from './fill-reports.ts'
import { addProvider, addRole, type Archive, CLIENT } from './fill.ts'
import { addPeople, PEOPLE } from './lists.ts'
import { type Options, UNTIL } from './options.ts'
import type { Line } from './report.ts'
import { compareCases, startProgram, sharedServer } from './server.ts'

const DEVICE = 'device-17'
const PERSON = 'person-17'

/** A call that an action permits. */
type Call = { [N in EndpointName]: Api[N] extends { action: string } ? N : never }[EndpointName]

/** A first page. */
export interface ReportCase {
  name: string
  call: Call
  params?: Record<string, string>
  query?: Record<string, string>
  /** A list of the provider, not of the client. */
  isProvider?: true
}

/** First pages of device reports and commands. */
export const REPORT_CASES: readonly ReportCase[] = [
  { name: 'device logs', call: 'listDeviceLogs' },
  { name: 'device logs, errors', call: 'listDeviceLogs', query: { 'levels[0]': 'ERROR' } },
  { name: 'device logs, information', call: 'listDeviceLogs', query: { 'levels[0]': 'INFO' } },
  { name: 'device logs, one class', call: 'listDeviceLogs', query: { log_class: 'Uploader' } },
  ofDevice('logs of a device', 'listLogsOfDevice'),
  ofPerson('logs of a person', 'listLogsOfUser'),
  { name: 'commands', call: 'listCommands' },
  {
    name: 'commands, not done',
    call: 'listCommands',
    query: { 'states[0]': 'Sent', 'states[1]': 'Acknowledged' },
  },
  ofDevice('commands of a device', 'listCommandsOfDevice'),
  { name: 'telemetry', call: 'listTelemetry' },
  { name: 'telemetry, newest of each', call: 'listTelemetry', query: { latest: 'true' } },
  {
    name: 'telemetry, low battery',
    call: 'listTelemetry',
    query: { latest: 'true', 'concerns[0]': 'low_battery' },
  },
  ofDevice('telemetry of a device', 'listTelemetryOfDevice'),
  { name: 'telemetry of all clients', call: 'listTelemetryOfClients', isProvider: true },
  {
    name: 'telemetry of a client',
    call: 'listTelemetryOfClient',
    params: { client: 'bench' },
    isProvider: true,
  },
  { name: 'last positions', call: 'listLastPositions' },
  ofDevice('positions of a device', 'listGpsOfDevice'),
  ofPerson('positions of a person', 'listGpsOfUser'),
  ...['Daily', 'Monthly', 'Summary'].map((scope): ReportCase => ({
    name: `metrics, ${scope}`,
    call: 'listMetrics',
    params: { scope },
  })),
  {
    name: 'metrics, Summary by period',
    call: 'countMetrics',
    params: { scope: 'Summary', subject: 'periods' },
  },
  { name: 'capture gaps', call: 'listCaptureGaps' },
  { name: 'capture gaps, open', call: 'listCaptureGaps', query: { is_open: 'true' } },
  ofPerson('capture gaps of a person', 'listCaptureGapsOfUser'),
  { name: 'device activities', call: 'listDeviceActivities' },
]

function ofDevice(name: string, call: Call): ReportCase {
  return { name, call, params: { device_reference: DEVICE } }
}

function ofPerson(name: string, call: Call): ReportCase {
  return { name, call, params: { device_user_reference: PERSON } }
}

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
  say('Filling reports …')
  await fillAll(archive, options)
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
    const cases = REPORT_CASES.flatMap((each) =>
      getPeople(each).map((person) => ({
        name: each.name,
        person,
        client: each.isProvider ? PROVIDER : CLIENT,
        path: getPath(each),
        floor: {
          running: each.isProvider ? staffLevel : baseline,
          path: `/?${new URLSearchParams({ case: each.name, role: roles[person] ?? '' })}`,
          application: 'report-floor',
        },
        read: (answer: Buffer) => referencesIn(each.name, answer),
      })),
    )
    return await compareCases(archive, options, say, ours, cases)
  } finally {
    await Promise.all([ours.stop(), baseline.stop(), staffLevel.stop()])
  }
}

async function fillAll(archive: Archive, { groups, reporting_devices: devices }: Options): Promise<void> {
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
}

/** For the lists of one device or user it does not matter how many groups the person sees. */
function getPeople({ isProvider, params }: ReportCase): readonly string[] {
  if (isProvider) return [STAFF]
  return params && ('device_reference' in params || 'device_user_reference' in params)
    ? ['unrestricted']
    : PEOPLE
}

function getPath({ call, params, query }: ReportCase): string {
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
