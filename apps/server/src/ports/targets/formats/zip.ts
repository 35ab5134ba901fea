import { createCipheriv, createHmac, pbkdf2, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { crc32, createDeflateRaw } from 'node:zlib'
import { kept, releaseMemory } from '../release-after-use.ts'

// `@zip.js/zip.js` 2.24 takes four times the processor time for media, because its AES-CTR is JavaScript.

const BLOCK = 16

/**
 * AES-256 in WinZip's counter mode (from 1, little-endian), which OpenSSL lacks: encrypts the counters and
 * combines them with the text.
 * @returns a function that encrypts the next piece
 */
function littleEndianCtr(key: Buffer): (piece: Uint8Array) => Buffer {
  const aes = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false)
  let counters = Buffer.alloc(0)
  let next = 1
  let unused = Buffer.alloc(0)

  function keystream(bytes: number): Buffer {
    const blocks = Math.ceil(bytes / BLOCK)
    if (counters.length < blocks * BLOCK) counters = Buffer.alloc(blocks * BLOCK)
    const words = new DataView(counters.buffer, counters.byteOffset)
    for (let block = 0; block < blocks; block++, next++) {
      words.setUint32(block * BLOCK, next >>> 0, true)
      words.setUint32(block * BLOCK + 4, Math.floor(next / 2 ** 32), true)
    }
    return aes.update(counters.subarray(0, blocks * BLOCK))
  }

  return (piece) => {
    const missing = piece.length - unused.length
    const stream = missing > 0 ? Buffer.concat([unused, keystream(missing)]) : unused
    unused = stream.subarray(piece.length)
    return combine(piece, stream)
  }
}

/** `text` xor the start of `stream`, eight bytes at a time where both are aligned. */
function combine(text: Uint8Array, stream: Buffer): Buffer {
  const out = Buffer.allocUnsafeSlow(text.length)
  let from = 0
  if (text.byteOffset % 8 === 0 && stream.byteOffset % 8 === 0) {
    const count = Math.floor(text.length / 8)
    const [a, b] = [text, stream].map((of) => new BigUint64Array(of.buffer, of.byteOffset, count))
    const c = new BigUint64Array(out.buffer, out.byteOffset, count)
    if (a && b) for (let i = 0; i < count; i++) c[i] = (a[i] ?? 0n) ^ (b[i] ?? 0n)
    from = count * 8
  }
  for (let i = from; i < text.length; i++) out[i] = (text[i] ?? 0) ^ (stream[i] ?? 0)
  return out
}

export interface ZipEntry {
  /** Unencrypted, also in an archive with a password. */
  name: string
  /** Bytes of plaintext: from nearly 4 GiB on, the archive is a Zip64. */
  size: number
  /** Text is compressed; media already are. */
  deflate: boolean
  /** AES-256 in WinZip's form (AE-2), never the broken ZipCrypto. */
  password?: string
}

const PIECE = 1 << 18
/** Sizes from here on do not fit into 32 bits, or might not after wrapping. */
const LARGE = 0xff00_0000
const FULL = 0xffff_ffff
/** 1980-01-01, the earliest date of a zip: the metadata holds the item's real time. */
const [TIME, DAY] = [0, 0x21]
/** A data descriptor follows, and the name is UTF-8. */
const FLAGS = 0x0808

/**
 * A zip archive of one entry, as a stream: sizes and checksum follow the content, so memory does not grow
 * with it.
 */
export async function* zip(source: AsyncIterable<Uint8Array>, entry: ZipEntry): AsyncGenerator<Uint8Array> {
  const cipher = entry.password === undefined ? undefined : await aes256(entry.password)
  const name = Buffer.from(entry.name, 'utf8')
  const large = entry.size >= LARGE
  const method = entry.deflate ? 8 : 0
  const head = {
    version: cipher ? 51 : large ? 45 : 20,
    flags: FLAGS | (cipher ? 1 : 0),
    method: cipher ? 99 : method,
  }
  const common = [u16(head.version), u16(head.flags), u16(head.method), u16(TIME), u16(DAY)]
  const ae2 = cipher
    ? Buffer.concat([u16(0x9901), u16(7), u16(2), Buffer.from('AE'), u8(3), u16(method)])
    : u0

  const unknown = large ? [u32(0), u32(FULL), u32(FULL)] : [u32(0), u32(0), u32(0)]
  const before = Buffer.concat([large ? zip64([0, 0]) : u0, ae2])
  const local = [u32(0x04034b50), ...common, ...unknown, u16(name.length), u16(before.length), name, before]
  yield Buffer.concat(local)

  let [crc, plain, packed] = [0, 0, 0]
  const counted = (async function* () {
    for await (const piece of source) {
      plain += piece.length
      if (!cipher) crc = crc32(piece, crc)
      yield piece
    }
  })()
  if (cipher) {
    packed += cipher.start.length
    yield cipher.start
  }
  for await (const piece of entry.deflate ? deflated(counted) : counted) {
    const written = cipher ? cipher.next(piece) : piece
    packed += written.length
    yield written
    if (cipher) releaseMemory(written)
  }
  if (cipher) {
    const end = cipher.end()
    packed += end.length
    yield end
  }
  if (!large && Math.max(plain, packed) >= FULL) throw new RangeError('more came than was announced')

  const size = large ? u64 : u32
  const descriptor = Buffer.concat([u32(0x08074b50), u32(crc), size(packed), size(plain)])
  yield descriptor

  const at = Buffer.concat(local).length + packed + descriptor.length
  const after = Buffer.concat([large ? zip64([plain, packed]) : u0, ae2])
  const sizes = large ? [u32(FULL), u32(FULL)] : [u32(packed), u32(plain)]
  const lengths = [u16(name.length), u16(after.length), u16(0), u16(0), u16(0), u32(0), u32(0)]
  const central = [u32(0x02014b50), u16(head.version), ...common, u32(crc), ...sizes, ...lengths, name, after]
  const directory = Buffer.concat(central)
  yield directory
  if (large) {
    const versions = [u16(head.version), u16(head.version)]
    const counts = [u32(0), u32(0), u64(1), u64(1), u64(directory.length), u64(at)]
    yield Buffer.concat([u32(0x06064b50), u64(44), ...versions, ...counts])
    yield Buffer.concat([u32(0x07064b50), u32(0), u64(at + directory.length), u32(1)])
  }
  const where = large ? u32(FULL) : u32(at)
  yield Buffer.concat([u32(0x06054b50), u16(0), u16(0), u16(1), u16(1), u32(directory.length), where, u16(0)])
}

/** The bytes before, in and after the content of an encrypted entry. */
async function aes256(password: string) {
  const salt = randomBytes(16)
  // The format fixes a thousand rounds of SHA-1, so only a long random password protects.
  const derived = await promisify(pbkdf2)(password, salt, 1000, 66, 'sha1')
  const encrypt = littleEndianCtr(derived.subarray(0, 32))
  const mac = createHmac('sha1', derived.subarray(32, 64))
  return {
    start: Buffer.concat([salt, derived.subarray(64)]),
    next(piece: Uint8Array): Buffer {
      const secret = encrypt(piece)
      mac.update(secret)
      return secret
    },
    end: () => mac.digest().subarray(0, 10),
  }
}

async function* deflated(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  // Reads the next piece while this one is compressed.
  const text = Readable.from(kept(source), { objectMode: true, highWaterMark: 1 })
  const packing = createDeflateRaw({ chunkSize: PIECE })
  text.on('error', (error) => packing.destroy(error))
  try {
    yield* text.pipe(packing) as AsyncIterable<Uint8Array>
  } finally {
    text.destroy()
    packing.destroy()
  }
}

const u0 = Buffer.alloc(0)
const u8 = (value: number) => Buffer.from([value])

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16LE(value)
  return bytes
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value >>> 0)
  return bytes
}

function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(value))
  return bytes
}

const zip64 = (sizes: readonly number[]): Buffer =>
  Buffer.concat([u16(1), u16(8 * sizes.length), ...sizes.map(u64)])
