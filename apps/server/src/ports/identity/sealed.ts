import { hkdfSync } from 'node:crypto'
import { EncryptJWT, errors, jwtDecrypt, type JWTPayload } from 'jose'

/**
 * Seals small values that leave the server (cookies) or are stored in the database (tokens of a provider).
 */
export interface Seal {
  /** Encrypts a value that only `open` of the same purpose can read, until `expires_at` (epoch seconds). */
  seal(purpose: string, value: JWTPayload, expires_at: number): Promise<string>
  /** The value, or undefined when the text is forged, altered, of another purpose or expired. */
  open(purpose: string, text: string, now: number): Promise<JWTPayload | undefined>
}

/** `secret` is a named secret of 32 bytes; each purpose gets a derived key. JWE with A256GCM (RFC 7516). */
export function makeSeal(secret: Buffer): Seal {
  const getKey = (purpose: string) => new Uint8Array(hkdfSync('sha256', secret, '', `seal ${purpose}`, 32))
  return {
    seal: (purpose, value, expires_at) =>
      new EncryptJWT(value)
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
        .setExpirationTime(expires_at)
        .encrypt(getKey(purpose)),
    async open(purpose, text, now) {
      try {
        const { payload } = await jwtDecrypt(text, getKey(purpose), {
          keyManagementAlgorithms: ['dir'],
          contentEncryptionAlgorithms: ['A256GCM'],
          currentDate: new Date(now * 1000),
        })
        return payload
      } catch (error) {
        if (error instanceof errors.JOSEError) return undefined
        throw error
      }
    },
  }
}
