import type { Agent as HttpAgent } from 'node:http'
import type { Agent as HttpsAgent } from 'node:https'

/** An IP address that the guard has admitted. */
export interface CheckedAddress {
  address: string
  family: number
}

/** Fetches addresses that a customer typed, without opening the operator's network to them. */
export interface Egress {
  /**
   * Like `fetch`, for libraries that take one: https to public addresses only, no redirects, the response
   * complete and bounded. Rejects with EgressProblem. Supports `method`, `headers`, text bodies and `signal`.
   */
  readonly fetch: typeof fetch
  /** The JSON of a 200 response, not validated. Throws EgressProblem. */
  fetchJson(address: string | URL, limits?: Partial<EgressLimits>): Promise<unknown>
  /**
   * Looks up and checks the addresses of a customer's host, for protocols other than https. The caller
   * connects to exactly one of these (`dialAddress`), in any thread. Throws EgressProblem.
   */
  addressesFor(host: string, port: number, limits: { timeoutMs: number }): Promise<CheckedAddress[]>
  /**
   * Agents for a library that makes its own requests: https only, each to a looked-up and checked address, as
   * with `fetch`. A refused request fails with EgressProblem. The caller destroys the agents. `moved`: bytes
   * transferred so far.
   */
  agents(): { http: HttpAgent; https: HttpsAgent; moved(): number }
  /** Whether an address is permitted by its text alone, before a lookup; also for redirects of browsers. */
  admits(address: string | URL): boolean
}

export interface EgressLimits {
  /** Limit of the response body. */
  maxBytes: number
  /** From the start to the last byte of the response, name lookup included. */
  timeoutMs: number
}

/** Why an address was not fetched. */
export type EgressReason =
  | 'not_https'
  | 'credentials_in_address'
  | 'forbidden_address'
  | 'unknown_host'
  | 'unreachable'
  | 'redirected'
  | 'encoded'
  | 'too_large'
  | 'too_slow'
  | 'wrong_status'
  | 'not_json'

/**
 * The address is forbidden, or its response is invalid. The message names the host, never path, query or
 * response.
 */
export class EgressProblem extends Error {
  readonly reason: EgressReason

  constructor(reason: EgressReason, address: URL | string, options: { cause?: unknown } = {}) {
    super(`${address instanceof URL ? address.host : address}: ${reason}`, options)
    this.name = 'EgressProblem'
    this.reason = reason
  }

  /** Whether the guard forbids the address itself, independent of the server there. */
  get isForbidden(): boolean {
    return FORBIDDING.has(this.reason)
  }
}

const FORBIDDING: ReadonlySet<EgressReason> = new Set([
  'not_https',
  'credentials_in_address',
  'forbidden_address',
])
