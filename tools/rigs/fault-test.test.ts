import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findProgram } from '../../apps/server/src/testing/daemon.ts'
import { LONG, longOnly } from '../../apps/server/src/testing/long.ts'
import { requirePart } from '../../apps/server/src/testing/require-part.ts'
import { type Break, BREAKS, brokenSources } from './broken-build.ts'
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
  for (const name of Object.keys(BREAKS) as Break[]) assert.ok((await brokenSources(name)).size > 0)
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
