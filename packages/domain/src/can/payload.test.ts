import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Payload, PAYLOAD_STATES, PAYLOAD_TYPES } from '@custodia/contract'
import { hasData, hasOriginal, obstacleTo } from './payload.ts'

const playable = {
  content_type: 'audio/mp4',
  size: 1,
  is_playable: true,
  has_peaks: true,
  being_prepared: false,
}

test('only what is verified and kept has data', () => {
  const free = PAYLOAD_STATES.filter(
    (payload_state) => obstacleTo({ payload_type: 'Call', payload_state }, PAYLOAD_TYPES) === undefined,
  )
  assert.deepEqual(free, ['Processed', 'Transferred'])
})

test('the server hands out what the portal offers, and nothing else', () => {
  for (const payload_type of PAYLOAD_TYPES)
    for (const payload_state of PAYLOAD_STATES) {
      const payload = { payload_type, payload_state }
      assert.equal(hasData(payload), hasOriginal(obstacleTo(payload, PAYLOAD_TYPES)))
    }
})

test('a type beyond the roles is said before anything about its state', () => {
  assert.equal(obstacleTo({ payload_type: 'Call', payload_state: 'Failed' }, ['SMS']), 'type_not_authorised')
})

test('blocked and aborted calls have no recording, and say so when their metadata is wrong or not yet checked', () => {
  for (const payload_type of ['AbortedCall', 'BlockedCall'] as const) {
    const obstacle = (payload_state: Payload['payload_state']) =>
      obstacleTo({ payload_type, payload_state }, PAYLOAD_TYPES)
    assert.equal(obstacle('NotRecorded'), 'not_recorded')
    assert.equal(obstacle('Failed'), 'failed')
    assert.equal(obstacle('Scanning'), 'on_its_way')
    assert.equal(obstacle('Processed'), 'not_recorded')
  }
})

test('what cannot be played can still be downloaded', () => {
  const payload = { payload_type: 'Call', payload_state: 'Processed' } as const
  assert.equal(obstacleTo({ ...payload, media: playable }, PAYLOAD_TYPES), undefined)
  const obstacle = obstacleTo({ ...payload, media: { ...playable, is_playable: false } }, PAYLOAD_TYPES)
  assert.equal(obstacle, 'unplayable')
  assert.equal(hasOriginal(obstacle), true)
  assert.equal(hasOriginal('quarantined'), false)
})

test('what is being prepared can be downloaded meanwhile; what plays as it is waits for nothing', () => {
  const media = { ...playable, being_prepared: true }
  const payload = { payload_type: 'Call', payload_state: 'Processed' } as const
  const obstacle = obstacleTo({ ...payload, media: { ...media, is_playable: false } }, PAYLOAD_TYPES)
  assert.equal(obstacle, 'being_prepared')
  assert.equal(hasOriginal(obstacle), true)
  assert.equal(obstacleTo({ ...payload, media }, PAYLOAD_TYPES), undefined)
})
