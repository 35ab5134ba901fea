import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as fc from 'fast-check'
import { GatheredBytes } from './gathered-bytes.ts'
import { Problem } from './problem.ts'

const LIMIT = 256 * 1024

describe('request body buffer', () => {
  it('joins the chunks in order, whatever their sizes', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 40_000 }), { maxLength: 6 }), (pieces) => {
        const gathered = new GatheredBytes(LIMIT, () => undefined)
        for (const piece of pieces) gathered.add(Buffer.from(piece))
        assert.ok(gathered.bytes.equals(Buffer.concat(pieces)))
      }),
    )
  })

  it('grows in a few steps up to the limit, even for chunks of one byte', () => {
    const sizes: number[] = []
    const gathered = new GatheredBytes(LIMIT, (size) => sizes.push(size))
    const body = Buffer.alloc(200_000, 'abcdefg')
    for (let i = 0; i < body.length; i++) gathered.add(body.subarray(i, i + 1))
    assert.deepEqual(
      sizes,
      [16, 32, 64, 128, 256].map((kib) => kib * 1024),
    )
    assert.equal(gathered.bytes.buffer.byteLength, LIMIT)
    assert.ok(gathered.bytes.equals(body))
  })

  it('allocates one buffer of the expected size when the length is known', () => {
    const sizes: number[] = []
    const gathered = new GatheredBytes(LIMIT, (size) => sizes.push(size))
    gathered.expect(100_000)
    for (let i = 0; i < 10; i++) gathered.add(Buffer.alloc(10_000))
    assert.deepEqual(sizes, [100_000])
  })

  it('rejects bytes beyond the limit, and bytes for which no memory can be reserved', () => {
    const tooLarge = (error: unknown) => error instanceof Problem && error.code === 'payload_too_large'
    const gathered = new GatheredBytes(LIMIT, () => undefined)
    assert.throws(() => gathered.expect(LIMIT + 1), tooLarge)
    gathered.add(Buffer.alloc(LIMIT))
    assert.throws(() => gathered.add(Buffer.alloc(1)), tooLarge)
    const full = new GatheredBytes(LIMIT, () => assert.fail('full'))
    assert.throws(() => full.add(Buffer.alloc(1)), /full/)
  })
})
