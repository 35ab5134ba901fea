import { get, type IncomingMessage } from 'node:http'

/** An answer of which the first piece was read and then no more, as by a player whose buffer is full. */
export interface SlowReader {
  /** Reads on to the end: whether the answer came whole or the connection was cut, and how many bytes arrived. */
  finish(): Promise<{ is_whole: boolean; bytes: number }>
}

/** Asks for an address and reads its first piece only. Rejects unless the answer is a 200. */
export function readSlowly(address: string, headers: Record<string, string>): Promise<SlowReader> {
  return new Promise((resolve, reject) => {
    get(address, { headers, agent: false }, (answer: IncomingMessage) => {
      if (answer.statusCode !== 200) return reject(new Error(`status ${answer.statusCode}`))
      let bytes = 0
      const ended = new Promise<boolean>((done) => {
        answer.once('end', () => done(true)).once('error', () => done(false))
      })
      answer.on('data', (piece: Buffer) => void (bytes += piece.length))
      answer.once('data', () => {
        answer.pause()
        resolve({
          async finish() {
            answer.resume()
            return { is_whole: await ended, bytes }
          },
        })
      })
    }).on('error', reject)
  })
}
