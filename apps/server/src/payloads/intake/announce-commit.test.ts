import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { loggedParameters, newLogId } from '../../http/audit.ts'
import type { Context, DeviceContext } from '../../http/context.ts'
import { SLOTS } from '../../ports/keys/local-file.ts'
import { listSegments, openSegment } from '../../ports/keys/slots/key-versions.ts'
import { isForgotten } from '../../ports/keys/slots/layout.ts'
import {
  ingestFixture,
  type IngestFixture,
  type SealedRecording,
  sealRecording,
  type TestPhone,
} from '../../testing/ingest-fixture.ts'
import { originalKey } from '../original-key.ts'
import { announcePayloads } from './announce.ts'
import { makeArrivals } from './upload.ts'

let fixture: IngestFixture
let phones: [TestPhone, TestPhone]
before(async () => {
  fixture = await ingestFixture()
  phones = [await fixture.phone('acme'), await fixture.phone('acme')]
})
after(() => fixture.close())

interface Call {
  phone: TestPhone
  recording: SealedRecording
}

const getCall = async (
  phone: TestPhone,
  options: Parameters<typeof sealRecording>[3] = {},
): Promise<Call> => ({
  phone,
  recording: await sealRecording(phone, 'SMS', Buffer.from('{"text":"hello"}'), options),
})

/** Makes these calls concurrently: the first begins a commit, and the others arrive during it. */
async function announceTogether(calls: readonly Call[]) {
  const announce = announcePayloads(fixture.ctx)
  const contexts = await Promise.all(calls.map(({ phone }) => getContext(phone)))
  return Promise.allSettled(
    calls.map(({ recording }, i) =>
      announce(contexts[i] as DeviceContext, { body: { payloads: [recording.announcement] } } as never).then(
        (answer) => (answer as { payloads: { status: string; problem?: string }[] }).payloads[0],
      ),
    ),
  )
}

async function getContext(phone: TestPhone): Promise<DeviceContext> {
  const now = fixture.ctx.now()
  const caller = await fixture.caller(phone)
  const ip = '127.0.0.1'
  const entry = () => ({
    log_id: newLogId(),
    caller,
    ip,
    browser: undefined,
    activity_time: now,
    activity_end_time: now,
    duration: 0,
    action: 'POST payloads',
    is_allowed: true,
    denial_reason: null,
    parameters: loggedParameters({}, []),
    status_code: 200,
    request_id: 'together',
  })
  const writeBatched: DeviceContext['writeBatched'] = (acts, act) => acts.add(caller.client_id, act, entry)
  return { caller, now, ip, writeBatched } as DeviceContext
}

const getReferences = (calls: readonly Call[]) =>
  calls.map(({ recording }) => recording.announcement.payload_reference)

/** Rows of a table for these payloads, and the number of transactions that wrote them. */
async function written(table: string, calls: readonly Call[]) {
  const [row] = await fixture.sql<{ rows: number; commits: string[] }>(
    `select count(*)::int as rows, array_agg(distinct t.xmin::text order by t.xmin::text) as commits
     from ${table} t join payloads p using (payload_id) where p.payload_reference = any($1)`,
    [getReferences(calls)],
  )
  return row
}

/** A leftover key could open an announcement in the database's log that was never stored. */
async function slotsAreNamed(): Promise<void> {
  const folder = join(fixture.ctx.config.dataDir, 'keys', SLOTS)
  let kept = 0
  for (const segment of await listSegments(folder)) {
    const file = await openSegment(folder, segment, 'r')
    const slots = (await file?.read(0, 1000)) ?? []
    kept += slots.filter((slot) => !isForgotten(slot)).length
    await file?.close()
  }
  const [named] = await fixture.sql<{ count: number }>(
    'select count(dek_key)::int as count from payload_envelopes',
  )
  assert.equal(kept, named?.count)
}

test('announcements of several devices during a commit share the next one, each with its audit entry', async () => {
  const calls = await Promise.all(Array.from({ length: 8 }, (_, i) => getCall(phones[i % 2] as TestPhone)))
  const ends = await announceTogether(calls)
  assert.deepEqual(
    ends.map((end) => end.status === 'fulfilled' && end.value?.status),
    calls.map(() => 'pending'),
  )
  const payloads = await written('payload_envelopes', calls)
  assert.deepEqual([payloads?.rows, payloads?.commits.length], [8, 2])
  const entries = await fixture.sql<{ device_reference: string; count: number; commit: string }>(
    `select device_reference, count(*)::int from device_activities
     where request_id = 'together' and xmin::text = any($1) group by 1`,
    [payloads?.commits],
  )
  assert.deepEqual(
    new Map(entries.map(({ device_reference, count }) => [device_reference, count])),
    new Map(phones.map(({ device_reference }) => [device_reference, 4])),
    'every entry is written in a transaction of the payloads',
  )
  const [counted] = await fixture.sql<{ count: number }>(
    `select sum(total)::int as count from payload_counts where grain = 'm' and type = 0 and group_id = 0`,
  )
  assert.equal(counted?.count, 8)
})

test('an announcement that cannot be written fails only its own caller', async () => {
  const calls = await Promise.all(Array.from({ length: 8 }, () => getCall(phones[0])))
  const refused = calls[5]?.recording.announcement.payload_reference ?? ''
  await fixture.sql(
    `create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$`,
  )
  await fixture.sql(
    `create trigger refuse before insert on payloads for each row when (new.payload_reference = '${refused}')
     execute function refuse()`,
  )
  const ends = await announceTogether(calls).finally(() => fixture.sql('drop function refuse cascade'))
  assert.deepEqual(
    ends.flatMap(({ status }, i) => (status === 'rejected' ? [i] : [])),
    [5],
  )
  assert.equal((await written('payload_envelopes', calls))?.rows, 7)
  await slotsAreNamed()
})

test('two processes that store the same announcement at once keep one key', async () => {
  const call = await getCall(phones[0])
  const [one, other] = [announceTogether([call]), announceTogether([call])]
  const ends = [...(await one), ...(await other)]
  assert.deepEqual(
    ends.map((end) => end.status === 'fulfilled' && end.value?.status),
    ['pending', 'pending'],
  )
  await slotsAreNamed()
})

test('a reference of two devices in one commit belongs to the first, and the other gets a conflict', async () => {
  const first = await getCall(phones[0])
  const reference = first.recording.announcement.payload_reference
  const other = await getCall(phones[1], { reference })
  const begins = await getCall(phones[0])
  const calls = [begins, first, other, first]
  const ends = await announceTogether(calls)
  assert.deepEqual(
    ends.map((end) => end.status === 'fulfilled' && (end.value?.problem ?? end.value?.status)),
    ['pending', 'pending', 'payload_conflict', 'pending'],
  )
  const payloads = await written('payload_envelopes', calls)
  assert.deepEqual([payloads?.rows, payloads?.commits.length], [2, 2])
  const alerts = await fixture.sql(`select from alerts where alert_key = $1`, [
    `conflict ${phones[1].device_reference}`,
  ])
  assert.equal(alerts.length, 1)
})

/** Announces so many payloads, and notes the arrival of all of them at once. */
async function arriveTogether(count: number, spoil: (reference: string) => Promise<unknown>) {
  const recordings = await Promise.all(
    Array.from({ length: count }, () => sealRecording(phones[0], 'SMS', Buffer.from('{"text":"hello"}'))),
  )
  await phones[0].announce(...recordings.map(({ announcement }) => announcement))
  const references = recordings.map(({ announcement }) => announcement.payload_reference)
  await spoil(references[3] ?? '')
  const arrivals = makeArrivals(fixture.ctx)
  const note = (payload_reference: string) =>
    arrivals.add(fixture.accounts.acme.client_id, {
      client: 'acme',
      payload_reference,
      key: originalKey('acme', payload_reference, 0),
      context: { ip: '127.0.0.1', now: fixture.ctx.now(), request_id: payload_reference } as Context,
      duration: 1,
    })
  // The last is repeated at the same moment: one arrival.
  const ends = await Promise.allSettled([...references, ...references.slice(-1)].map(note))
  const states = await Promise.all(references.map(async (each) => (await fixture.state(each))?.state))
  const [activity] = await fixture.sql<{ entries: number; commits: number }>(
    `select count(*)::int as entries, count(distinct xmin::text)::int as commits from device_activities
     where action = 'PUT uploads' and request_id = any($1)`,
    [references],
  )
  return { ends: ends.map(({ status }) => status), states, ...activity }
}

test('uploads that arrive during a commit share the next one, each with its audit entry and job', async () => {
  fixture.sent.length = 0
  const { ends, states, entries, commits } = await arriveTogether(8, async () => undefined)
  assert.deepEqual(new Set(ends), new Set(['fulfilled']))
  assert.deepEqual(new Set(states), new Set(['Uploaded']))
  assert.deepEqual([entries, commits, fixture.sent.length], [8, 2, 8])
  await fixture.work()
})

test('an upload that cannot be written fails only its own caller', async () => {
  const { ends, states, entries } = await arriveTogether(8, async (reference) => {
    await fixture.sql(
      `create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$`,
    )
    await fixture.sql(
      `create trigger refuse before update on payloads for each row when (new.payload_reference = '${reference}')
       execute function refuse()`,
    )
  })
  await fixture.sql('drop function refuse cascade')
  assert.deepEqual(
    ends.flatMap((status, i) => (status === 'rejected' ? [i] : [])),
    [3],
  )
  assert.deepEqual(
    states.flatMap((state, i) => (state === 'Uploaded' ? [] : [i])),
    [3],
  )
  assert.equal(entries, 7)
})
