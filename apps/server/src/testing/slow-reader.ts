import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { get, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { until } from './until.ts'

/** A response whose reader stops after the first piece, like a player with a full buffer. */
export interface SlowReader {
  /** Resolves once the server has closed the connection; fails if it does not. */
  closed(): Promise<void>
  /** Reads on to the end: whether the answer came whole or the connection was cut, and how many bytes arrived. */
  finish(): Promise<{ is_whole: boolean; bytes: number }>
}

/** Diagnostics channel of each connection to a server of this process. */
const CONNECTIONS = 'net.server.socket'

/**
 * Requests an address of a server of this process and reads the first piece only. Rejects unless the answer is 200.
 */
export function readSlowly(address: string, headers: Record<string, string>): Promise<SlowReader> {
  // A paused reader does not notice the end, so the server's side of the connection is observed.
  const sockets: Socket[] = []
  const keep = (message: unknown) => void sockets.push((message as { socket: Socket }).socket)
  subscribe(CONNECTIONS, keep)
  return new Promise<SlowReader>((resolve, reject) => {
    get(address, { headers, agent: false }, (answer: IncomingMessage) => {
      if (answer.statusCode !== 200) return reject(new Error(`status ${answer.statusCode}`))
      const { localPort } = answer.socket
      const served = sockets.find(({ remotePort }) => remotePort === localPort)
      let bytes = 0
      const ended = new Promise<boolean>((done) => {
        answer.once('end', () => done(true)).once('error', () => done(false))
      })
      answer.on('data', (piece: Buffer) => void (bytes += piece.length))
      answer.once('data', () => {
        answer.pause()
        resolve({
          async closed() {
            await until('the end of the connection', () => served?.destroyed === true)
          },
          async finish() {
            answer.resume()
            return { is_whole: await ended, bytes }
          },
        })
      })
    }).on('error', reject)
  }).finally(() => unsubscribe(CONNECTIONS, keep))
}
