import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'
import { flattenQuery } from '@custodia/client'
import fc from 'fast-check'
import { KeysUnavailable, KeyUnknown } from '../ports/keys/port.ts'
import { ObjectStoreUnavailable } from '../ports/objects/port.ts'
import { paged } from '../testing/test-context.ts'
import { makeCursors } from './cursor.ts'
import { pageByName, getPage } from './page.ts'
import { Problem } from './problem.ts'
import { parseQueryString } from './query-string.ts'
import { toProblem } from './translate.ts'

const cursors = makeCursors(Buffer.alloc(32))
const NAMES = ['a', 'b', 'c', 'd', 'e']
const read = async (after: string, limit: number) => NAMES.filter((name) => name > after).slice(0, limit)
const page = (limit: number, last_key?: string, list: { client_id?: number; search?: string } = {}) => {
  const { client_id = 1, search } = list
  return pageByName(
    cursors,
    { name: 'names', client_id, query: { limit, last_key, search } as never },
    read,
    (name) => name,
  )
}

describe('paged lists', () => {
  it('return each row once, and at most the requested number of rows per page', async () => {
    for (const limit of [1, 2, 3, 4, 5, 6]) {
      const pages = await paged(({ last_key }) => page(limit, last_key))
      assert.ok(pages.every(({ count, data }) => count === data.length && count <= limit))
      const seen = pages.flatMap(({ data }) => data)
      assert.deepEqual(seen, NAMES, `${limit}`)
    }
  })

  it('return no cursor when there are no rows', async () => {
    const asked = { name: 'none', client_id: 'all' as const, query: { limit: 5 } }
    assert.deepEqual(
      await getPage(
        cursors,
        asked,
        async () => [],
        () => [0] as const,
      ),
      { count: 0, data: [] },
    )
  })

  it('reject the cursor of another client or filter, but accept another page size', async () => {
    const { last_key } = await page(2)
    const isRefused = (error: unknown) => error instanceof Problem && error.code === 'invalid_cursor'
    await assert.rejects(page(2, last_key, { client_id: 2 }), isRefused)
    await assert.rejects(page(2, last_key, { search: 'x' }), isRefused)
    assert.deepEqual((await page(9, last_key)).data, ['c', 'd', 'e'])
  })
})

test('a cursor opens only for the list that it was created for', () => {
  const key = cursors.seal('payloads acme', [1_780_000_000, 'x'])
  assert.deepEqual(cursors.open('payloads acme', key), [1_780_000_000, 'x'])
  assert.throws(() => cursors.open('payloads globex', key), Problem)
})

test('an altered, foreign or invented cursor is rejected', () => {
  const key = cursors.seal('l', [5])
  for (let i = 0; i < key.length; i++) {
    const altered = `${key.slice(0, i)}${key[i] === 'A' ? 'B' : 'A'}${key.slice(i + 1)}`
    if (Buffer.from(altered, 'base64url').equals(Buffer.from(key, 'base64url'))) continue
    assert.throws(() => cursors.open('l', altered), { code: 'invalid_cursor' })
  }
  assert.throws(() => makeCursors(Buffer.alloc(32, 2)).open('l', key), { code: 'invalid_cursor' })
  for (const made of ['', 'x', '####', '\u0000'])
    assert.throws(() => cursors.open('l', made), { code: 'invalid_cursor' })
})

test('a cursor reveals neither its ids nor their length', () => {
  const keys = [7, 123_456_789].map((id) => cursors.seal('payloads acme', [1_780_000_000, id]))
  for (const key of keys)
    assert.doesNotMatch(Buffer.from(key, 'base64url').toString('latin1'), /1780000000|123456789/)
  assert.equal(keys[0]?.length, keys[1]?.length)
  assert.notEqual(
    keys[0],
    cursors.seal('payloads acme', [1_780_000_000, 7]),
    'the same place looks different each time',
  )
})

test('no two cursors are equal, and no nonce is used twice', () => {
  const keys = Array.from({ length: 1000 }, () => cursors.seal('l', [5]))
  assert.equal(new Set(keys).size, keys.length)
  // The nonce alone, which must be unique per key.
  assert.equal(new Set(keys.map((key) => key.slice(0, 16))).size, keys.length)
  for (const key of keys) assert.deepEqual(cursors.open('l', key), [5])
})

test('temporary failures of keys and storage become 503 unavailable, so that callers retry', () => {
  for (const error of [new KeysUnavailable('disk'), new ObjectStoreUnavailable('S3')]) {
    const { code, status, detail } = toProblem(error)
    assert.deepEqual([code, status, detail], ['unavailable', 503, error.message])
  }
})

test('a problem stays unchanged, and an unexpected error becomes internal', () => {
  const problem = new Problem('not_found')
  assert.equal(toProblem(problem), problem)
  for (const error of [new KeyUnknown('k'), new TypeError('x'), 'text', null, undefined])
    assert.equal(toProblem(error).code, 'internal')
})

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
