import { S3Client } from '@aws-sdk/client-s3'
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts'
import type { TransferProblem } from '@custodia/contract'
import { type Egress, EgressProblem } from '../egress/port.ts'
import { type S3Target, TargetProblem } from './port.ts'

/** Refusals of S3 that an operator can act on. */
const REASONS: Readonly<Record<string, TransferProblem>> = {
  AccessDenied: 'permission_denied',
  AllAccessDisabled: 'permission_denied',
  NoSuchBucket: 'no_such_folder',
  QuotaExceeded: 'no_space',
  EntityTooLarge: 'no_space',
  InvalidAccessKeyId: 'auth_refused',
  SignatureDoesNotMatch: 'auth_refused',
  ExpiredToken: 'auth_refused',
  InvalidToken: 'auth_refused',
  BadDigest: 'target_differs',
  XAmzContentSHA256Mismatch: 'target_differs',
  XAmzContentChecksumMismatch: 'target_differs',
  // Another process has ended the upload: it starts again.
  NoSuchUpload: 'connection_lost',
}
/** Codes of broken connections. */
const LOST = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ERR_STREAM_PREMATURE_CLOSE'])
const ELSEWHERE = new Set([
  'PermanentRedirect',
  'AuthorizationHeaderMalformed',
  'IllegalLocationConstraintException',
])

/** The transfer problem for an error of the SDK or the connection. */
export function s3Problem(error: unknown, target: S3Target): TargetProblem {
  if (error instanceof TargetProblem) return error
  const problem = connectionProblem(error, target)
  if (problem) return problem
  const { name } = error as Error
  const options = { cause: error }
  if (ELSEWHERE.has(name) || getStatus(error) === 301)
    return new TargetProblem('refused', `${target.bucket} is not in ${target.region}`, options)
  const reason = REASONS[name] ?? (getStatus(error) === 403 ? 'permission_denied' : 'refused')
  return new TargetProblem(reason, reason === 'refused' ? name : target.bucket, options)
}

/** The problem of a failed or broken connection; undefined: a server has responded. */
function connectionProblem(error: unknown, target: S3Target): TargetProblem | undefined {
  const options = { cause: error }
  const at = target.endpoint === undefined ? `AWS in ${target.region}` : new URL(target.endpoint).host
  const guarded = causes(error).find((each) => each instanceof EgressProblem)
  if (guarded?.reason === 'unknown_host') return new TargetProblem('host_unknown', at, options)
  if (guarded?.isForbidden) return new TargetProblem('address_forbidden', at, options)
  const { name, code = '' } = error as Error & { code?: string }
  // The SDK calls these timeouts as well.
  if (LOST.has(code)) return new TargetProblem('connection_lost', at, options)
  if (name === 'TimeoutError' || name === 'AbortError') return new TargetProblem('timeout', at, options)
  if (guarded || CONNECTING.test(code)) return new TargetProblem('unreachable', at, options)
  return undefined
}

const CONNECTING =
  /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|ENOTFOUND|EAI_AGAIN|CERT_|ERR_TLS|ERR_SSL|DEPTH_|UNABLE_|SELF_SIGNED)/

/** Why assuming a role failed, after a response. */
function roleProblem(error: unknown, { role_arn }: S3Target): TargetProblem {
  const options = { cause: error }
  const { name } = error as Error
  if (name === 'CredentialsProviderError')
    return new TargetProblem('auth_refused', 'this installation has no identity at AWS', options)
  if (name === 'InvalidClientTokenId' || name === 'SignatureDoesNotMatch')
    return new TargetProblem('auth_refused', 'AWS does not know the identity of this installation', options)
  return new TargetProblem('auth_refused', `${role_arn} cannot be assumed`, options)
}

/** The status of an error's response, if it has one. */
export const getStatus = (error: unknown): number | undefined =>
  (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode

function causes(error: unknown): unknown[] {
  const found: unknown[] = []
  for (let at: unknown = error; at instanceof Error && found.length < 8; at = at.cause) {
    found.push(at)
    if (at instanceof AggregateError) found.push(...(at.errors as unknown[]))
  }
  return found
}

/** Milliseconds: for a connection, and for a silent server. */
export const S3_PATIENCE = { connect: 15_000, silence: 30_000 } as const
export type S3Patience = Record<keyof typeof S3_PATIENCE, number>
/** Attempts of the SDK per request, with pauses between them. */
const ATTEMPTS = 3
/**
 * Lifetime of a role's keys in seconds, which every role permits. They are renewed five minutes before their
 * end.
 */
const DURATION = 3600
/** Session name in the customer's AWS log. */
const SESSION = 'custodia-transfers'

interface S3Connection {
  client: S3Client
  /** Closes at once, also during a request. */
  close(): void
  /** Bytes sent to and received from the service so far. */
  moved(): number
}

/**
 * Assumes the customer's role; `signal` ends the attempt and later the connection. The keys are renewed while
 * the connection is used. Throws TargetProblem.
 */
export async function connectS3(
  target: S3Target,
  egress: Egress,
  { signal, patience }: { signal: AbortSignal; patience: S3Patience },
): Promise<S3Connection> {
  const agents = egress.agents()
  const settings = {
    region: target.region,
    ...(target.endpoint === undefined ? {} : { endpoint: target.endpoint }),
    maxAttempts: ATTEMPTS,
    requestHandler: {
      httpAgent: agents.http,
      httpsAgent: agents.https,
      connectionTimeout: patience.connect,
      socketTimeout: patience.silence,
      // The SDK forgets this timer, of a warning about the agents' sockets, when an upload is cut off.
      socketAcquisitionWarningTimeout: 1000,
    },
  }
  const { identity } = target
  const sts = new STSClient({
    ...settings,
    ...(identity && {
      credentials: { accessKeyId: identity.access_key_id, secretAccessKey: identity.secret_access_key },
    }),
  })
  let refused: TargetProblem | undefined
  const client = new S3Client({
    ...settings,
    // Most services other than AWS have no host name per bucket.
    forcePathStyle: target.endpoint !== undefined,
    // Our own digests verify the content; older services refuse the trailers of the SDK.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    credentials: () =>
      assumeRole(sts, target).catch((error: unknown) => {
        refused = connectionProblem(error, target) ?? roleProblem(error, target)
        throw refused
      }),
  })
  sayDigests(client)
  const ended = new AbortController()
  cutRequests(client, AbortSignal.any([ended.signal, signal]))
  cutRequests(sts, signal)
  const close = () => {
    ended.abort()
    client.destroy()
    sts.destroy()
    agents.http.destroy()
    agents.https.destroy()
  }
  try {
    await client.config.credentials()
    return { client, close, moved: agents.moved }
  } catch (error) {
    close()
    throw refused ?? error
  }
}

/** A signal ends running requests and the pauses between attempts. */
function cutRequests(client: S3Client | STSClient, signal: AbortSignal): void {
  const send = client.send.bind(client) as (command: unknown, options?: object) => Promise<unknown>
  client.send = ((command: unknown, options = {}) =>
    send(command, { ...options, abortSignal: signal })) as typeof client.send
}

/** Uses the existing digest in the signature, because the SDK would digest all bytes again. An MD5 is a signed header. */
function sayDigests(client: S3Client): void {
  client.middlewareStack.add(
    (next) => async (args) => {
      const { input, request } = args
      if ('Body' in input) {
        const { headers } = request as { headers: Record<string, string> }
        if ('ContentMD5' in input && input.ContentMD5 !== undefined)
          headers['x-amz-content-sha256'] = 'UNSIGNED-PAYLOAD'
        else if ('ChecksumSHA256' in input && input.ChecksumSHA256 !== undefined)
          headers['x-amz-content-sha256'] = Buffer.from(input.ChecksumSHA256, 'base64').toString('hex')
      }
      return next(args)
    },
    { step: 'build', name: 'sayDigests' },
  )
}

async function assumeRole(sts: STSClient, { role_arn, external_id }: S3Target) {
  const { Credentials: keys } = await sts.send(
    new AssumeRoleCommand({
      RoleArn: role_arn,
      RoleSessionName: SESSION,
      ExternalId: external_id,
      DurationSeconds: DURATION,
    }),
  )
  if (!keys?.AccessKeyId || !keys.SecretAccessKey || !keys.SessionToken)
    throw new Error('the answer to AssumeRole holds no keys')
  return {
    accessKeyId: keys.AccessKeyId,
    secretAccessKey: keys.SecretAccessKey,
    sessionToken: keys.SessionToken,
    ...(keys.Expiration && { expiration: keys.Expiration }),
  }
}
