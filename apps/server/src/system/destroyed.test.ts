import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { destroyPayloads } from '../destruction/destroy.ts'
import { finishDestruction } from '../destruction/jobs.ts'
import { deletePayloads } from '../payloads/store.ts'
import { ingestWorld, type IngestWorld, sealRecording, type TestPhone } from '../testing/ingest-world.ts'
import { verifyArchive } from '../verify/verify.ts'

let world: IngestWorld
let phone: TestPhone
before(async () => {
  world = await ingestWorld()
  phone = await world.phone('acme')
})
after(() => world?.close())

const message = (text: string) => Buffer.from(JSON.stringify({ text }))
const told = async (reference: string) => (await phone.status(reference))[0]?.status
const isClean = async () => {
  const report = await verifyArchive(world.house, { open: { of: 1, rest: 0 }, threads: 2 })
  assert.deepEqual(report.findings, [], report.problem)
}
const rule = {
  payload_type: 'SMS',
  destroy_after_days: 0,
  retention_timestamp: 'payload_time',
  required_receipts: [],
  required_transfers: [],
} as const

describe('a destroyed payload', () => {
  it('is processed for its phone for ever, is never there twice, and the archive is sound', async () => {
    const sms = await world.bring(phone, 'SMS', message('destroyed'))
    const kept = await world.bring(phone, 'SMS', message('kept'))
    const waits = await sealRecording(phone, 'SMS', message('waits'))
    await phone.announce(waits.announcement)
    const waiting = waits.announcement.payload_reference
    const all = [sms.payload_reference, waiting]
    const ids = await Promise.all(all.map(async (each) => (await world.state(each))?.payload_id ?? 0))
    await world.house.db.write(world.accounts.acme.client_id, async (tx) => {
      const doing = { now: world.house.now(), by: 'retention' }
      await deletePayloads(tx, ids, doing)
      const causes = new Map(ids.map((id) => [id, { policy_version: 1, rule, receipts: [] }]))
      // Deleted and destroyed in one go, as by a policy that only destroys.
      const gone = await destroyPayloads(tx, ids, { ...doing, run_id: 'run', causes })
      assert.equal(gone.length, 2)
    })
    assert.deepEqual(await Promise.all(all.map(told)), ['processed', 'processed'])
    await finishDestruction.run(world.house, {}, new AbortController().signal)
    await isClean()
    const [again] = await phone.announce(waits.announcement)
    assert.deepEqual([again?.status, again?.upload_url], ['processed', undefined])
    await world.work()
    const rows = await world.sql<{ n: number }>('select count(*)::int as n from payloads')
    assert.equal(rows[0]?.n, 3)
    assert.equal(await told(kept.payload_reference), 'processed')
    assert.equal((await world.state(kept.payload_reference))?.state, 'Processed')
    await isClean()
  })
})
