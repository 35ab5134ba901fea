import { connect, type LookupFunction, type Socket } from 'node:net'
import { type CheckedAddress, EgressProblem } from './port.ts'

/**
 * Replaces the host name, which is not looked up again: every connection uses `pinned`, which has the
 * addresses.
 */
const HOST = 'checked.invalid'

/** A TCP connection to one of `addresses`, never anywhere else. Rejects with EgressProblem `unreachable` or `too_slow`. */
export function dialAddress(
  at: string,
  port: number,
  addresses: readonly CheckedAddress[],
  signal: AbortSignal,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: HOST, port, lookup: pinned(addresses), autoSelectFamily: true })
    const stop = () => {
      socket.destroy()
      reject(new EgressProblem('too_slow', at, { cause: signal.reason }))
    }
    const fail = (cause: Error) => reject(new EgressProblem('unreachable', at, { cause }))
    signal.addEventListener('abort', stop, { once: true })
    socket.on('error', fail)
    socket.on('connect', () => {
      signal.removeEventListener('abort', stop)
      socket.off('error', fail)
      resolve(socket)
    })
    if (signal.aborted) stop()
  })
}

/** Replaces the system's resolver for node:net. */
export function pinned(addresses: readonly CheckedAddress[]): LookupFunction {
  return (_host, options, callback) => {
    if (options.all) return callback(null, [...addresses])
    const [first] = addresses
    return callback(null, first?.address ?? '', first?.family)
  }
}
