import { createCipheriv, randomBytes } from 'node:crypto'
import { encryptSessionKey, enums, type Key, readKey } from 'openpgp'
import { runDigest } from '../digests.ts'
import { TargetProblem } from '../port.ts'
import { releaseMemory } from '../release-after-use.ts'

/** Bytes in one part of a packet of unknown length: a power of two (RFC 4880, 4.2.2.4). */
const PART_BITS = 20
const PART = 1 << PART_BITS
const BLOCK = 16
/**
 * Bytes encrypted at once: the process reuses buffers of this size, and requests larger ones from the system
 * each time.
 */
const AT_ONCE = 1 << 16
/** Tags of the packets, as new-format headers. */
const [LITERAL, ENCRYPTED] = [0xc0 | 11, 0xc0 | 18]

/** A customer's public key, as shown before its use. */
export interface PgpKeyFacts {
  fingerprint: string
  user_ids: string[]
  /** Epoch seconds; undefined: never expires. */
  expires_at: number | undefined
}

/**
 * Reads an armoured public key and checks whether it can encrypt now. Throws TargetProblem `key_unusable`.
 */
export async function pgpKeyFacts(armored: string): Promise<PgpKeyFacts> {
  const { key } = await usableKey(armored)
  const until = await key.getExpirationTime()
  return {
    fingerprint: key.getFingerprint().toUpperCase(),
    user_ids: key.getUserIDs(),
    expires_at: until instanceof Date ? Math.floor(until.getTime() / 1000) : undefined,
  }
}

/**
 * Encrypts an OpenPGP message to one key, as a stream: AES-256 with integrity protection, which every GnuPG
 * reads, without compression. openpgp encrypts the session key; OpenSSL encrypts the content, several times
 * faster than the library.
 */
export async function* pgp(
  source: AsyncIterable<Uint8Array>,
  { size, public_key }: { size: number; public_key: string },
): AsyncGenerator<Uint8Array> {
  const { key } = await usableKey(public_key)
  const session = randomBytes(32)
  yield await encryptSessionKey({
    data: session,
    algorithm: 'aes256',
    encryptionKeys: key,
    format: 'binary',
    // The plain packet of version 3: what follows it is the older of the two encrypted packets.
    config: { aeadProtect: false, preferredSymmetricAlgorithm: enums.symmetric.aes256 },
  })
  const text = LITERAL_HEAD.length + size
  yield* parts(
    ENCRYPTED,
    protectedText(parts(LITERAL, literal(source), text), session, size),
    PROTECTION + lengthInParts(text),
  )
}

async function usableKey(armored: string): Promise<{ key: Key }> {
  const unusable = (why: string, cause?: unknown) => new TargetProblem('key_unusable', why, { cause })
  const key = await readKey({ armoredKey: armored }).catch((cause: unknown) => {
    throw unusable('not an armoured OpenPGP key', cause)
  })
  if (key.isPrivate()) throw unusable('a private key; use the public key')
  await key.getEncryptionKey().catch((cause: unknown) => {
    throw unusable(cause instanceof Error ? cause.message : 'nothing to encrypt with', cause)
  })
  return { key }
}

/**
 * The content of the encrypted packet: version, ciphertext of a random block with its repetition, the text,
 * and its SHA-1.
 */
async function* protectedText(
  text: AsyncIterable<Uint8Array>,
  key: Buffer,
  size: number,
): AsyncGenerator<Uint8Array> {
  const cipher = createCipheriv('aes-256-cfb', key, Buffer.alloc(BLOCK))
  const digest = runDigest('sha1', size)
  try {
    const start = randomBytes(BLOCK)
    const head = Buffer.concat([start, start.subarray(-2)])
    await digest.update(head)
    yield Buffer.from([1])
    yield cipher.update(head)
    for await (const piece of text) {
      await digest.update(piece)
      for (let at = 0; at < piece.length; at += AT_ONCE) {
        const sealed = cipher.update(piece.subarray(at, at + AT_ONCE))
        yield sealed
        releaseMemory(sealed)
      }
    }
    // The digest includes its own header.
    const header = Buffer.from([0xd3, 0x14])
    await digest.update(header)
    yield Buffer.concat([cipher.update(header), cipher.update(await digest.end()), cipher.final()])
  } finally {
    digest.drop()
  }
}
/** Bytes of the protected packet in addition to the text. */
const PROTECTION = 1 + BLOCK + 2 + 2 + 20

/** Binary, without a name and a date. */
const LITERAL_HEAD = Buffer.from([0x62, 0, 0, 0, 0, 0])
async function* literal(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield LITERAL_HEAD
  yield* source
}

/** A packet of `size` bytes in parts of one size and a shorter last one; passes pieces on as they come. */
async function* parts(
  tag: number,
  content: AsyncIterable<Uint8Array>,
  size: number,
): AsyncGenerator<Uint8Array> {
  let left = size
  let room = 0
  const begin = () => {
    if (left === 0) throw new RangeError('more came than was announced')
    room = Math.min(left, PART)
    return left < PART ? lastLength(left) : Buffer.from([0xe0 | PART_BITS])
  }
  yield Buffer.from([tag])
  for await (const piece of content)
    for (let at = 0; at < piece.length;) {
      if (room === 0) yield begin()
      const fits = piece.subarray(at, at + room)
      yield fits
      at += fits.length
      room -= fits.length
      left -= fits.length
    }
  // Whole parts are followed by an empty one.
  if (size % PART === 0) yield lastLength(0)
}

/** Bytes of such a packet. */
const lengthInParts = (size: number): number => 1 + Math.floor(size / PART) + 5 + size

function lastLength(bytes: number): Buffer {
  const length = Buffer.alloc(5)
  length[0] = 0xff
  length.writeUInt32BE(bytes, 1)
  return length
}
