import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface HangingServer {
  endpoint: string
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

export interface SilentProxy {
  /** The connection string that was given, through the proxy. */
  connection: string
  /** Connections that came so far. */
  accepted(): number
  /**
   * Drops all data of both sides without closing connections, like a firewall that lost its state. `existing`: new
   * connections work; `all`: they are silent as well.
   */
  hush(which: 'existing' | 'all'): void
  /** Lets new connections through again; those that were hushed stay dead. */
  relent(): void
  stop(): Promise<void>
}

/** A TCP proxy in front of a PostgreSQL, on loopback. It takes up what each connection says after so many ms. */
export async function silentProxy(connection: string, slowness = 0): Promise<SilentProxy> {
  const target = new URL(connection)
  const { host, port } = Object.fromEntries(target.searchParams)
  const open = new Set<{ sockets: Socket[]; isHushed: boolean }>()
  let accepted = 0
  let isDeaf = false
  const server = createServer((near) => {
    accepted++
    const far = host?.startsWith('/')
      ? connect(`${host}/.s.PGSQL.${port ?? 5432}`)
      : connect(Number(target.port || 5432), target.hostname)
    const link = { sockets: [near, far], isHushed: isDeaf }
    open.add(link)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('data', (data) => link.isHushed || to.write(data))
      from.on('error', () => undefined)
      from.on('close', () => {
        if (!link.isHushed) to.destroy()
      })
    }
    near.pause()
    setTimeout(() => near.resume(), slowness)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const through = new URL(`${target.protocol}//${target.username}@127.0.0.1${target.pathname}`)
  through.port = String((server.address() as AddressInfo).port)
  return {
    connection: through.href,
    accepted: () => accepted,
    hush(which) {
      isDeaf = which === 'all'
      for (const link of open) link.isHushed = true
    },
    relent() {
      isDeaf = false
    },
    async stop() {
      for (const { sockets } of open) for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
