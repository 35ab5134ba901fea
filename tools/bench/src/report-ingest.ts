import { type ChildProcess, fork } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type BenchPhone, deliver, enrol, sealMessage } from './ingest-phones.ts'
import { getCpu, type Demo, startDemo } from './ingest.ts'
import { quantile } from './load.ts'
import type { BenchContext, Options } from './options.ts'
import type { Order, Uploads } from './report-phones.ts'
import { median } from './report.ts'
import { startProgram } from './server.ts'

const PHONES_PROGRAM = fileURLToPath(new URL('./report-phones.ts', import.meta.url))
const BASELINE = fileURLToPath(new URL('./report-ingest-baseline.ts', import.meta.url))

/** Milliseconds until the server acknowledged recordings. */
interface IngestFigures {
  count: number
  /** CPU milliseconds of server and database in this time. */
  cpu: number
  p50: number
  p99: number
}
interface Round {
  exclusively: IngestFigures
  /** While the server takes reports too. */
  with_reports: IngestFigures
  reports: Uploads
  /** While the floor takes as many reports, in the same database. */
  with_floor: IngestFigures
}

/**
 * Recordings at a steady pace: alone, while the server takes positions and telemetry, and while a bare handler takes the same reports. The CPU that
 * the measuring phones use is part of each.
 */
export async function measureReportIngest({ options, facts, file, say }: BenchContext): Promise<void> {
  const { rounds, milliseconds } = options
  const demo = await startDemo()
  const measured = await measureRounds(demo, options, say).finally(() => demo.stop())
  const middle = (of: (round: Round) => number) => median(measured.map(of)).toFixed(1)
  const times = (of: (round: Round) => IngestFigures) =>
    `p50 ${middle((round) => of(round).p50)} ms, p99 ${middle((round) => of(round).p99)} ms`
  const perItem = ({ exclusively, with_reports, reports }: Round) =>
    (with_reports.cpu - exclusively.cpu) / ((reports.per_second * milliseconds) / 1000)
  console.log(`
Ingest with reports, medians of ${rounds} rounds

payloads alone         ${times((round) => round.exclusively)}
payloads with reports  ${times((round) => round.with_reports)}
payloads with floor    ${times((round) => round.with_floor)}
p99 × with floor       ${median(measured.map((r) => r.with_reports.p99 / r.with_floor.p99)).toFixed(2)}
p99 × alone            ${median(measured.map((r) => r.with_reports.p99 / r.exclusively.p99)).toFixed(2)}
reports                ${middle((r) => r.reports.per_second)} items/s, p99 of a request ${middle((r) => r.reports.p99)} ms
CPU of an item         ${median(measured.map(perItem)).toFixed(2)} ms`)
  writeFileSync(
    file,
    `${JSON.stringify({ title: 'Ingest with reports', ...facts, rounds: measured }, undefined, 2)}\n`,
  )
  console.log(`\nAll figures: ${file}`)
}

async function measureRounds(
  { dataDir, running, owner, connection }: Demo,
  { rounds, milliseconds, recording_phones, reporting_phones, warm_up_milliseconds }: Options,
  say: (step: string) => void,
): Promise<Round[]> {
  const upload = async (phones: readonly BenchPhone[], milliseconds: number): Promise<IngestFigures> => {
    const before = await getCpu(running, owner)
    const taken = await uploadAll(phones, milliseconds)
    return { ...taken, cpu: (await getCpu(running, owner)) - before }
  }
  const phones = await enrol(dataDir, running.port, recording_phones)
  const env = { FOLDER: dataDir, PORT: String(running.port), PHONES: String(reporting_phones) }
  const reporting = fork(PHONES_PROGRAM, { env: { ...process.env, ...env } })
  const baseline = await startProgram(BASELINE, { DATABASE_URL: connection })
  try {
    await getResponse(reporting)
    // Pools, keys and plans are warm afterwards.
    for (const target of [{}, { port: baseline.port }])
      await Promise.all([
        upload(phones, warm_up_milliseconds),
        report(reporting, { milliseconds: warm_up_milliseconds, ...target }),
      ])
    const found: Round[] = []
    for (let round = 1; round <= rounds; round++) {
      say(`Round ${round} of ${rounds} …`)
      const early = round % 2 === 0 ? await upload(phones, milliseconds) : undefined
      const [with_reports, reports] = await Promise.all([
        upload(phones, milliseconds),
        report(reporting, { milliseconds }),
      ])
      const [with_floor] = await Promise.all([
        upload(phones, milliseconds),
        report(reporting, { milliseconds, port: baseline.port }),
      ])
      found.push({
        exclusively: early ?? (await upload(phones, milliseconds)),
        with_reports,
        reports,
        with_floor,
      })
    }
    return found
  } finally {
    for (const { agent } of phones) agent.destroy()
    reporting.kill()
    await baseline.stop()
  }
}

/** Each phone uploads a message a second, sealed beforehand. A slow upload delays no other phone. */
export async function uploadAll(
  phones: readonly BenchPhone[],
  milliseconds: number,
): Promise<Omit<IngestFigures, 'cpu'>> {
  const mutex = Math.ceil((phones.length * milliseconds) / 1000)
  const getPhone = (turn: number) => phones[turn % phones.length] as BenchPhone
  const messages = await Promise.all(Array.from({ length: mutex }, (_, turn) => sealMessage(getPhone(turn))))
  const taken: number[] = []
  const started = performance.now()
  const one = async (message: (typeof messages)[number], turn: number) => {
    await pause((turn * milliseconds) / mutex)
    const at = performance.now()
    await deliver(getPhone(turn), message)
    taken.push(performance.now() - at)
  }
  await Promise.all(messages.map(one))
  const rest = started + milliseconds - performance.now()
  if (rest > 0) await pause(rest)
  return { count: taken.length, p50: quantile(taken, 0.5), p99: quantile(taken, 0.99) }
}

async function report(reporting: ChildProcess, order: Order): Promise<Uploads> {
  reporting.send(order)
  return (await getResponse(reporting)) as Uploads
}

function getResponse(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    child.once('message', resolve)
    child.once('exit', () => reject(new Error('the phones ended')))
  })
}
