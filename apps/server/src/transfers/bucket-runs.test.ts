import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, beforeEach, describe, it } from 'node:test'
import type { TransferConfigInput } from '@custodia/contract'
import { radosgwAvailable, roleArn } from '../testing/radosgw.ts'
import { requirePart } from '../testing/require-part.ts'
import { type BucketFixture, bucketFixture } from '../testing/transfer-fixture.ts'
import { NO_SECRETS, testTarget } from './target.ts'

const sha256 = (content: Uint8Array) => createHash('sha256').update(content).digest('hex')

describe('a transfer run to an S3 bucket', requirePart('radosgw', radosgwAvailable()), () => {
  let fixture: BucketFixture
  before(async () => void (fixture = await bucketFixture()))
  after(() => fixture?.close())
  beforeEach(() => fixture.clear())

  const S3 = (change: object): Pick<TransferConfigInput, 'params'> => ({
    params: {
      target_type: 'S3',
      destination: `s3://${fixture.customer.bucket}/in`,
      region: 'eu-west-1',
      iam_role_arn: roleArn('Deliver'),
      ...change,
    },
  })

  it('delivers each recording with its metadata once, in every format', async () => {
    const references = await fixture.upload(2)
    fixture.fixture.advance(10)
    const formats = [
      ['Uncompressed', '.json'],
      ['Zipped', '.json.zip'],
      ['ZippedWithPassword', '.json.zip'],
    ] as const
    for (const [transfer_file_format, suffix] of formats) {
      await fixture.clear()
      const more = transfer_file_format === 'ZippedWithPassword' ? { zip_password: 'open, sesame' } : {}
      await fixture.config(transfer_file_format, { transfer_file_format, ...more })
      const done = await fixture.run(transfer_file_format)
      assert.deepEqual([done.transfer_state, done.error_message], ['Succeeded', null])
      const files = await fixture.files()
      assert.deepEqual(
        [...files.keys()].map((path) => path.split('/').at(-1)).toSorted(),
        references.flatMap((each) => [`${each}.data${suffix}`, `${each}${suffix}`]).toSorted(),
      )
      for (const { dest_path, encrypted_checksum } of done.items) {
        const path = dest_path ?? ''
        assert.match(path.replace(`${fixture.root}/`, ''), /^\d{4}\/\d\d\/\d\d\/[^/]+$/)
        const file = files.get(path.slice(fixture.root.length + 1))
        assert.ok(file && sha256(file) === encrypted_checksum)
      }
      const again = await fixture.run(transfer_file_format)
      assert.deepEqual([again.transfer_state, again.payload_count], ['Succeeded', 0])
    }
  })

  it('delivers reports', async () => {
    await fixture.config('report', { transfer_type: 'Report' })
    const done = await fixture.run('report')
    assert.deepEqual([done.transfer_state, done.items.length], ['Succeeded', 2])
  })

  it('the target test verifies as much as the role permits', async () => {
    const { client } = fixture.account
    const tried = (change: object) =>
      testTarget(fixture.ctx, client, 'new', { ...S3(change), kept: NO_SECRETS })
    const reached = { is_reached: true, problem: null, detail: null, host_key: null }
    assert.deepEqual(await tried({}), { ...reached, is_verified: true, is_removed: true })
    assert.equal((await fixture.files()).size, 0)
    assert.deepEqual(await tried({ iam_role_arn: roleArn('PutOnly') }), {
      ...reached,
      is_verified: false,
      is_removed: false,
    })
    assert.deepEqual(await fixture.customer.keys(), ['in/custodia-test.txt'])
    for (const [change, problem] of [
      [{ destination: `s3://${fixture.customer.bucket}/out` }, 'permission_denied'],
      [{ destination: 's3://no-such-bucket/in' }, 'no_such_folder'],
      [{ iam_role_arn: roleArn('Stranger') }, 'auth_refused'],
    ] as const) {
      const { is_reached, is_verified, is_removed, problem: found } = await tried(change)
      assert.deepEqual([is_reached, is_verified, is_removed, found], [false, false, false, problem])
    }
  })
})
