import assert from 'node:assert/strict'
import { after, before, describe, it, test } from 'node:test'
import { accessFixture, type AccessFixture, getCode, type Person } from '../../testing/access-fixture.ts'
import { demoPhone, getMessage, getRecording } from '../../testing/phones.ts'
import { until } from '../../testing/waits.ts'

const fixture = await accessFixture({}, { hasWorker: true })
after(() => fixture.close())

const FIX = { latitude: 51.5, longitude: -0.12, accuracy: 9, timestamp: 1, provider: 'gps' }

describe('the places of recordings', () => {
  let references: string[]
  before(async () => {
    const phone = await demoPhone(fixture.server.ctx.config.dataDir, fixture.server.url, 'Harriet')
    const made = [
      { payload_location: FIX },
      { payload_location: null, last_known_location: { ...FIX, latitude: 51 } },
      {},
    ].map((more) => {
      const { recording } = getRecording('SMS', getMessage('Somewhere'))
      Object.assign(recording.meta, { payload_location: null, last_known_location: null }, more)
      return recording
    })
    for (const recording of made) await phone.record(recording)
    assert.equal((await phone.sync({ patience: 60 })).freed, 3)
    references = made.map(({ meta }) => meta.payload_reference)
  })

  const places = async (person: Person, payload_references = references) => {
    const { data } = await person.api.readPayloadPlaces({ query: { payload_references } })
    assert.deepEqual(
      data.map(({ payload_reference }) => payload_reference),
      payload_references,
    )
    return data.map(({ status, place }) => (status === 'Ok' ? place : status))
  }

  it('contain the position of the recording, or the last known one marked as such', async () => {
    const [fixed, last, none] = await places(fixture.alice)
    assert.deepEqual(fixed, { latitude: 51.5, longitude: -0.12, accuracy: 9, is_last_known: false })
    assert.deepEqual(last, { ...(fixed as object), latitude: 51, is_last_known: true })
    assert.equal(none, undefined)
  })

  it('are hidden from users without the group, type or permission', async () => {
    const actions_matching = ['payloads.places:read']
    await fixture.giveRole('South', [{ actions_matching, conditions: [{ names_matching: ['South'] }] }])
    await fixture.giveRole('Calls', [{ actions_matching }], { payload_types: ['Call'] })
    await fixture.giveRole('Lists', [{ actions_matching: ['payloads:list', 'payloads:read'] }])
    const all = (status: string) => references.map(() => status)
    assert.deepEqual(await places(await fixture.personWith(['South'])), all('GroupNotAuthorised'))
    assert.deepEqual(await places(await fixture.personWith(['Calls'])), all('TypeNotAuthorised'))
    assert.deepEqual(await places(fixture.gina), all('NoMatchingRecord'))
    assert.equal(await getCode(places(await fixture.personWith(['Lists']))), 'not_permitted')
  })
})

type Query = Parameters<AccessFixture['alice']['api']['listPayloads']>[0]['query']
const listed = async (query: Query) => {
  const page = await fixture.alice.api.listPayloads({ query: { service: 'messages', limit: 200, ...query } })
  assert.ok('data' in page)
  return page.data.map(({ payload_reference }) => payload_reference)
}
const total = async (query: Query) => {
  const answer = await fixture.alice.api.listPayloads({
    query: { service: 'messages', type: 'total', ...query },
  })
  return 'total' in answer ? answer.total : assert.fail('no total')
}
const read = (payload_reference: string) => fixture.alice.api.readPayload({ params: { payload_reference } })

test('a duplicate message is listed only on request, and links to the original', async () => {
  const harriet = await demoPhone(fixture.server.ctx.config.dataDir, fixture.server.url, 'Harriet')
  await harriet.authenticate()
  const message_id = 'message-1'.padEnd(32, '0')
  const payload_time = Math.floor(Date.now() / 1000) - 120
  const upload = async () => {
    const { payload_reference, recording } = getRecording('SMS', getMessage('Hello'), {
      message_id,
      payload_time,
    })
    await harriet.record(recording)
    await harriet.sync({ patience: 60 })
    const status = () => harriet.status([payload_reference])
    await until('the message', status, ([answer]) => answer?.status === 'processed')
    return payload_reference
  }
  const known = await total({})
  const first = await upload()
  const again = await upload()

  const { device_reference, thread_id, copies, copy_of } = await read(first)
  assert.deepEqual([copies, copy_of], [[again], undefined])
  assert.equal((await read(again)).copy_of, first)
  for (const more of [
    {},
    { device_reference },
    { device_reference, thread_id },
    { number: '+447700900555' },
  ] as const) {
    const shown = await listed(more)
    assert.ok(shown.includes(first) && !shown.includes(again), JSON.stringify(more))
    assert.equal(await total(more), shown.length, 'a total is that of its rows')
    assert.deepEqual(await listed({ ...more, is_copy: true }), [again])
    assert.equal(await total({ ...more, is_copy: true }), 1)
    assert.deepEqual(await listed({ ...more, is_copy: false }), shown)
  }
  assert.equal(await total({}), known + 1)
  assert.deepEqual(await listed({ search: again }), [again], 'who names it means it')

  const thread = { device_reference, thread_id: thread_id ?? '' }
  const conversation = await fixture.alice.api.readThread({ params: thread })
  assert.deepEqual(
    conversation.data.map(({ payload_reference }) => payload_reference).filter((each) => each === again),
    [],
  )
  const threads = await fixture.alice.api.listThreads({ params: { device_reference } })
  assert.equal(
    threads.data.find((each) => each.thread_id === thread_id)?.message_count,
    conversation.data.length,
  )
})
