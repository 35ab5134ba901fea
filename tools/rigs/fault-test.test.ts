import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { findProgram } from '../../apps/server/src/testing/daemon.ts'
import { LONG, longOnly } from '../../apps/server/src/testing/long.ts'
import { requirePart } from '../../apps/server/src/testing/require-part.ts'
import { BREAKS, BROKEN_PROMISES, brokenBuild, brokenSources, testPromise } from './broken-build.ts'
import { reasonWithoutDiskImage } from './fault-rig.ts'
import {
  cutPowerAfterUploads,
  cutPowerUnderLoad,
  isKilledAfterLink,
  race,
  singleFaults,
  withRig,
} from './fault-test.ts'

// Short runs of `npm run fault-test`.
const reason = await reasonWithoutDiskImage()
const disk = reason ? { skip: reason } : requirePart('strace', findProgram('strace') !== undefined)

test('every deliberate break still matches the sources that it changes', async () => {
  for (const name of Object.keys({ ...BREAKS, ...BROKEN_PROMISES }))
    assert.ok((await brokenSources(name)).size > 0, name)
})

test('each promise to auditors has a test that fails on a build without it', longOnly, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'custodia-promises-'))
  try {
    await brokenBuild(join(folder, 'sound'), 'nothing is broken')
    for (const [name, promise] of Object.entries(BROKEN_PROMISES)) {
      const sound = testPromise(join(folder, 'sound'), promise)
      assert.deepEqual([sound.passed > 0, sound.failed], [true, 0], `${name}: ${promise.name}`)
      const broken = join(folder, name.replaceAll(' ', '-'))
      await brokenBuild(broken, name)
      assert.ok(testPromise(broken, promise).failed > 0, `not caught: ${name}`)
      await rm(broken, { recursive: true })
    }
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('no fault or power cut during an upload loses acknowledged data', disk, () =>
  withRig(undefined, async (rig) => {
    const { faults, ...found } = await singleFaults(
      rig,
      (fault) => isKilledAfterLink(fault) || (fault.what === 'EIO' && ['fsync', 'link'].includes(fault.call)),
    )
    assert.deepEqual(found, { lost: [], stuck: [], missed: [] })
    assert.ok(faults >= 10, `${faults} faults`)
    if (LONG) assert.deepEqual(await race(rig), [])
    for (const cutPower of LONG ? [cutPowerUnderLoad, cutPowerAfterUploads] : [cutPowerUnderLoad]) {
      const power = await cutPower(rig, LONG ? 5 : 1)
      assert.deepEqual(power.lost, [])
      assert.ok(power.acknowledged > 0)
    }
  }),
)

test('detects a build that does not sync folders', LONG ? disk : longOnly, () =>
  withRig('no fsync of folders', async (rig) => {
    const { lost } = await cutPowerAfterUploads(rig, 3)
    assert.equal(lost.length, 1, lost.join())
  }),
)
