/**
 * Kills the real server at random moments while phones upload, again and again, and then proves that no payload that a phone saw
 * acknowledged is lost, doubled or stuck:
 *
 *     node scripts/crash-test.ts [--kills 50] [--phones 8] [--seed 1] [--keep]
 *
 * Half of the kills take the embedded PostgreSQL along. Ends with 1 when anything is wrong.
 */
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Chance, chance, type DemoAccount } from '@custodia/simulator'
import { examine, type Findings } from './crash-test/findings.ts'
import { startFleet, type Sent } from './crash-test/phones.ts'
import { type ServerProcess, serverProcess } from './crash-test/server-process.ts'

/** The demo brings accounts to enrol at; its fleet, which `npm start` sends, stays away. */
const ENV = { DEMO: 'true' }
/** Seconds for which phones go on asking at the end; longer than the server's slowest sweep. */
const DRAIN_SECONDS = 300

async function main(): Promise<boolean> {
  const { values } = parseArgs({
    options: {
      kills: { type: 'string', default: '50' },
      phones: { type: 'string', default: '8' },
      seed: { type: 'string', default: '1' },
      keep: { type: 'boolean', default: false },
    },
  })
  const folder = await mkdtemp(join(tmpdir(), 'custodia-crash-'))
  // The embedded database runs as another user and has to pass through.
  await chmod(folder, 0o711)
  const dataDir = join(folder, 'data')
  const server = await serverProcess(ENV, dataDir)
  const began = Date.now()
  try {
    await server.start()
    const accounts = JSON.parse(
      await readFile(join(dataDir, 'demo', 'enrolments.json'), 'utf8'),
    ) as DemoAccount[]
    const fleet = await startFleet(server.url, accounts, Number(values.phones), join(folder, 'phones'))
    await killAgainAndAgain(server, Number(values.kills), chance(`crash ${values.seed}`))
    const drained = Date.now()
    const progress = setInterval(
      () => console.error(`Letting the queues drain: ${fleet.waiting()} wait`),
      5000,
    )
    const waiting = await fleet.drain(DRAIN_SECONDS).finally(() => clearInterval(progress))
    const times = { seconds: secondsSince(began), 'of which draining': secondsSince(drained) }
    await server.stop()
    const findings = await examine(dataDir, ENV, fleet.sent)
    return report(fleet.sent, findings, waiting, { kills: Number(values.kills), ...times })
  } catch (error) {
    // Said before the clean-up, which may fail as well while phones still write.
    console.error(error)
    throw error
  } finally {
    await server.kill({ database: true })
    if (values.keep) console.error(`Kept ${folder}`)
    else await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

const secondsSince = (then: number): number => Math.round((Date.now() - then) / 1000)

async function killAgainAndAgain(server: ServerProcess, kills: number, dice: Chance): Promise<void> {
  for (let kill = 1; kill <= kills; kill++) {
    await pause(dice.between(50, 3500))
    const database = dice.next() < 0.5
    await server.kill({ database })
    console.error(`Kill ${kill} of ${kills}${database ? ', with its database' : ''}`)
    if (dice.next() < 0.15) {
      // Once more while it recovers.
      server.begin()
      await pause(dice.between(200, 2500))
      await server.kill({ database: dice.next() < 0.5 })
    }
    await server.start()
  }
}

function report(
  sent: ReadonlyMap<string, Sent>,
  findings: Findings,
  waiting: number,
  run: Record<string, number>,
): boolean {
  const count = (is: (each: Sent) => boolean) => [...sent.values()].filter(is).length
  const { stored, orphans, ...faults } = findings
  console.table({
    ...run,
    recorded: sent.size,
    acknowledged: count((each) => each.isAcknowledged || each.isFreed),
    freed: count((each) => each.isFreed),
    'still waiting': waiting,
    stored,
    ...Object.fromEntries(Object.entries(faults).map(([name, list]) => [name, list.length])),
    orphans: orphans.length,
  })
  for (const [name, list] of Object.entries(faults)) {
    for (const each of list.slice(0, 20)) console.log(`${name}: ${each}`)
  }
  const isSound = waiting === 0 && Object.values(faults).every((list) => list.length === 0) && sent.size > 0
  console.log(
    isSound ? 'No acknowledged payload was lost, doubled or left behind.' : 'The promise does NOT hold.',
  )
  return isSound
}

main().then(
  (isSound) => {
    process.exitCode = isSound ? 0 : 1
  },
  (error: unknown) => {
    console.error(error)
    process.exitCode = 1
  },
)
