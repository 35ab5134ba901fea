import { randomBytes, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { MediaSource } from './port.ts'
import { pour } from './pour.ts'

/** A source that ffmpeg can seek in. `failure` is what reading the source threw. */
export interface Loopback extends AsyncDisposable {
  readonly url: string
  failure(): unknown
}

/** Start and end (exclusive) of a `bytes=a-` or `bytes=a-b` header; undefined when absent or not satisfiable. */
function rangeOf(header: string | undefined, size: number): [number, number] | undefined {
  const match = /^bytes=(\d{1,15})-(\d{0,15})$/.exec(header ?? '')
  if (!match) return undefined
  const start = Number(match[1])
  const end = match[2] ? Math.min(Number(match[2]) + 1, size) : size
  return start < end ? [start, end] : undefined
}

/**
 * Offers a source on 127.0.0.1 under an address that nobody can guess (256 random bits), as long as the result is not disposed. Some
 * containers keep their index at the end; this spares a plaintext file.
 */
export async function serveSource(source: MediaSource): Promise<Loopback> {
  const path = Buffer.from(`/${randomBytes(32).toString('hex')}`)
  let failure: unknown

  async function answer(request: IncomingMessage, response: ServerResponse) {
    const asked = Buffer.from(request.url ?? '')
    if (request.method !== 'GET' || asked.length !== path.length || !timingSafeEqual(asked, path)) {
      response.writeHead(404).end()
      return
    }
    const header = request.headers.range
    const range = rangeOf(header, source.size)
    if (header !== undefined && !range) {
      response.writeHead(416, { 'content-range': `bytes */${source.size}` }).end()
      return
    }
    const [start, end] = range ?? [0, source.size]
    response.writeHead(range ? 206 : 200, {
      'accept-ranges': 'bytes',
      'content-length': end - start,
      'content-type': 'application/octet-stream',
      ...(range && { 'content-range': `bytes ${start}-${end - 1}/${source.size}` }),
    })
    try {
      await pour(source.read(start, end), response)
    } catch (error) {
      failure ??= error
    }
  }

  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}${path.toString()}`,
    failure: () => failure,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
