import { checkContent, consume } from './filesystem-commit.ts'
import {
  ContentMismatch,
  ObjectExists,
  type ObjectStore,
  ObjectStoreUnavailable,
  UploadForbidden,
  type UploadGrant,
} from './port.ts'
import { createHmac, timingSafeEqual } from 'node:crypto'

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
  { upload_secret, now, take }: UploadAddresses,
  token: string,
  body: AsyncIterable<Uint8Array>,
  content_length: number | undefined,
): Promise<{ key: string; size: number; sha256: string }> {
  const { key, size, sha256 } = verifyUploadToken(upload_secret, token, now())
  const expect = { size, sha256 }
  if (content_length !== expect.size) {
    throw new ContentMismatch(
      'wrong_size',
      `expected a body of ${expect.size} bytes, announced ${content_length}`,
    )
  }
  try {
    // The device may have missed the response: the same body succeeds, another one does not.
    if (await store.head(key)) await consume(checkContent(body, expect).chunks)
    else {
      const giveBack = await take?.(expect.size)
      try {
        return { key, ...(await store.put(key, body, expect)) }
      } finally {
        giveBack?.()
      }
    }
  } catch (error) {
    // A concurrent delivery won: the stored object decides.
    if (!(error instanceof ObjectExists)) throw error
  }
  await confirmStored(store, key, expect)
  return { key, ...expect }
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
