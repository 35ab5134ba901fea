import assert from 'node:assert/strict'
import { it } from 'node:test'
import { decodeTime, isValid } from 'ulid'
import { newId } from './new-id.ts'

it('creates unique ULIDs of the current time, random in every position', () => {
  const before = Date.now()
  const ids = Array.from({ length: 5000 }, newId)
  assert.ok(ids.every((id) => isValid(id) && decodeTime(id) >= before && decodeTime(id) <= Date.now()))
  assert.equal(new Set(ids).size, ids.length)
  for (let place = 10; place < 26; place++)
    assert.equal(new Set(ids.map((id) => id[place])).size, 32, `place ${place}`)
})
