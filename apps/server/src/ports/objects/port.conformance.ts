import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { describe, test } from 'node:test'
import { ContentMismatch, ObjectExists, ObjectNotFound, type ObjectStore } from './port.ts'

export const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** An async source in odd pieces, one of them empty; records in `seen` that it was closed. */
export async function* pieces(bytes: Buffer, seen?: { closed: boolean }): AsyncGenerator<Buffer> {
  try {
    const step = Math.max(1, Math.ceil(bytes.length / 7))
    for (let at = 0; at < bytes.length; at += step) yield bytes.subarray(at, at + step)
    yield Buffer.alloc(0)
  } finally {
    if (seen) seen.closed = true
  }
}

/** All items of a source. */
export async function all<T>(source: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = []
  for await (const item of source) items.push(item)
  return items
}

export async function collect(source: AsyncIterable<Buffer>): Promise<Buffer> {
  return Buffer.concat(await all(source))
}

/** The tests of every object store; `makeStore` is called once, and the store may contain other objects. */
export function conformance(
  name: string,
  options: { skip: string | false },
  makeStore: () => Promise<ObjectStore>,
) {
  describe(`object store: ${name}`, options, () => {
    let made: Promise<ObjectStore> | undefined
    const fresh = async () => ({
      store: await (made ??= makeStore()),
      key: `c-1/${randomBytes(8).toString('hex')}/a`,
    })

    putsObjects(fresh)
    refusesOtherContent(fresh)
    readsObjects(fresh)
    deletesObjects(fresh)
    listsKeys(fresh)
  })
}

/** The store under test, with a key of its own. */
type Fresh = () => Promise<{ store: ObjectStore; key: string }>

/** A put object is stored once and unchanged. */
function putsObjects(fresh: Fresh): void {
  for (const size of [0, 1, 70_000, 19 << 20]) {
    test(`returns ${size} stored bytes unchanged`, async () => {
      const { store, key } = await fresh()
      const bytes = randomBytes(size)
      const expect = { size, sha256: sha256(bytes) }
      assert.deepEqual(await store.put(key, pieces(bytes), expect), expect)
      assert.ok((await collect(store.read(key))).equals(bytes))
      assert.deepEqual(await store.head(key), { size })
    })
  }

  test('reports size and digest of an object put without expectations', async () => {
    const { store, key } = await fresh()
    const bytes = randomBytes(5000)
    assert.deepEqual(await store.put(key, Readable.from([bytes])), { size: 5000, sha256: sha256(bytes) })
  })

  test('refuses a second put of a key, changes nothing and closes its source', async () => {
    const { store, key } = await fresh()
    await store.put(key, pieces(Buffer.from('first')))
    const source = Readable.from([Buffer.from('other')])
    await assert.rejects(store.put(key, source), ObjectExists)
    assert.ok(source.destroyed)
    assert.equal((await collect(store.read(key))).toString(), 'first')
  })

  for (const size of [200, 200_000])
    test(`accepts exactly one of two concurrent puts of ${size} bytes and keeps its bytes`, async () => {
      const { store, key } = await fresh()
      const bodies = [randomBytes(size), randomBytes(size)]
      const results = await Promise.allSettled(bodies.map((body) => store.put(key, pieces(body))))
      const won = results.findIndex((result) => result.status === 'fulfilled')
      const lost = results.filter((result) => result.status === 'rejected')
      assert.equal(lost.length, 1)
      assert.ok(lost[0]?.reason instanceof ObjectExists, String(lost[0]?.reason))
      assert.ok((await collect(store.read(key))).equals(bodies[won] ?? Buffer.alloc(0)))
    })
}

/** A put that fails stores nothing. */
function refusesOtherContent(fresh: Fresh): void {
  for (const [what, expect, code] of [
    ['too few bytes', { size: 100_001 }, 'wrong_size'],
    ['too many bytes', { size: 99_999 }, 'wrong_size'],
    ['another digest', { size: 100_000, sha256: '0'.repeat(64) }, 'wrong_checksum'],
  ] as const) {
    test(`stores nothing for ${what} than announced`, async () => {
      const { store, key } = await fresh()
      const seen = { closed: false }
      const put = store.put(key, pieces(randomBytes(100_000), seen), expect)
      await assert.rejects(put, (error) => error instanceof ContentMismatch && error.code === code)
      assert.ok(seen.closed)
      assert.equal(await store.head(key), undefined)
      await store.put(key, pieces(randomBytes(10)))
    })
  }

  test('stores nothing for a large object with a wrong digest', async () => {
    const { store, key } = await fresh()
    const put = store.put(key, pieces(randomBytes(18 << 20)), { sha256: '0'.repeat(64) })
    await assert.rejects(put, ContentMismatch)
    assert.equal(await store.head(key), undefined)
    assert.equal(await store.sweep(Date.now() / 1000 + 3600), 0)
  })

  test('passes on an error of the source and stores nothing', async () => {
    const { store, key } = await fresh()
    const hungUp = new Error('phone hung up')
    const source = async function* () {
      yield randomBytes(9 << 20)
      throw hungUp
    }
    await assert.rejects(store.put(key, source()), (error) => error === hungUp)
    assert.equal(await store.head(key), undefined)
  })
}

/** Objects are read whole and in part. */
function readsObjects(fresh: Fresh): void {
  test('reads ranges and cuts them at the end of the object', async () => {
    const { store, key } = await fresh()
    const bytes = randomBytes(3_000_000)
    await store.put(key, pieces(bytes))
    for (const [start, end] of [
      [0, 1],
      [7, 7],
      [1_048_570, 2_100_000],
      [2_999_999, 3_000_000],
      [2_999_990, 9e9],
      [3_000_000, 9e9],
    ] as const) {
      const read = await collect(store.read(key, { start, end }))
      const expected = bytes.subarray(start, Math.min(end, bytes.length))
      assert.ok(read.equals(expected), `${start}-${end}`)
      const range = { start, end: Math.min(end, start + 2_000_000) }
      const offered = await collect(store.read(key, range, Buffer.alloc(range.end - start)))
      assert.ok(offered.equals(expected), `${start}-${end} with memory offered`)
    }
    for (const [start, end] of [
      [-1, 5],
      [5, 4],
      [NaN, 4],
    ] as const) {
      await assert.rejects(collect(store.read(key, { start, end })), RangeError)
    }
  })

  test('allows a reader to stop early and read again', async () => {
    const { store, key } = await fresh()
    await store.put(key, pieces(randomBytes(4 << 20)))
    for (let times = 0; times < 60; times++) {
      for await (const chunk of store.read(key)) {
        assert.ok(chunk.length > 0)
        break
      }
    }
    assert.equal((await collect(store.read(key))).length, 4 << 20)
  })
}

/** Missing, deleted and durable objects. */
function deletesObjects(fresh: Fresh): void {
  test('reports no head of a missing object, refuses to read it and ignores its deletion', async () => {
    const { store, key } = await fresh()
    assert.equal(await store.head(key), undefined)
    await assert.rejects(collect(store.read(key)), ObjectNotFound)
    await assert.rejects(collect(store.read(key, { start: 0, end: 0 })), ObjectNotFound)
    await assert.rejects(collect(store.read(key, { start: 0, end: 9 })), ObjectNotFound)
    await store.delete(key)
  })

  test('removes a deleted object and accepts its key again', async () => {
    const { store, key } = await fresh()
    await store.put(key, pieces(Buffer.from('old')))
    await store.delete(key)
    await store.delete(key)
    assert.equal(await store.head(key), undefined)
    await store.put(key, pieces(Buffer.from('new')))
    assert.equal((await collect(store.read(key))).toString(), 'new')
  })

  test('confirms durability only for existing objects', async () => {
    const { store, key } = await fresh()
    assert.equal(await store.ensureDurable(key), undefined)
    const bytes = randomBytes(70_000)
    const expect = await store.put(key, pieces(bytes))
    assert.deepEqual(await store.ensureDurable(key), { size: bytes.length })
    assert.deepEqual(await store.ensureDurable(key, expect), { size: bytes.length })
    for (const other of [
      { ...expect, size: 69_999 },
      { ...expect, sha256: '0'.repeat(64) },
    ]) {
      await assert.rejects(store.ensureDurable(key, other), ContentMismatch)
    }
    assert.ok((await collect(store.read(key))).equals(bytes))
    await store.delete(key)
    assert.equal(await store.ensureDurable(key, expect), undefined)
  })
}

function listsKeys(fresh: Fresh): void {
  test('lists by prefix, even for nested prefixes and unusual characters', async () => {
    const { store } = await fresh()
    const top = `list-${randomBytes(6).toString('hex')}`
    const keys = ['a', 'a/b', 'a/b.data', 'a/b/c', 'ab/.x', 'ä+ %2F/c d', 'A/b'].map((key) => `${top}/${key}`)
    const before = Math.floor(Date.now() / 1000) - 2
    for (const key of keys) await store.put(key, pieces(Buffer.from(key)))
    const listed = async (prefix: string) => (await all(store.list(prefix))).map(({ key }) => key).toSorted()
    for (const prefix of [
      top,
      `${top}/`,
      `${top}/a`,
      `${top}/a/`,
      `${top}/a/b`,
      `${top}/a/b.`,
      `${top}/ä`,
      `${top}/zz/y`,
    ]) {
      assert.deepEqual(await listed(prefix), keys.filter((key) => key.startsWith(prefix)).toSorted(), prefix)
    }
    for await (const { key, size, modified_at } of store.list(`${top}/`)) {
      assert.equal(size, Buffer.byteLength(key))
      assert.ok(
        modified_at >= before && modified_at <= Date.now() / 1000 + 2 && Number.isInteger(modified_at),
      )
    }
  })

  test('refuses keys that a store could confuse with each other', async () => {
    const { store } = await fresh()
    for (const key of [
      '',
      '/a',
      'a/',
      'a//b',
      '../a',
      'a/../../b',
      'a/./b',
      'a\\b',
      'a\u0000b',
      '\ud800',
      'x'.repeat(300),
    ]) {
      await assert.rejects(store.put(key, pieces(Buffer.from('x'))), RangeError, key)
      await assert.rejects(collect(store.read(key)), RangeError, key)
      await assert.rejects(store.head(key), RangeError, key)
      await assert.rejects(store.ensureDurable(key), RangeError, key)
      await assert.rejects(store.delete(key), RangeError, key)
    }
    await assert.rejects(all(store.list('../')), RangeError)
  })

  test('reports that it is healthy', async () => {
    const { store } = await fresh()
    await store.health()
  })
}
