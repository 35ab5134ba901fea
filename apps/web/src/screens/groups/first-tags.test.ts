import assert from 'node:assert/strict'
import { test } from 'node:test'
import { firstTags } from './first-tags.ts'

const tag = (key: string, value: string) => ({ key, value })

test('short tags stand side by side, four at most', () => {
  const five = ['a', 'b', 'c', 'd', 'e'].map((key) => tag(key, '1'))
  assert.deepEqual(firstTags(five), five.slice(0, 4))
  assert.deepEqual(firstTags([]), [])
})

test('long ones leave room for one another, and one always shows', () => {
  const long = [1, 2, 3].map((number) => tag(`a-key-of-many-words-${number}`, 'São Paulo'))
  assert.equal(firstTags(long).length, 1)
  assert.equal(firstTags([tag('region', 'North'), ...long]).length, 2)
  assert.equal(firstTags([tag('note', 'x'.repeat(255)), tag('b', '2')]).length, 1)
})
