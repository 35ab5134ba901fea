import { createHmac, timingSafeEqual } from 'node:crypto'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

export interface CustomerHook {
  /** To which alerts are posted. */
  url: string
  port: number
  close(): Promise<void>
}

const HOST = '127.0.0.1'
/** Bytes of a delivery. */
const LARGEST = 64 * 1024
/** Seconds that the clock of a sender may be off; what is older was heard and is played again. */
const TOLERANCE = 300
/** What may be the name of a file. */
const ID = /^[\w-]{1,64}$/

/**
 * The receiver of a pretend customer's webhook, on loopback. It takes what is signed by Standard Webhooks with `key`, and keeps each delivery once, by its
 * id, as a file in `folder`; anything else it refuses.
 * @param port 0: any that is free
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

/** The status to answer with. */
async function answer(folder: string, key: Buffer, request: IncomingMessage): Promise<number> {
  if (request.method !== 'POST' || request.url !== '/alerts') return 404
  const body = await textOf(request)
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

async function textOf(request: IncomingMessage): Promise<string | undefined> {
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
