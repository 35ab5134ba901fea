import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import {
  ContentMismatch,
  ObjectExists,
  type ObjectStore,
  ObjectStoreUnavailable,
  UploadForbidden,
  type UploadGrant,
} from './port.ts'

/** Signs an upload grant for a device: base64url(JSON) `.` base64url(HMAC-SHA-256). */
export function signUploadToken(
  secret: KeyObject,
  { key, size, sha256, expires_at, sender }: UploadGrant,
): string {
  const body = Buffer.from(JSON.stringify([key, size, sha256, expires_at, sender])).toString('base64url')
  return `${body}.${mac(secret, body).toString('base64url')}`
}

/** What an upload address of ours permits. */
export type VerifiedUpload = Omit<UploadGrant, 'expires_at'>

/**
 * Verifies a token of signUploadToken with the same secret. `now` in epoch seconds; valid while `now <
 * expires_at`. Throws UploadForbidden when it is forged, altered or expired.
 */
export function verifyUploadToken(secret: KeyObject, token: string, now: number): VerifiedUpload {
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

function mac(secret: KeyObject, body: string): Buffer {
  return createHmac('sha256', secret).update(`custodia upload 1\n${body}`).digest()
}

export type UploadAddresses = {
  /** Signs upload addresses; the same in every process of an installation. */
  upload_secret: Buffer
  /** Epoch seconds. */
  now: () => number
  /** Reserves bytes until the returned function is called; throws NoRoom. */
  take?: (bytes: number) => Promise<() => void>
}

/**
 * The receiver of a store whose upload addresses point at this server; see
 * FilesystemObjectStore.receiveUpload.
 */
export async function receiveUpload(
  store: ObjectStore,
  take: UploadAddresses['take'],
  { key, size, sha256 }: VerifiedUpload,
  body: AsyncIterable<Uint8Array>,
  content_length: number | undefined,
): Promise<void> {
  const expect = { size, sha256 }
  if (content_length !== size)
    throw new ContentMismatch('wrong_size', `expected a body of ${size} bytes, announced ${content_length}`)
  const giveBack = await take?.(size)
  try {
    await store.put(key, body, expect)
  } catch (error) {
    // The device may have missed the response, or uploads concurrently: the stored object decides.
    if (!(error instanceof ObjectExists)) throw error
    await confirmStored(store, key, expect)
  } finally {
    giveBack?.()
  }
}

/**
 * Confirms the existing object under the key: its writer may have ended before it was durable. Other bytes
 * than the announced ones mean that the key is taken.
 */
async function confirmStored(
  store: ObjectStore,
  key: string,
  expect: { size: number; sha256: string },
): Promise<void> {
  try {
    if (await store.ensureDurable(key, expect)) return
  } catch (error) {
    throw error instanceof ContentMismatch ? new ObjectExists(key) : error
  }
  throw new ObjectStoreUnavailable(`object ${key} was deleted concurrently`)
}
