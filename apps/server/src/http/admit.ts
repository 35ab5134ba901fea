import { type Endpoint, PROBLEMS } from '@custodia/contract'
import type { FastifyRequest } from 'fastify'
import type { AuditLog } from './audit.ts'
import { refusedEntry } from './audit-entry.ts'
import type { Context, LoggedCaller, Phone, PortalUser } from './context.ts'
import { Problem } from './problem.ts'
import type { RateLimits } from './rate-limit.ts'
import type { TooEarly } from './token-buckets.ts'

export interface AdmitOptions {
  audit: AuditLog
  /** May throw a Problem with a `caller`: a known person who is refused. */
  authenticatePortal: (request: FastifyRequest, now: number) => Promise<PortalUser>
  authenticateDevice: (request: FastifyRequest, now: number) => Promise<Phone>
  rateLimits: RateLimits
}

/**
 * Authenticates a call and applies the rate limits. Refusals of known callers are audited; rate limit
 * refusals once a second, so that a flood of calls is no flood of entries. Unknown callers count against
 * their address. Problems: those of authentication, too_many_requests.
 */
export async function admit(
  options: AdmitOptions,
  endpoint: Endpoint,
  context: Context,
): Promise<PortalUser | Phone> {
  let caller: PortalUser | Phone
  try {
    caller = await authenticate(options, endpoint, context)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    if (!error.caller) admitAddress(options, context)
    else {
      await admitRate(options, endpoint, context, error.caller)
      await note(options, endpoint, context, error.caller, error)
    }
    throw error
  }
  await admitRate(options, endpoint, context, caller)
  return caller
}

/** The caller of a request. Problems: those of authentication. */
export const authenticate = (
  options: Pick<AdmitOptions, 'authenticatePortal' | 'authenticateDevice'>,
  { authentication }: Endpoint,
  { request, now }: Pick<Context, 'request' | 'now'>,
): Promise<PortalUser | Phone> =>
  authentication === 'portal'
    ? options.authenticatePortal(request, now)
    : options.authenticateDevice(request, now)

/** Admits an unauthenticated call unless its address exceeds the rate limit. Problem: too_many_requests. */
export function admitAddress({ rateLimits }: Pick<AdmitOptions, 'rateLimits'>, context: Context): void {
  const early = rateLimits.ofAddress(context.ip)
  if (early) throw tooManyRequests(context, early)
}

async function admitRate(
  options: AdmitOptions,
  endpoint: Endpoint,
  context: Context,
  caller: LoggedCaller,
): Promise<void> {
  const early = options.rateLimits.ofCaller(caller)
  if (!early) return
  const problem = tooManyRequests(context, early)
  if (early.is_first) await note(options, endpoint, context, caller, problem)
  throw problem
}

/** Sets `Retry-After` and returns the refusal. */
export function tooManyRequests({ reply }: Pick<Context, 'reply'>, { retry_after }: TooEarly): Problem {
  void reply.header('retry-after', String(retry_after))
  return new Problem('too_many_requests')
}

const note = (
  { audit }: AdmitOptions,
  endpoint: Endpoint,
  context: Context,
  caller: LoggedCaller,
  { code, message }: Problem,
): Promise<void> =>
  audit.append(
    refusedEntry(endpoint, context, caller, {
      status_code: PROBLEMS[code].status,
      denial_reason: message,
    }),
  )
