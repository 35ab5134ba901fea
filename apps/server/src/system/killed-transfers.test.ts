/** A transfer whose process is killed delivers each file once. */
import assert from 'node:assert/strict'
import { radosgwAvailable } from '../testing/radosgw.ts'
import { requirePart } from '../testing/require-part.ts'
import { sshdAvailable } from '../testing/sshd.ts'
import { bucketFixture, transferFixture } from '../testing/transfer-fixture.ts'
import { killedTransfers } from './killed-transfers.test-support.ts'
import { LONG } from '../testing/long.ts'

killedTransfers('a transfer to an SFTP server with a killed process', {
  part: requirePart('sshd', sshdAvailable()),
  open: transferFixture,
  kills: LONG ? 60 : 1,
  reconcile_kills: LONG ? 12 : 1,
  photo: 300_000,
})

killedTransfers('a transfer to an S3 bucket with a killed process', {
  part: requirePart('radosgw', radosgwAvailable()),
  open: bucketFixture,
  kills: LONG ? 20 : 1,
  reconcile_kills: LONG ? 4 : 0,
  // The file is sent in two parts.
  photo: 9_000_000,
  async atLast({ customer }) {
    assert.deepEqual(await customer.uploads(), [], 'an upload is neither completed nor ended')
  },
})
