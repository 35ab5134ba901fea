import assert from 'node:assert/strict'
import { mkdir, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { after, describe, it } from 'node:test'
import type { PayloadState } from '@custodia/contract'
import { destroyPayloads, noteDestroyed } from '../destruction/destroy.ts'
import { finishDestruction } from '../destruction/jobs.ts'
import { AuditLog } from '../http/audit.ts'
import { deletePayloads, restorePayloads } from '../payloads/deletion-store.ts'
import { type KeptDeviceDek, readDeviceDek } from '../ports/keys/device-dek.ts'
import { KeyUnknown } from '../ports/keys/port.ts'
import { objectPath } from '../ports/objects/filesystem-layout.ts'
import { carryOut } from '../retention/engine.ts'
import { ingestFixture, sealRecording } from '../testing/ingest-fixture.ts'
import { verifyArchive } from '../verify/verify.ts'

const fixture = await ingestFixture()
after(() => fixture.close())
const phone = await fixture.phone('acme')

const message = (text: string) => Buffer.from(JSON.stringify({ text }))
const client_id = () => fixture.accounts.acme.client_id
const doing = (by: string) => ({ now: fixture.ctx.now(), by })
const getId = async (reference: string) => (await fixture.state(reference))?.payload_id ?? 0
const remove = async (...references: string[]) => {
  const ids = await Promise.all(references.map(getId))
  return fixture.ctx.db.write(client_id(), (tx) => deletePayloads(tx, ids, doing('retention')))
}
const putBack = async (...references: string[]) => {
  const ids = await Promise.all(references.map(getId))
  return fixture.ctx.db.write(client_id(), (tx) => restorePayloads(tx, ids, doing('alice')))
}
const getState = async (reference: string): Promise<PayloadState> =>
  (await fixture.state(reference))?.state as PayloadState
const readState = async (reference: string) => (await phone.status(reference))[0]?.status
const isClean = async () => {
  const report = await verifyArchive(fixture.ctx)
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
    'select count(*) from payload_unconfirmed',
    `select count(*) from payloads where state < 9 and payload_id not in (select payload_id from payload_removed)`,
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
    assert.equal(await counted(), '0 0 0 0 0 0', 'of the empty table of counts there is no sum')
    assert.deepEqual(await Promise.all(all.map(readState)), views, 'its phone sees no difference')
    await isClean()
    assert.deepEqual(await remove(...all), [], 'it is deleted once')

    fixture.advance(10)
    assert.equal((await putBack(...all)).length, 3)
    assert.equal(await counted(), before)
    assert.deepEqual(await Promise.all(all.map(getState)), ['Processed', 'Recorded', 'Failed'])
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
    await fixture.sql(
      `insert into retention_policies values ($1, 1, $2, '[]', true, null, 1, 'test (system)')`,
      [client_id(), JSON.stringify(entries)],
    )
    const { db, keys } = fixture.ctx
    const acme = { client_id: client_id(), client: 'acme' }
    const carriedOut = () =>
      carryOut({ db, keys, audit: new AuditLog(db) }, acme, new AbortController().signal)
    assert.deepEqual(await carriedOut(), { deleted: 1, destroyed: 0 })
    assert.equal(await getState(payload_reference), 'Deleted')
    await isClean()
    await putBack(payload_reference)
    assert.equal(await getState(payload_reference), 'Processed')
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
    assert.equal(await getState(payload_reference), 'Processed')
    assert.equal(await readState(payload_reference), 'processed')
    await isClean()
  })

  it('is never one that is still being processed', async () => {
    const running = await sealRecording(phone, 'SMS', message('running'))
    const reference = await phone.deliver(running)
    assert.deepEqual(await remove(reference), [])
    await fixture.work()
    assert.equal(await getState(reference), 'Processed')
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
    for (const reference of references) assert.equal(await getState(reference), 'Processed')
    await isClean()
  })
})

/** As when a disk or a person errs. */
const pastTriggers = (statements: string) =>
  `set session_replication_role = replica; ${statements}; reset session_replication_role`
const rule = {
  payload_type: 'SMS',
  destroy_after_days: 0,
  retention_timestamp: 'payload_time',
  required_receipts: [],
  required_transfers: [],
} as const

describe('a destroyed payload', () => {
  it('stays processed for its device, is never stored again and passes verification', async () => {
    const count = async () =>
      (await fixture.sql<{ n: number }>('select count(*)::int as n from payloads'))[0]?.n ?? 0
    const before = await count()
    const sms = await fixture.upload(phone, 'SMS', message('destroyed'))
    const kept = await fixture.upload(phone, 'SMS', message('kept'))
    const waits = await sealRecording(phone, 'SMS', message('waits'))
    await phone.announce(waits.announcement)
    const waiting = waits.announcement.payload_reference
    const all = [sms.payload_reference, waiting]
    const ids = await Promise.all(all.map(async (each) => (await fixture.state(each))?.payload_id ?? 0))
    const announced = await fixture.sql<KeptDeviceDek & { dek_key: Buffer; payload_reference: string }>(
      'select payload_reference, encrypted_dek, dek_key from payload_envelopes join payloads using (payload_id) where payload_id = any($1)',
      [ids],
    )
    const opened = () =>
      Promise.all(announced.map((each) => readDeviceDek(fixture.ctx.keys, { ...each, client: 'acme' })))
    assert.ok((await opened()).includes(waits.announcement.encrypted_dek))
    await fixture.ctx.db.write(client_id(), async (tx) => {
      const act = doing('retention')
      await deletePayloads(tx, ids, act)
      const causes = new Map(ids.map((id) => [id, { policy_version: 1, rule, receipts: [], transfers: [] }]))
      // Deleted and destroyed in one go, as by a policy that only destroys.
      const gone = await destroyPayloads(tx, ids, { ...act, run_id: 'run', causes })
      assert.equal(gone.length, 2)
      await noteDestroyed(tx, fixture.ctx.keys.ledger, 'acme', gone)
    })
    assert.deepEqual(await Promise.all(all.map(readState)), ['processed', 'processed'])
    await isClean()
    await finishDestruction.run(fixture.ctx, {}, new AbortController().signal)
    for (const each of announced)
      await assert.rejects(
        readDeviceDek(fixture.ctx.keys, { ...each, client: 'acme' }),
        KeyUnknown,
        'what an older copy of the row has is opened by nothing',
      )
    await isClean()
    const [again] = await phone.announce(waits.announcement)
    assert.deepEqual([again?.status, again?.upload_url], ['processed', undefined])
    await fixture.work()
    assert.equal(await count(), before + 3)
    assert.equal(await readState(kept.payload_reference), 'processed')
    assert.equal((await fixture.state(kept.payload_reference))?.state, 'Processed')
    const opened_all = await verifyArchive(fixture.ctx, { open: { of: 1, rest: 0 } })
    assert.deepEqual(opened_all.findings, [], opened_all.problem)

    const id = ids[0]
    const object = `(select object_key from payload_objects where payload_id = ${id} limit 1)`
    const [left] = await fixture.sql<{ key: string }>(`select ${object} as key`)
    const damages: [name: string, harm: string, repair: string][] = [
      [
        'not in the ledger',
        `create table kept as select * from destruction_ledger; delete from destruction_ledger where payload_id = ${id}`,
        `insert into destruction_ledger select * from kept where payload_id = ${id}; drop table kept`,
      ],
      [
        'neither finished',
        `create table kept as select * from destruction_ends; delete from destruction_ends where payload_id = ${id}`,
        `insert into destruction_ends select * from kept where payload_id = ${id}; drop table kept`,
      ],
      [
        'still to be finished',
        `insert into destruction_intents select client_id, payload_id, '{}', '{}', 1 from destruction_ends where payload_id = ${id}`,
        'delete from destruction_intents',
      ],
      [
        'not finished since',
        `create table kept as select * from destruction_ends; delete from destruction_ends where payload_id = ${id};
         insert into destruction_intents select client_id, payload_id, '{}', '{}', 1 from kept where payload_id = ${id}`,
        `insert into destruction_ends select * from kept where payload_id = ${id}; drop table kept; delete from destruction_intents`,
      ],
      [
        'announced is still there',
        `update payload_envelopes set encrypted_dek = 'key' where payload_id = ${id}`,
        `update payload_envelopes set encrypted_dek = '' where payload_id = ${id}`,
      ],
      [
        'marks are still there',
        `insert into payload_marks (client_id, mark_id, payload_id, mark, marked_at, marked_by)
         select client_id, 'm', payload_id, 'flagged', 1, 'bob' from payloads where payload_id = ${id}`,
        'delete from payload_marks',
      ],
    ]
    for (const [detail, harm, repair] of damages) {
      await fixture.sql(pastTriggers(harm))
      const { findings } = await verifyArchive(fixture.ctx)
      const found = findings.find(({ check }) => check === 'destruction_broken')
      assert.match(JSON.stringify(found), new RegExp(detail, 'u'))
      await fixture.sql(pastTriggers(repair))
    }
    await isClean()
    const file = objectPath(join(fixture.ctx.config.dataDir, 'objects'), left?.key ?? '')
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, 'no owner')
    await utimes(file, 1, 1)
    const { findings } = await verifyArchive(fixture.ctx)
    assert.deepEqual(
      findings.map(({ check }) => check),
      ['object_orphaned'],
    )
  })
})
