import { S3ServiceException } from '@aws-sdk/client-s3'
import { ObjectExists, ObjectNotFound, ObjectStoreUnavailable } from './port.ts'

/** Runs an S3 request about `key` and maps its errors to the port's. */
export async function onS3<T>(key: string, request: () => Promise<T>): Promise<T> {
  try {
    return await request()
  } catch (error) {
    throw translate(key, error)
  }
}

/** The port's error for an error of the SDK or the connection. */
export function translate(key: string, error: unknown): Error {
  const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined
  const name = error instanceof Error ? error.name : ''
  // A missing bucket also has status 404, but it is a fault of the installation and not a missing object.
  if (status === 404 && name !== 'NoSuchBucket') return new ObjectNotFound(key)
  // 409: a concurrent conditional write to the same key will win.
  if (status === 412 || name === 'ConditionalRequestConflict') return new ObjectExists(key)
  if (name === 'TimeoutError' || name === 'AbortError')
    return new ObjectStoreUnavailable(`S3 did not answer in time about ${key}`, { cause: error })
  const reason = error instanceof Error ? `${name}: ${error.message}` : String(error)
  return new ObjectStoreUnavailable(`S3 refused ${key}: ${reason}`, { cause: error })
}
