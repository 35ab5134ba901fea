import assert from 'node:assert/strict'
import { createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { openRangeIn } from './range.ts'
import { openSequentialIn, seal, sealIn } from './segments.ts'
import { headerSize, plaintextSizeIn, sealedSizeIn, type StreamFormat } from './stream-format.ts'
import { chunked, rangeSource, whole } from './testing.ts'

type Vector = StreamFormat & { key: string; aad: string; plaintext: string; sealed: string }

const KEY_16 = '6eb56cdc726dfbe5d57f2fcdc6e9345b'
const KEY_32 = '00112233445566778899aabbccddeeff6eb56cdc726dfbe5d57f2fcdc6e9345b'
const hex = (text: string) => Buffer.from(text).toString('hex')

/**
 * Published: tink-crypto/tink-java at a21764ee, src/main/java/com/google/crypto/tink/streamingaead/internal/testing/
 * AesGcmHkdfStreamingTestUtil.java, vectors 0 to 7 in order (Google LLC, Apache-2.0). None has exactly Custodia's parameters (SHA-256 and 32 bytes): 2 has the hash,
 * 5 to 7 the sizes; the independent reading below covers the combination.
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
  '1: empty': {
    keySize: 16,
    hash: 'sha1',
    segmentSize: 64,
    key: KEY_16,
    aad: '',
    plaintext: '',
    sealed: '18ec99b2c3884194023bd41bb9bff309205354c750fa0cb3c0d02609abf71f88eaeaa48d7deca27f',
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
  '3: SHA-512': {
    keySize: 16,
    hash: 'sha512',
    segmentSize: 64,
    key: KEY_16,
    aad: '',
    plaintext: '',
    sealed: '18fec8139ccb406e0f140d7e2bcc41e1b899bc1b121574cc31d1c78ed2ca1cdf324665b8dce21095',
  },
  '4: key of 32 bytes': {
    keySize: 16,
    hash: 'sha1',
    segmentSize: 64,
    key: KEY_32,
    aad: '',
    plaintext: '',
    sealed: '180880e85a24207a7b72cefde26306ed09d7d76e58104b751d005a3ffd72dd6151f0d9c8ccf163f7',
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
  '6: another segment size': {
    keySize: 32,
    hash: 'sha1',
    segmentSize: 128,
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
