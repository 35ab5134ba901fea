import { S3Client, S3ServiceException } from '@aws-sdk/client-s3'
import { ObjectExists, ObjectNotFound, ObjectStoreUnavailable } from './port.ts'
import { inSpan } from '../tracing.ts'

/**
 * Milliseconds for a connection, for a request with its part up to the response, and for the next bytes of a
 * body. A silent server times out; the SDK tries once again.
 */
export const PATIENCE = {
  connection: 3_000,
  answer: 15_000,
  bytes: 15_000,
  attempts: 2,
  health: 2_500,
} as const

export type S3Config = {
  bucket: string
  region: string
  /** Another server than AWS, such as `http://127.0.0.1:7480`. */
  endpoint?: string
  /** Both or none: without them the SDK's own chain applies (environment, profile, instance role). */
  access_key_id?: string
  secret_access_key?: string
  /** Bucket in the path instead of the host name; most servers other than AWS need it. */
  force_path_style?: boolean
  /** False for servers that refuse If-None-Match; writing once then relies on an earlier check. */
  conditional_writes?: boolean
  /** Whether originals are locked; the bucket needs Object Lock. */
  object_lock?: boolean
  /** Epoch seconds. */
  now: () => number
}

/** A client of the S3 service. */
export function connect(config: S3Config, bytes: { socketTimeout?: number }): S3Client {
  const { access_key_id, secret_access_key } = config
  const client = new S3Client({
    region: config.region,
    endpoint: config.endpoint,
    forcePathStyle: config.force_path_style ?? false,
    credentials:
      access_key_id && secret_access_key
        ? { accessKeyId: access_key_id, secretAccessKey: secret_access_key }
        : undefined,
    // By default the SDK signs the CRC32 of an empty body into upload addresses, which several servers
    // enforce.
    requestHandler: {
      connectionTimeout: PATIENCE.connection,
      requestTimeout: PATIENCE.answer,
      throwOnRequestTimeout: true,
      ...bytes,
    },
    maxAttempts: PATIENCE.attempts,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
  client.middlewareStack.add(
    (next, { commandName }) =>
      (args) =>
        inSpan('call', `S3 ${commandName}`, () => next(args)),
    { step: 'initialize' },
  )
  return client
}

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
