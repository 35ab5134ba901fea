import type { TransferProblem } from '@custodia/contract'
import { EgressProblem } from '../egress/port.ts'
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
  if (ELSEWHERE.has(name) || statusOf(error) === 301)
    return new TargetProblem('refused', `${target.bucket} is not in ${target.region}`, options)
  const reason = REASONS[name] ?? (statusOf(error) === 403 ? 'permission_denied' : 'refused')
  return new TargetProblem(reason, reason === 'refused' ? name : target.bucket, options)
}

/** The problem of a failed or broken connection; undefined: a server has responded. */
export function connectionProblem(error: unknown, target: S3Target): TargetProblem | undefined {
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
export function roleProblem(error: unknown, { role_arn }: S3Target): TargetProblem {
  const options = { cause: error }
  const { name } = error as Error
  if (name === 'CredentialsProviderError')
    return new TargetProblem('auth_refused', 'this installation has no identity at AWS', options)
  if (name === 'InvalidClientTokenId' || name === 'SignatureDoesNotMatch')
    return new TargetProblem('auth_refused', 'AWS does not know the identity of this installation', options)
  return new TargetProblem('auth_refused', `${role_arn} cannot be assumed`, options)
}

/** The status of an error's response, if it has one. */
export const statusOf = (error: unknown): number | undefined =>
  (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode

function causes(error: unknown): unknown[] {
  const found: unknown[] = []
  for (let at: unknown = error; at instanceof Error && found.length < 8; at = at.cause) {
    found.push(at)
    if (at instanceof AggregateError) found.push(...(at.errors as unknown[]))
  }
  return found
}
