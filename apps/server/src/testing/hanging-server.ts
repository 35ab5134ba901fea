import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

export interface HangingServer {
  endpoint: string
  /** Connections that were taken. */
  taken(): number
  stop(): Promise<void>
}

/**
 * A server that accepts every connection, sends `words` once in response to a request that begins with `to`, and then
 * hangs.
 */
export async function hangingServer(words = '', to = ''): Promise<HangingServer> {
  const sockets = new Set<Socket>()
  let taken = 0
  const server = createServer((socket) => {
    taken++
    sockets.add(socket)
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
    socket.once('data', (data) => {
      if (data.toString('latin1').startsWith(to)) socket.write(words)
      // Stops reading: sent data fills the buffers.
      socket.pause()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    taken: () => taken,
    async stop() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
