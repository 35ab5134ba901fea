import { readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { memoryStore, openPhone, systemClock } from '@custodia/device-sdk'
import { type CarriedPhone, carriedPhone } from './carried-phone.ts'
import { fillDemo, smallRecording } from './fill-demo.ts'
import type { DemoAccount } from './media.ts'
import { liveAll } from './people/live.ts'

interface LoadOptions {
  serverUrl: string
  enrolments: readonly DemoAccount[]
  phones: number
  minutes: number
  /** Payloads per device and minute. */
  rate: number
  log: (line: string) => void
}

/** Results of a load run. Latencies in milliseconds from recording until the device frees its copy. */
interface LoadReport {
  recorded: number
  processed: number
  failures: number
  p50: number
  p99: number
}

/** Seconds that devices poll after the last recording. */
const PATIENCE = 120

/** Devices send text messages at a steady rate; reports their latency. */
export async function runLoad(options: LoadOptions): Promise<LoadReport> {
  const people = options.enrolments.flatMap((account) =>
    account.people.map((person) => ({ account, person })),
  )
  if (people.length === 0) throw new Error('the enrolments contain no person')
  const latencies: number[] = []
  const counts = { recorded: 0, failures: 0 }
  await Promise.all(
    Array.from({ length: options.phones }, async (_, i) => {
      const { account, person } = people[i % people.length] as (typeof people)[number]
      const carried = carriedPhone(person, Math.floor(i / people.length))
      await drive(options, account, carried, latencies, counts)
    }),
  )
  const sorted = latencies.toSorted((a, b) => a - b)
  const quantile = (part: number) => Math.round(sorted[Math.floor(part * (sorted.length - 1))] ?? 0)
  return { ...counts, processed: sorted.length, p50: quantile(0.5), p99: quantile(0.99) }
}

async function drive(
  { serverUrl, minutes, rate, log }: LoadOptions,
  account: DemoAccount,
  carried: CarriedPhone,
  latencies: number[],
  counts: { recorded: number; failures: number },
): Promise<void> {
  const begun = new Map<string, number>()
  const phone = await openPhone({
    enrolment: { server_url: serverUrl, ...account },
    identity: carried.identity,
    store: memoryStore(),
    onEvent({ type, payload_reference }) {
      if (type === 'freed') latencies.push(performance.now() - (begun.get(payload_reference) ?? 0))
    },
  })
  const ends = performance.now() + minutes * 60_000
  const sync = (patience: number) =>
    phone.sync({ patience }).catch((error: unknown) => {
      counts.failures += 1
      log(`${carried.person.email}: ${error instanceof Error ? error.message : String(error)}`)
    })
  let isRecording = true
  const sender = (async () => {
    while (isRecording) {
      await sync(5)
      await pause(100)
    }
  })()
  for (let next = performance.now(); next < ends; next += 60_000 / rate) {
    await pause(Math.max(0, next - performance.now()))
    const recording = smallRecording(carried, Math.floor(Date.now() / 1000))
    begun.set(recording.meta.payload_reference, performance.now())
    await phone.record(recording)
    counts.recorded += 1
  }
  isRecording = false
  await sender
  await sync(PATIENCE)
}

const USAGE = `usage: node tools/simulator/src/main.ts --enrolments <file> [--server http://127.0.0.1:4000]
  --phones 8 --minutes 5 --rate 30   phones that send text messages, each so many a minute
  --fill                             the demo instead: a week of a whole fleet, once
  --days 30 --folder <folder>        people with habits instead, whose phones live for so many days up to now; again: what happened since`

/** Command line of the simulator. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      server: { type: 'string', default: 'http://127.0.0.1:4000' },
      enrolments: { type: 'string' },
      phones: { type: 'string', default: '8' },
      minutes: { type: 'string', default: '5' },
      rate: { type: 'string', default: '30' },
      fill: { type: 'boolean', default: false },
      days: { type: 'string' },
      folder: { type: 'string' },
    },
  })
  const [phones, minutes, rate] = [values.phones, values.minutes, values.rate].map(Number)
  if (!values.enrolments || !phones || !minutes || !rate) throw new Error(USAGE)
  const enrolments = JSON.parse(await readFile(values.enrolments, 'utf8')) as DemoAccount[]
  const log = (line: string) => console.error(line)
  if (values.days !== undefined) {
    if (!values.folder || !Number(values.days)) throw new Error(USAGE)
    const until = systemClock.now()
    const span = { from: until - Number(values.days) * 86_400, until }
    await liveAll({ serverUrl: values.server, enrolments, phonesFolder: values.folder, ...span })
    return
  }
  const report = values.fill
    ? await fillDemo({ serverUrl: values.server, enrolments, log, now: systemClock.now() })
    : await runLoad({ serverUrl: values.server, enrolments, log, phones, minutes, rate })
  console.log(JSON.stringify(report))
}

// A test imports `runLoad`.
if (import.meta.main)
  await main().catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : String(error))
    process.exitCode = 1
  })
