import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Announcement, FailureCode } from '@custodia/contract'
import {
  ingestFixture,
  type IngestFixture,
  RECORDED,
  sealRecording,
  type TestPhone,
} from '../../testing/ingest-fixture.ts'
import { addPerson, signingPhone } from '../../testing/signing-phone.ts'
import { countsSql } from '../state-store.ts'
import { sweepPayloads } from './sweep.ts'

let fixture: IngestFixture
let phone: TestPhone
before(async () => {
  fixture = await ingestFixture()
  phone = await fixture.phone('acme', { email: 'nina@acme.example' })
})
after(() => fixture.close())

test('an announcement is stored with all its records, and repeating it changes nothing', async () => {
  const { announcement } = await sealRecording(phone, 'Call', Buffer.from('hello'))
  const [first] = await phone.announce(announcement)
  assert.equal(first?.status, 'pending')
  assert.ok(first?.upload_url)
  const snapshot = () =>
    fixture.sql(
      `select p.*, encode(e.checksum, 'hex') as checksum, e.size, u.device_user_reference, g.group_reference,
         (select count(*) from payload_history h where h.payload_id = p.payload_id) as steps,
         (select count(*) from payload_work w where w.payload_id = p.payload_id) as work,
         (select sum(total) from payload_counts) as counted
       from payloads p join payload_envelopes e using (payload_id) join groups g using (group_id)
         left join device_users u using (device_user_id)
       where payload_reference = $1`,
      [announcement.payload_reference],
    )
  const stored = await snapshot()
  const [row] = stored as Record<string, unknown>[]
  assert.equal(row?.device_user_reference, 'nina')
  assert.equal(row?.group_reference, 'North')
  assert.equal(Number(row?.steps), 1)
  assert.equal(Number(row?.work), 1)
  const [again] = await phone.announce(announcement)
  assert.equal(again?.status, 'pending')
  assert.ok(again?.upload_url)
  assert.deepEqual(await snapshot(), stored)
})

test('other content under a known reference is refused and raises an alert', async () => {
  const first = await sealRecording(phone, 'SMS', Buffer.from('one'))
  await phone.announce(first.announcement)
  const reference = first.announcement.payload_reference
  const other = await sealRecording(phone, 'SMS', Buffer.from('two'), { reference })
  assert.deepEqual(await phone.announce(other.announcement), [
    { payload_reference: reference, status: 'failed', problem: 'payload_conflict' },
  ])
  const [kept] = await fixture.sql<{ checksum: string }>(
    "select encode(checksum, 'hex') as checksum from payload_envelopes join payloads using (payload_id) where payload_reference = $1",
    [reference],
  )
  assert.equal(kept?.checksum, first.announcement.checksum)
  const alerts = await fixture.sql('select alert_type, alert_severity from alerts where alert_key = $1', [
    `conflict ${phone.device_reference}`,
  ])
  assert.deepEqual(alerts, [{ alert_type: 'PayloadAlert', alert_severity: 'High' }])
})

test('another device learns nothing about a reference, even with the same content', async () => {
  const neighbour = await fixture.phone('acme')
  const { announcement } = await sealRecording(phone, 'Call', Buffer.from('mine'))
  await phone.announce(announcement)
  const { payload_reference } = announcement
  assert.deepEqual(await neighbour.announce(announcement), [
    { payload_reference, status: 'failed', problem: 'payload_conflict' },
  ])
  assert.deepEqual(await neighbour.status(payload_reference), [{ payload_reference, status: 'not_found' }])
})

test('the same reference in another client is another payload', async () => {
  const stranger = await fixture.phone('globex')
  const { announcement } = await sealRecording(phone, 'Call', Buffer.from('ours'))
  await phone.announce(announcement)
  const { announcement: theirs } = await sealRecording(stranger, 'Call', Buffer.from('theirs'), {
    reference: announcement.payload_reference,
  })
  assert.equal((await stranger.announce(theirs))[0]?.status, 'pending')
})

test('calls without recording must have no data, and all other payloads must have data', async () => {
  const blocked = await sealRecording(phone, 'BlockedCall', undefined)
  const wrong = await sealRecording(phone, 'AbortedCall', Buffer.from('x'))
  const empty = await sealRecording(phone, 'Call', undefined)
  const answers = await phone.announce(blocked.announcement, wrong.announcement, empty.announcement)
  assert.deepEqual(
    answers.map(({ status, problem, upload_url }) => [status, problem, upload_url]),
    [
      ['pending', undefined, undefined],
      ['failed', 'invalid_announcement', undefined],
      ['failed', 'invalid_announcement', undefined],
    ],
  )
  assert.equal((await fixture.state(blocked.announcement.payload_reference))?.state, 'Uploaded')
  assert.equal(await fixture.state(wrong.announcement.payload_reference), undefined)
})

test('announcements from concurrent requests are stored once and counted once', async () => {
  const readTotal = async () =>
    (
      await fixture.sql<{ n: number }>(
        `select coalesce(sum(total), 0)::int as n from payload_counts where grain = 'm' and type = 0 and group_id = 0`,
      )
    )[0]?.n ?? 0
  const before = await readTotal()
  const made = await Promise.all(
    Array.from({ length: 100 }, (_, i) =>
      sealRecording(phone, 'SMS', Buffer.from(`message ${i}`), { payload_time: RECORDED - i * 40_000 }),
    ),
  )
  const announcements = made.map(({ announcement }) => announcement)
  const rounds = await Promise.all([
    phone.announce(...announcements),
    phone.announce(...announcements.toReversed()),
    phone.announce(...announcements.slice(50)),
  ])
  for (const answers of rounds) for (const { status } of answers) assert.equal(status, 'pending')
  assert.equal(await readTotal(), before + 100)
  const columns = 'client_id, service, type, group_id, grain, start, total, parts'
  assert.deepEqual(
    await fixture.sql(`select ${columns} from payload_counts order by 1, 2, 3, 4, 5, 6`),
    await fixture.sql(
      `select ${columns} from (${countsSql('select *, 1 as n from payloads')}) x order by 1, 2, 3, 4, 5, 6`,
    ),
  )
})

test('a payload belongs to the user who held the device when it was recorded', async () => {
  const serial_number = 'handed on'
  await addPerson(fixture, 'olive', 1)
  const held = signingPhone(fixture, { serial_number })
  await held.enrol('nina')
  const handed_on_at = fixture.ctx.now() + 1000
  fixture.advance(1000)
  const later = await held.open({ email: 'olive@acme.example' })
  const getHolder = async (payload_time: number) => {
    const { announcement } = await sealRecording(later, 'Call', Buffer.from('x'), { payload_time })
    await later.announce(announcement)
    const [row] = await fixture.sql<{ who: string | null; group_reference: string }>(
      `select u.device_user_reference as who, g.group_reference from payloads p join groups g using (group_id)
       left join device_users u using (device_user_id) where payload_reference = $1`,
      [announcement.payload_reference],
    )
    return [row?.who, row?.group_reference]
  }
  assert.deepEqual(await getHolder(handed_on_at - 500), ['nina', 'North'])
  assert.deepEqual(await getHolder(1000), ['nina', 'North'])
  assert.deepEqual(await getHolder(handed_on_at + 10), [null, 'Waiting for confirmation'])
})

test('an invalid iv, an end before the start and invalid UTF-8 are refused before anything is stored', async () => {
  const { announcement } = await sealRecording(phone, 'Call', Buffer.from('hello'))
  const send = (payload: string | Buffer | object) =>
    fixture.app.inject({
      method: 'POST',
      url: '/device/v1/payloads',
      headers: { ...phone.headers, 'content-type': 'application/json' },
      payload,
    })
  for (const bytes of [0, 11, 13, 16]) {
    const iv = Buffer.alloc(bytes, 7).toString('base64')
    const answer = await send({ payloads: [{ ...announcement, iv }] })
    assert.deepEqual([answer.statusCode, answer.json().errors[0].code], [400, 'iv'], String(bytes))
  }
  const text = Buffer.from(JSON.stringify({ payloads: [{ ...announcement, key_id: 'Ä' }] }), 'latin1')
  assert.equal((await send(text)).statusCode, 400)
  const backwards = { ...announcement, payload_end_time: announcement.payload_time - 1 }
  const { payload_reference } = announcement
  assert.deepEqual(await phone.announce(backwards), [
    { payload_reference, status: 'failed', problem: 'invalid_announcement' },
  ])
  assert.equal(await fixture.state(payload_reference), undefined)
  const [taken] = await phone.announce({ ...backwards, payload_end_time: announcement.payload_time })
  assert.deepEqual([taken?.status, taken?.upload_headers], ['pending', {}])
})

test('the rate limit of a device counts payloads, and nothing is stored beyond it', async () => {
  const small = await ingestFixture({}, { RATE_DEVICE_ITEMS: '1/3' })
  try {
    const one = await small.phone('acme')
    const sealed = await Promise.all(
      Array.from({ length: 5 }, () => sealRecording(one, 'SMS', Buffer.from('hello'))),
    )
    const announcements = sealed.map(({ announcement }) => announcement)
    assert.equal((await one.announce(...announcements.slice(0, 2))).length, 2)
    const refused = await small.app.inject({
      method: 'POST',
      url: '/device/v1/payloads',
      headers: one.headers,
      payload: { payloads: announcements.slice(2) },
    })
    assert.deepEqual([refused.statusCode, refused.json().code], [429, 'too_many_requests'])
    assert.match(String(refused.headers['retry-after']), /^[12]$/)
    assert.equal((await small.sql('select from payloads')).length, 2)
    const other = await small.phone('acme')
    const theirs = await sealRecording(other, 'SMS', Buffer.from('hello'))
    assert.equal((await other.announce(theirs.announcement)).length, 1)
  } finally {
    await small.close()
  }
})

const TYPES = ['BlockedCall', 'AbortedCall'] as const
const never = new AbortController().signal

const readState = async ({ payload_reference }: Announcement) => (await phone.status(payload_reference))[0]
const getStates = (payload_reference: string) =>
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
    assert.deepEqual(await getStates(payload_reference), ['Uploaded', 'Scanning', 'NotRecorded'])
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
    assert.deepEqual(await getStates(payload_reference), ['Uploaded', 'Scanning', 'Failed'])
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
