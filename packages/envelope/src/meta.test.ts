import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import * as fc from 'fast-check'
import { associatedData } from './associated-data.ts'
import { EnvelopeError } from './envelope-error.ts'
import { encrypt } from './gcm.ts'
import { MAX_META_SIZE, openMeta, sealMeta } from './meta.ts'

const dek = randomBytes(32)
const ids = { client: 'acme', payload_reference: 'p-1' }
const refused = (error: unknown) => error instanceof EnvelopeError && error.code === 'undecryptable_meta'

describe('associatedData', () => {
  it('has the documented bytes', () => {
    assert.equal(
      associatedData({ ...ids, kind: 'original' }).toString(),
      'custodia/v1|4:acme|3:p-1|8:original',
    )
    assert.equal(
      associatedData({ client: 'São', payload_reference: '|', kind: '1:x' }).toString('hex'),
      Buffer.from('custodia/v1|4:S\u00e3o|1:||3:1:x').toString('hex'),
    )
  })

  it('is never the same for two different identities', () => {
    const field = fc.string({
      minLength: 1,
      maxLength: 8,
      unit: fc.constantFrom('|', ':', '1', '2', 'a', 'é'),
    })
    const identity = fc.record({ client: field, payload_reference: field, kind: field })
    fc.assert(
      fc.property(identity, identity, (a, b) => {
        const same = a.client === b.client && a.payload_reference === b.payload_reference && a.kind === b.kind
        assert.equal(associatedData(a).equals(associatedData(b)), same)
      }),
      { numRuns: 2000 },
    )
  })

  it('rejects fields that are empty or not valid UTF-8', () => {
    assert.throws(() => associatedData({ ...ids, kind: '' }), RangeError)
    assert.throws(() => associatedData({ ...ids, kind: 'meta', client: 'a\ud800' }), RangeError)
  })
})

describe('meta', () => {
  it('round-trips any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const { iv, meta } = sealMeta(dek, ids, value)
        assert.equal(Buffer.from(iv, 'base64').length, 12)
        assert.deepEqual(openMeta(dek, ids, iv, meta), JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  it('opens only for its payload, key and iv', () => {
    const { iv, meta } = sealMeta(dek, ids, { duration: 3 })
    assert.throws(() => openMeta(dek, { ...ids, payload_reference: 'p-2' }, iv, meta), refused)
    assert.throws(() => openMeta(dek, { ...ids, client: 'other' }, iv, meta), refused)
    assert.throws(() => openMeta(randomBytes(32), ids, iv, meta), refused)
    assert.throws(() => openMeta(dek, ids, randomBytes(12).toString('base64'), meta), refused)
    assert.throws(() => openMeta(dek, ids, randomBytes(16).toString('base64'), meta), refused)
    assert.throws(() => openMeta(dek, ids, '', meta), refused)
  })

  it('rejects any changed bit and invalid base64', () => {
    const { iv, meta } = sealMeta(dek, ids, { duration: 3 })
    const bytes = Buffer.from(meta, 'base64')
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const changed = Buffer.from(bytes)
      changed[bit >> 3]! ^= 1 << (bit & 7)
      assert.throws(() => openMeta(dek, ids, iv, changed.toString('base64')), refused)
    }
    for (const text of ['', 'AAAA', '***', `${meta}\n`, ` ${meta}`]) {
      assert.throws(() => openMeta(dek, ids, iv, text), refused)
    }
  })

  it('rejects invalid JSON without quoting it', () => {
    const iv = randomBytes(12)
    for (const content of [
      Buffer.from('{"number": secret}'),
      Buffer.from([0x22, 0xff, 0x22]),
      Buffer.alloc(0),
    ]) {
      const sealed = encrypt(dek, iv, content, associatedData({ ...ids, kind: 'meta' }))
      const open = () => openMeta(dek, ids, iv.toString('base64'), sealed.toString('base64'))
      assert.throws(open, (error) => refused(error) && !String(error).includes('secret'))
    }
  })

  it('holds up to 1 MiB of JSON', () => {
    const largest = 'x'.repeat(MAX_META_SIZE - 2)
    const { iv, meta } = sealMeta(dek, ids, largest)
    assert.equal(openMeta(dek, ids, iv, meta), largest)
    assert.throws(() => sealMeta(dek, ids, `${largest}x`), EnvelopeError)
    const over = encrypt(
      dek,
      Buffer.from(iv, 'base64'),
      Buffer.from(`"${largest}x"`),
      associatedData({ ...ids, kind: 'meta' }),
    )
    assert.throws(() => openMeta(dek, ids, iv, over.toString('base64')), refused)
    assert.throws(() => sealMeta(dek, ids, undefined), RangeError)
  })
})
