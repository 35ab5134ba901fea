import assert from 'node:assert/strict'
import { createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import * as fc from 'fast-check'
import { openUlid } from './keys.ts'
import { MAX_META_SIZE, openMeta, sealMeta } from './meta.ts'
import { openRangeIn } from './range.ts'
import {
  associatedData,
  encrypt,
  EnvelopeError,
  headerSize,
  metaKind,
  plaintextSizeIn,
  sealedSizeIn,
  type StreamFormat,
  streamFormat,
} from './segment-cipher.ts'
import { openSequential, openSequentialIn, seal, sealIn } from './segments.ts'
import { chunked, rangeSource, whole } from './streams.test-support.ts'

type Vector = StreamFormat & { key: string; aad: string; plaintext: string; sealed: string }

const KEY_16 = '6eb56cdc726dfbe5d57f2fcdc6e9345b'
const KEY_32 = '00112233445566778899aabbccddeeff6eb56cdc726dfbe5d57f2fcdc6e9345b'
const hex = (text: string) => Buffer.from(text).toString('hex')

/**
 * Published: tink-crypto/tink-java at a21764ee, src/main/java/com/google/crypto/tink/streamingaead/internal/testing/
 * AesGcmHkdfStreamingTestUtil.java, vectors 0, 2, 5 and 7 (Google LLC, Apache-2.0). None has exactly Custodia's parameters (SHA-256 and 32 bytes): 2 has the hash,
 * 5 and 7 the sizes; the independent reading below covers the combination.
 */
const VECTORS: Record<string, Vector> = {
  '0: three segments': {
    keySize: 16,
    hash: 'sha1',
    segmentSize: 64,
    key: KEY_16,
    aad: hex('aad'),
    plaintext: hex(
      'This is a fairly long plaintext. It is of the exact length to create three output blocks. ',
    ),
    sealed:
      '1893b3af5e14ab378d065addfc8484da642c0862877baea8' +
      'db92d9c77406a406168478821c4298eab3e6d531277f4c1a051714faebcaefcbca7b7be05e9445ea' +
      'a0bb2904153398a25084dd80ae0edcd1c3079fcea2cd3770630ee36f7539207b8ec9d754956d486b71cdf989f0ed6fba6779b63558be0a66e668df14e1603cd2' +
      'af8944844078345286d0b292e772e7190775c51a0f83e40c0b75821027e7e538e111',
  },
  '2: SHA-256': {
    keySize: 16,
    hash: 'sha256',
    segmentSize: 64,
    key: KEY_16,
    aad: '',
    plaintext: '',
    sealed: '18be78bce0cab6fd38a9041eea8ab0ffc4cf17e3c00b661d3927f5f79069f41a210fedc40b25648c',
  },
  '5: derived key of 32 bytes': {
    keySize: 32,
    hash: 'sha1',
    segmentSize: 64,
    key: KEY_32,
    aad: '',
    plaintext: '',
    sealed:
      '28fae780c70a82d1256c8303a1261ac6a98cf557b4e173967a62f3c149517ba5b2431da93b3c6e90f508b34dc14bfda59bab05681c6ad3fa',
  },
  '7: ends exactly with segment 0': {
    keySize: 32,
    hash: 'sha1',
    segmentSize: 120,
    key: KEY_32,
    aad: '00010203',
    plaintext: hex('BLOCK 1.BLOCK 2.BLOCK 3.BLOCK 4.BLOCK 5.BLOCK 6.BLOCK 7.BLOCK 8.'),
    sealed:
      '28782994617714a80fa085e15051a16854522330d6d0f26c049b2192f09cdd98b2eb90c753bfff277a29e54fa4afb15d648c28477eb07f012535c767f5fdce24ffffae318480c1d37357d6d3c511159318afa09ef38aa3f5456fd7817c5c02dd6e1a7fef174c8bd24e38b5982ac105497c0101ac5581fe5b',
  },
}

describe("Tink's published vectors", () => {
  for (const [name, vector] of Object.entries(VECTORS)) {
    const [key, aad, plaintext, sealed] = [vector.key, vector.aad, vector.plaintext, vector.sealed].map(
      (text) => Buffer.from(text, 'hex'),
    ) as [Buffer, Buffer, Buffer, Buffer]

    it(`opens and seals ${name}`, async () => {
      const opened = await whole(openSequentialIn(vector, key, aad, chunked(sealed, [7])))
      assert.deepEqual(opened, plaintext)
      const range = await openRangeIn(vector, key, aad, rangeSource(sealed))
      assert.deepEqual(await whole(range.read(0, range.plaintextSize)), plaintext)
      const header = sealed.subarray(0, headerSize(vector))
      assert.deepEqual(await whole(sealIn(vector, key, aad, chunked(plaintext, [5]), header)), sealed)
      assert.equal(sealedSizeIn(vector, plaintext.length), sealed.length)
      assert.equal(plaintextSizeIn(vector, sealed.length), plaintext.length)
    })
  }
})

/**
 * NOT a published vector: Custodia's own parameters read by a second decryptor, written naively from the description of the format
 * (developers.google.com/tink/streaming-aead/aes_gcm_hkdf_streaming) and sharing no code with the one under test.
 */
function readNaively(key: Buffer, aad: Buffer, sealed: Buffer, segmentSize: number): Buffer {
  const length = sealed.readUInt8(0)
  assert.equal(length, 1 + 32 + 7)
  const streamKey = new Uint8Array(hkdfSync('sha256', key, sealed.subarray(1, 33), aad, 32))
  const prefix = sealed.subarray(33, 40).toString('hex')
  const parts: string[] = []
  for (let i = 0; i * segmentSize < sealed.length; i++) {
    const segment = sealed.subarray(i === 0 ? length : i * segmentSize, (i + 1) * segmentSize)
    const last = (i + 1) * segmentSize >= sealed.length ? '01' : '00'
    const iv = Buffer.from(prefix + i.toString(16).padStart(8, '0') + last, 'hex')
    const gcm = createDecipheriv('aes-256-gcm', streamKey, iv)
    gcm.setAuthTag(segment.subarray(-16))
    parts.push(gcm.update(segment.subarray(0, -16), undefined, 'hex') + gcm.final('hex'))
  }
  return Buffer.from(parts.join(''), 'hex')
}

describe('an independent decryptor', () => {
  for (const [size, segmentSize] of [
    [0, 64],
    [8, 64],
    [9, 64],
    [8 + 48 * 300, 64],
    [262144 - 56, 262144],
    [1_000_000, 262144],
  ] as const) {
    it(`agrees on ${size} bytes in segments of ${segmentSize}`, async () => {
      const [key, aad, plaintext] = [randomBytes(32), randomBytes(9), randomBytes(size)]
      const sealed = await whole(seal(key, aad, chunked(plaintext, [65536, 3]), segmentSize))
      assert.deepEqual(readNaively(key, aad, sealed, segmentSize), plaintext)
    })
  }
})

const page = readFileSync(new URL('../../../docs/envelope-format.md', import.meta.url), 'utf8')

/** The one match of a pattern's group on the page. */
function find(pattern: RegExp): string {
  const found = pattern.exec(page)?.[1]
  assert.ok(found, `docs/envelope-format.md has nothing like ${pattern}`)
  return found
}

describe('docs/envelope-format.md', () => {
  const bytes = (name: string) =>
    Buffer.from(find(new RegExp(`\\| ${name} +\\| \`([0-9a-f]+)\` +\\|`)), 'hex')
  const dek = bytes('DEK')
  const ids = { client: 'acme', payload_reference: 'p-1' }
  const aad = associatedData({ ...ids, kind: 'original' })
  const plaintext = Buffer.from(find(/\| plaintext +\| `([^`]+)`/))
  const sealed = Buffer.from(find(/145 bytes:\n\n((?: {4}[0-9a-f]+\n)+)/).replaceAll(/\s/g, ''), 'hex')

  it('shows the associated data', () => {
    assert.deepEqual(bytes('associated data, in hex'), aad)
  })

  it('shows the sealed recording, whole and by segment', async () => {
    const header = Buffer.concat([Buffer.from([40]), bytes('salt'), bytes('nonce prefix')])
    assert.deepEqual(await whole(sealIn(streamFormat(64), dek, aad, chunked(plaintext), header)), sealed)
    assert.deepEqual(await whole(openSequential(dek, aad, chunked(sealed), 64)), plaintext)
    const segments = [...page.matchAll(/^\| (\d) +\| bytes? .*\| `([0-9a-f]{24})` \| (\d+) to (\d+) +\|$/gm)]
    assert.equal(segments.length, 3)
    for (const [, i, nonce, from, to] of segments) {
      const suffix = Buffer.from([0, 0, 0, Number(i), i === '2' ? 1 : 0])
      assert.deepEqual(Buffer.from(nonce ?? '', 'hex'), Buffer.concat([bytes('nonce prefix'), suffix]))
      assert.deepEqual(
        [Number(from), Number(to)],
        [i === '0' ? 40 : 64 * Number(i), Math.min(64 * Number(i) + 63, sealed.length - 1)],
      )
    }
  })

  it('shows meta and ulid_encrypted', () => {
    const meta = openMeta(
      dek,
      { ...ids, kind: metaKind('Call') },
      find(/`iv`\sis\s`(.+?)`/),
      find(/`meta`\sis\s`(.+?)`/),
    )
    assert.deepEqual(meta, { duration: 3 })
    assert.equal(openUlid(dek, 'account-1', find(/`([A-Za-z0-9+/]{72})`/)), find(/ULID\s`(\w{26})`/))
  })
})

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
  const of = { ...ids, kind: metaKind('Photo') }

  it('round-trips any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const { iv, meta } = sealMeta(dek, of, value)
        assert.equal(Buffer.from(iv, 'base64').length, 12)
        assert.deepEqual(openMeta(dek, of, iv, meta), JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  it('opens only for its payload, type, key and iv', () => {
    const { iv, meta } = sealMeta(dek, of, { duration: 3 })
    assert.throws(() => openMeta(dek, { ...of, payload_reference: 'p-2' }, iv, meta), refused)
    assert.throws(() => openMeta(dek, { ...of, client: 'other' }, iv, meta), refused)
    assert.throws(() => openMeta(dek, { ...of, kind: metaKind('Video') }, iv, meta), refused)
    assert.throws(() => openMeta(randomBytes(32), of, iv, meta), refused)
    assert.throws(() => openMeta(dek, of, randomBytes(12).toString('base64'), meta), refused)
    assert.throws(() => openMeta(dek, of, randomBytes(16).toString('base64'), meta), refused)
    assert.throws(() => openMeta(dek, of, '', meta), refused)
  })

  it('rejects any changed bit and invalid base64', () => {
    const { iv, meta } = sealMeta(dek, of, { duration: 3 })
    const bytes = Buffer.from(meta, 'base64')
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const changed = Buffer.from(bytes)
      changed[bit >> 3]! ^= 1 << (bit & 7)
      assert.throws(() => openMeta(dek, of, iv, changed.toString('base64')), refused)
    }
    for (const text of ['', 'AAAA', '***', `${meta}\n`, ` ${meta}`]) {
      assert.throws(() => openMeta(dek, of, iv, text), refused)
    }
  })

  it('rejects invalid JSON without quoting it', () => {
    const iv = randomBytes(12)
    for (const content of [
      Buffer.from('{"number": secret}'),
      Buffer.from([0x22, 0xff, 0x22]),
      Buffer.alloc(0),
    ]) {
      const sealed = encrypt(dek, iv, content, associatedData(of))
      const open = () => openMeta(dek, of, iv.toString('base64'), sealed.toString('base64'))
      assert.throws(open, (error) => refused(error) && !String(error).includes('secret'))
    }
  })

  it('holds up to 1 MiB of JSON', () => {
    const largest = 'x'.repeat(MAX_META_SIZE - 2)
    const { iv, meta } = sealMeta(dek, of, largest)
    assert.equal(openMeta(dek, of, iv, meta), largest)
    assert.throws(() => sealMeta(dek, of, `${largest}x`), EnvelopeError)
    const over = encrypt(dek, Buffer.from(iv, 'base64'), Buffer.from(`"${largest}x"`), associatedData(of))
    assert.throws(() => openMeta(dek, of, iv, over.toString('base64')), refused)
    assert.throws(() => sealMeta(dek, of, undefined), RangeError)
  })
})
