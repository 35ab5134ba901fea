/** More kills by hand: TRANSFER_KILLS, TRANSFER_KILLS_S3, RECONCILE_KILLS, RECONCILE_KILLS_S3. */
import assert from 'node:assert/strict'
import { radosgwAvailable } from '../testing/radosgw.ts'
import { requirePart } from '../testing/require-part.ts'
import { sshdAvailable } from '../testing/sshd.ts'
import { bucketWorld, transferWorld } from '../testing/transfer-world.ts'
import { killedTransfers } from './killed-transfers.test-support.ts'

killedTransfers('a transfer to an SFTP server with a killed process', {
  part: requirePart('sshd', sshdAvailable()),
  open: transferWorld,
  kills: Number(process.env['TRANSFER_KILLS'] ?? 20),
  reconcile_kills: Number(process.env['RECONCILE_KILLS'] ?? 6),
  photo: 300_000,
})

killedTransfers('a transfer to an S3 bucket with a killed process', {
  part: requirePart('radosgw', radosgwAvailable()),
  open: bucketWorld,
  kills: Number(process.env['TRANSFER_KILLS_S3'] ?? 6),
  reconcile_kills: Number(process.env['RECONCILE_KILLS_S3'] ?? 2),
  // Of two parts.
  photo: 9_000_000,
  async atLast({ customer }) {
    assert.deepEqual(await customer.uploads(), [], 'an upload is neither completed nor ended')
  },
})
