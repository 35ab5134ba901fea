import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { type LookupFunction, Socket } from 'node:net'
import { pinned } from './dial-address.ts'
import type { CheckedAddress } from './port.ts'

type Read = (address: string) => URL
type AddressesOf = (url: URL) => Promise<CheckedAddress[]>
/** The target of a connection that an agent makes. */
interface ConnectionTarget {
  host?: string | null
  port?: number | string | null
}

/**
 * Agents that connect only to checked addresses. `read` validates the text of an address, IP addresses
 * included; `addressesOf` looks up names.
 */
export function guardedAgents(read: Read, addressesOf: AddressesOf, ca: string | undefined) {
  const admitted = (protocol: 'http' | 'https', { host, port }: ConnectionTarget) => {
    const name = host ?? ''
    const url = read(`${protocol}://${name.includes(':') ? `[${name}]` : name}:${port ?? ''}`)
    return { lookup: checkedLookup(() => addressesOf(url)), autoSelectFamily: true }
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
        this.ended += bytesOf(connection)
      })
    }
    return connection
  }

  moved(): number {
    return [...this.open].reduce((sum, socket) => sum + bytesOf(socket), this.ended)
  }
}

const bytesOf = (socket: WatchedSocket): number =>
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
