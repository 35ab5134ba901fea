import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { guardedAgents } from './agents.ts'
import { askAddress } from './ask-address.ts'
import { type CheckedAddress, type Egress, type EgressLimits, EgressProblem } from './port.ts'
import { isPublicAddress } from './ranges.ts'

export interface EgressOptions {
  /**
   * Origins that the operator permits, e.g. `http://127.0.0.1:14200`: they need neither https nor a public
   * address. `sftp://10.0.0.5:22` permits that port of that host.
   */
  allow?: readonly string[]
  /** All addresses of a host name. Default: the system's resolver. */
  resolve?: (host: string) => Promise<readonly string[]>
  /** Which addresses count as public. Default: `isPublicAddress`; tests have nothing but loopback. */
  isPublic?: (address: string) => boolean
  /** Certificate authorities (PEM) instead of the usual ones. */
  ca?: string
}

const LIMITS: EgressLimits = { maxBytes: 256 * 1024, timeoutMs: 5000 }

const systemResolve = async (host: string): Promise<string[]> =>
  (await lookup(host, { all: true })).map(({ address }) => address)

/**
 * The guard for every address that a customer may type (docs/security.md). It looks a name up once, checks
 * all its addresses and connects to one of exactly those, so later DNS changes have no effect.
 */
export function makeEgress(options: EgressOptions = {}): Egress {
  const { resolve = systemResolve, isPublic = isPublicAddress, ca } = options
  const trusted = new Set((options.allow ?? []).map((origin) => originOf(new URL(origin))))

  /** Throws unless the address's text alone is acceptable. */
  function read(typed: string | URL, protocol = 'https:'): URL {
    if (!URL.canParse(typed)) throw new EgressProblem('forbidden_address', 'not an address')
    const url = new URL(typed)
    if (url.username !== '' || url.password !== '') throw new EgressProblem('credentials_in_address', url)
    if (trusted.has(originOf(url))) return url
    if (url.protocol !== protocol) throw new EgressProblem('not_https', url)
    const host = hostOf(url)
    const address = LOCAL_NAME.test(host) ? '127.0.0.1' : host
    if (isIP(address) !== 0 && !isPublic(address)) throw new EgressProblem('forbidden_address', url)
    return url
  }

  /** Looks up and checks the addresses of the host. */
  async function addressesOf(url: URL): Promise<CheckedAddress[]> {
    const host = hostOf(url)
    const found =
      isIP(host) === 0
        ? await resolve(host).catch((cause: unknown) => {
            throw new EgressProblem('unknown_host', url, { cause })
          })
        : [host]
    if (found.length === 0) throw new EgressProblem('unknown_host', url)
    if (!trusted.has(originOf(url)) && !found.every(isPublic))
      throw new EgressProblem('forbidden_address', url)
    return found.map((address) => ({ address, family: isIP(address) }))
  }

  async function ask(input: string | URL, init: RequestInit, limits: EgressLimits): Promise<Response> {
    const url = read(input)
    const late = AbortSignal.timeout(limits.timeoutMs)
    const signal = init.signal ? AbortSignal.any([init.signal, late]) : late
    try {
      const addresses = await beforeAbort(addressesOf(url), signal)
      return await askAddress(url, addresses, init, { maxBytes: limits.maxBytes, signal, ca })
    } catch (cause) {
      if (late.aborted) throw new EgressProblem('too_slow', url, { cause })
      init.signal?.throwIfAborted()
      throw cause
    }
  }

  return {
    // A Request object would carry a body and policies of its own; no caller needs one.
    fetch: (input, init = {}) => ask(input instanceof Request ? input.url : input, init, LIMITS),

    async fetchJson(address, limits = {}) {
      const headers = { accept: 'application/json' }
      const response = await ask(address, { headers }, { ...LIMITS, ...limits })
      if (response.status !== 200) throw new EgressProblem('wrong_status', read(address))
      try {
        return (await response.json()) as unknown
      } catch (cause) {
        throw new EgressProblem('not_json', read(address), { cause })
      }
    },

    async addressesFor(host, port, { timeoutMs }) {
      const url = read(`sftp://${host.includes(':') ? `[${host}]` : host}:${port}`, 'sftp:')
      if (url.pathname !== '' || url.search !== '' || url.hash !== '' || url.hostname === '')
        throw new EgressProblem('forbidden_address', 'not a host and a port')
      const signal = AbortSignal.timeout(timeoutMs)
      try {
        return await beforeAbort(addressesOf(url), signal)
      } catch (cause) {
        if (signal.aborted) throw new EgressProblem('too_slow', url, { cause })
        throw cause
      }
    },

    agents: () => guardedAgents(read, addressesOf, ca),

    admits(address) {
      try {
        return read(address) instanceof URL
      } catch {
        return false
      }
    },
  }
}

/** The guard of an installation; its operator permits the own identity provider and S3 service. */
export function egressOf(config: {
  egressAllow: readonly string[]
  oidc: { issuer: string } | undefined
  transferS3: { endpoint: string | undefined }
}): Egress {
  const own = [config.oidc?.issuer, config.transferS3.endpoint].filter((address) => address !== undefined)
  return makeEgress({ allow: [...config.egressAllow, ...own] })
}

/** The URL parser gives other protocols no origin, so they must not all count as one. */
const originOf = (url: URL): string => (url.origin === 'null' ? `${url.protocol}//${url.host}` : url.origin)

/** Names of the local machine (RFC 6761). */
const LOCAL_NAME = /(?:^|\.)localhost\.?$/

/** The host without the brackets of an address in a URL. */
const hostOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, '$1')

/** A name lookup cannot be cancelled, but the caller stops waiting for it. */
function beforeAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  work.catch(() => undefined)
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason as Error)
    if (signal.aborted) return stop()
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
