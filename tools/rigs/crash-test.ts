/**
 * Kills the real server, its database and devices at random moments during uploads, then opens every recorded payload.
 * No payload may be lost, duplicated, stuck or altered, and `verify` must pass:
 *
 *     node tools/rigs/crash-test.ts [--kills 20] [--phones 8] [--seed 1] [--keep] [--break 'rows are lost']
 *
 * Every second kill includes the embedded PostgreSQL, every third a device process; after every fifth the recovery is killed
 * too. The moments differ in each run, which prints its seed. Then deliberately broken builds must fail the same test;
 * `--break` runs one such build only. Exits with 1 on a problem.
 */
import { randomInt } from 'node:crypto'
import { chmod, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Chance, chance, demoAccounts } from '@custodia/simulator'
import { removeFolder } from '../../apps/server/src/testing/daemon.ts'
import { run as runProgram } from '../../scripts/run.ts'
import { type Break, BREAKS, brokenBuild } from './broken-build.ts'
import { examine, type Findings } from './crash-test/findings.ts'
import { type PhoneFleet, startFleet, type SentPayload } from './crash-test/phones.ts'
import { type ServerProcess, serverProcess } from './server-process.ts'

/** The demo provides accounts; the fill of `npm start` does not run. */
const ENV = { DEMO: 'true' }
/** Seconds of polling at the end; longer than the server's slowest sweep. */
const DRAIN_SECONDS = 300

interface Run {
  kills: number
  phones: number
  seed: string
  keep: boolean
  /** Seconds of polling at the end. */
  patience: number
}

async function main(): Promise<boolean> {
  const { values } = parseArgs({
    options: {
      kills: { type: 'string', default: '20' },
      phones: { type: 'string', default: '8' },
      seed: { type: 'string', default: String(randomInt(1_000_000)) },
      keep: { type: 'boolean', default: false },
      break: { type: 'string' },
    },
  })
  const { seed, keep } = values
  console.log(`Seed ${seed}`)
  const run = {
    kills: Number(values.kills),
    phones: Number(values.phones),
    seed,
    keep,
    patience: DRAIN_SECONDS,
  }
  if (values.break !== undefined) return crash({ ...run, patience: 5 }, breakCalled(values.break))
  if (!(await crash(run))) return false
  let isCaught = true
  for (const broken of ['another data key is stored', 'rows are lost', 'rows are doubled'] as const) {
    const isSound = await crash({ ...run, kills: 1, patience: 5 }, broken)
    console.log(`${isSound ? 'NOT CAUGHT' : 'caught'}: ${broken}`)
    isCaught &&= !isSound
  }
  return isCaught
}

function breakCalled(name: string): Break {
  if (!(name in BREAKS)) throw new Error(`there are these breaks: ${Object.keys(BREAKS).join(', ')}`)
  return name as Break
}

/** One installation with repeated crashes, with the real source or a broken build. True when nothing is wrong. */
async function crash(run: Run, broken?: Break): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'custodia-crash-'))
  // The embedded database runs as another user and needs access.
  await chmod(folder, 0o711)
  const dataDir = join(folder, 'data')
  const program = broken && (await brokenBuild(join(folder, 'build'), broken))
  const server = await serverProcess(ENV, dataDir, program ? { main: program } : {})
  const began = Date.now()
  let fleet: PhoneFleet | undefined
  try {
    await server.start()
    const accounts = await demoAccounts(dataDir)
    fleet = startFleet(server.url, accounts, run.phones, join(folder, 'phones'))
    await killAgainAndAgain(server, fleet, run.kills, chance(`crash ${run.seed}`))
    const drained = Date.now()
    const waiting = await fleet.drain(run.patience)
    fleet.assertAlive()
    const times = { seconds: secondsSince(began), 'of which draining': secondsSince(drained) }
    await server.stop()
    const isWhole = await verified(dataDir)
    const findings = await examine(dataDir, ENV, fleet.sent)
    return report(fleet.sent, findings, waiting, { kills: run.kills, ...times }) && isWhole
  } catch (error) {
    // Prints before the clean-up, which may fail while devices still write.
    console.error(error)
    throw error
  } finally {
    fleet?.stop()
    await server.kill({ database: true })
    if (run.keep) console.error(`Kept ${folder}`)
    else await removeFolder(folder)
  }
}

/** Runs `verify` with every object opened; prints problems. */
const verified = async (dataDir: string): Promise<boolean> =>
  (await runProgram('node', ['apps/server/src/main.ts', 'verify', '--deep'], {
    env: { ...ENV, CUSTODIA_DATA: dataDir },
  })) === 0

const secondsSince = (then: number): number => Math.round((Date.now() - then) / 1000)

async function killAgainAndAgain(
  server: ServerProcess,
  fleet: PhoneFleet,
  kills: number,
  dice: Chance,
): Promise<void> {
  // Every killed process has done work.
  while (![...fleet.sent.values()].some(({ isAcknowledged }) => isAcknowledged)) {
    fleet.assertAlive()
    await pause(100)
  }
  for (let kill = 1; kill <= kills; kill++) {
    await pause(dice.between(50, 3500))
    if (kill % 3 === 0) await fleet.killSome(kill)
    const database = kill % 2 === 0
    await server.kill({ database })
    console.error(`Kill ${kill} of ${kills}${database ? ', with its database' : ''}`)
    if (kill % 5 === 0) {
      // A second kill during recovery.
      server.begin()
      await pause(dice.between(200, 2500))
      await server.kill({ database: kill % 10 === 0 })
    }
    await server.start()
  }
}

function report(
  sent: ReadonlyMap<string, SentPayload>,
  findings: Findings,
  waiting: number,
  run: Record<string, number>,
): boolean {
  const count = (is: (each: SentPayload) => boolean) => [...sent.values()].filter(is).length
  const { stored, orphans, ...faults } = findings
  console.table({
    ...run,
    'said into phones': sent.size,
    'kept by phones': count((each) => each.isKept),
    acknowledged: count((each) => each.isAcknowledged),
    'still waiting': waiting,
    stored,
    ...Object.fromEntries(Object.entries(faults).map(([name, list]) => [name, list.length])),
    orphans: orphans.length,
  })
  for (const [name, list] of Object.entries(faults)) {
    for (const each of list.slice(0, 20)) console.log(`${name}: ${each}`)
  }
  const isSound =
    waiting === 0 &&
    Object.values(faults).every((list) => list.length === 0) &&
    count((each) => each.isAcknowledged) > 0
  console.log(
    isSound
      ? 'Nothing that was said into a phone was lost, doubled, altered or left behind.'
      : 'The promise does NOT hold.',
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
