import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Endpoint, PROBLEMS } from '@custodia/contract'
import type { FastifyRequest } from 'fastify'
import { cacheEntry } from '../ports/cache.ts'
import { getNetwork, getSite } from '../ports/identity/interaction.ts'
import { refusedEntry } from './audit-entry.ts'
import type { AuditLog } from './audit.ts'
import type { Context, LoggedCaller, DeviceCaller, PortalUser } from './context.ts'
import { newId } from './new-id.ts'
import { Problem, problemBody } from './problem.ts'

/** The long-term rate and the burst. */
export interface Rate {
  per_second: number
  burst: number
}

/** A call that came too early. */
interface TooEarly {
  /** Seconds until the next permitted one, rounded up. */
  retry_after: number
  /** Whether it is the first refusal of this bucket within a second; only that one is logged. */
  is_first: boolean
}

interface Bucket {
  tokens: number
  /** Time of the last call in ms. */
  at: number
  reported_at: number
}

/** From this number of buckets on, full ones are dropped, because they equal none. */
const SWEEP_FROM = 10_000
/** Most buckets; beyond, the oldest are dropped. About 20 MB. */
const MAX = 100_000

/** Token buckets of one process, by key. `clock` gives monotonic milliseconds. */
export class TokenBuckets {
  readonly #rate: Rate
  readonly #clock: () => number
  readonly #buckets = new Map<string, Bucket>()
  #swept_at = -Infinity

  constructor(rate: Rate, clock: () => number = () => performance.now()) {
    this.#rate = rate
    this.#clock = clock
  }

  get size(): number {
    return this.#buckets.size
  }

  /** Takes a token, or several: at most a full bucket. Without them, returns when to retry. */
  take(key: string, count = 1): TooEarly | undefined {
    const wanted = Math.min(count, this.#rate.burst)
    const now = this.#clock()
    const bucket = this.#getBucket(key, now)
    bucket.tokens = this.#tokensAt(bucket, now)
    bucket.at = now
    if (bucket.tokens >= wanted) {
      bucket.tokens -= wanted
      return undefined
    }
    const is_first = now - bucket.reported_at >= 1000
    if (is_first) bucket.reported_at = now
    return { retry_after: Math.ceil((wanted - bucket.tokens) / this.#rate.per_second), is_first }
  }

  #tokensAt({ tokens, at }: Bucket, now: number): number {
    return Math.min(this.#rate.burst, tokens + ((now - at) / 1000) * this.#rate.per_second)
  }

  #getBucket(key: string, now: number): Bucket {
    const known = this.#buckets.get(key)
    if (known) return known
    if (this.#buckets.size >= SWEEP_FROM) this.#sweep(now)
    const bucket = { tokens: this.#rate.burst, at: now, reported_at: -Infinity }
    cacheEntry(this.#buckets, key, bucket, MAX)
    return bucket
  }

  /** At most once per refill time of a bucket, so that the cost does not grow with the callers. */
  #sweep(now: number): void {
    if (now - this.#swept_at < (this.#rate.burst / this.#rate.per_second) * 1000) return
    this.#swept_at = now
    for (const [key, bucket] of this.#buckets)
      if (this.#tokensAt(bucket, now) >= this.#rate.burst) this.#buckets.delete(key)
  }
}

/** The rates of each kind of caller; null: unlimited. */
export interface Rates {
  /** Each portal user and each client app. */
  portal: Rate | null
  device: Rate | null
  /** Each address, for unauthenticated calls. */
  public: Rate | null
}

/** Limits the calls of each caller within this process. */
interface RateLimits {
  ofCaller(caller: LoggedCaller): TooEarly | undefined
  ofAddress(ip: string): TooEarly | undefined
}

/** Networks of IPv6 whose budgets one site has in all. */
const NETWORKS_PER_SITE = 4

export function makeRateLimits(rates: Rates, clock?: () => number): RateLimits {
  const make = (rate: Rate | null, times = 1) =>
    rate && new TokenBuckets({ per_second: rate.per_second * times, burst: rate.burst * times }, clock)
  const [portal, device, addresses] = [make(rates.portal), make(rates.device), make(rates.public)]
  const sites = make(rates.public, NETWORKS_PER_SITE)
  return {
    ofCaller: (caller) => (caller.kind === 'portal' ? portal : device)?.take(getName(caller)),
    ofAddress(ip) {
      const network = getNetwork(ip)
      const site = getSite(network)
      return addresses?.take(network) ?? (site === undefined ? undefined : sites?.take(site))
    },
  }
}

/** A caller within its kind. */
export function getName(caller: LoggedCaller): string {
  if (caller.kind === 'device') return `${caller.client_id} ${caller.device_reference}`
  const { client_id, is_client_app, support_reference, user_reference } = caller
  const kind = is_client_app ? 'app' : support_reference === undefined ? 'user' : 'support'
  return `${client_id} ${kind} ${user_reference}`
}

export type Listener = (request: IncomingMessage, response: ServerResponse) => void

/** Another app in this process with its own request listener. */
export interface MountedApp {
  listener: Listener
  /** The address whose limit a request uses; undefined for our own requests. */
  getAddress(request: IncomingMessage): string | undefined
}

/** Applies the rate limit of unauthenticated calls per address to a mounted app. */
export function limitAddresses({ listener, getAddress }: MountedApp, rateLimits: RateLimits): Listener {
  return (request, response) => {
    const ip = getAddress(request)
    const early = ip === undefined ? undefined : rateLimits.ofAddress(ip)
    if (!early) return listener(request, response)
    response
      .writeHead(429, {
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'no-store',
        'retry-after': String(early.retry_after),
        connection: 'close',
      })
      .end(JSON.stringify(problemBody(new Problem('too_many_requests'), newId())))
  }
}

export interface AdmitOptions {
  audit: AuditLog
  /** May throw a Problem with a `caller`: a known person who is refused. */
  authenticatePortal: (request: FastifyRequest, now: number) => Promise<PortalUser>
  authenticateDevice: (request: FastifyRequest, now: number) => Promise<DeviceCaller>
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
): Promise<PortalUser | DeviceCaller> {
  let caller: PortalUser | DeviceCaller
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
): Promise<PortalUser | DeviceCaller> =>
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
    refusedEntry(endpoint, context, caller, { status_code: PROBLEMS[code].status, denial_reason: message }),
  )
