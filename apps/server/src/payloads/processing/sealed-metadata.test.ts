import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { PayloadType } from '@custodia/contract'
import { ingestFixture } from '../../testing/ingest-fixture.ts'
import { findSealedMetadata, openSealedMetadata } from '../sealed-metadata-store.ts'

const fixture = await ingestFixture()
after(() => fixture.close())
const phone = await fixture.phone('acme')

const CARRIER = 'Canary Mobile'
/** Values that must not be found anywhere once sealed, each unique. */
const FACTS = {
  payload_location: { latitude: 51.123_456_789, longitude: -0.987_654_321, provider: 'canary fix' },
  last_known_location: { latitude: 12.345_678_912, longitude: 98.765_432_198, provider: 'canary last' },
  imeis: ['356938035649999'],
  payload_carrier_metadata: [{ carrier_name: CARRIER, phone_number: '+447700900987', slot_index: 7 }],
}
const OF_CALLS = { voice_source: 'HEADSET', signal_strength: -113_987 }
const OF_MESSAGES = { imsi: '234159876543210' }
const NOTES = { payload_notes: 'the canary sings of a merger' }
const SECRETS = [
  '51.123456789',
  '-0.987654321',
  'canary fix',
  '12.345678912',
  '98.765432198',
  'canary last',
  '356938035649999',
  '-113987',
  'HEADSET',
  '234159876543210',
  'the canary sings',
  'the canary forbids',
]
const RECORDINGS: readonly [PayloadType, Buffer | undefined, object][] = [
  ['Call', Buffer.from('heard'), { ...FACTS, ...OF_CALLS }],
  ['AbortedCall', undefined, { ...FACTS, ...OF_CALLS }],
  ['BlockedCall', undefined, { ...FACTS, ...OF_CALLS, reason_for_blocking: 'the canary forbids it' }],
  ['SMS', Buffer.from(JSON.stringify({ text: 'x' })), { ...FACTS, ...OF_MESSAGES }],
  // Its data is no message: it fails, and its metadata is shown all the same.
  ['SMS', Buffer.from('no message'), { ...FACTS, ...OF_MESSAGES }],
  ['Photo', Buffer.from('seen'), { ...FACTS, ...NOTES }],
]

/** Delivers and processes recordings with all these facts; returns their ids and the sealed content. */
async function deliverAll() {
  const delivered: { payload_id: number; stated: Record<string, unknown> }[] = []
  for (const [type, data, more] of RECORDINGS) {
    let stated: object = {}
    const { payload_id } = await fixture.upload(phone, type, data, {
      change: (meta) => (stated = { ...meta, ...more }),
    })
    delivered.push({ payload_id: Number(payload_id), stated: stated as Record<string, unknown> })
  }
  return delivered
}

/** Every row of every table as text, bytes in hexadecimal, with the table's name before it. */
async function everything(): Promise<string[]> {
  const tables = await fixture.sql<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema')`,
  )
  const found: string[] = []
  for (const { name } of tables)
    for (const { row } of await fixture.sql<{ row: string }>(`select t::text as row from ${name} t`))
      found.push(`${name} ${row}`)
  return found
}

const placesOf = (rows: readonly string[], text: string): string[] => {
  const forms = [text, Buffer.from(text).toString('hex'), Buffer.from(text).toString('base64').slice(0, -4)]
  const hits = rows.filter((row) => forms.some((form) => row.includes(form)))
  return [...new Set(hits.map((row) => row.split(' ')[0] ?? ''))]
}

test('metadata of places, devices, carriers and notes is never stored in plain text', async () => {
  const delivered = await deliverAll()
  const rows = await everything()
  for (const secret of SECRETS) assert.deepEqual(placesOf(rows, secret), [], secret)
  // Statistics contain the carriers of a client's devices, but no time or place.
  assert.deepEqual(placesOf(rows, CARRIER), ['public.carrier_sightings'])
  assert.ok(placesOf(rows, '+447700900987').includes('public.payload_documents'), 'numbers are list fields')

  const { client_id } = fixture.accounts.acme
  const ids = delivered.map(({ payload_id }) => payload_id)
  const sealed = await fixture.ctx.db.read(client_id, (q) => findSealedMetadata(q, ids))
  assert.equal(sealed.length, RECORDINGS.length)
  assert.ok(sealed.some(({ wrapped_dek }) => wrapped_dek) && sealed.some(({ wrapped_dek }) => !wrapped_dek))
  for (const each of sealed) {
    const { stated } = delivered.find(({ payload_id }) => payload_id === each.payload_id) ?? {}
    assert.deepEqual(await openSealedMetadata(fixture.ctx, each), stated)
    const other = { ...each, payload_reference: 'another'.padEnd(26, '0') }
    await assert.rejects(openSealedMetadata(fixture.ctx, other), 'bound to its payload')
  }
})
