import type { Api, EndpointName } from '@custodia/contract'

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
  {
    name: 'device logs, errors',
    call: 'listDeviceLogs',
    query: { 'levels[0]': 'ERROR' },
  },
  {
    name: 'device logs, information',
    call: 'listDeviceLogs',
    query: { 'levels[0]': 'INFO' },
  },
  {
    name: 'device logs, one class',
    call: 'listDeviceLogs',
    query: { log_class: 'Uploader' },
  },
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
  {
    name: 'telemetry of all clients',
    call: 'listTelemetryOfClients',
    isProvider: true,
  },
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
