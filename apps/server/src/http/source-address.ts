import type { Server } from 'node:http'
import { Problem } from './problem.ts'

/**
 * Stores the source address of each connection on accept. Node reads it only on demand, and after a reset by
 * the peer it is gone. A connection without an address is not served.
 */
export function noteAddresses(server: Server): Server {
  return server.on('connection', (socket) => {
    if (socket.remoteAddress === undefined) socket.destroy()
  })
}

/**
 * Throws unless the source address is known: permissions and the audit log depend on it. Problem:
 * unavailable.
 */
export function assertAddress({ ip }: { readonly ip: string | undefined }): void {
  if (!ip) throw new Problem('unavailable', { detail: 'the source address of the request is not known' })
}
