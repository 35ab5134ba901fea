import { hash, randomBytes, timingSafeEqual } from 'node:crypto'

const SECRET_BYTES = 32

/** A secret has 256 random bits, so a plain hash suffices. */
const hashOf = (secret: Buffer): Buffer => hash('sha256', secret, 'buffer')

/** A new secret and its stored hash. */
export function newSecret(): { secret: string; secret_hash: Buffer } {
  const secret = randomBytes(SECRET_BYTES)
  return { secret: secret.toString('base64url'), secret_hash: hashOf(secret) }
}

/** Compares a secret with its hash in constant time. */
export const isSecret = (secret: Buffer, secret_hash: Buffer): boolean =>
  timingSafeEqual(hashOf(secret), secret_hash)
