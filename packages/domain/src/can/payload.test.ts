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

test('only processed and transferred payloads have data', () => {
  const free = PAYLOAD_STATES.filter(
    (payload_state) => obstacleTo({ payload_type: 'Call', payload_state }, PAYLOAD_TYPES) === undefined,
  )
  assert.deepEqual(free, ['Processed', 'Transferred'])
})

test('the server and the portal agree on which payloads have data', () => {
  for (const payload_type of PAYLOAD_TYPES)
    for (const payload_state of PAYLOAD_STATES) {
      const payload = { payload_type, payload_state }
      assert.equal(hasData(payload), hasOriginal(obstacleTo(payload, PAYLOAD_TYPES)))
    }
})

test('a missing type permission is reported before the payload state', () => {
  assert.equal(obstacleTo({ payload_type: 'Call', payload_state: 'Failed' }, ['SMS']), 'type_not_authorised')
})

test('blocked and aborted calls report not recorded, failed or pending', () => {
  for (const payload_type of ['AbortedCall', 'BlockedCall'] as const) {
    const obstacle = (payload_state: Payload['payload_state']) =>
      obstacleTo({ payload_type, payload_state }, PAYLOAD_TYPES)
    assert.equal(obstacle('NotRecorded'), 'not_recorded')
    assert.equal(obstacle('Failed'), 'failed')
    assert.equal(obstacle('Scanning'), 'on_its_way')
    assert.equal(obstacle('Processed'), 'not_recorded')
  }
})

test('an unplayable payload can still be downloaded', () => {
  const payload = { payload_type: 'Call', payload_state: 'Processed' } as const
  assert.equal(obstacleTo({ ...payload, media: playable }, PAYLOAD_TYPES), undefined)
  const obstacle = obstacleTo({ ...payload, media: { ...playable, is_playable: false } }, PAYLOAD_TYPES)
  assert.equal(obstacle, 'unplayable')
  assert.equal(hasOriginal(obstacle), true)
  assert.equal(hasOriginal('quarantined'), false)
})

test('a payload in preparation can be downloaded, and a playable one does not wait', () => {
  const media = { ...playable, being_prepared: true }
  const payload = { payload_type: 'Call', payload_state: 'Processed' } as const
  const obstacle = obstacleTo({ ...payload, media: { ...media, is_playable: false } }, PAYLOAD_TYPES)
  assert.equal(obstacle, 'being_prepared')
  assert.equal(hasOriginal(obstacle), true)
  assert.equal(obstacleTo({ ...payload, media }, PAYLOAD_TYPES), undefined)
})
