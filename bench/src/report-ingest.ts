import { type ChildProcess, fork } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { cpuOf, type IngestOptions, inDemoHouse } from './ingest.ts'
import { type BenchPhone, deliver, enrol, sealMessage } from './ingest-phones.ts'
import { freePort } from '../../apps/server/src/testing/daemon.ts'
import { startProgram } from './house.ts'
import { median } from './report.ts'
import type { Handed, Order } from './report-phones.ts'

const PHONES_PROGRAM = fileURLToPath(new URL('./report-phones.ts', import.meta.url))
const FLOOR = fileURLToPath(new URL('./report-ingest-floor.ts', import.meta.url))
/** Phones that hand over recordings, one a second each. */
const PHONES = 32

/** How long recordings took until they were acknowledged, in milliseconds. */
interface Taken {
  count: number
  /** Milliseconds that server and database computed meanwhile. */
  cpu: number
  p50: number
  p99: number
}
interface Round {
  alone: Taken
  beside: Taken
  reports: Handed
  /** Beside as many reports that the bare handler takes, in the same database. */
  beside_floor: Taken
}

/**
 * Recordings that come at a steady pace: alone, beside positions and telemetry, and beside the same reports handed to a bare handler, by turns. What
 * the phones of the measurement themselves compute is in both.
 */
export async function measureReportIngest(
  { rounds, milliseconds }: IngestOptions,
  facts: object,
  file: string,
  say: (step: string) => void,
): Promise<void> {
  const measured = await inDemoHouse(async (dataDir, port, running, owner, url) => {
    const handOver = async (phones: readonly BenchPhone[], milliseconds: number): Promise<Taken> => {
      const before = await cpuOf(running, owner)
      const taken = await handOverAll(phones, milliseconds)
      return { ...taken, cpu: (await cpuOf(running, owner)) - before }
    }
    const phones = await enrol(dataDir, port, PHONES)
    const reporting = fork(PHONES_PROGRAM, { env: { ...process.env, FOLDER: dataDir, PORT: String(port) } })
    const floor = await startProgram(FLOOR, await freePort(), { DATABASE_URL: url })
    try {
      await answerOf(reporting)
      // Pools, keys and plans are warm afterwards.
      for (const there of [{}, { port: floor.port }])
        await Promise.all([handOver(phones, 2000), report(reporting, { milliseconds: 2000, ...there })])
      const found: Round[] = []
      for (let round = 1; round <= rounds; round++) {
        say(`Round ${round} of ${rounds} …`)
        const early = round % 2 === 0 ? await handOver(phones, milliseconds) : undefined
        const [beside, reports] = await Promise.all([
          handOver(phones, milliseconds),
          report(reporting, { milliseconds }),
        ])
        const [beside_floor] = await Promise.all([
          handOver(phones, milliseconds),
          report(reporting, { milliseconds, port: floor.port }),
        ])
        found.push({ alone: early ?? (await handOver(phones, milliseconds)), beside, reports, beside_floor })
      }
      return found
    } finally {
      for (const { agent } of phones) agent.destroy()
      reporting.kill()
      await floor.stop()
    }
  })
  const middle = (of: (round: Round) => number) => median(measured.map(of)).toFixed(1)
  console.log(`\nIngest beside reports, medians of ${rounds} rounds\n`)
  console.log(`payloads alone    p50 ${middle((r) => r.alone.p50)} ms, p99 ${middle((r) => r.alone.p99)} ms`)
  console.log(
    `payloads beside   p50 ${middle((r) => r.beside.p50)} ms, p99 ${middle((r) => r.beside.p99)} ms`,
  )
  console.log(
    `beside the floor  p50 ${middle((r) => r.beside_floor.p50)} ms, p99 ${middle((r) => r.beside_floor.p99)} ms`,
  )
  console.log(
    `p99 × the floor's ${median(measured.map((r) => r.beside.p99 / r.beside_floor.p99)).toFixed(2)}`,
  )
  console.log(`p99 × alone       ${median(measured.map((r) => r.beside.p99 / r.alone.p99)).toFixed(2)}`)
  console.log(
    `reports           ${middle((r) => r.reports.per_second)} items/s, p99 of a call ${middle((r) => r.reports.p99)} ms`,
  )
  const perItem = ({ alone, beside, reports }: Round) =>
    (beside.cpu - alone.cpu) / ((reports.per_second * milliseconds) / 1000)
  console.log(`CPU of an item    ${median(measured.map(perItem)).toFixed(2)} ms`)
  writeFileSync(
    file,
    `${JSON.stringify({ title: 'Ingest beside reports', ...facts, rounds: measured }, undefined, 2)}\n`,
  )
  console.log(`\nAll figures: ${file}`)
}

/** Each phone hands over a message a second, sealed beforehand; one that takes longer delays none of another phone. */
async function handOverAll(phones: readonly BenchPhone[], milliseconds: number): Promise<Omit<Taken, 'cpu'>> {
  const turns = Math.floor((phones.length * milliseconds) / 1000)
  const phoneOf = (turn: number) => phones[turn % phones.length] as BenchPhone
  const messages = await Promise.all(Array.from({ length: turns }, (_, turn) => sealMessage(phoneOf(turn))))
  const taken: number[] = []
  const started = performance.now()
  const one = async (message: (typeof messages)[number], turn: number) => {
    await pause((turn * milliseconds) / turns)
    const at = performance.now()
    await deliver(phoneOf(turn), message)
    taken.push(performance.now() - at)
  }
  await Promise.all(messages.map(one))
  const rest = started + milliseconds - performance.now()
  if (rest > 0) await pause(rest)
  taken.sort((a, b) => a - b)
  const at = (share: number) => taken[Math.min(taken.length - 1, Math.floor(taken.length * share))] ?? 0
  return { count: taken.length, p50: at(0.5), p99: at(0.99) }
}

async function report(reporting: ChildProcess, order: Order): Promise<Handed> {
  reporting.send(order)
  return (await answerOf(reporting)) as Handed
}

function answerOf(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    child.once('message', resolve)
    child.once('exit', () => reject(new Error('the phones ended')))
  })
}
