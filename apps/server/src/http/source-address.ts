import type { Server } from 'node:http'
import { Problem } from './problem.ts'

/**
 * Has each connection remember where it came from. Node asks the system only when somebody wants to know, and once the other side has
 * reset the connection nobody can tell any more, while its request is still being served. Whoever is gone before we could ask is not served.
 */
export function noteAddresses(server: Server): Server {
  return server.on('connection', (socket) => {
    if (socket.remoteAddress === undefined) socket.destroy()
  })
}

/** Throws unless it is known where a request comes from: rights depend on it, and so does the audit log. Problem: unavailable. */
export function assertAddress({ ip }: { readonly ip: string | undefined }): void {
  if (!ip) throw new Problem('unavailable', { detail: 'the source address of the request is not known' })
}
