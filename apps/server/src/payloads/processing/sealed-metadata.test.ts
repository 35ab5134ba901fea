import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { CaptureStatement, PayloadType } from '@custodia/contract'
import { ingestFixture, sealRecording, sha256 } from '../../testing/ingest-fixture.ts'
import { LONG } from '../../testing/long.ts'
import { findSealedMetadata, openSealedMetadata } from '../sealed-metadata-store.ts'
import { findStatement, listStatements } from '../sequence-store.ts'
import { stateCompleteness } from '../sequence.ts'

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

const getPlaces = (rows: readonly string[], text: string): string[] => {
  const forms = [text, Buffer.from(text).toString('hex'), Buffer.from(text).toString('base64').slice(0, -4)]
  const hits = rows.filter((row) => forms.some((form) => row.includes(form)))
  return [...new Set(hits.map((row) => row.split(' ')[0] ?? ''))]
}

test('metadata of places, devices, carriers and notes is never stored in plain text', async () => {
  const delivered = await deliverAll()
  const rows = await everything()
  for (const secret of SECRETS) assert.deepEqual(getPlaces(rows, secret), [], secret)
  // Statistics contain the carriers of a client's devices, but no time or place.
  assert.deepEqual(getPlaces(rows, CARRIER), ['public.carrier_sightings'])
  assert.ok(getPlaces(rows, '+447700900987').includes('public.payload_documents'), 'numbers are list fields')

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

/** Recordings of an installation, and how many of them are lost. */
const RECORDED = LONG ? 2500 : 40
const LOST = LONG ? 1000 : 12
const DAY = 86_400

/** A phone numbers its recordings and loses some. */
async function recordNumbered(chain_id: string, lost: ReadonlySet<number>): Promise<void> {
  let prev_hash: string | null = null
  for (let seq = 1; seq <= RECORDED; seq++) {
    const sequence = { chain_id, seq, prev_hash }
    const { announcement } = await sealRecording(phone, 'BlockedCall', undefined, {
      change: (meta) => ({ ...meta, sequence }),
    })
    prev_hash = sha256(Buffer.from(announcement.meta, 'base64'))
    if (!lost.has(seq)) await phone.announce(announcement)
  }
  await fixture.work()
}

test('names each recording that never arrived in a signed statement, and no other', async () => {
  const numbers = Array.from({ length: RECORDED - 1 }, (_, i) => i + 1)
  const lost = new Set(numbers.toSorted(() => Math.random() - 0.5).slice(0, LOST))
  const account = { client_id: fixture.accounts.acme.client_id, client: 'acme' }
  let days = 0
  const state = async () => {
    days++
    const ctx = { ...fixture.ctx, now: () => fixture.ctx.now() + days * DAY }
    // A day has one statement.
    for (let times = 0; times < 2; times++) await stateCompleteness(ctx, account)
    fixture.advance(10)
    return fixture.ctx.db.read(account.client_id, async (q) => {
      const listed = await listStatements(q, 10)
      const found = await findStatement(q, listed[0]?.statement_reference ?? '')
      return { listed, statement: JSON.parse(found?.body ?? '') as CaptureStatement['statement'] }
    })
  }
  const figures = (of: CaptureStatement['statement']) => [
    of.recorded,
    of.archived,
    of.queued,
    of.explained,
    of.missing,
    of.contradictory,
  ]

  await recordNumbered('first', lost)
  const { listed, statement } = await state()
  const named = statement.gaps.flatMap(({ from_seq, to_seq }) =>
    Array.from({ length: to_seq - from_seq + 1 }, (_, i) => from_seq + i),
  )
  assert.deepEqual(
    named,
    [...lost].toSorted((a, b) => a - b),
  )
  assert.ok(
    statement.gaps.every(({ reason, chain_id }) => reason === 'never_arrived' && chain_id === 'first'),
  )
  assert.deepEqual(figures(statement), [RECORDED, RECORDED - LOST, 0, 0, LOST, 0])
  assert.equal(listed.length, 1)

  // Another installation explains what the first one still kept; an announced photo is on its way.
  await recordNumbered('second', new Set([2]))
  const { announcement } = await sealRecording(phone, 'Photo', Buffer.from('seen'), {
    change: (meta) => ({ ...meta, sequence: { chain_id: 'second', seq: 1, prev_hash: null } }),
  })
  await phone.announce(announcement)
  const { listed: both, statement: next } = await state()
  assert.equal(next.former_sha256, listed[0]?.checksum)
  assert.equal(both.length, 2)
  assert.deepEqual(figures(next), [2 * RECORDED + 1, 2 * RECORDED - LOST - 1, 1, LOST, 1, 0])
  assert.deepEqual(
    next.gaps.filter(({ reason }) => reason === 'never_arrived').map(({ from_seq }) => from_seq),
    [2],
  )

  // A number that comes twice, with another recording before it.
  await recordNumbered('second', new Set(numbers.slice(1)))
  const { statement: last } = await state()
  assert.ok(last.contradictory >= 1)

  // Numbers that a device invents: the statement counts what it can, and none stops it.
  const MAX = 2_147_483_647
  const numbered = (chain_id: string, seq: number) => ({
    change: (meta: object) => ({ ...meta, sequence: { chain_id, seq, prev_hash: null } }),
  })
  // Another device, which knows the chain, does not fill its gap.
  await fixture.upload(await fixture.phone('acme'), 'BlockedCall', undefined, numbered('second', 2))
  for (const chain of ['third', 'third', 'fourth'])
    await fixture.upload(phone, 'BlockedCall', undefined, numbered(chain, MAX))
  for (const [chain, seq] of [
    ['third', MAX],
    ['third', -1],
    ['third', 1e12],
    ['a\0', 1],
  ] as const)
    // prettier-ignore
    await phone.announce((await sealRecording(phone, 'Photo', Buffer.from('seen'), numbered(chain, seq))).announcement)
  const { statement: forged } = await state()
  assert.deepEqual(
    [forged.archived - last.archived, forged.queued - last.queued, forged.contradictory - last.contradictory],
    [3, 1, 1],
  )
  assert.deepEqual(
    forged.gaps
      .flatMap(({ chain_id, from_seq, to_seq }) => (chain_id === 'second' ? [[from_seq, to_seq]] : []))
      .toSorted(),
    [
      [1, 1],
      [2, 2],
    ],
  )
  // The numbers before the four invented ones.
  const far = forged.gaps.filter(({ chain_id }) => ['third', 'fourth'].includes(chain_id))
  assert.deepEqual(
    far.map(({ from_seq, to_seq }) => [from_seq, to_seq]),
    Array.from({ length: 3 }, () => [1, MAX - 1]),
  )
})
