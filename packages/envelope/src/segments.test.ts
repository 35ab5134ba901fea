import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import * as fc from 'fast-check'
import { hashing } from './checksum.ts'
import { openRange } from './range.ts'
import {
  EnvelopeError,
  newHeader,
  plaintextSize,
  sealedSize,
  SEGMENT_SIZE,
  SegmentCipher,
  streamFormat,
} from './segment-cipher.ts'
import { openSequential, seal } from './segments.ts'
import { chunked, collect, drain, rangeSource, whole } from './streams.test-support.ts'

const LONG = process.env['TEST_LONG'] === 'true'
const dek = randomBytes(32)
const aad = Buffer.from('aad')
const code = (expected: string) => (error: unknown) =>
  error instanceof EnvelopeError && error.code === expected

/** A plaintext that ends near the end of one of the first segments, and its division into chunks. */
const streams = fc
  .record({
    segmentSize: fc.integer({ min: 57, max: 130 }),
    segments: fc.nat({ max: 6 }),
    sideJoin: fc.integer({ min: -2, max: 2 }),
    sizes: fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 4 }),
  })
  .map(({ segmentSize, segments, sideJoin, sizes }) => ({
    segmentSize,
    sizes,
    plaintext: randomBytes(Math.max(0, segments * (segmentSize - 16) - 40 + sideJoin)),
  }))

describe('seal and openSequential', () => {
  it('round-trips around every segment boundary for any chunk sizes', async () => {
    await fc.assert(
      fc.asyncProperty(streams, async ({ segmentSize, sizes, plaintext }) => {
        const sealed = await whole(seal(dek, aad, chunked(plaintext, sizes), segmentSize))
        assert.equal(sealed.length, sealedSize(plaintext.length, segmentSize))
        assert.equal(plaintextSize(sealed.length, segmentSize), plaintext.length)
        assert.deepEqual(
          await whole(openSequential(dek, aad, chunked(sealed, sizes), segmentSize)),
          plaintext,
        )
      }),
    )
  })

  it('uses segments of 256 KiB, one buffer each', async () => {
    const plaintext = randomBytes(2 * SEGMENT_SIZE)
    const sealed = await collect(seal(dek, aad, chunked(plaintext, [1 << 20])))
    assert.deepEqual(
      sealed.map((segment) => segment.length),
      [262144, 262144, 40 + 3 * 16],
    )
    assert.deepEqual(await whole(openSequential(dek, aad, chunked(Buffer.concat(sealed)))), plaintext)
  })

  it('gives different ciphertext each time', async () => {
    const twice = await Promise.all([0, 1].map(() => whole(seal(dek, aad, chunked(Buffer.from('once'))))))
    assert.notDeepEqual(twice[0]?.subarray(1, 40), twice[1]?.subarray(1, 40))
  })

  it('reports the kind of fault', async () => {
    const sealed = await whole(seal(dek, aad, chunked(randomBytes(200)), 64))
    const fault = async (bytes: Buffer, key = dek, data = aad) =>
      (await drain(openSequential(key, data, chunked(bytes), 64))).code
    assert.equal(await fault(Buffer.alloc(0)), 'truncated')
    assert.equal(await fault(Buffer.from([39, ...sealed.subarray(1)])), 'bad_header')
    assert.equal(await fault(Buffer.from('GIF89a')), 'bad_header')
    assert.equal(await fault(sealed.subarray(0, 39)), 'truncated')
    assert.equal(await fault(sealed.subarray(0, 55)), 'truncated')
    assert.equal(await fault(sealed.subarray(0, 128)), 'truncated')
    assert.equal(await fault(sealed.subarray(0, 128 + 16)), 'truncated')
    assert.equal(await fault(sealed, randomBytes(32)), 'tampered')
    assert.equal(await fault(sealed, dek, Buffer.from('other')), 'tampered')
    const full = await whole(seal(dek, aad, chunked(randomBytes(8)), 64))
    assert.equal(await fault(Buffer.concat([full, Buffer.from('x')])), 'trailing_data')
  })

  it('rejects input that cannot be sealed safely', async () => {
    await assert.rejects(whole(seal(randomBytes(16), aad, chunked(aad))), RangeError)
    await assert.rejects(whole(seal(dek, aad, chunked(aad), 56)), RangeError)
    const format = streamFormat(57)
    const cipher = new SegmentCipher(format, dek, aad, newHeader(format))
    assert.ok(cipher.seal(2 ** 32 - 1, aad, true))
    assert.throws(() => cipher.seal(2 ** 32, aad, true), code('out_of_range'))
    assert.equal(sealedSize(1 + 41 * (2 ** 32 - 1), 57), 57 * 2 ** 32)
    assert.throws(() => sealedSize(2 + 41 * (2 ** 32 - 1), 57), code('out_of_range'))
  })
})

/** Ways to change a sealed stream. `a` and `b` choose where. */
const CHANGES: Record<string, (sealed: Buffer, size: number, a: number, b: number) => Buffer> = {
  'flipping a bit': (sealed, _, a, b) => {
    const changed = Buffer.from(sealed)
    changed[a % sealed.length]! ^= 1 << (b % 8)
    return changed
  },
  'cutting the end off': (sealed, _, a) => sealed.subarray(0, a % sealed.length),
  'cutting the end off at a segment': (sealed, size, a) =>
    sealed.subarray(0, size * (a % Math.ceil(sealed.length / size))),
  'leaving an empty last segment': (sealed, size, a, b) =>
    Buffer.concat([sealed.subarray(0, size * (a % Math.ceil(sealed.length / size))), Buffer.alloc(16, b)]),
  'adding bytes': (sealed, _, a, b) => Buffer.concat([sealed, Buffer.alloc(1 + (a % 200), b)]),
  'dropping a segment': (sealed, size, a) => {
    const segments = split(sealed, size)
    segments.splice(a % segments.length, 1)
    return Buffer.concat(segments)
  },
  'exchanging two segments': (sealed, size, a, b) => {
    const segments = split(sealed, size)
    const [i, j] = [a % segments.length, b % segments.length]
    const held = segments[i]!
    segments[i] = segments[j]!
    segments[j] = held
    return Buffer.concat(segments)
  },
  'repeating a segment': (sealed, size, a) => {
    const segments = split(sealed, size)
    segments.splice(a % segments.length, 0, segments[a % segments.length]!)
    return Buffer.concat(segments)
  },
}

/** The header, then the segments. */
function split(sealed: Buffer, size: number): Buffer[] {
  const parts = [sealed.subarray(0, 40), sealed.subarray(40, size)]
  for (let at = size; at < sealed.length; at += size) parts.push(sealed.subarray(at, at + size))
  return parts
}

describe('a changed stream', () => {
  const nats = fc.tuple(fc.nat(), fc.nat())
  for (const [name, change] of Object.entries(CHANGES)) {
    it(`is rejected after ${name} without returning a wrong byte`, async () => {
      await fc.assert(
        fc.asyncProperty(streams, nats, async ({ segmentSize, plaintext, sizes }, [a, b]) => {
          const sealed = await whole(seal(dek, aad, chunked(plaintext), segmentSize))
          const changed = change(sealed, segmentSize, a, b)
          fc.pre(!changed.equals(sealed))

          const read = await drain(openSequential(dek, aad, chunked(changed, sizes), segmentSize))
          assert.ok(read.code)
          assert.deepEqual(read.bytes, plaintext.subarray(0, read.bytes.length))

          const opened = await openRange(dek, aad, rangeSource(changed), segmentSize).catch(
            (error: unknown) => {
              assert.ok(error instanceof EnvelopeError)
            },
          )
          if (!opened) return
          const all = await drain(opened.read(0, opened.plaintextSize))
          assert.ok(all.code)
          assert.deepEqual(all.bytes, plaintext.subarray(0, all.bytes.length))
          const [start = 0, end = 0] = [a, b]
            .map((n) => n % (opened.plaintextSize + 1))
            .toSorted((x, y) => x - y)
          const some = await drain(opened.read(start, end))
          assert.deepEqual(some.bytes, plaintext.subarray(start, start + some.bytes.length))
          if (!some.code) assert.equal(some.bytes.length, end - start)
        }),
        { numRuns: LONG ? 300 : 25 },
      )
    })
  }
})

describe('sealed and plaintext sizes', () => {
  it('match one to one, and every other sealed size is rejected', () => {
    const bySealed = new Map(Array.from({ length: 400 }, (_, size) => [sealedSize(size, 64), size]))
    for (let sealed = 0; sealed < sealedSize(400, 64); sealed += 1) {
      const plaintext = bySealed.get(sealed)
      if (plaintext !== undefined) {
        assert.equal(plaintextSize(sealed, 64), plaintext)
      } else {
        const truncated = (error: unknown) => error instanceof EnvelopeError && error.code === 'truncated'
        assert.throws(() => plaintextSize(sealed, 64), truncated, `${sealed} bytes`)
      }
    }
  })

  it('follow the default segment size', () => {
    assert.equal(sealedSize(0), 56)
    assert.equal(sealedSize(262_088), 262_144)
    assert.equal(sealedSize(262_089), 262_144 + 17)
    assert.equal(sealedSize(200 * 2 ** 20), 200 * 2 ** 20 + 40 + 16 * 801)
  })

  it('must be whole numbers of bytes', () => {
    for (const size of [-1, 0.5, Number.NaN, Infinity]) {
      assert.throws(() => sealedSize(size), RangeError)
      assert.throws(() => plaintextSize(size), RangeError)
    }
  })
})

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
})
