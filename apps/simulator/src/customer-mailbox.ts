import { mkdir, rename, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'

export interface CustomerMailbox {
  host: string
  port: number
  close(): Promise<void>
}

const HOST = '127.0.0.1'
/** Maximum bytes of a mail. */
const LARGEST = 1024 * 1024

/** The simulated customer's mail server on loopback without encryption. Stores each mail as a file in `folder`, named by its arrival. */
export async function startCustomerMailbox(folder: string): Promise<CustomerMailbox> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  let count = 0
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    size: LARGEST,
    onData(stream, _session, done) {
      buffer(stream)
        .then(async (mail) => {
          if (stream.sizeExceeded) throw Object.assign(new Error('too large'), { responseCode: 552 })
          const name = `${new Date().toISOString().replace(/[:.]/g, '-')}-${++count}.eml`
          await writeFile(join(folder, `.${name}`), mail, { mode: 0o600 })
          await rename(join(folder, `.${name}`), join(folder, name))
        })
        .then(() => done(), done)
    },
  })
  // A closed connection must not end the server.
  server.on('error', () => undefined)
  await new Promise<void>((resolve, reject) => {
    server.server.once('error', reject)
    server.listen(0, HOST, resolve)
  })
  server.server.unref()
  return {
    host: HOST,
    port: (server.server.address() as AddressInfo).port,
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  }
}
