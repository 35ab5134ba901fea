import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type AccessFixture, accessFixture, codeOf, type Person } from '../../testing/access-fixture.ts'
import { demoPhone, messageOf, recordingOf } from '../../testing/phones.ts'

const FIX = { latitude: 51.5, longitude: -0.12, accuracy: 9, timestamp: 1, provider: 'gps' }

describe('the places of recordings', () => {
  let fixture: AccessFixture
  let references: string[]
  before(async () => {
    fixture = await accessFixture({}, { hasWorker: true })
    const phone = await demoPhone(fixture.server.ctx.config.dataDir, fixture.server.url, 'Harriet')
    const made = [
      { payload_location: FIX },
      { payload_location: null, last_known_location: { ...FIX, latitude: 51 } },
      {},
    ].map((more) => {
      const { recording } = recordingOf('SMS', messageOf('Somewhere'))
      Object.assign(recording.meta, { payload_location: null, last_known_location: null }, more)
      return recording
    })
    for (const recording of made) await phone.record(recording)
    assert.equal((await phone.sync({ patience: 60 })).freed, 3)
    references = made.map(({ meta }) => meta.payload_reference)
  })
  after(() => fixture?.close())

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
    assert.deepEqual(fixed, {
      latitude: 51.5,
      longitude: -0.12,
      accuracy: 9,
      is_last_known: false,
    })
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
    assert.equal(await codeOf(places(await fixture.personWith(['Lists']))), 'not_permitted')
  })
})
