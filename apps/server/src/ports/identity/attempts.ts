/** Failures, and the seconds in which they count. */
interface Rule {
  limit: number
  seconds: number
}

/** Limits per person and address, and per address. */
const PER_PERSON: Rule = { limit: 5, seconds: 300 }
const PER_ADDRESS: Rule = { limit: 50, seconds: 300 }
/** Most keys; the oldest are dropped first. */
const KEYS = 20_000

/**
 * Counts failed sign-ins of this process. Each attempt counts before its password is checked, so that
 * parallel guesses cannot bypass the limit; a success resets it.
 */
export class Attempts {
  readonly #failures = new Map<string, number[]>()

  /** Counts an attempt; false when the limit is reached. `now` in epoch seconds. */
  begin(person: string, ip: string, now: number): boolean {
    const keys: [string, Rule][] = [
      [`${person}\n${ip}`, PER_PERSON],
      [ip, PER_ADDRESS],
    ]
    if (keys.some(([key, rule]) => this.#recent(key, rule, now).length >= rule.limit)) return false
    for (const [key, rule] of keys) this.#remember(key, [...this.#recent(key, rule, now), now])
    return true
  }

  /** The attempt succeeded: this person's failures no longer count. */
  succeed(person: string, ip: string): void {
    this.#failures.delete(`${person}\n${ip}`)
    this.#failures.get(ip)?.pop()
  }

  #recent(key: string, rule: Rule, now: number): number[] {
    return (this.#failures.get(key) ?? []).filter((at) => at > now - rule.seconds)
  }

  #remember(key: string, times: number[]): void {
    this.#failures.delete(key)
    this.#failures.set(key, times)
    const [oldest] = this.#failures.keys()
    if (this.#failures.size > KEYS && oldest !== undefined) this.#failures.delete(oldest)
  }
}
