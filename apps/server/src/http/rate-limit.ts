import { isIPv6 } from 'node:net'
import type { LoggedCaller } from './context.ts'
import { type Rate, TokenBuckets, type TooEarly } from './token-buckets.ts'

/** The rates of each kind of caller; null: unlimited. */
export interface Rates {
  /** Each portal user and each client app. */
  portal: Rate | null
  /** Each device. */
  device: Rate | null
  /** Each address, for unauthenticated calls. */
  public: Rate | null
}

/** Limits the calls of each caller within this process. */
export interface RateLimits {
  ofCaller(caller: LoggedCaller): TooEarly | undefined
  ofAddress(ip: string): TooEarly | undefined
}

export function makeRateLimits(rates: Rates, clock?: () => number): RateLimits {
  const make = (rate: Rate | null) => rate && new TokenBuckets(rate, clock)
  const [portal, device, addresses] = [make(rates.portal), make(rates.device), make(rates.public)]
  return {
    ofCaller: (caller) => (caller.kind === 'portal' ? portal : device)?.take(nameOf(caller)),
    ofAddress: (ip) => addresses?.take(networkOf(ip)),
  }
}

/** A caller within its kind. */
export function nameOf(caller: LoggedCaller): string {
  if (caller.kind === 'device') return `${caller.client_id} ${caller.device_reference}`
  const { client_id, is_client_app, support_reference, user_reference } = caller
  const kind = is_client_app ? 'app' : support_reference === undefined ? 'user' : 'support'
  return `${client_id} ${kind} ${user_reference}`
}

/** One customer of IPv6 has 2^64 addresses (RFC 4291, section 2.5.4): they count as one. */
export function networkOf(ip: string): string {
  if (!isIPv6(ip) || ip.includes('.')) return ip
  const [head = '', tail] = ip.split('::')
  const [left, right] = [head, tail ?? ''].map((part) => (part === '' ? [] : part.split(':'))) as [
    string[],
    string[],
  ]
  const zeros = tail === undefined ? [] : Array<string>(8 - left.length - right.length).fill('0')
  return [...left, ...zeros, ...right].slice(0, 4).join(':')
}
