import { hash, randomBytes, timingSafeEqual } from 'node:crypto'

const SECRET_BYTES = 32

/** What is kept of a secret; it has 256 random bits, so that a plain hash suffices. */
const hashOf = (secret: Buffer): Buffer => hash('sha256', secret, 'buffer')

/** A new secret, and what is kept of it. */
export function newSecret(): { secret: string; secret_hash: Buffer } {
  const secret = randomBytes(SECRET_BYTES)
  return { secret: secret.toString('base64url'), secret_hash: hashOf(secret) }
}

/** Whether this is the secret of which that is kept, in a time that tells nothing. */
export const isSecret = (secret: Buffer, secret_hash: Buffer): boolean =>
  timingSafeEqual(hashOf(secret), secret_hash)
