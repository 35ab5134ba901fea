import { checkContent, consume } from './content-check.ts'
import { ContentMismatch, ObjectExists, ObjectStoreUnavailable, type ObjectStore } from './port.ts'
import { verifyUploadToken } from './upload-token.ts'

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
