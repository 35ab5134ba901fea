import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { buildPortal } from '../../../scripts/build-portal.ts'
import { BENCH_NAMES, BENCHES, type BenchName } from './benches.ts'
import { startPostgres } from './fill.ts'
import { FULL, type Options, QUICK, TINY } from './options.ts'
import { PERFORMANCE_FILE, performancePage, type Results } from './report.ts'
import { shareResources, stopShared } from './server.ts'

const HELP = `npm run bench [-- <name> … <options>]

Runs these benches, or all. Prints the results and writes them as JSON; \`all\` also writes one file for all. The exit code is 1 if a bench failed.

${BENCH_NAMES.map((name) => `  ${name.padEnd(14)} ${BENCHES[name].summary}`).join('\n')}

  --rows 1000000   Payloads of an archive, and entries of the audit log.
  --rounds 5       Rounds of each case.
  --seconds 2      Duration of each side of a case.
  --clients 8      Clients that send requests at the same time.
  --devices 10000  Devices of fleet and reports, at least 1000. Fleet has as many as rows by default.
  --people 20000   Device users of fleet. By default there are as many as devices.
  --items 500      Calls of review.
  --photos 1000    Photos of review.
  --server <path>  Another server program or checkout, to compare builds.
  --out <folder>   Folder of the results, tools/bench/results by default.
  --quick          All benches within ten minutes, with 50,000 payloads.
  --docs           Writes docs/performance.md from the results of \`all\`.
  --tiny           As small and short as possible: shows that each measurement starts, its figures mean nothing.
                   Writes the results to a temporary folder, and uses the PostgreSQL of TEST_DATABASE_URL if it is set.`

/** Milliseconds after which a tiny bench has failed, so that the others run. */
const TINY_DEADLINE = 600_000

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rows: { type: 'string' },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    clients: { type: 'string' },
    devices: { type: 'string' },
    people: { type: 'string' },
    items: { type: 'string' },
    photos: { type: 'string' },
    out: { type: 'string' },
    server: { type: 'string' },
    quick: { type: 'boolean', default: false },
    docs: { type: 'boolean', default: false },
    tiny: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const isName = (name: string): name is BenchName => BENCH_NAMES.some((each) => each === name)
const isAll = positionals.includes('all')
const names = positionals.length > 0 && !isAll ? positionals.filter(isName) : BENCH_NAMES
const isUnknown = positionals.some((name) => !isName(name) && name !== 'all')
if (values.help || isUnknown) {
  console.log(HELP)
  process.exit(isUnknown ? 1 : 0)
}

const options = getOptions(values.tiny ? TINY : values.quick ? QUICK : FULL)
const out =
  values.out ?? (values.tiny ? mkdtempSync(join(tmpdir(), 'custodia-bench-out-')) : 'tools/bench/results')
mkdirSync(out, { recursive: true })
const facts = {
  rows: options.rows,
  rounds: options.rounds,
  clients: options.clients,
  node: process.version,
  cpu: cpus()[0]?.model,
  cores: availableParallelism(),
  memory_gib: Math.round(totalmem() / 2 ** 30),
  at: new Date().toISOString(),
  ...getBuild(),
}
// The programs that the benches start read the same code again and again.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(
  new URL('../../../node_modules/.cache/node', import.meta.url),
)
let stop = stopShared
if (values.tiny) {
  // The database of the tests does not sync.
  process.env.DATABASE_UNSAFE = 'true'
  shareResources()
} else {
  const stopPostgres = await startPostgres()
  if (values.quick) shareResources()
  stop = () => stopShared().then(stopPostgres)
}
// A server that started without the portal does not serve it.
if (names.some((name) => ['portal', 'review', 'map'].includes(name))) await buildPortal(console.error)
const failed: BenchName[] = []
const load_before = getLoad()
for (const name of names) await runBench(name)
await stop()
if (isAll) writeAll()
if (values.tiny && values.out === undefined) rmSync(out, { recursive: true })
if (failed.length > 0) console.log(`\nFailed: ${failed.join(', ')}`)
process.exit(failed.length > 0 ? 1 : 0)

/** Writes the results of all benches as one file, and the page of the documentation if that is wanted. */
function writeAll(): void {
  const benches = names.filter((name) => !failed.includes(name) && existsSync(getFile(name)))
  const results: Results = {
    ...facts,
    loads: [load_before, getLoad()],
    benches: Object.fromEntries(
      benches.map((name) => [name, JSON.parse(readFileSync(getFile(name), 'utf8'))]),
    ),
  }
  const file = join(out, 'all.json')
  writeFileSync(file, `${JSON.stringify(results)}\n`)
  console.log(`\nAll figures of all benches: ${file}`)
  if (values.docs) writeFileSync(PERFORMANCE_FILE, performancePage(results))
}

function getFile(name: BenchName): string {
  return join(out, `${name}.json`)
}

function getLoad(): number {
  return loadavg()[0] ?? 0
}

function getBuild(): Pick<Results, 'version' | 'commit'> {
  const root = fileURLToPath(new URL('../../../', import.meta.url))
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  try {
    const commit = execFileSync('git', ['rev-parse', '--short=8', 'HEAD'], { cwd: root, encoding: 'utf8' })
    return { version, commit: commit.trim() }
  } catch {
    return { version, commit: 'unknown commit' }
  }
}

/** Runs one bench. A tiny run prints the line that `smoke.ts` reads. */
async function runBench(name: BenchName): Promise<void> {
  const started = performance.now()
  const context = { options, facts, file: getFile(name), say: console.error }
  try {
    const running = BENCHES[name].run(context)
    await (values.tiny ? Promise.race([running, deadline()]) : running)
    if (values.tiny)
      console.log(`ok      bench ${name} (${((performance.now() - started) / 1000).toFixed(1)} s)`)
  } catch (error) {
    failed.push(name)
    console.error(error)
    const message = error instanceof Error ? error.message : String(error)
    console.log(`FAILED  bench ${name}: ${message.split('\n', 1)[0]}`)
  }
}

async function deadline(): Promise<never> {
  await pause(TINY_DEADLINE)
  throw new Error(`did not finish within ${TINY_DEADLINE / 1000} s`)
}

/** The defaults, changed by the command line. */
function getOptions(defaults: Options): Options {
  const { rows, rounds, seconds, clients, devices, people, items, photos, server } = values
  const number = (value: string | undefined, or: number) => (value === undefined ? or : Number(value))
  const fleet_devices = number(devices ?? rows, defaults.fleet_devices)
  return {
    ...defaults,
    server,
    rows: number(rows, defaults.rows),
    growth: rows === undefined ? defaults.growth : [100, 10, 1].map((part) => Math.ceil(Number(rows) / part)),
    rounds: number(rounds, defaults.rounds),
    milliseconds: number(seconds, defaults.milliseconds / 1000) * 1000,
    ingest_milliseconds: number(seconds, defaults.ingest_milliseconds / 1000) * 1000,
    clients: number(clients, defaults.clients),
    fleet_devices,
    fleet_people: people === undefined ? undefined : Number(people),
    reporting_devices: number(devices, defaults.reporting_devices),
    items: number(items, defaults.items),
    photos: number(photos, defaults.photos),
  }
}
