import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import * as fc from 'fast-check'
import { EnvelopeError } from './segment-cipher.ts'
import { openRange } from './range.ts'
import { seal } from './segments.ts'
import { chunked, drain, rangeSource, whole } from './streams.test-support.ts'
import { hashing, sha256Of } from './checksum.ts'

const dek = randomBytes(32)
const aad = Buffer.from('aad')
const code = (expected: string) => (error: unknown) =>
  error instanceof EnvelopeError && error.code === expected

describe('openRange', () => {
  it('returns any range as the same slice of the plaintext', async () => {
    const cases = fc.tuple(fc.integer({ min: 57, max: 200 }), fc.nat({ max: 900 }), fc.nat(), fc.nat())
    await fc.assert(
      fc.asyncProperty(cases, async ([segmentSize, size, a, b]) => {
        const plaintext = randomBytes(size)
        const sealed = await whole(seal(dek, aad, chunked(plaintext), segmentSize))
        const opened = await openRange(dek, aad, rangeSource(sealed), segmentSize)
        assert.equal(opened.plaintextSize, size)
        const [start = 0, end = 0] = [a, b].map((n) => n % (size + 1)).toSorted((x, y) => x - y)
        assert.deepEqual(await whole(opened.read(start, end)), plaintext.subarray(start, end))
      }),
    )
  })

  it('reads only the segments it needs, 1 MiB at a time', async () => {
    const plaintext = randomBytes(3_000_000)
    const sealed = await whole(seal(dek, aad, chunked(plaintext)))
    const asked: [number, number][] = []
    const opened = await openRange(dek, aad, rangeSource(sealed, asked))
    assert.deepEqual(asked.splice(0), [[0, 40]])
    await whole(opened.read(600_000, 600_001))
    assert.deepEqual(asked.splice(0), [[524288, 786432]])
    assert.deepEqual(await whole(opened.read(0, 3_000_000)), plaintext)
    assert.deepEqual(asked, [
      [40, 1048576],
      [1048576, 2097152],
      [2097152, sealed.length],
    ])
  })

  it('rejects bounds outside the plaintext before reading', async () => {
    const sealed = await whole(seal(dek, aad, chunked(randomBytes(100)), 64))
    const opened = await openRange(dek, aad, rangeSource(sealed), 64)
    for (const [start, end] of [
      [-1, 5],
      [6, 5],
      [0, 101],
      [101, 101],
      [0.5, 5],
      [0, Number.NaN],
      [0, Infinity],
    ] as const) {
      assert.throws(() => opened.read(start, end), code('out_of_range'))
    }
  })

  it('stops before the changed segment and still serves the others', async () => {
    const plaintext = randomBytes(200)
    const sealed = await whole(seal(dek, aad, chunked(plaintext), 64))
    sealed[130]! ^= 1
    const opened = await openRange(dek, aad, rangeSource(sealed), 64)
    const all = await drain(opened.read(0, 200))
    assert.deepEqual(all, { bytes: plaintext.subarray(0, 56), code: 'tampered' })
    assert.deepEqual(await whole(opened.read(110, 200)), plaintext.subarray(110))
  })

  it('does not accept a truncated stream as an empty one', async () => {
    const sealed = await whole(seal(dek, aad, chunked(randomBytes(100)), 64))
    const opened = await openRange(dek, aad, rangeSource(sealed.subarray(0, 56)), 64)
    assert.equal(opened.plaintextSize, 0)
    assert.equal((await drain(opened.read(0, 0))).code, 'tampered')
  })

  it('accepts bytes in its own buffers as well as in the store’s', async () => {
    const plaintext = randomBytes(3_000_000)
    const sealed = await whole(seal(dek, aad, chunked(plaintext)))
    const offered = new Set<ArrayBufferLike>()
    const opened = await openRange(dek, aad, {
      size: sealed.length,
      async *read(start, end, into) {
        offered.add(into.buffer)
        for (let at = start; at < end; at += 300_000) {
          const size = Math.min(300_000, end - at)
          sealed.copy(into, at - start, at, at + size)
          yield into.subarray(at - start, at - start + size)
        }
      },
    })
    for (let i = 0; i < 5; i++) {
      const ranges = [plaintext.length, 2_000_000].map((end) => whole(opened.read(i, end)))
      assert.deepEqual(await Promise.all(ranges), [plaintext.subarray(i), plaintext.subarray(i, 2_000_000)])
    }
    assert.ok(offered.size <= 6, `${offered.size} pieces of memory for 11 reads`)
  })

  it('decrypts nothing after its key is forgotten', async () => {
    const sealed = await whole(seal(dek, aad, chunked(randomBytes(100)), 64))
    const opened = await openRange(dek, aad, rangeSource(sealed), 64)
    opened.forget()
    assert.deepEqual(await drain(opened.read(0, 100)), { bytes: Buffer.alloc(0), code: 'tampered' })
  })

  it('rejects a store that returns fewer or more bytes than requested', async () => {
    const sealed = await whole(seal(dek, aad, chunked(randomBytes(100)), 64))
    const off = (by: number) => ({
      size: sealed.length,
      async *read(start: number, end: number) {
        yield sealed.subarray(start, end + by)
      },
    })
    await assert.rejects(openRange(dek, aad, off(-1), 64), code('truncated'))
    await assert.rejects(openRange(dek, aad, off(1), 64), code('trailing_data'))
    assert.equal((await openRange(dek, aad, off(0), 64)).plaintextSize, 100)
  })
})

/** FIPS 180-4 example: SHA-256 of "abc". */
const ABC = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'

describe('checksums', () => {
  it('are SHA-256 in lower-case hex', async () => {
    assert.equal(await sha256Of(chunked(Buffer.from('abc'), [1])), ABC)
  })

  it('can be computed while a stream passes', async () => {
    const { stream, digest, size } = hashing(chunked(Buffer.from('abc'), [2]))
    assert.throws(digest)
    await stream.next()
    assert.equal(size(), 2)
    assert.throws(digest)
    assert.equal((await stream.next()).value?.[0], 'c'.charCodeAt(0))
    assert.throws(digest)
    assert.ok((await stream.next()).done)
    assert.equal(digest(), ABC)
    assert.equal(digest(), ABC)
    assert.equal(size(), 3)
  })

  it('leave the bytes of a stream unchanged', async () => {
    const bytes = randomBytes(10_000)
    const passed: Buffer[] = []
    for await (const chunk of hashing(chunked(bytes, [999])).stream) passed.push(Buffer.from(chunk))
    assert.deepEqual(Buffer.concat(passed), bytes)
  })
})
