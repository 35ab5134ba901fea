import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { EnvelopeError } from './envelope-error.ts'
import { plaintextSize, sealedSize } from './stream-format.ts'

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
