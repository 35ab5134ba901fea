import assert from 'node:assert/strict'
import { test } from 'node:test'
import { flattenQuery } from '@custodia/client'
import fc from 'fast-check'
import { parseQueryString } from './query-string.ts'

const plain = (text: string): unknown => JSON.parse(JSON.stringify(parseQueryString(text)))

test('reads bracket keys, repeated keys and lists', () => {
  assert.deepEqual(plain('a=1&b[0]=x&b[1]=y&c[d]=z&e=1&e=2&f[]=q&f[]=r'), {
    a: '1',
    b: ['x', 'y'],
    c: { d: 'z' },
    e: ['1', '2'],
    f: ['q', 'r'],
  })
})

test('does not allow prototype pollution', () => {
  const parsed = parseQueryString('__proto__[x]=1&constructor[prototype][y]=1&hasOwnProperty=1')
  assert.equal(({} as Record<string, unknown>).x, undefined)
  assert.equal(Object.getPrototypeOf(parsed), null)
  assert.ok(Object.keys(parsed).includes('__proto__'))
})

test('keeps a key that is nested too deeply as it is, and stops after too many pairs', () => {
  assert.deepEqual(plain('a[b][c][d]=1'), { a: { b: { c: { d: '1' } } } })
  assert.deepEqual(plain('a[b][c][d][e]=1'), { 'a[b][c][d][e]': '1' })
  const many = parseQueryString(Array.from({ length: 1000 }, (_, i) => `k${i}=1`).join('&'))
  assert.ok('too_many_parameters' in many)
})

test('does not throw for any text', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void parseQueryString(text)))
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('a', '[', ']', '=', '&', '0', '%', '1')),
      (parts) => void parseQueryString(parts.join('')),
    ),
  )
})

test('parses every query that the client library writes', () => {
  const value = fc.string({ minLength: 1 })
  const query = fc.record(
    {
      a: value,
      list: fc.array(value, { minLength: 1, maxLength: 5 }),
      inner: fc.record({ x: value }, { noNullPrototype: true }),
      several: fc.array(
        fc.record({ x: value, list: fc.array(value, { minLength: 1 }) }, { noNullPrototype: true }),
        { minLength: 1, maxLength: 3 },
      ),
    },
    { noNullPrototype: true },
  )
  fc.assert(
    fc.property(query, (original) => assert.deepEqual(plain(flattenQuery(original).toString()), original)),
  )
})
