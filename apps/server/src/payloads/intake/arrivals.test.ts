import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Context } from '../../http/context.ts'
import { makeArrivals } from './upload.ts'
import {
  ingestFixture,
  type IngestFixture,
  sealRecording,
  type TestPhone,
} from '../../testing/ingest-fixture.ts'
import { originalKey } from '../original-key.ts'

let fixture: IngestFixture
let phone: TestPhone
before(async () => {
  fixture = await ingestFixture()
  phone = await fixture.phone('acme')
})
after(() => fixture.close())

/** Announces so many payloads, and notes the arrival of all of them at once. */
async function arriveTogether(count: number, spoil: (reference: string) => Promise<unknown>) {
  const recordings = await Promise.all(
    Array.from({ length: count }, () => sealRecording(phone, 'SMS', Buffer.from('{"text":"hello"}'))),
  )
  await phone.announce(...recordings.map(({ announcement }) => announcement))
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
