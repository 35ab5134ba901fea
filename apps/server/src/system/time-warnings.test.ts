import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { DAY, type PayloadDocument, PayloadQuery, type PayloadSummary } from '@custodia/contract'
import type { Access } from '@custodia/domain'
import { sweepPayloads } from '../payloads/intake/sweep.ts'
import { resolveFilter } from '../payloads/lists/store/filter.ts'
import { readListPage } from '../payloads/lists/store/page.ts'
import { readListTotal } from '../payloads/lists/store/total.ts'
import { ingestFixture, sealRecording } from '../testing/ingest-fixture.ts'
import { accessTo } from '../testing/list-fixture.ts'
import { verifyArchive } from '../verify/verify.ts'

const fixture = await ingestFixture()
const phone = await fixture.phone('acme')
after(() => fixture.close())

/** Lists as a user who sees all payloads. */
async function list(query: Record<string, unknown> = {}) {
  const { client_id } = fixture.accounts.acme
  const access = accessTo([{ types: 'all', groups: 'all', groupless: true }]) as unknown as Access
  return fixture.ctx.db.read(client_id, async (q) => {
    const filter = await resolveFilter(q, access, 'payloads:list', PayloadQuery.parse(query))
    assert.ok(filter)
    const { rows } = await readListPage(q, filter, 50, undefined)
    return {
      rows: rows.map((row) => JSON.parse(row) as PayloadSummary),
      total: (await readListTotal(q, filter)).total,
    }
  })
}

async function deliver(change: object, payload_time?: number): Promise<string> {
  const recording = await sealRecording(phone, 'Photo', Buffer.from('seen'), {
    change: (meta) => ({ ...meta, ...change }),
    ...(payload_time === undefined ? {} : { payload_time }),
  })
  await phone.deliver(recording)
  await fixture.work()
  return recording.announcement.payload_reference
}

test('impossible times are kept as evidence and marked with a warning', async () => {
  for (const [change, warnings] of [
    [{}, undefined],
    [{ timezone: 'Mars/Olympus' }, ['timezone']],
    [{ local_time: '2026-02-30T10:00:00' }, ['local_time']],
  ] as const) {
    const reference = await deliver(change)
    assert.equal((await fixture.state(reference))?.state, 'Processed')
    assert.equal((await phone.status(reference))[0]?.status, 'processed')
    const { rows } = await list()
    const row: PayloadDocument | undefined = rows.find((each) => each.payload_reference === reference)
    assert.deepEqual(row?.time_warnings, warnings)
  }
})

test('payloads from the future are kept, marked, listed by arrival, and raise one alert per device', async () => {
  const now = fixture.ctx.now()
  const future = now + 365 * DAY
  const ahead: string[] = []
  for (const payload_time of [now + DAY + 1, future, 253_402_300_799])
    ahead.push(await deliver({}, payload_time))
  fixture.advance(3600)
  const after = await deliver({}, fixture.ctx.now())
  const tomorrow = await deliver({}, fixture.ctx.now() + DAY)
  const { rows } = await list()
  assert.deepEqual(
    rows.slice(0, 2).map((row) => row.payload_reference),
    [tomorrow, after],
    'nothing stands first for ever',
  )
  const marked = rows.filter((row) => row.listed_at !== undefined)
  assert.deepEqual(
    marked.map((row) => [row.payload_reference, row.payload_state, row.listed_at]),
    ahead.toReversed().map((reference) => [reference, 'Processed', now]),
  )
  assert.deepEqual(
    marked.map((row) => row.payload_time),
    [253_402_300_799, future, now + DAY + 1],
    'as it was said',
  )
  const from = new Date(now * 1000).toISOString().slice(0, 10)
  const day = await list({ from, to: from })
  for (const reference of ahead) assert.ok(day.rows.some((row) => row.payload_reference === reference))
  assert.equal(day.total, day.rows.length, 'and counted there')

  const alerts = await fixture.sql(
    `select alert_key, occurrence_count::int from alerts where alert_target = 'client' and alert_type = 'DeviceAlert'`,
  )
  assert.deepEqual(alerts, [{ alert_key: `ahead ${phone.device_reference}`, occurrence_count: 3 }])

  const waiting = await sealRecording(phone, 'Photo', Buffer.from('x'), { payload_time: future })
  await phone.announce(waiting.announcement)
  assert.equal((await phone.announce(waiting.announcement))[0]?.status, 'pending', 'the same again')
  fixture.advance(8 * DAY)
  await sweepPayloads.run(fixture.ctx, {}, new AbortController().signal)
  const [late] = await fixture.sql<{ is_late: boolean }>(
    'select is_late from payloads where payload_reference = $1',
    [waiting.announcement.payload_reference],
  )
  assert.equal(late?.is_late, true, 'what has been announced has ended')
})

test('a recording is late if its clock was set before its end, so that retention counts from its arrival', async () => {
  const getLate = async (reference: string) =>
    (
      await fixture.sql<{ is_late: boolean }>('select is_late from payloads where payload_reference = $1', [
        reference,
      ])
    )[0]?.is_late
  const now = fixture.ctx.now()
  const own = await fixture.phone('acme')
  const cases: [number, number, boolean][] = [
    [0, now, true],
    [0, 253_402_300_799, true],
    [now - 8 * DAY, now - 60, true],
    [now - 7 * DAY, now - 60, false],
    [now - 60, now + 9 * DAY, false],
  ]
  for (const [payload_time, payload_end_time, expected] of cases) {
    const [uploaded, waiting] = [
      await sealRecording(own, 'Photo', Buffer.from('x'), { payload_time }),
      await sealRecording(own, 'Photo', Buffer.from('x'), { payload_time }),
    ]
    const blocked = await sealRecording(own, 'BlockedCall', undefined, { payload_time })
    for (const { announcement } of [uploaded, waiting, blocked])
      await own.announce(Object.assign(announcement, { payload_end_time }))
    await own.deliver(uploaded)
    await sweepPayloads.run(fixture.ctx, {}, new AbortController().signal)
    for (const { announcement } of [uploaded, waiting, blocked])
      assert.equal(
        await getLate(announcement.payload_reference),
        expected,
        `${payload_time} to ${payload_end_time}`,
      )
  }
})

test('an announced end other than the sealed one hides no lateness, and is marked with a warning', async () => {
  const now = fixture.ctx.now()
  const own = await fixture.phone('acme')
  const cases = [
    ['Interview', now - 8 * DAY, now - 2 * DAY, now - 8 * DAY + 60, true],
    ['BlockedCall', now - 8 * DAY, now - 2 * DAY, now - 8 * DAY + 60, true],
    ['Interview', now - 600, now - 60, now - 500, false],
    ['Interview', now - 8 * DAY, now - 2 * DAY, now - 2 * DAY, false],
    // Its metadata has no end.
    ['Photo', now - 8 * DAY, now - 2 * DAY, undefined, true],
    // It fails, but its metadata can be read.
    ['SMS', now - 8 * DAY, now - 2 * DAY, undefined, true],
  ] as const
  const delivered: string[] = []
  for (const [type, payload_time, payload_end_time, sealed_end] of cases) {
    const data = type === 'BlockedCall' ? undefined : Buffer.from('heard')
    const recording = await sealRecording(own, type, data, {
      payload_time,
      change: (meta) => (sealed_end === undefined ? meta : { ...meta, payload_end_time: sealed_end }),
    })
    Object.assign(recording.announcement, { payload_end_time })
    await own.announce(recording.announcement)
    if (data) await own.deliver(recording)
    await fixture.work()
    delivered.push(recording.announcement.payload_reference)
  }
  const rows = await fixture.sql<{ reference: string; is_late: boolean; end: number; list_doc: string }>(
    `select payload_reference as reference, is_late, payload_end_time as "end", list_doc from payloads join payload_documents using (payload_id)`,
  )
  for (const [i, [type, , announced, sealed_end = announced, is_late]] of cases.entries()) {
    const row = rows.find(({ reference }) => reference === delivered[i])
    assert.deepEqual([row?.is_late, Number(row?.end)], [is_late, sealed_end], `${i} ${type}`)
    const { time_warnings = [] } = JSON.parse(row?.list_doc ?? '') as PayloadDocument
    assert.equal(time_warnings.includes('payload_end_time'), sealed_end !== announced, `${i} ${type}`)
  }
  const { findings } = await verifyArchive(fixture.ctx, { open: { of: 1, rest: 0 } })
  assert.deepEqual(
    findings.filter(({ check }) => check === 'document_wrong'),
    [],
  )
})

test('a payload that arrives after the clock of the server went back a day has a sound history', async () => {
  fixture.advance(DAY)
  const own = await fixture.phone('acme')
  const recording = await sealRecording(own, 'Photo', Buffer.from('seen'))
  await own.announce(recording.announcement)
  fixture.advance(-DAY)
  await own.deliver(recording)
  await fixture.work()
  assert.equal((await fixture.state(recording.announcement.payload_reference))?.state, 'Processed')
  const { findings } = await verifyArchive(fixture.ctx)
  assert.deepEqual(
    findings.filter(({ check }) => check === 'history_broken'),
    [],
  )
})
