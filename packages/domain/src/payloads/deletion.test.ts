import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PAYLOAD_STATES, type PayloadState } from '@custodia/contract'
import { deletionOf, restorationOf } from './deletion.ts'
import { deviceView, RESTING_STATES } from './states.ts'

const status = (payload_state: PayloadState) => ({ payload_state, state_before_deletion: null })

test('a payload in a final state can be deleted and restored without a visible change on its device', () => {
  for (const state of PAYLOAD_STATES) {
    const deleted = deletionOf(status(state))
    assert.equal(deleted !== undefined, (RESTING_STATES as readonly string[]).includes(state), state)
    if (!deleted) continue
    assert.deepEqual(deleted, { from: state, payload_state: 'Deleted', state_before_deletion: state })
    assert.equal(deviceView('Deleted', state), deviceView(state))
    assert.deepEqual(restorationOf(deleted), { from: 'Deleted', ...status(state) })
    assert.equal(deletionOf(deleted), undefined, 'not twice')
  }
})

test('only a deleted and not destroyed payload can be restored', () => {
  for (const state of PAYLOAD_STATES) assert.equal(restorationOf(status(state)), undefined, state)
  assert.equal(restorationOf({ payload_state: 'Destroyed', state_before_deletion: 'Processed' }), undefined)
  assert.equal(deviceView('Destroyed', 'Recorded'), 'processed')
})
