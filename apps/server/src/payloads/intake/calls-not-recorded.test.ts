import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Announcement, FailureCode } from '@custodia/contract'
import {
  ingestFixture,
  type IngestFixture,
  sealRecording,
  type TestPhone,
} from '../../testing/ingest-fixture.ts'
import { sweepPayloads } from './sweep.ts'

let fixture: IngestFixture
let phone: TestPhone
before(async () => {
  fixture = await ingestFixture()
  phone = await fixture.phone('acme')
})
after(() => fixture.close())

const TYPES = ['BlockedCall', 'AbortedCall'] as const
const never = new AbortController().signal

const readState = async ({ payload_reference }: Announcement) => (await phone.status(payload_reference))[0]
const statesOf = (payload_reference: string) =>
  fixture
    .sql<{ name: string }>(
      `select s.name from payload_history h join payloads p using (payload_id) join payload_states s on s.code = h.to_state
       where p.payload_reference = $1 order by h.ctid`,
      [payload_reference],
    )
    .then((rows) => rows.map(({ name }) => name))

for (const type of TYPES) {
  test(`${type}: the status stays pending until its metadata is checked`, async () => {
    const { announcement } = await sealRecording(phone, type, undefined)
    const { payload_reference } = announcement
    const pending = { payload_reference, status: 'pending' }
    assert.deepEqual(await phone.announce(announcement), [pending])
    assert.deepEqual(await readState(announcement), pending)
    await fixture.work()
    assert.deepEqual(await readState(announcement), { payload_reference, status: 'processed' })
    assert.deepEqual(await phone.announce(announcement), [{ payload_reference, status: 'processed' }])
    assert.deepEqual(await statesOf(payload_reference), ['Uploaded', 'Scanning', 'NotRecorded'])
  })
}

type Meta = Record<string, unknown>
const wrong: readonly [string, FailureCode, (meta: Meta) => object, Partial<Announcement>?][] = [
  ['an unknown key', 'undecryptable_key', (meta) => meta, { key_id: 'none of ours' }],
  ['a wrong iv', 'undecryptable_meta', (meta) => meta, { iv: Buffer.alloc(12, 7).toString('base64') }],
  [
    '1,001 parties',
    'malformed_meta',
    (meta) => ({
      ...meta,
      second_parties: Array(1001).fill({ phone_number: '+1', direction: 'I', start_time: 1, duration: 0 }),
    }),
  ],
  ['no reason for blocking', 'malformed_meta', ({ reason_for_blocking: _reason, ...meta }) => meta],
  ['another time than announced', 'meta_mismatch', (meta) => ({ ...meta, payload_time: 5 })],
]
for (const [what, failure, change, announced] of wrong) {
  test(`a blocked call with ${what} fails with ${failure}, raises an alert, and is not retried`, async () => {
    const recording = await sealRecording(phone, 'BlockedCall', undefined, {
      change: (meta) => change(meta as Meta),
    })
    const announcement = { ...recording.announcement, ...announced }
    const { payload_reference } = announcement
    assert.equal((await phone.announce(announcement))[0]?.status, 'pending')
    await fixture.work()
    assert.deepEqual(await readState(announcement), { payload_reference, status: 'failed', reason: failure })
    assert.deepEqual(await phone.announce(announcement), [{ payload_reference, status: 'failed' }])
    const row = await fixture.state(payload_reference)
    assert.deepEqual([row?.state, row?.failure], ['Failed', failure])
    assert.deepEqual(await statesOf(payload_reference), ['Uploaded', 'Scanning', 'Failed'])
    const left = await fixture.sql('select from payload_work where payload_id = $1', [row?.payload_id])
    assert.deepEqual(left, [])
    const alerts = await fixture.sql(
      `select alert_key from alerts where alert_target = 'client' and occurrences::text like $1`,
      [`%${payload_reference}%`],
    )
    assert.deepEqual(
      alerts,
      [{ alert_key: `${failure} ${phone.device_reference}` }],
      'one per device and reason',
    )
  })
}

for (const died of ['Uploaded', 'Scanning'] as const) {
  test(`another worker takes over an aborted call in state ${died} after a worker died`, async () => {
    const { announcement } = await sealRecording(phone, 'AbortedCall', undefined)
    await phone.announce(announcement)
    if (died === 'Scanning')
      await fixture.sql('update payloads set state = 4 where payload_reference = $1', [
        announcement.payload_reference,
      ])
    fixture.sent.splice(0)
    fixture.advance(200)
    await sweepPayloads.run(fixture.ctx, {}, never)
    assert.equal((await readState(announcement))?.status, 'pending')
    await fixture.work()
    assert.equal((await readState(announcement))?.status, 'processed')
  })
}

test('a blocked call that was recorded long ago is late like any other upload', async () => {
  const { announcement } = await sealRecording(phone, 'BlockedCall', undefined, {
    payload_time: fixture.ctx.now() - 8 * 86_400,
  })
  await phone.announce(announcement)
  const [row] = await fixture.sql<{ is_late: boolean; is_uploaded: boolean }>(
    'select is_late, uploaded_at = announced_at as is_uploaded from payloads where payload_reference = $1',
    [announcement.payload_reference],
  )
  assert.deepEqual(row, { is_late: true, is_uploaded: true })
})
