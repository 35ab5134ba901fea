import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseSearch, read, stringifySearch } from './search.ts'

test('lists are written as comma-separated values', () => {
  assert.equal(
    stringifySearch({ types: ['Call', 'SMS'], from: '-7d', to: undefined, none: [] }),
    '?types=Call,SMS&from=-7d',
  )
  assert.deepEqual(parseSearch('?types=Call,SMS&from=-7d'), { types: ['Call', 'SMS'], from: '-7d' })
  assert.equal(stringifySearch({}), '')
})

test('a comma inside a value does not separate', () => {
  assert.equal(stringifySearch({ search: 'a,b' }), '?search=a%2Cb')
  assert.deepEqual(parseSearch('?search=a%2Cb'), { search: 'a,b' })
})

test('malformed addresses are read without an error', () => {
  assert.deepEqual(parseSearch('?a=%E0%A4%A&&=x&b'), { a: '%E0%A4%A', '': 'x', b: '' })
  assert.equal(parseSearch('?__proto__=1').constructor, Object)
})

test('texts and lists of two or more values round-trip', () => {
  const value = fc.oneof(fc.string(), fc.array(fc.string(), { minLength: 2 }))
  const name = fc.string({ minLength: 1 }).filter((key) => key !== '__proto__')
  fc.assert(
    fc.property(fc.dictionary(name, value, { noNullPrototype: true }), (search) => {
      assert.deepEqual(parseSearch(stringifySearch(search)), search)
    }),
  )
})

test('readers drop unknown values', () => {
  assert.deepEqual(read.getMany(['SMS', 'Pigeon', 'Call'], ['Call', 'SMS']), ['Call', 'SMS'])
  assert.equal(read.getMany('Pigeon', ['Call']), undefined)
  assert.equal(read.oneOf(['Call'], ['Call']), 'Call')
  assert.equal(read.oneOf(7, ['Call']), undefined)
  assert.equal(read.text(['a', 'b']), 'a,b')
  assert.equal(read.text('x'.repeat(300))?.length, 255)
  assert.deepEqual(read.texts(['a', '', 'a', 'b']), ['a', 'b'])
  assert.equal(read.flag('yes'), undefined)
})
