import { createHmac, timingSafeEqual } from 'node:crypto'
import { UploadForbidden, type UploadGrant } from './port.ts'

/** Signs an upload grant for a device: base64url(JSON) `.` base64url(HMAC-SHA-256). */
export function signUploadToken(
  secret: Buffer,
  { key, size, sha256, expires_at, sender }: UploadGrant,
): string {
  const body = Buffer.from(JSON.stringify([key, size, sha256, expires_at, sender])).toString('base64url')
  return `${body}.${mac(secret, body).toString('base64url')}`
}

/**
 * Verifies a token of signUploadToken with the same secret. `now` in epoch seconds; valid while `now <
 * expires_at`. Throws UploadForbidden when it is forged, altered or expired.
 */
export function verifyUploadToken(
  secret: Buffer,
  token: string,
  now: number,
): Omit<UploadGrant, 'expires_at'> {
  const [body = '', signature = '', ...rest] = token.split('.')
  const given = Buffer.from(signature, 'base64url')
  const wanted = mac(secret, body)
  // Base64url has several spellings of the same bytes; only the signed one is accepted.
  const canonical = given.toString('base64url') === signature && rest.length === 0
  if (!canonical || given.length !== wanted.length || !timingSafeEqual(given, wanted)) {
    throw new UploadForbidden('upload address is not one of ours')
  }
  const [key, size, sha256, expires_at, sender] = JSON.parse(Buffer.from(body, 'base64url').toString()) as [
    string,
    number,
    string,
    number,
    string | null | undefined,
  ]
  if (now >= expires_at) throw new UploadForbidden('upload address has expired')
  return { key, size, sha256, sender: sender ?? undefined }
}

function mac(secret: Buffer, body: string): Buffer {
  return createHmac('sha256', secret).update(`custodia upload 1\n${body}`).digest()
}
