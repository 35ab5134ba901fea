import { checkContent } from './content-check.ts'
import { ContentMismatch, ObjectExists, type ObjectStore } from './port.ts'
import { verifyUploadToken } from './upload-token.ts'

export type UploadAddresses = {
  /** Signs upload addresses; the same in every process of an installation. */
  upload_secret: Buffer
  /** Epoch seconds. */
  now: () => number
}

/** The receiving end of a store whose upload addresses point at this server; see FilesystemObjectStore.receiveUpload. */
export async function receiveUpload(
  store: ObjectStore,
  { upload_secret, now }: UploadAddresses,
  token: string,
  body: AsyncIterable<Uint8Array>,
  content_length: number | undefined,
): Promise<{ key: string; size: number; sha256: string }> {
  const { key, ...expect } = verifyUploadToken(upload_secret, token, now())
  if (content_length !== expect.size) {
    throw new ContentMismatch(
      'wrong_size',
      `expected a body of ${expect.size} bytes, announced ${content_length}`,
    )
  }
  try {
    // The phone may have missed our answer: the same body again is fine, another one is not.
    if (await store.head(key)) await consume(checkContent(body, expect).chunks)
    else return { key, ...(await store.put(key, body, expect)) }
  } catch (error) {
    // Two deliveries at once and the other one won: what is stored now decides.
    if (!(error instanceof ObjectExists)) throw error
  }
  await confirmStored(store, key, expect)
  return { key, ...expect }
}

/** Reads what lies under the key; other bytes than the announced ones mean that the key is taken. */
async function confirmStored(
  store: ObjectStore,
  key: string,
  expect: { size: number; sha256: string },
): Promise<void> {
  try {
    await consume(checkContent(store.read(key), expect).chunks)
  } catch (error) {
    throw error instanceof ContentMismatch ? new ObjectExists(key) : error
  }
}

async function consume(chunks: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of chunks);
}
