import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lastsOf } from './lasts.ts'

test('the device’s duration is used unless the audio differs clearly', () => {
  assert.deepEqual(lastsOf({ duration: 62 }, 61.2), { seconds: 62, isOther: false })
  assert.deepEqual(lastsOf({ duration: 62 }, 0), { seconds: 62, isOther: false })
  assert.deepEqual(lastsOf({}, 61.2), { seconds: 61.2, isOther: false })
  assert.deepEqual(lastsOf({ duration: 600 }, 181), { seconds: 181, isOther: true })
})
