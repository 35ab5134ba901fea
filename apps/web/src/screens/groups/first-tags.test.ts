import assert from 'node:assert/strict'
import { test } from 'node:test'
import { firstTags } from './first-tags.ts'

const tag = (key: string, value: string) => ({ key, value })

test('shows at most four short tags', () => {
  const five = ['a', 'b', 'c', 'd', 'e'].map((key) => tag(key, '1'))
  assert.deepEqual(firstTags(five), five.slice(0, 4))
  assert.deepEqual(firstTags([]), [])
})

test('shows fewer long tags, and at least one', () => {
  const long = [1, 2, 3].map((number) => tag(`a-key-of-many-words-${number}`, 'São Paulo'))
  assert.equal(firstTags(long).length, 1)
  assert.equal(firstTags([tag('region', 'North'), ...long]).length, 2)
  assert.equal(firstTags([tag('note', 'x'.repeat(255)), tag('b', '2')]).length, 1)
})
