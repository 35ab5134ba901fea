import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, beforeEach, describe, it } from 'node:test'
import type { TransferConfigInput } from '@custodia/contract'
import { radosgwAvailable, roleArn } from '../testing/radosgw.ts'
import { requirePart } from '../testing/require-part.ts'
import { type BucketFixture, bucketFixture } from '../testing/transfer-fixture.ts'
import { findRun, firstItems, reopenFailed } from './run-store.ts'
import { NO_SECRETS, testTarget } from './target.ts'

const sha256 = (content: Uint8Array) => createHash('sha256').update(content).digest('hex')

describe('a transfer run to an S3 bucket', requirePart('radosgw', radosgwAvailable()), () => {
  let fixture: BucketFixture
  before(async () => void (fixture = await bucketFixture()))
  after(() => fixture?.close())
  beforeEach(() => fixture.clear())

  const read = async (transfer_id: string) =>
    fixture.ctx.db.read(fixture.account.client_id, async (q) => {
      const run = await findRun(q, transfer_id)
      assert.ok(run)
      return { ...run, items: await firstItems(q, transfer_id, 1000) }
    })
  async function run(reference: string) {
    const transfer_id = await fixture.start(reference)
    await fixture.carryOut(transfer_id)
    return read(transfer_id)
  }
  const S3 = (change: object): Pick<TransferConfigInput, 'params'> => ({
    params: {
      target_type: 'S3',
      destination: `s3://${fixture.customer.bucket}/in`,
      region: 'eu-west-1',
      iam_role_arn: roleArn('Deliver'),
      ...change,
    },
  })
  const alerts = (key: string) =>
    fixture.sql<{ alert_state: string }>('select alert_state from alerts where alert_key = $1', [key])

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
      const done = await run(transfer_file_format)
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
      const again = await run(transfer_file_format)
      assert.deepEqual([again.transfer_state, again.payload_count], ['Succeeded', 0])
    }
  })

  it('reports failed items with an alert, and repeats them after a repair', async () => {
    const references = await fixture.upload(1)
    fixture.fixture.advance(10)
    await fixture.config('elsewhere', S3({ destination: `s3://${fixture.customer.bucket}/out` }))
    const refused = await run('elsewhere')
    assert.equal(refused.transfer_state, 'Failed')
    assert.ok(refused.items.every(({ error_message }) => error_message?.startsWith('permission_denied')))
    assert.deepEqual(await alerts('transfer_failed elsewhere'), [{ alert_state: 'Triggered' }])
    assert.equal((await fixture.files()).size, 0)
    // The customer grants access to the role's folder.
    await fixture.sql(
      `update transfer_configs set params = params || $1::jsonb where transfer_config_reference = 'elsewhere'`,
      [JSON.stringify({ destination: `s3://${fixture.customer.bucket}//in//custodia/` })],
    )
    const { transfer_id } = refused
    assert.ok(
      await fixture.ctx.db.write(fixture.account.client_id, (tx) => reopenFailed(tx, transfer_id, 'bob')),
    )
    await fixture.carryOut(transfer_id)
    const repaired = await read(transfer_id)
    assert.equal(repaired.transfer_state, 'Succeeded')
    assert.ok(repaired.items.every(({ attempts }) => attempts.length === 2))
    assert.deepEqual(await alerts('transfer_failed elsewhere'), [{ alert_state: 'Cleared' }])
    const names = [...(await fixture.files()).keys()].map((path) => path.split('/').at(-1) ?? '')
    for (const reference of references) assert.ok(names.includes(`${reference}.json`))
  })

  it('fails completely when the role cannot be assumed', async () => {
    await fixture.upload(1)
    fixture.fixture.advance(10)
    await fixture.config('stranger', S3({ iam_role_arn: roleArn('Stranger') }))
    const refused = await run('stranger')
    assert.equal(refused.transfer_state, 'Failed')
    assert.match(refused.error_message ?? '', /^auth_refused: .*Stranger cannot be assumed/)
  })

  it('delivers reports', async () => {
    await fixture.config('report', { transfer_type: 'Report' })
    const done = await run('report')
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
