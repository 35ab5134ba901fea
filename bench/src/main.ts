import { mkdirSync } from 'node:fs'
import { availableParallelism, cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { measureAccess } from './access.ts'
import { GROUPS } from './access-world.ts'
import { measureAudit } from './audit.ts'
import { measureContacts } from './contacts.ts'
import { fillReports } from './fill-reports.ts'
import { makeArchive } from './house.ts'
import { measureFleet } from './fleet.ts'
import { measureIngest } from './ingest.ts'
import { measureLists } from './lists.ts'
import { measureMap } from './map.ts'
import { measurePortal, reportPortal } from './portal.ts'
import { measureRange } from './range.ts'
import { report } from './report.ts'
import { measureReportIngest } from './report-ingest.ts'
import { measureReports } from './reports.ts'
import { measureRetention } from './retention.ts'
import { measureReview } from './review.ts'
import { measureTransfers } from './transfers.ts'
import { measureVerify } from './verify.ts'
import { measureWords } from './words.ts'

const HELP = `npm run bench [-- <what> …] [-- --rows 1000000 --rounds 5 --seconds 2 --clients 8 --out bench/results]

  lists   pages and totals of payloads, signed in, beside the same SQL in a bare node:http handler
  contacts  what is told of a number, beside the first page of its list
  range   Range reads of sealed data beside the same reads of a plain file, through the same server
  words   searches for words of as many sealed messages beside the plain list of them, and what it costs to index one
  access  lists of groups and roles, with 10,000 groups and 500 roles, beside the list without rights
  fleet   first pages and totals of devices and device users, and the dashboard, with so many of each (or --devices 10000 --people 20000),
          beside the same SQL in a bare handler
  audit   the log of people as the portal shows it, one row per play, beside the plain list of as many entries
  ingest  64 phones that send small messages: acknowledged and processed, beside the same bytes hashed, synced and inserted;
          with --server=<folder of another checkout> both builds by turns
  reports first pages of logs, commands, telemetry, positions, metrics, gaps and activities of 10,000 phones, beside the same SQL in a bare
          handler
  report-ingest  payloads at a steady pace, alone and beside 2,200 positions and reports of telemetry a second
  portal  first loads of sign-in, dashboard, list and call on a slow machine and line, beside static pages of as many bytes;
          with --server=<folder of another checkout> those of another build
  review  keys from call to call (--items 500), and the grid of photos (--photos 1000): facts, first sound, frames, memory
  map     the way of a phone with 100,000 positions: frames while it is dragged, brought nearer and replayed
  transfers  deliveries by SFTP beside OpenSSH's own sftp, to S3 beside curl, OpenPGP beside gpg, and what memory a large item takes
  verify  the check of an archive of so many payloads, each with its file, and of large objects opened, beside the ciphers alone
Without names, all. Results are printed and written as JSON.`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rows: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    /** Of lists, access and fleet. */
    clients: { type: 'string', default: '8' },
    /** Of the fleet; as many as rows unless told. */
    devices: { type: 'string' },
    people: { type: 'string' },
    /** Of the review. */
    items: { type: 'string', default: '500' },
    photos: { type: 'string', default: '1000' },
    out: { type: 'string', default: 'bench/results' },
    /** Another program in place of the server, to compare builds. */
    server: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
const NAMES = [
  'lists',
  'contacts',
  'range',
  'words',
  'access',
  'fleet',
  'audit',
  'ingest',
  'reports',
  'report-ingest',
  'portal',
  'retention',
  'review',
  'map',
  'transfers',
  'verify',
]
const wanted = positionals.length > 0 ? positionals : NAMES
const unknown = wanted.filter((name) => !NAMES.includes(name))
if (values.help || unknown.length > 0) {
  console.log(HELP)
  process.exit(unknown.length > 0 ? 1 : 0)
}

const say = (step: string) => console.error(step)
const rows = Number(values.rows)
const options = {
  rounds: Number(values.rounds),
  milliseconds: Number(values.seconds) * 1000,
  clients: Number(values.clients),
  server: values.server,
}
const facts = {
  rows,
  rounds: options.rounds,
  clients: options.clients,
  node: process.version,
  cpu: cpus()[0]?.model,
  cores: availableParallelism(),
  memory_gib: Math.round(totalmem() / 2 ** 30),
  at: new Date().toISOString(),
}
mkdirSync(values.out, { recursive: true })
// The newest payload is always of the same second, so that every run measures the same archive.
const until = Date.UTC(2026, 9, 1) / 1000
if (['lists', 'contacts', 'range'].some((name) => wanted.includes(name))) {
  const archive = await makeArchive({ rows, groups: 1000, devices: 20_000, until }, say)
  try {
    if (wanted.includes('lists'))
      report('Lists', await measureLists(archive, options, say), facts, join(values.out, 'lists.json'))
    if (wanted.includes('contacts'))
      report(
        'Numbers',
        await measureContacts(archive, options, say),
        facts,
        join(values.out, 'contacts.json'),
      )
    if (wanted.includes('range'))
      report('Range reads', await measureRange(archive, options, say), facts, join(values.out, 'range.json'))
  } finally {
    await archive.close()
  }
}
if (wanted.includes('words')) {
  const archive = await makeArchive({ rows, groups: 1000, devices: 20_000, isMessages: true, until }, say)
  try {
    const { lines, indexing } = await measureWords(archive, options, say)
    report('Words', lines, { ...facts, indexing }, join(values.out, 'words.json'))
    console.log(`Indexing: ${indexing.milliseconds_each?.toFixed(2)} ms of the database's CPU for a message`)
  } finally {
    await archive.close()
  }
}
if (wanted.includes('retention'))
  await measureRetention(
    { rows, rounds: options.rounds, until },
    facts,
    join(values.out, 'retention.json'),
    say,
  )
if (wanted.includes('access')) {
  // Payloads do not matter here.
  const archive = await makeArchive({ rows: 10_000, groups: GROUPS, devices: 20_000, until }, say)
  try {
    report('Access', await measureAccess(archive, options, say), facts, join(values.out, 'access.json'))
  } finally {
    await archive.close()
  }
}
if (wanted.includes('fleet')) {
  // Phones and people are what counts here.
  const devices = Number(values.devices ?? rows)
  const people = Number(values.people ?? values.devices ?? rows)
  const archive = await makeArchive({ rows: 10_000, groups: 1000, devices, people, until }, say)
  try {
    report('Fleet', await measureFleet(archive, options, say), facts, join(values.out, 'fleet.json'))
  } finally {
    await archive.close()
  }
}
if (wanted.includes('audit')) {
  const archive = await makeArchive({ rows: 10_000, groups: 100, devices: 1000, until }, say)
  try {
    report('Audit', await measureAudit(archive, rows, options, say), facts, join(values.out, 'audit.json'))
  } finally {
    await archive.close()
  }
}
if (wanted.includes('ingest'))
  report('Ingest', await measureIngest(options, say), facts, join(values.out, 'ingest.json'))
if (wanted.includes('reports')) {
  const devices = Number(values.devices ?? 10_000)
  const groups = 1000
  // A phone that is in use brings ten recordings.
  const archive = await makeArchive({ rows: devices * 10, groups, devices, until }, say)
  try {
    say('Filling what phones report …')
    await fillReports(archive, {
      devices,
      groups,
      positions: devices * 100,
      logs: devices * 50,
      commands: devices * 10,
      gaps: devices * 5,
      activities: devices * 50,
      telemetry_every: 900,
      until,
    })
    report('Reports', await measureReports(archive, options, say), facts, join(values.out, 'reports.json'))
  } finally {
    await archive.close()
  }
}
if (wanted.includes('report-ingest'))
  await measureReportIngest(options, facts, join(values.out, 'report-ingest.json'), say)
if (wanted.includes('portal'))
  reportPortal(await measurePortal(options, say), facts, join(values.out, 'portal.json'))
if (wanted.includes('review')) {
  const [items, photos] = [Number(values.items), Number(values.photos)]
  await measureReview({ items, photos }, facts, join(values.out, 'review.json'), say)
}
if (wanted.includes('map')) await measureMap(until, facts, join(values.out, 'map.json'), say)
if (wanted.includes('transfers'))
  await measureTransfers({ rounds: options.rounds }, facts, join(values.out, 'transfers.json'), say)
if (wanted.includes('verify')) {
  const archive = await makeArchive({ rows, groups: 1000, devices: 20_000, until }, say)
  try {
    await measureVerify(archive, facts, join(values.out, 'verify.json'), say)
  } finally {
    await archive.close()
  }
}
