import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { PayloadState } from '@custodia/contract'
import { AuditLog } from '../http/audit.ts'
import { deletePayloads, restorePayloads } from '../payloads/deletion-store.ts'
import {
  ingestFixture,
  type IngestFixture,
  sealRecording,
  type TestPhone,
} from '../testing/ingest-fixture.ts'
import { carryOut } from '../retention/engine.ts'
import { verifyArchive } from '../verify/verify.ts'

let fixture: IngestFixture
let phone: TestPhone
before(async () => {
  fixture = await ingestFixture()
  phone = await fixture.phone('acme')
})
after(() => fixture?.close())

const message = (text: string) => Buffer.from(JSON.stringify({ text }))
const client_id = () => fixture.accounts.acme.client_id
const doing = (by: string) => ({ now: fixture.ctx.now(), by })
const idOf = async (reference: string) => (await fixture.state(reference))?.payload_id ?? 0
const remove = async (...references: string[]) => {
  const ids = await Promise.all(references.map(idOf))
  return fixture.ctx.db.write(client_id(), (tx) => deletePayloads(tx, ids, doing('retention')))
}
const putBack = async (...references: string[]) => {
  const ids = await Promise.all(references.map(idOf))
  return fixture.ctx.db.write(client_id(), (tx) => restorePayloads(tx, ids, doing('alice')))
}
const stateOf = async (reference: string): Promise<PayloadState> =>
  (await fixture.state(reference))?.state as PayloadState
const readState = async (reference: string) => (await phone.status(reference))[0]?.status
const isClean = async () => {
  const report = await verifyArchive(fixture.ctx, { open: { of: 1, rest: 0 }, threads: 2 })
  assert.deepEqual(report.findings, [], report.problem)
}
/** All counts of payloads: totals, conversations, pending ones. */
const counted = async () => {
  const sums = [
    `select sum(total) from payload_counts where grain = 'm' and type > 0 and group_id > 0`,
    `select sum(total) from payload_counts where grain = 'm' and type = 0 and group_id = 0`,
    'select sum(count) from thread_counts',
    'select count(*) from payload_threads',
    'select count(*) from payload_work',
  ]
  const [row] = await fixture.sql<{ n: string }>(`select concat_ws(' ', (${sums.join('), (')})) as n`)
  return row?.n
}

describe('a deleted payload', () => {
  it('is left out of counts and conversations until it is restored', async () => {
    const sms = await fixture.upload(phone, 'SMS', message('kept'))
    const waits = await sealRecording(phone, 'SMS', message('waits'))
    await phone.announce(waits.announcement)
    const waiting = waits.announcement.payload_reference
    const broken = await fixture.upload(phone, 'SMS', message('broken'), {
      change: () => ({ nonsense: true }),
    })
    assert.equal(broken.state, 'Failed')
    const all = [sms.payload_reference, waiting, broken.payload_reference]
    const before = await counted()
    const views = await Promise.all(all.map(readState))
    assert.deepEqual(views, ['processed', 'pending', 'failed'])
    await isClean()

    assert.deepEqual((await remove(...all)).map(({ from }) => from).toSorted(), [
      'Failed',
      'Processed',
      'Recorded',
    ])
    assert.equal(await counted(), '0 0 0 0', 'of the empty table of counts there is no sum')
    assert.deepEqual(await Promise.all(all.map(readState)), views, 'its phone sees no difference')
    await isClean()
    assert.deepEqual(await remove(...all), [], 'it is deleted once')

    fixture.advance(10)
    assert.equal((await putBack(...all)).length, 3)
    assert.equal(await counted(), before)
    assert.deepEqual(await Promise.all(all.map(stateOf)), ['Processed', 'Recorded', 'Failed'])
    assert.equal((await fixture.state(broken.payload_reference))?.failure, broken.failure)
    assert.deepEqual(await putBack(...all), [], 'it is restored once')
    await isClean()
    assert.equal(await phone.deliver(waits), waiting)
    await fixture.work()
    await isClean()
  })

  it('leaves a consistent archive after deletion by retention and can be restored', async () => {
    const { payload_reference } = await fixture.upload(phone, 'RCS', message('due at once'))
    const entries = [
      {
        entity_type: 'Payload',
        payload_type: 'RCS',
        delete_after_days: 0,
        retention_timestamp: 'payload_time',
        required_receipts: [],
        required_transfers: [],
      },
    ]
    await fixture.sql(`insert into retention_policies values ($1, 1, $2, '[]', true, null, 1, 'alice')`, [
      client_id(),
      JSON.stringify(entries),
    ])
    const { db, keys } = fixture.ctx
    const acme = { client_id: client_id(), client: 'acme' }
    const carriedOut = () =>
      carryOut({ db, keys, audit: new AuditLog(db) }, acme, new AbortController().signal)
    assert.deepEqual(await carriedOut(), { deleted: 1, destroyed: 0 })
    assert.equal(await stateOf(payload_reference), 'Deleted')
    await isClean()
    await putBack(payload_reference)
    assert.equal(await stateOf(payload_reference), 'Processed')
    await isClean()
  })

  it('is stored when its late upload arrives', async () => {
    const late = await sealRecording(phone, 'SMS', message('late'))
    const [answer] = await phone.announce(late.announcement)
    const { payload_reference } = late.announcement
    await remove(payload_reference)
    const [again] = await phone.announce(late.announcement)
    assert.ok(again?.upload_url, 'its phone may still hand it over')
    // Also to the address of before.
    assert.equal((await phone.put(answer?.upload_url ?? '', late.sealed)).statusCode, 200)
    await fixture.work()
    assert.equal(await stateOf(payload_reference), 'Processed')
    assert.equal(await readState(payload_reference), 'processed')
    await isClean()
  })

  it('is never one that is still being processed', async () => {
    const running = await sealRecording(phone, 'SMS', message('running'))
    const reference = await phone.deliver(running)
    assert.deepEqual(await remove(reference), [])
    await fixture.work()
    assert.equal(await stateOf(reference), 'Processed')
  })

  it('stays consistent when deletion, restore and upload run at the same time', async () => {
    const recordings = await Promise.all(
      Array.from({ length: 4 }, (_, i) => sealRecording(phone, 'SMS', message(`race ${i}`))),
    )
    const references = recordings.map(({ announcement }) => announcement.payload_reference)
    const urls = (await phone.announce(...recordings.map(({ announcement }) => announcement))).map(
      ({ upload_url }) => upload_url ?? '',
    )
    const puts = recordings.map(({ sealed }, i) => async () => {
      const { statusCode, body } = await phone.put(urls[i] ?? '', sealed)
      assert.equal(statusCode, 200, body)
    })
    const deletions = references.map((reference) => () => remove(reference))
    const restorings = references.map((reference) => () => putBack(reference))
    await Promise.all(
      [...deletions, ...puts, ...restorings, () => remove(...references), () => putBack(...references)].map(
        (act) => act(),
      ),
    )
    await fixture.work()
    await isClean()
    // Acknowledged bytes are stored, whatever the row says, so no upload waits for them.
    await putBack(...references)
    for (const reference of references) assert.equal(await stateOf(reference), 'Processed')
    await isClean()
  })
})
