/**
 * Injects faults below the real server and proves that acknowledged uploads survive a power cut:
 *
 *     node tools/rigs/fault-test.ts [--cuts 20]
 *
 * Each file system call of an upload fails once with EIO, ENOSPC and EDQUOT, and ends the process once. Other campaigns race
 * an upload with its repeat, cut the power under load, and test broken builds. Needs Linux, strace and the right to mount.
 * Exits with 1 on a problem.
 */
import { parseArgs } from 'node:util'
import type { Break } from './broken-build.ts'
import { cutPowerAfterUploads, cutPowerUnderLoad } from './fault-test/power-cut.ts'
import { race } from './fault-test/race.ts'
import type { Rig } from './fault-test/rig.ts'
import { isKilledAfterLink, singleFaults } from './fault-test/single-faults.ts'
import { withRig } from './fault-test/with-rig.ts'

async function main(): Promise<boolean> {
  const { values } = parseArgs({ options: { cuts: { type: 'string', default: '20' } } })
  const cuts = Number(values.cuts)
  const sound = await withRig(undefined, async (rig) => {
    const { faults, ...found } = await singleFaults(rig)
    console.log(`${faults} single faults`)
    const power = await cutPowerUnderLoad(rig, cuts)
    console.log(`${cuts} power cuts under load, ${power.acknowledged} uploads acknowledged`)
    const rest = await cutPowerAfterUploads(rig, cuts)
    console.log(`${rest.acknowledged} power cuts right after an upload`)
    const lists = { ...found, race: await race(rig), 'power cut': [...power.lost, ...rest.lost] }
    for (const [name, list] of Object.entries(lists)) for (const each of list) console.log(`${name}: ${each}`)
    return (
      faults > 0 &&
      power.acknowledged > 0 &&
      rest.acknowledged > 0 &&
      Object.values(lists).every((list) => list.length === 0)
    )
  })
  console.log(sound ? 'Nothing that was acknowledged was lost.' : 'The promise does NOT hold.')
  const canaries: [Break, (rig: Rig) => Promise<readonly string[]>][] = [
    ['no fsync', async (rig) => (await cutPowerUnderLoad(rig, 10)).lost],
    ['no fsync of folders', async (rig) => (await cutPowerAfterUploads(rig, 10)).lost],
    ['what is there is believed', async (rig) => (await singleFaults(rig, isKilledAfterLink)).lost],
    ['what was published is taken back', race],
  ]
  let isCaught = true
  for (const [name, campaign] of canaries) {
    const found = await withRig(name, campaign)
    console.log(`${found.length > 0 ? 'caught' : 'NOT CAUGHT'}: ${name}${found[0] ? ` (${found[0]})` : ''}`)
    isCaught &&= found.length > 0
  }
  return sound && isCaught
}

process.exitCode = (await main()) ? 0 : 1
