import { DatabaseProblem } from '../ports/database/problem.ts'
import { KeysUnavailable } from '../ports/keys/port.ts'
import { ObjectStoreUnavailable } from '../ports/objects/port.ts'
import { Problem } from './problem.ts'

/** Fastify's own refusals that a caller can correct. */
const FRAMEWORK: Readonly<Record<string, Problem['code']>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'invalid_input',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'invalid_input',
  FST_ERR_CTP_INVALID_JSON_BODY: 'invalid_input',
  FST_ERR_BAD_URL: 'not_found',
}

/**
 * Turns any error into the problem of the response. An unknown error is `internal`: its details are in the
 * log under the request id, never in the response.
 */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (error instanceof DatabaseProblem) {
    if (error.kind === 'unavailable' || error.kind === 'serialization')
      return new Problem('unavailable', { detail: error.message })
    if (error.kind === 'unstorable') return new Problem('invalid_input', { detail: error.message })
    if (error.kind === 'unique') return new Problem('already_exists', { detail: error.message })
  }
  if (error instanceof ObjectStoreUnavailable || error instanceof KeysUnavailable)
    return new Problem('unavailable', { detail: error.message })
  const { code, statusCode } = (typeof error === 'object' && error !== null ? error : {}) as {
    code?: string
    statusCode?: number
  }
  const known = code === undefined ? undefined : FRAMEWORK[code]
  if (known) return new Problem(known, { detail: code ?? '' })
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new Problem('invalid_input', { detail: code ?? String(statusCode) })
  }
  return new Problem('internal', { detail: error instanceof Error ? error.message : String(error) })
}
