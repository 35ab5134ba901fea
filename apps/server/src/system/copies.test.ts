import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { PayloadMeta } from '@custodia/contract'
import { deletePayloads, restorePayloads } from '../payloads/deletion-store.ts'
import type { Subject } from '../payloads/processing/attempts-store.ts'
import { linkCopies } from '../payloads/processing/documents-store.ts'
import { processPayload } from '../payloads/processing/process.ts'
import { reassignBatch } from '../payloads/store.ts'
import { insertReceipts } from '../receipts/store.ts'
import { findDue } from '../retention/engine-store.ts'
import { CONFIRMED } from '../retention/preview-store.ts'
import { ingestFixture, RECORDED, sealRecording, type TestPhone } from '../testing/ingest-fixture.ts'
import { until } from '../testing/waits.ts'
import { verifyArchive } from '../verify/verify.ts'

const fixture = await ingestFixture()
after(() => fixture.close())
const phone = await fixture.phone('acme')

const getId = (name: string) => name.padEnd(32, '.')
const text = Buffer.from(JSON.stringify({ text: 'Hello' }))
const named = (message_id: unknown, more: { payload_time?: number } = {}) => ({
  ...more,
  change: (meta: object) => ({ ...meta, message_id }),
})
const upload = (
  message_id: unknown,
  more: { payload_time?: number; on?: TestPhone; type?: 'SMS' | 'RCS' } = {},
) => fixture.upload(more.on ?? phone, more.type ?? 'SMS', text, named(message_id, more))
/** The first that each of these is linked to; null: none. */
const getFirstPayloads = async (...references: string[]) => {
  const rows = await fixture.sql<{ copy: string; first: string | null }>(
    `select p.payload_reference as copy, o.payload_reference as first from payloads p
     left join payload_copies c using (client_id, payload_id) left join payloads o on o.payload_id = c.first_payload_id`,
  )
  return references.map((reference) => rows.find(({ copy }) => copy === reference)?.first ?? null)
}
const counted = async () => {
  const [row] = await fixture.sql<{ n: string }>(
    `select concat_ws(' ', (select sum(total) from payload_counts where grain = 'm' and type > 0 and group_id > 0), (select sum(total) from payload_counts where grain = 'm' and type = 0 and group_id = 0),
       (select sum(count) from thread_counts), (select count(*) from payload_threads),
       (select sum(count) from payload_metrics where scope = 'a')) as n`,
  )
  return row?.n
}
const isClean = async () => {
  const report = await verifyArchive(fixture.ctx)
  assert.deepEqual(report.findings, [], report.problem)
}

describe('a duplicate message upload', () => {
  it('is kept, linked to the first upload and counted once', async () => {
    const first = await upload(getId('a'))
    const before = await counted()
    const copies = [await upload(getId('a')), await upload(getId('a'))]
    assert.deepEqual(
      copies.map(({ state }) => state),
      ['Processed', 'Processed'],
    )
    assert.deepEqual(
      await getFirstPayloads(first.payload_reference, ...copies.map((copy) => copy.payload_reference)),
      [null, first.payload_reference, first.payload_reference],
    )
    assert.equal(await counted(), before)
    await isClean()
  })

  it('does not match a message with another id, time, type or device, or without an id', async () => {
    const first = await upload(getId('b'))
    const spare = await fixture.phone('acme', { phone_numbers: ['+447700900003'] })
    const others = [
      await upload(getId('c')),
      await upload(getId('b'), { payload_time: RECORDED + 1 }),
      await upload(getId('b'), { type: 'RCS' }),
      await upload(getId('b'), { on: spare }),
      await upload(null),
      await upload(null),
      await fixture.upload(phone, 'SMS', text),
    ]
    assert.deepEqual(
      await getFirstPayloads(first.payload_reference, ...others.map((other) => other.payload_reference)),
      Array.from({ length: 8 }, () => null),
    )
  })

  it('does not match a message with another content, which no list would show', async () => {
    const first = await upload(getId('content'))
    const before = await counted()
    const other = Buffer.from(JSON.stringify({ text: 'Hello', attachments: [] }))
    const fuller = await fixture.upload(phone, 'SMS', other, named(getId('content')))
    assert.deepEqual(await getFirstPayloads(first.payload_reference, fuller.payload_reference), [null, null])
    assert.notEqual(await counted(), before)
    await isClean()
  })

  it('is not linked when the first message belongs to another user or group', async () => {
    for (const column of ['device_user_id', 'group_id']) {
      const first = await upload(getId(column))
      const files = (value: string) =>
        fixture.sql(`update payloads set ${column} = ${value} where payload_id = ${first.payload_id}`)
      await files(
        `(select max(${column}) from ${column === 'group_id' ? 'groups' : 'device_users'} where client_id = ${fixture.accounts.acme.client_id})`,
      )
      const again = await upload(getId(column))
      assert.deepEqual(await getFirstPayloads(again.payload_reference), [null], column)
      await files(`(select ${column} from payloads where payload_id = ${again.payload_id})`)
    }
  })

  it('becomes the first when the earlier upload failed or has not arrived', async () => {
    const broken = await fixture.upload(phone, 'SMS', Buffer.from('not a message'), named(getId('d')))
    assert.equal(broken.state, 'Failed')
    const announced = await sealRecording(phone, 'SMS', text, named(getId('d')))
    await phone.announce(announced.announcement)
    const again = await upload(getId('d'))
    assert.deepEqual(await getFirstPayloads(again.payload_reference), [null], 'it is all that can be read')
    await phone.deliver(announced)
    await fixture.work()
    assert.deepEqual(await getFirstPayloads(announced.announcement.payload_reference), [
      again.payload_reference,
    ])
  })

  it('is linked to one first message per id when uploads are processed concurrently', async () => {
    const before = await counted()
    const names = ['x', 'y', 'z']
    const recordings = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        sealRecording(phone, 'SMS', text, named(getId(names[i % 3] ?? ''))),
      ),
    )
    for (const recording of recordings) await phone.deliver(recording)
    const jobs = fixture.sent.splice(0)
    const signal = new AbortController().signal
    await Promise.all(jobs.toReversed().map((job) => processPayload.run(fixture.ctx, job, signal)))
    const references = recordings.map(({ announcement }) => announcement.payload_reference)
    const firsts = await getFirstPayloads(...references)
    assert.equal(firsts.filter((first) => first === null).length, 3)
    assert.equal(new Set(firsts).size, 4)
    assert.deepEqual(
      (await counted())?.split(' ').map((n, i) => Number(n) - Number(before?.split(' ')[i])),
      [3, 3, 3, 3, 3],
    )
    await isClean()
  })

  it('does not change counts when it is deleted or restored', async () => {
    const first = await upload(getId('e'))
    const again = await upload(getId('e'))
    const before = await counted()
    const { client_id } = fixture.accounts.acme
    const doing = { now: fixture.ctx.now(), by: 'retention' }
    const ids = [again.payload_id]
    await fixture.ctx.db.write(client_id, (tx) => deletePayloads(tx, ids, doing))
    assert.equal(await counted(), before)
    await isClean()
    await fixture.ctx.db.write(client_id, (tx) => restorePayloads(tx, ids, doing))
    assert.equal(await counted(), before)
    const both = [first.payload_id, again.payload_id]
    await fixture.ctx.db.write(client_id, (tx) => deletePayloads(tx, both, doing))
    await fixture.ctx.db.write(client_id, (tx) => restorePayloads(tx, both, doing))
    assert.equal(await counted(), before)
    await isClean()
  })

  it('counts as confirmed by the apps that confirmed its first message, or retention would keep it for ever', async () => {
    const { client_id } = fixture.accounts.acme
    const [first, copy] = [await upload(getId('receipt')), await upload(getId('receipt'))]
    const other = await upload(getId('other receipt'))
    await fixture.ctx.db.write(client_id, (tx) =>
      insertReceipts(tx, [first.payload_id], { user_reference: 'archive', is_person: false }, 7),
    )
    const ids = [first, copy, other].map(({ payload_id }) => payload_id)
    const [due, counted] = await fixture.ctx.db.read(client_id, async (q) => {
      const rows = await findDue(q, ids)
      const waits = await q.rows<{ payload_id: number; is_confirmed: boolean }>(
        `select payload_id, ${CONFIRMED} as is_confirmed from payloads p, (select array['archive'] as receipts) s where payload_id = any($1)`,
        [ids],
      )
      return [rows, waits]
    })
    assert.deepEqual(
      ids
        .map((id) => due.find(({ payload_id }) => payload_id === id))
        .map((row) => [row?.receipts, row?.payload.receipt_confirmed_at]),
      [
        [['archive'], 7],
        [['archive'], 7],
        [[], null],
      ],
    )
    assert.deepEqual(
      ids.map((id) => counted.find(({ payload_id }) => payload_id === id)?.is_confirmed),
      [true, true, false],
    )
  })

  it('is not hidden behind a first message that is deleted or destroyed', async () => {
    const { client_id } = fixture.accounts.acme
    const doing = { now: fixture.ctx.now(), by: 'retention' }
    const first = await upload(getId('gone'))
    const ids = [first.payload_id]
    await fixture.ctx.db.write(client_id, (tx) => deletePayloads(tx, ids, doing))
    const before = await counted()
    const again = await upload(getId('gone'))
    assert.deepEqual(await getFirstPayloads(again.payload_reference), [null])
    assert.notEqual(await counted(), before)
    await fixture.ctx.db.write(client_id, (tx) => restorePayloads(tx, ids, doing))
    const copy = await upload(getId('gone'))
    assert.deepEqual(await getFirstPayloads(copy.payload_reference), [first.payload_reference])
    await isClean()
  })

  it('is shown once its first message is deleted, counts as confirmed with it, and stays when that is restored', async () => {
    const { client_id } = fixture.accounts.acme
    const doing = { now: fixture.ctx.now(), by: 'retention' }
    const act = (does: typeof deletePayloads, ...ids: number[]) =>
      fixture.ctx.db.write(client_id, (tx) => does(tx, ids, doing))
    const empty = await counted()
    const [first, copy] = [await upload(getId('shown')), await upload(getId('shown'))]
    const one = await counted()
    const isCopy = async () =>
      (await fixture.sql('select is_copy from payloads where payload_id = $1', [copy.payload_id]))[0]
    await fixture.ctx.db.write(client_id, (tx) =>
      insertReceipts(tx, [first.payload_id], { user_reference: 'archive', is_person: false }, 7),
    )
    // A copy in the same batch stays behind the first message.
    await act(deletePayloads, first.payload_id, copy.payload_id)
    assert.deepEqual([await isCopy(), await counted()], [{ is_copy: true }, empty])
    await isClean()
    await act(restorePayloads, copy.payload_id)
    assert.deepEqual([await isCopy(), await counted()], [{ is_copy: false }, one])
    await isClean()
    await act(deletePayloads, copy.payload_id)
    await act(restorePayloads, first.payload_id)
    const again = await upload(getId('shown'))
    assert.deepEqual(
      [await getFirstPayloads(again.payload_reference), await counted()],
      [[first.payload_reference], one],
    )
    await act(deletePayloads, first.payload_id)
    assert.equal(await counted(), one)
    const [due] = await fixture.ctx.db.read(client_id, (q) => findDue(q, [again.payload_id]))
    assert.deepEqual(due?.receipts, ['archive'])
    await isClean()
    await act(restorePayloads, first.payload_id)
    assert.notEqual(await counted(), one)
    await isClean()
  })

  it('is not hidden behind a first message that is deleted at the same moment', async () => {
    const { client_id } = fixture.accounts.acme
    const doing = { now: fixture.ctx.now(), by: 'retention' }
    const first = await upload(getId('moment'))
    const again = await sealRecording(phone, 'SMS', text, named(getId('moment')))
    await phone.deliver(again)
    const jobs = fixture.sent.splice(0)
    const signal = new AbortController().signal
    let processed: Promise<unknown> | undefined
    await fixture.ctx.db.write(client_id, async (tx) => {
      await deletePayloads(tx, [first.payload_id], doing)
      processed ??= Promise.all(jobs.map((job) => processPayload.run(fixture.ctx, job, signal)))
      await until('the processing to wait for the deletion', async () => {
        const waiting = await fixture.sql(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
        return waiting.length > 0
      })
    })
    await processed
    assert.deepEqual(await getFirstPayloads(again.announcement.payload_reference), [null])
    await isClean()
  })

  it('is linked while its device is reassigned, without a deadlock', async () => {
    const { client_id } = fixture.accounts.acme
    const first = await upload(getId('f'))
    const again = await sealRecording(phone, 'SMS', text, named(getId('f')))
    await phone.announce(again.announcement)
    const [row] = await fixture.sql<{
      payload_id: number
      device_id: number
      reserved: number
      home: number
    }>(
      `select payload_id, device_id, p.group_id as home, (select group_id from groups r where r.client_id = p.client_id and is_reserved) as reserved
       from payloads p where payload_reference = $1`,
      [again.announcement.payload_reference],
    )
    assert.ok(row)
    const { payload_id, device_id } = row
    const ids = [first.payload_id, payload_id]
    await fixture.sql('update payloads set group_id = $2 where payload_id = any($1)', [ids, row.reserved])
    await fixture.sql('select recount_payload_metrics($1)', [client_id])
    const attempts = { link: 0, reassign: 0 }
    let refiling: Promise<number> | undefined
    const reassign = () =>
      fixture.ctx.db.write(client_id, async (tx) => {
        attempts.reassign++
        return reassignBatch(tx, { device_id, requested_by: 'test' }, { most: 500, now: fixture.ctx.now() })
      })
    await fixture.ctx.db.write(client_id, async (tx) => {
      attempts.link++
      // As the move to its final state does.
      await tx.query('update payloads set updated_at = updated_at where payload_id = $1', [payload_id])
      await tx.query(
        `insert into payload_objects (client_id, payload_id, kind, object_key, wrapped_dek, sealed_size, size, content_type, checksum, details, created_at)
         select client_id, $1, kind, object_key || '-again', wrapped_dek, sealed_size, size, content_type, checksum, details, created_at
         from payload_objects where payload_id = $2 and kind = 'original'`,
        ids.toReversed(),
      )
      refiling ??= reassign()
      await until('the batch to wait for the copy', async () => {
        const waiting = await fixture.sql(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
        return waiting.length > 0
      })
      const item = { subject: { payload_id } as Subject, metadata: { message_id: getId('f') } as PayloadMeta }
      assert.equal((await linkCopies(tx, [item], fixture.ctx.now())).length, 1)
    })
    assert.equal(await refiling, ids.length)
    assert.deepEqual(attempts, { link: 1, reassign: 1 })
    const filed = await fixture.sql('select from payloads where payload_id = any($1) and group_id = $2', [
      ids,
      row.home,
    ])
    assert.equal(filed.length, ids.length)
  })

  it('is rejected when its message id does not have 32 characters', async () => {
    for (const length of [0, 31, 33]) {
      const { state, failure } = await upload('i'.repeat(length))
      assert.deepEqual([state, failure], ['Failed', 'malformed_meta'])
    }
  })
})
