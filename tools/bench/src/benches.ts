import { fileURLToPath } from 'node:url'
import { fillAccess, measureRights, RESTRICTED_ROLE } from './access-rights.ts'
import { measureAudit } from './audit.ts'
import { measureContacts } from './contacts.ts'
import { addVisitor, type Archive, CLIENT, type Fill, makeArchive } from './fill.ts'
import { measureFilters } from './filters.ts'
import { measureGrowth } from './growth.ts'
import { measureIngest } from './ingest.ts'
import { addPeople, measureLists, PEOPLE } from './lists.ts'
import { measureMap } from './map.ts'
import { type BenchContext, type Options, UNTIL } from './options.ts'
import { measurePortal } from './portal.ts'
import { measureRange } from './range.ts'
import { measureReportIngest } from './report-ingest.ts'
import { type Line, report } from './report.ts'
import { measureReports } from './reports.ts'
import { measureRetention } from './retention.ts'
import { measureReview } from './review.ts'
import { measureSealing } from './sealing.ts'
import { compareCases, shared, sharedServer, startProgram } from './server.ts'
import { measureTransfers } from './transfers.ts'
import { measureVerify } from './verify.ts'
import { measureWords } from './words.ts'

/** All benches, in the order in which they run. */
export const BENCH_NAMES = [
  'lists',
  'filters',
  'contacts',
  'range',
  'words',
  'access',
  'fleet',
  'audit',
  'reports',
  'verify',
  'retention',
  'growth',
  'ingest',
  'report-ingest',
  'sealing',
  'portal',
  'review',
  'map',
  'transfers',
] as const

export type BenchName = (typeof BENCH_NAMES)[number]

const ACCESS_BASELINE = fileURLToPath(new URL('./access-baseline.ts', import.meta.url))
const ACCESS_BASE = `/admin/v1/api/${CLIENT}`

/** Addresses of the server and of the floor, and the person who requests them. */
const ACCESS_CASES = [
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
async function measureAccess(
  archive: Archive,
  options: Options,
  say: (step: string) => void,
): Promise<Line[]> {
  await fillAccess(archive.owner, archive.client_id, options.access_roles)
  await addVisitor(archive, 'administrator', 'Account Administrator')
  await addVisitor(archive, 'quarter', RESTRICTED_ROLE)
  const ours = await sharedServer(archive, options.server)
  const baseline = await startProgram(ACCESS_BASELINE, {
    DATABASE_URL: archive.connection,
    CLIENT_ID: String(archive.client_id),
  })
  try {
    const cases = ACCESS_CASES.map(({ floor, path, ...each }) => ({
      ...each,
      path: `${ACCESS_BASE}${path}`,
      floor: { running: baseline, path: floor, application: 'access-floor' },
      read: (answer: Buffer) => (JSON.parse(answer.toString()) as { data: unknown[] }).data,
    }))
    const lines = await compareCases(archive, options, say, ours, cases)
    return [...lines, ...(await measureRights(archive, options))]
  } finally {
    await Promise.all([ours.stop(), baseline.stop()])
  }
}

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
async function measureFleet(
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
    const cases = PEOPLE.flatMap((person) =>
      CASES.map(({ name, path, part }) => {
        const role = new URLSearchParams({ role: roles[person] })
        const bare = `${path}${path.includes('?') ? '&' : '?'}${role}`
        return {
          name,
          person,
          path: `${BASE}${path}`,
          floor: { running: baseline, path: bare, application: 'fleet-floor' },
          read: (answer: Buffer) => (JSON.parse(answer.toString()) as Record<string, unknown>)[part],
        }
      }),
    )
    return await compareCases(archive, options, say, ours, cases)
  } finally {
    await Promise.all([ours.stop(), baseline.stop()])
  }
}

interface Bench {
  /** Sentences of `--help`. */
  summary: string
  run(context: BenchContext): Promise<void>
}

type Shape = Omit<Fill, 'until'>
const getShape = ({ rows, groups, devices }: Options): Shape => ({ rows, groups, devices })

export const BENCHES: Readonly<Record<BenchName, Bench>> = {
  lists: {
    summary: 'Pages and totals of payloads, compared with the same SQL in a bare node:http handler.',
    run: compare('Lists', getShape, measureLists),
  },
  filters: {
    summary: 'First pages of rare filters, totals, and metrics of some groups, compared with the plain page.',
    run: compare('Filters', getShape, measureFilters),
  },
  contacts: {
    summary: 'The facts of a phone number, compared with the first page of its list.',
    run: compare('Numbers', getShape, measureContacts),
  },
  range: {
    summary: 'Range reads of sealed data, compared with reads of a plain file by the same server.',
    run: compare('Range reads', getShape, measureRange),
  },
  words: {
    summary: 'Searches for words of messages, compared with the plain list, and the CPU to index a message.',
    run: (context) =>
      inArchive(
        { ...getShape(context.options), isMessages: context.options.only_messages || undefined },
        context,
        measureWords,
      ),
  },
  access: {
    summary: 'Lists of 10,000 groups and 500 roles, compared with the lists without rights.',
    run: compare(
      'Access',
      ({ few_rows, access_groups, devices }) => ({ rows: few_rows, groups: access_groups, devices }),
      measureAccess,
    ),
  },
  fleet: {
    summary: 'Lists and totals of devices and device users, and the dashboard, compared with the same SQL.',
    run: compare(
      'Fleet',
      ({ few_rows, groups, fleet_devices, fleet_people }) => ({
        rows: few_rows,
        groups,
        devices: fleet_devices,
        people: fleet_people,
      }),
      measureFleet,
    ),
  },
  audit: {
    summary: 'The audit log with one row per play, compared with the plain list of as many entries.',
    run: compare('Audit', getSmallShape, measureAudit),
  },
  reports: {
    summary:
      'Lists of the logs, commands, telemetry and positions of 10,000 devices, compared with the same SQL.',
    run: compare(
      'Reports',
      // A device that is in use uploads ten recordings.
      ({ groups, reporting_devices: devices }) => ({ rows: devices * 10, groups, devices }),
      measureReports,
    ),
  },
  verify: {
    summary:
      'The check of an archive with a file for each payload, and of large objects, compared with the ciphers.',
    run: (context) => inArchive(getShape(context.options), context, measureVerify, true),
  },
  retention: {
    summary: 'The deletion of all payloads, compared with a schema that indexes states; requests meanwhile.',
    run: measureRetention,
  },
  growth: {
    summary: 'Calls in an archive of 100,000 and of a million payloads, compared with one of 10,000.',
    run: measureGrowth,
  },
  ingest: {
    summary: '64 devices that send small messages, compared with the same bytes hashed, synced and inserted.',
    run: async ({ options, facts, file, say }) => {
      const { lines, footprint } = await measureIngest(options, say)
      report('Ingest', lines, { ...facts, footprint }, file)
    },
  },
  'report-ingest': {
    summary: 'Recordings at a steady pace: alone, and with 2,200 positions and telemetry reports a second.',
    run: measureReportIngest,
  },
  sealing: {
    summary: 'Uploads at a steady pace, with and without the sealed log; delay and CPU of an entry.',
    run: measureSealing,
  },
  portal: {
    summary: 'First loads of pages on a slow machine and line, compared with static pages of as many bytes.',
    run: measurePortal,
  },
  review: {
    summary: 'Stepping from call to call, and scrolling photos: time to facts and sound, frames, memory.',
    run: measureReview,
  },
  map: {
    summary: 'The track of a device with 100,000 positions: frames while it is dragged, zoomed and replayed.',
    run: measureMap,
  },
  transfers: {
    summary:
      'Deliveries by SFTP, to S3 and with OpenPGP, compared with sftp, curl and gpg; memory of a large item.',
    run: measureTransfers,
  },
}

/** The shape of an archive in which payloads do not matter. */
function getSmallShape({ few_rows, few_groups, few_devices }: Options): Shape {
  return { rows: few_rows, groups: few_groups, devices: few_devices }
}

/** Measures in an archive of this shape, and reports the lines. */
function compare(
  title: string,
  shape: (options: Options) => Shape,
  measure: (archive: Archive, options: Options, say: BenchContext['say']) => Promise<Line[]>,
): Bench['run'] {
  return (context) =>
    inArchive(shape(context.options), context, async (archive, { options, facts, file, say }) =>
      report(title, await measure(archive, options, say), facts, file),
    )
}

async function inArchive(
  shape: Shape,
  context: BenchContext,
  work: (archive: Archive, context: BenchContext) => Promise<void>,
  isAltered = false,
): Promise<void> {
  const make = () => makeArchive({ ...shape, until: UNTIL }, context.say)
  const archive = await (isAltered ? make() : shared('archive', make))
  await work(archive, context).finally(() => archive.stop())
}
