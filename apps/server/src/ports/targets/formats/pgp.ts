import { createCipheriv, createHash, randomBytes } from 'node:crypto'
import { encryptSessionKey, enums, type Key, readKey } from 'openpgp'
import { TargetProblem } from '../port.ts'

/** Bytes in one part of a packet whose length is not known beforehand: a power of two, as RFC 4880, 4.2.2.4, wants it. */
const PART_BITS = 20
const PART = 1 << PART_BITS
const BLOCK = 16
/** Tags of the packets, as new-format headers. */
const [LITERAL, ENCRYPTED] = [0xc0 | 11, 0xc0 | 18]

/** A customer's public key, as one shows it before it is used. */
export interface PgpKeyFacts {
  fingerprint: string
  user_ids: string[]
  /** Epoch seconds; none when it never expires. */
  expires_at: number | undefined
}

/** Reads an armoured public key and judges whether one can encrypt to it now. Throws TargetProblem `key_unusable`. */
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
 * An OpenPGP message to one key, as a stream: AES-256 with integrity protection (what every GnuPG reads), nothing compressed, since media
 * are already. openpgp encrypts the session key; the bulk goes through OpenSSL here, which is several times faster than the library.
 */
export async function* pgp(source: AsyncIterable<Uint8Array>, armored: string): AsyncGenerator<Uint8Array> {
  const { key } = await usableKey(armored)
  const session = randomBytes(32)
  yield await encryptSessionKey({
    data: session,
    algorithm: 'aes256',
    encryptionKeys: key,
    format: 'binary',
    // The plain packet of version 3: what follows it is the older of the two encrypted packets.
    config: { aeadProtect: false, preferredSymmetricAlgorithm: enums.symmetric.aes256 },
  })
  yield* parts(ENCRYPTED, protectedText(literal(source), session))
}

async function usableKey(armored: string): Promise<{ key: Key }> {
  const unusable = (why: string, cause?: unknown) => new TargetProblem('key_unusable', why, { cause })
  const key = await readKey({ armoredKey: armored }).catch((cause: unknown) => {
    throw unusable('not an armoured OpenPGP key', cause)
  })
  if (key.isPrivate()) throw unusable('a private key, which nobody should hand out')
  await key.getEncryptionKey().catch((cause: unknown) => {
    throw unusable(cause instanceof Error ? cause.message : 'nothing to encrypt with', cause)
  })
  return { key }
}

/** The content of the encrypted packet: version, ciphertext of a random block repeated in part, the text, and its SHA-1. */
async function* protectedText(text: AsyncIterable<Uint8Array>, key: Buffer): AsyncGenerator<Uint8Array> {
  const cipher = createCipheriv('aes-256-cfb', key, Buffer.alloc(BLOCK))
  const digest = createHash('sha1')
  const seal = (piece: Uint8Array) => {
    digest.update(piece)
    return cipher.update(piece)
  }
  const start = randomBytes(BLOCK)
  yield Buffer.from([1])
  yield seal(Buffer.concat([start, start.subarray(-2)]))
  for await (const piece of text) yield seal(piece)
  // The header of the digest is digested too.
  const header = seal(Buffer.from([0xd3, 0x14]))
  yield Buffer.concat([header, cipher.update(digest.digest()), cipher.final()])
}

/** A packet of binary data without a name and a date. */
function literal(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  return parts(
    LITERAL,
    (async function* () {
      yield Buffer.from([0x62, 0, 0, 0, 0, 0])
      yield* source
    })(),
  )
}

/** A packet in parts of one size and a shorter last one. */
async function* parts(tag: number, content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield Buffer.from([tag])
  let waiting: Uint8Array[] = []
  let bytes = 0
  for await (const piece of content) {
    let rest = piece
    while (bytes + rest.length >= PART) {
      const fits = rest.subarray(0, PART - bytes)
      yield Buffer.from([0xe0 | PART_BITS])
      yield* waiting
      yield fits
      rest = rest.subarray(fits.length)
      waiting = []
      bytes = 0
    }
    if (rest.length > 0) waiting.push(rest)
    bytes += rest.length
  }
  const length = Buffer.alloc(5)
  length[0] = 0xff
  length.writeUInt32BE(bytes, 1)
  yield length
  yield* waiting
}
