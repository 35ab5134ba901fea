import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Party, ThreadMessage } from '@custodia/contract'
import { getAuthor, inReadingOrder } from './messages.ts'

const ana: Party = { phone_number: '+551', contact_name: 'Ana', direction: 'I' }
const rui: Party = { phone_number: '+552', direction: 'CC' }

const message = (
  reference: string,
  payload_time: number,
  more: Partial<ThreadMessage> = {},
): ThreadMessage => ({
  payload_reference: reference,
  payload_type: 'SMS',
  payload_state: 'Processed',
  payload_time,
  device_reference: 'phone-1',
  device_user_reference: 'bob',
  group: null,
  is_late: false,
  is_legacy: false,
  updated_at: payload_time,
  status: 'Ok',
  direction: 'I',
  parties: [ana],
  ...more,
})
const day = ({ payload_time }: ThreadMessage) => String(Math.floor(payload_time / 100))

test('the author of an incoming group message is the sending party', () => {
  assert.deepEqual(getAuthor(message('a', 1, { parties: [rui, ana] })), { kind: 'party', party: ana })
  assert.deepEqual(getAuthor(message('a', 1, { parties: [rui] })), { kind: 'party', party: rui })
  assert.deepEqual(getAuthor(message('a', 1, { parties: undefined })), { kind: 'unknown' })
})

test('the author of an outgoing message is the user, or the device without a user', () => {
  assert.deepEqual(getAuthor(message('a', 1, { direction: 'O' })), { kind: 'user', name: 'bob' })
  const orphan = message('a', 1, { direction: 'O', device_user_reference: null })
  assert.deepEqual(getAuthor(orphan), { kind: 'user', name: 'phone-1' })
})

test('messages are in reading order, and a message on two pages shows once', () => {
  const entries = inReadingOrder(
    [
      [message('c', 30), message('b', 20)],
      [message('b', 20), message('a', 10)],
    ],
    day,
  )
  assert.deepEqual(
    entries.map((entry) => entry.message.payload_reference),
    ['a', 'b', 'c'],
  )
})

test('each run of messages starts with a name and each day with a date', () => {
  const entries = inReadingOrder(
    [
      [
        message('e', 230),
        message('d', 210),
        message('c', 30, { direction: 'O' }),
        message('b', 20),
        message('a', 10),
      ],
    ],
    day,
  )
  assert.deepEqual(
    entries.map(({ opensDay, opensRun }) => [opensDay, opensRun]),
    [
      [true, true],
      [false, false],
      [false, true],
      [true, true],
      [false, false],
    ],
  )
})
