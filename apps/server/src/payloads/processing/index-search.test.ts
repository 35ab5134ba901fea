import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { indexSearch } from './index-search.ts'
import { ingestFixture } from '../../testing/ingest-fixture.ts'

const fixture = await ingestFixture()
after(() => fixture.close())
const phone = await fixture.phone('acme')

const never = new AbortController().signal
const NAMES = ['Ana Melo', 'ANA  Paula', 'O’Neill, Sé', '', 'Zwingli'] as const

/** Delivers what a phone sealed with these second parties, and answers its id. */
async function deliver(type: 'Call' | 'BlockedCall', parties: readonly (readonly [string | null, string])[]) {
  const data = type === 'Call' ? Buffer.from('heard') : undefined
  const { payload_id } = await fixture.upload(phone, type, data, {
    change: (meta) => ({
      ...meta,
      second_parties: parties.map(([phone_number, contact_name]) => ({
        phone_number,
        contact_name,
        direction: 'O',
        start_time: 1,
        duration: 1,
      })),
    }),
  })
  return Number(payload_id)
}

/** All that searches read, in an order of its own. */
const written = async () => ({
  lines: await fixture.sql('select payload_id, search_text from payload_documents order by 1'),
  words: await fixture.sql('select w::text from payload_words w order by 1'),
  numbers: await fixture.sql('select n::text from search_numbers n order by 1'),
  names: await fixture.sql('select w::text from search_words w order by 1'),
  people: await fixture.sql('select w::text from device_user_words w order by 1'),
})
const forget = () =>
  fixture.sql(`update payload_documents set search_text = null; delete from payload_words; delete from search_numbers;
    delete from search_words; delete from device_user_words`)

test('the backfill creates the same search index as for new payloads, including all parties', async () => {
  const conference = NAMES.map((name, i) => [`+44 7700 90012${i}`, name] as const)
  const payload_id = await deliver('Call', conference)
  await deliver('BlockedCall', [['Bank, The', '']])
  await deliver('BlockedCall', [[null, 'Ana']])
  await deliver('BlockedCall', [])
  const asNew = await written()
  assert.ok(asNew.people.length > 0)
  const line = asNew.lines.find((row) => Number((row as { payload_id: number }).payload_id) === payload_id)
  const { search_text } = line as { search_text: string }
  assert.ok(search_text.startsWith(' ana melo paula o neill se oneill zwingli#'), search_text)
  assert.ok(search_text.endsWith('#447700900124$'), search_text)

  await forget()
  await assert.rejects(indexSearch.run(fixture.ctx, {}, AbortSignal.abort()))
  await indexSearch.run(fixture.ctx, {}, never)
  assert.deepEqual(await written(), asNew)
  await indexSearch.run(fixture.ctx, {}, never)
  assert.deepEqual(await written(), asNew)
})

test('the backfill uses the list document where the sealed metadata is damaged', async () => {
  const payload_id = await deliver(
    'Call',
    NAMES.map((name) => [null, name] as const),
  )
  await forget()
  await fixture.sql(`update payload_envelopes set sealed_meta = 'x' where payload_id = $1`, [payload_id])
  await indexSearch.run(fixture.ctx, {}, never)
  const rows = await fixture.sql<{ search_text: string }>(
    'select search_text from payload_documents where payload_id = $1',
    [payload_id],
  )
  assert.match(rows[0]?.search_text ?? '', /^ ana melo paula o neill se oneill(#|$)/)
})
