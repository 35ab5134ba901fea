import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { hashing, sha256Of } from './checksum.ts'
import { chunked } from './testing.ts'

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
