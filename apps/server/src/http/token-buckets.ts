/** The long-term rate and the burst. */
export interface Rate {
  per_second: number
  burst: number
}

/** A call that came too early. */
export interface TooEarly {
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
const MOST = 100_000

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
    const bucket = this.#bucketOf(key, now)
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

  #bucketOf(key: string, now: number): Bucket {
    const known = this.#buckets.get(key)
    if (known) return known
    if (this.#buckets.size >= SWEEP_FROM) this.#sweep(now)
    const [oldest] = this.#buckets.keys()
    if (this.#buckets.size >= MOST && oldest !== undefined) this.#buckets.delete(oldest)
    const bucket = { tokens: this.#rate.burst, at: now, reported_at: -Infinity }
    this.#buckets.set(key, bucket)
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
