import { createHmac, timingSafeEqual } from 'node:crypto'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'

export interface CustomerHook {
  /** Path of the receiver. */
  url: string
  port: number
  close(): Promise<void>
}

const HOST = '127.0.0.1'
/** Maximum bytes of a delivery. */
const LARGEST = 64 * 1024
/** Clock tolerance in seconds; older deliveries count as replays. */
const TOLERANCE = 300
/** Valid file names. */
const ID = /^[\w-]{1,64}$/

/**
 * The simulated customer's webhook receiver on loopback. Accepts deliveries signed by Standard Webhooks with `key`,
 * stores each id once as a file in `folder`, and rejects others.
 * @param port 0: any free port
 */
export async function startCustomerHook(
  folder: string,
  { port, key }: { port: number; key: Buffer },
): Promise<CustomerHook> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const server = createServer((request, response) => {
    answer(folder, key, request).then(
      (status) => response.writeHead(status).end(),
      () => response.writeHead(500).end(),
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, HOST, resolve)
  })
  server.unref()
  const { port: taken } = server.address() as AddressInfo
  return {
    url: `http://${HOST}:${taken}/alerts`,
    port: taken,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** HTTP status of the response. */
async function answer(folder: string, key: Buffer, request: IncomingMessage): Promise<number> {
  if (request.method !== 'POST' || request.url !== '/alerts') return 404
  const body = await getText(request)
  if (body === undefined) return 413
  const { 'webhook-id': id, 'webhook-timestamp': sent_at, 'webhook-signature': signatures } = request.headers
  if (typeof id !== 'string' || typeof sent_at !== 'string' || typeof signatures !== 'string') return 400
  if (!ID.test(id) || !(Math.abs(Date.now() / 1000 - Number(sent_at)) <= TOLERANCE)) return 400
  const expected = createHmac('sha256', key).update(`${id}.${sent_at}.${body}`).digest()
  if (!signatures.split(' ').some((signature) => isSame(signature, expected))) return 401
  await writeFile(join(folder, `.${id}`), `${body}\n`, { mode: 0o600 })
  await rename(join(folder, `.${id}`), join(folder, `${id}.json`))
  return 204
}

async function getText(request: IncomingMessage): Promise<string | undefined> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length
    if (size > LARGEST) return undefined
    parts.push(part)
  }
  return Buffer.concat(parts).toString()
}

function isSame(signature: string, expected: Buffer): boolean {
  const [version, text = ''] = signature.split(',')
  const given = Buffer.from(text, 'base64')
  return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected)
}

export interface CustomerMailbox {
  host: string
  port: number
  close(): Promise<void>
}

const CUSTOMER_MAILBOX_HOST = '127.0.0.1'
/** Maximum bytes of a mail. */
const CUSTOMER_MAILBOX_LARGEST = 1024 * 1024

/** The simulated customer's mail server on loopback without encryption. Stores each mail as a file in `folder`, named by its arrival. */
export async function startCustomerMailbox(folder: string): Promise<CustomerMailbox> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  let count = 0
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    size: CUSTOMER_MAILBOX_LARGEST,
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
    server.listen(0, CUSTOMER_MAILBOX_HOST, resolve)
  })
  server.server.unref()
  return {
    host: CUSTOMER_MAILBOX_HOST,
    port: (server.server.address() as AddressInfo).port,
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  }
}
