import { measureAccess } from './access.ts'
import { type Archive, makeArchive } from './archive.ts'
import { measureAudit } from './audit.ts'
import { type BenchContext, UNTIL } from './bench.ts'
import { measureContacts } from './contacts.ts'
import type { Fill } from './fill.ts'
import { measureFleet } from './fleet.ts'
import { measureIngest } from './ingest.ts'
import { measureLists } from './lists.ts'
import { measureMap } from './map.ts'
import type { BenchName } from './names.ts'
import type { Options } from './options.ts'
import { measurePortal } from './portal.ts'
import { measureRange } from './range.ts'
import { type Line, report } from './report.ts'
import { measureReportIngest } from './report-ingest.ts'
import { measureReports } from './reports.ts'
import { measureRetention } from './retention.ts'
import { measureReview } from './review.ts'
import { measureTransfers } from './transfers.ts'
import { shared } from './shared.ts'
import { measureVerify } from './verify.ts'
import { measureWords } from './words.ts'

interface Bench {
  /** Sentences of `--help`. */
  summary: string
  run(context: BenchContext): Promise<void>
}

type Shape = Omit<Fill, 'until'>
const shapeOf = ({ rows, groups, devices }: Options): Shape => ({ rows, groups, devices })

export const BENCHES: Readonly<Record<BenchName, Bench>> = {
  lists: {
    summary: 'Pages and totals of payloads, compared with the same SQL in a bare node:http handler.',
    run: compare('Lists', shapeOf, measureLists),
  },
  contacts: {
    summary: 'The facts of a phone number, compared with the first page of its list.',
    run: compare('Numbers', shapeOf, measureContacts),
  },
  range: {
    summary: 'Range reads of sealed data, compared with reads of a plain file by the same server.',
    run: compare('Range reads', shapeOf, measureRange),
  },
  words: {
    summary: 'Searches for words of messages, compared with the plain list, and the CPU to index a message.',
    run: (context) =>
      inArchive(
        { ...shapeOf(context.options), isMessages: context.options.only_messages || undefined },
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
    run: compare('Audit', smallShapeOf, measureAudit),
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
    run: (context) => inArchive(shapeOf(context.options), context, measureVerify, true),
  },
  retention: {
    summary: 'The deletion of all payloads, compared with a schema that indexes states; requests meanwhile.',
    run: measureRetention,
  },
  ingest: {
    summary: '64 devices that send small messages, compared with the same bytes hashed, synced and inserted.',
    run: async ({ options, facts, file, say }) =>
      report('Ingest', await measureIngest(options, say), facts, file),
  },
  'report-ingest': {
    summary: 'Recordings at a steady pace: alone, and with 2,200 positions and telemetry reports a second.',
    run: measureReportIngest,
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
function smallShapeOf({ few_rows, few_groups, few_devices }: Options): Shape {
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
