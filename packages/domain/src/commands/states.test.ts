import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commandStatesBefore, OPEN_COMMAND_STATES } from './states.ts'

test('a command may end without acknowledgement, and an ended command stays final', () => {
  assert.deepEqual(commandStatesBefore('Sent'), [])
  assert.deepEqual(commandStatesBefore('Acknowledged'), ['Sent'])
  assert.deepEqual(commandStatesBefore('Completed'), ['Sent', 'Acknowledged'])
  assert.deepEqual(commandStatesBefore('Failed'), ['Sent', 'Acknowledged'])
  assert.deepEqual(OPEN_COMMAND_STATES, ['Sent', 'Acknowledged'])
})
