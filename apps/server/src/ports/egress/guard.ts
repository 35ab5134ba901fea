import { lookup } from 'node:dns/promises'
import { Agent as HttpAgent } from 'node:http'
import * as http from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import * as https from 'node:https'
import { BlockList, isIP, isIPv4, isIPv6, type LookupFunction, Socket } from 'node:net'
import { pinned } from './dial-address.ts'
import { type CheckedAddress, type Egress, type EgressLimits, EgressProblem } from './port.ts'

type Read = (address: string) => URL
type AddressesOf = (url: URL) => Promise<CheckedAddress[]>
/** The target of a connection that an agent makes. */
interface ConnectionTarget {
  host?: string | null
  port?: number | string | null
}

/**
 * Agents that connect only to checked addresses. `read` validates the text of an address, IP addresses
 * included; `getAddresses` looks up names.
 */
function guardedAgents(read: Read, getAddresses: AddressesOf, ca: string | undefined) {
  const admitted = (protocol: 'http' | 'https', { host, port }: ConnectionTarget) => {
    const name = host ?? ''
    const url = read(`${protocol}://${name.includes(':') ? `[${name}]` : name}:${port ?? ''}`)
    return { lookup: checkedLookup(() => getAddresses(url)), autoSelectFamily: true }
  }
  type Connect = HttpAgent['createConnection']
  const traffic = new Traffic()
  class GuardedHttp extends HttpAgent {
    override createConnection(...[options, callback]: Parameters<Connect>): ReturnType<Connect> {
      return traffic.of(
        super.createConnection({ ...options, ...admitted('http', options as ConnectionTarget) }, callback),
      )
    }
  }
  class GuardedHttps extends HttpsAgent {
    override createConnection(...[options, callback]: Parameters<Connect>): ReturnType<Connect> {
      return traffic.of(
        super.createConnection({ ...options, ...admitted('https', options as ConnectionTarget) }, callback),
      )
    }
  }
  return {
    moved: () => traffic.moved(),
    http: new GuardedHttp({ keepAlive: true }),
    https: new GuardedHttps({ keepAlive: true, ...(ca === undefined ? {} : { ca }) }),
  }
}

/** A connection as Node's own timeouts see it: `writeQueueSize` is the unsent part of the current write. */
type WatchedSocket = Socket & { _handle?: { writeQueueSize?: number } | null }

/** Counts the bytes of connections, also within a large running write. */
class Traffic {
  private readonly open = new Set<WatchedSocket>()
  private ended = 0

  of<T>(connection: T): T {
    if (connection instanceof Socket) {
      this.open.add(connection)
      connection.once('close', () => {
        this.open.delete(connection)
        this.ended += getBytes(connection)
      })
    }
    return connection
  }

  moved(): number {
    return [...this.open].reduce((sum, socket) => sum + getBytes(socket), this.ended)
  }
}

const getBytes = (socket: WatchedSocket): number =>
  socket.bytesRead + socket.bytesWritten - (socket._handle?.writeQueueSize ?? 0)

/** Looks up a name for each connection and returns the checked addresses. */
function checkedLookup(look: () => Promise<CheckedAddress[]>): LookupFunction {
  return (host, options, callback) => {
    look().then(
      (addresses) => pinned(addresses)(host, options, callback),
      (error: unknown) => callback(error as NodeJS.ErrnoException, ''),
    )
  }
}

/** Non-public IPv4 (IANA special-purpose registry, RFC 6890), and cloud services behind public numbers. */
const SPECIAL_V4 = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8',
  '100.64.0.0/10', // carrier-grade NAT
  '127.0.0.0/8',
  '168.63.129.16/32', // Azure's platform service
  '169.254.0.0/16', // link-local, with the clouds' metadata service
  '172.16.0.0/12',
  '192.0.0.0/24', // protocol assignments, Oracle's metadata service among them
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // AMT relays
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16',
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
]

/** All routed IPv6 addresses; loopback, mapped, NAT64, unique local, link-local and multicast are outside. */
const ROUTED_V6 = '2000::/3'
const SPECIAL_V6 = [
  '2001::/23', // protocol assignments: Teredo, benchmarks, ORCHID
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4, which holds an IPv4 address
  '2620:4f:8000::/48', // AS112
  '3fff::/20', // documentation
]

const specialV4 = getList(SPECIAL_V4, 'ipv4')
const specialV6 = getList(SPECIAL_V6, 'ipv6')
const routedV6 = getList([ROUTED_V6], 'ipv6')

function getList(ranges: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [network = '', bits] = range.split('/')
    list.addSubnet(network, Number(bits), family)
  }
  return list
}

/**
 * Whether an IP address belongs to the public internet. False for other texts, such as addresses with a zone
 * (`fe80::1%eth0`).
 */
export function isPublicAddress(address: string): boolean {
  if (address.includes('%')) return false
  if (isIPv4(address)) return !specialV4.check(address)
  return isIPv6(address) && routedV6.check(address, 'ipv6') && !specialV6.check(address, 'ipv6')
}

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
  const { ca } = options
  const { read, getAddresses } = addressChecks(options)

  async function ask(input: string | URL, init: RequestInit, limits: EgressLimits): Promise<Response> {
    const url = read(input)
    const late = AbortSignal.timeout(limits.timeoutMs)
    const signal = init.signal ? AbortSignal.any([init.signal, late]) : late
    try {
      const addresses = await beforeAbort(getAddresses(url), signal)
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
        return await beforeAbort(getAddresses(url), signal)
      } catch (cause) {
        if (signal.aborted) throw new EgressProblem('too_slow', url, { cause })
        throw cause
      }
    },

    agents: () => guardedAgents(read, getAddresses, ca),

    admits(address) {
      try {
        return read(address) instanceof URL
      } catch {
        return false
      }
    },
  }
}

/** The checks of an address: of its text, and of what its host name leads to. */
function addressChecks(options: EgressOptions) {
  const { resolve = systemResolve, isPublic = isPublicAddress } = options
  const trusted = new Set((options.allow ?? []).map((origin) => getOrigin(new URL(origin))))

  /** Throws unless the address's text alone is acceptable. */
  function read(typed: string | URL, protocol = 'https:'): URL {
    if (!URL.canParse(typed)) throw new EgressProblem('forbidden_address', 'not an address')
    const url = new URL(typed)
    if (url.username !== '' || url.password !== '') throw new EgressProblem('credentials_in_address', url)
    if (trusted.has(getOrigin(url))) return url
    if (url.protocol !== protocol) throw new EgressProblem('not_https', url)
    const host = getHost(url)
    const address = LOCAL_NAME.test(host) ? '127.0.0.1' : host
    if (isIP(address) !== 0 && !isPublic(address)) throw new EgressProblem('forbidden_address', url)
    return url
  }

  /**
   * Looks up and checks the addresses of the host. A name that leads inside is as unknown as one that does not
   * exist: customers cannot find out the names of the operator's network.
   */
  async function getAddresses(url: URL): Promise<CheckedAddress[]> {
    const host = getHost(url)
    const found =
      isIP(host) === 0
        ? await resolve(host).catch((cause: unknown) => {
            throw new EgressProblem('unknown_host', url, { cause })
          })
        : [host]
    if (found.length === 0) throw new EgressProblem('unknown_host', url)
    if (!trusted.has(getOrigin(url)) && !found.every(isPublic)) throw new EgressProblem('unknown_host', url)
    return found.map((address) => ({ address, family: isIP(address) }))
  }

  return { read, getAddresses }
}

/** The guard of an installation; its operator permits the own identity provider and S3 service. */
export function getEgress(config: {
  egressAllow: readonly string[]
  oidc: { issuer: string } | undefined
  transferS3: { endpoint: string | undefined }
}): Egress {
  const own = [config.oidc?.issuer, config.transferS3.endpoint].filter((address) => address !== undefined)
  return makeEgress({ allow: [...config.egressAllow, ...own] })
}

/** The URL parser gives other protocols no origin, so they must not all count as one. */
const getOrigin = (url: URL): string => (url.origin === 'null' ? `${url.protocol}//${url.host}` : url.origin)

/** Names of the local machine (RFC 6761). */
const LOCAL_NAME = /(?:^|\.)localhost\.?$/

/** The host without the brackets of an address in a URL. */
const getHost = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, '$1')

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

interface Bounds {
  maxBytes: number
  signal: AbortSignal
  ca: string | undefined
}

/**
 * One request to one of `addresses`, never another: the host name is only used as Host, SNI and for the
 * certificate. Resolves when the response is complete.
 */
function askAddress(
  url: URL,
  addresses: readonly CheckedAddress[],
  init: RequestInit,
  bounds: Bounds,
): Promise<Response> {
  const body = getBody(init.body)
  const headers = new Headers(init.headers)
  headers.delete('host')
  // A compressed response could be small in transit and large here.
  headers.set('accept-encoding', 'identity')
  if (body !== undefined && !headers.has('content-type') && init.body instanceof URLSearchParams) {
    headers.set('content-type', 'application/x-www-form-urlencoded;charset=UTF-8')
  }
  const options: https.RequestOptions = {
    method: init.method ?? 'GET',
    headers: Object.fromEntries(headers),
    // No connection is reused: an idle one would belong to an earlier lookup.
    agent: false,
    lookup: pinned(addresses),
    signal: bounds.signal,
    ...(bounds.ca === undefined ? {} : { ca: bounds.ca }),
  }
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? https : http).request(url, options)
    const fail = (cause: unknown) =>
      reject(cause instanceof EgressProblem ? cause : new EgressProblem('unreachable', url, { cause }))
    request.on('error', fail)
    request.on('response', (answer) => {
      readAnswer(url, answer, bounds.maxBytes).then(resolve, (error: unknown) => {
        request.destroy()
        fail(error)
      })
    })
    request.end(body)
  })
}

async function readAnswer(url: URL, answer: http.IncomingMessage, maxBytes: number): Promise<Response> {
  const { statusCode: status = 0, headersDistinct } = answer
  // The redirect's target was not checked, and a legitimate provider does not need one.
  if (status >= 300 && status < 400) throw new EgressProblem('redirected', url)
  if ((answer.headers['content-encoding'] ?? 'identity') !== 'identity')
    throw new EgressProblem('encoded', url)
  if (Number(answer.headers['content-length'] ?? 0) > maxBytes) throw new EgressProblem('too_large', url)
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new EgressProblem('too_large', url)
    chunks.push(chunk)
  }
  const headers = new Headers()
  for (const [name, values = []] of Object.entries(headersDistinct)) {
    for (const value of values) headers.append(name, value)
  }
  const isEmpty = status === 204 || status === 205
  return new Response(isEmpty ? null : Buffer.concat(chunks), { status, headers })
}

function getBody(body: RequestInit['body']): string | undefined {
  if (body === undefined || body === null) return undefined
  if (typeof body === 'string') return body
  if (body instanceof URLSearchParams) return body.toString()
  throw new TypeError('only text is sent to outside addresses')
}
