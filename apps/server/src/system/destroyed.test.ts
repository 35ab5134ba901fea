import assert from 'node:assert/strict'
import { mkdir, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { destroyPayloads, noteDestroyed } from '../destruction/destroy.ts'
import { finishDestruction } from '../destruction/jobs.ts'
import { deletePayloads } from '../payloads/store.ts'
import { type KeptPhoneDek, readPhoneDek } from '../ports/keys/phone-dek.ts'
import { KeyUnknown } from '../ports/keys/port.ts'
import { objectPath } from '../ports/objects/filesystem-layout.ts'
import {
  ingestFixture,
  type IngestFixture,
  sealRecording,
  type TestPhone,
} from '../testing/ingest-fixture.ts'
import { verifyArchive } from '../verify/verify.ts'

let fixture: IngestFixture
let phone: TestPhone
before(async () => {
  fixture = await ingestFixture()
  phone = await fixture.phone('acme')
})
after(() => fixture?.close())

const message = (text: string) => Buffer.from(JSON.stringify({ text }))
const readState = async (reference: string) => (await phone.status(reference))[0]?.status
const isClean = async () => {
  const report = await verifyArchive(fixture.ctx, { open: { of: 1, rest: 0 }, threads: 2 })
  assert.deepEqual(report.findings, [], report.problem)
}
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
    const sms = await fixture.upload(phone, 'SMS', message('destroyed'))
    const kept = await fixture.upload(phone, 'SMS', message('kept'))
    const waits = await sealRecording(phone, 'SMS', message('waits'))
    await phone.announce(waits.announcement)
    const waiting = waits.announcement.payload_reference
    const all = [sms.payload_reference, waiting]
    const ids = await Promise.all(all.map(async (each) => (await fixture.state(each))?.payload_id ?? 0))
    const announced = await fixture.sql<KeptPhoneDek & { dek_key: Buffer; payload_reference: string }>(
      'select payload_reference, encrypted_dek, dek_key from payload_envelopes join payloads using (payload_id) where payload_id = any($1)',
      [ids],
    )
    const opened = () =>
      Promise.all(announced.map((each) => readPhoneDek(fixture.ctx.keys, { ...each, client: 'acme' })))
    assert.ok((await opened()).includes(waits.announcement.encrypted_dek))
    await fixture.ctx.db.write(fixture.accounts.acme.client_id, async (tx) => {
      const doing = { now: fixture.ctx.now(), by: 'retention' }
      await deletePayloads(tx, ids, doing)
      const causes = new Map(ids.map((id) => [id, { policy_version: 1, rule, receipts: [], transfers: [] }]))
      // Deleted and destroyed in one go, as by a policy that only destroys.
      const gone = await destroyPayloads(tx, ids, { ...doing, run_id: 'run', causes })
      assert.equal(gone.length, 2)
      await noteDestroyed(tx, fixture.ctx.keys.ledger, 'acme', gone)
    })
    assert.deepEqual(await Promise.all(all.map(readState)), ['processed', 'processed'])
    await isClean()
    await finishDestruction.run(fixture.ctx, {}, new AbortController().signal)
    for (const each of announced)
      await assert.rejects(
        readPhoneDek(fixture.ctx.keys, { ...each, client: 'acme' }),
        KeyUnknown,
        'what an older copy of the row has is opened by nothing',
      )
    await isClean()
    const [again] = await phone.announce(waits.announcement)
    assert.deepEqual([again?.status, again?.upload_url], ['processed', undefined])
    await fixture.work()
    const rows = await fixture.sql<{ n: number }>('select count(*)::int as n from payloads')
    assert.equal(rows[0]?.n, 3)
    assert.equal(await readState(kept.payload_reference), 'processed')
    assert.equal((await fixture.state(kept.payload_reference))?.state, 'Processed')
    await isClean()

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
      const { findings } = await verifyArchive(fixture.ctx, { open: { of: 1, rest: 0 }, threads: 2 })
      const found = findings.find(({ check }) => check === 'destruction_broken')
      assert.match(JSON.stringify(found), new RegExp(detail, 'u'))
      await fixture.sql(pastTriggers(repair))
    }
    await isClean()
    const file = objectPath(join(fixture.ctx.config.dataDir, 'objects'), left?.key ?? '')
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, 'nobody')
    await utimes(file, 1, 1)
    const { findings } = await verifyArchive(fixture.ctx, { open: { of: 1, rest: 0 }, threads: 2 })
    assert.deepEqual(
      findings.map(({ check }) => check),
      ['object_orphaned'],
    )
  })
})
