import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, request } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface AskedOfS3 {
  method: string
  /** Path and query. */
  path: string
  headers: IncomingHttpHeaders
  body: Buffer
}
export interface AnswerOfS3 {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

/** A proxy in front of a real S3 server: it records requests, and may change a request body or an answer. */
export async function between(
  endpoint: string,
  hooks: {
    /** Returns a changed request body; undefined: unchanged. Throws to break the connection. */
    asked?: (asked: AskedOfS3) => Buffer | undefined | Promise<Buffer | undefined>
    answered?: (answer: AnswerOfS3, asked: AskedOfS3) => void
  } = {},
) {
  const target = new URL(endpoint)
  const asked: AskedOfS3[] = []
  const server = createServer((incoming, outgoing) => {
    const pass = async () => {
      const body = Buffer.concat(await incoming.toArray())
      const { method = '', url: path = '', headers } = incoming
      const one = { method, path, headers, body }
      asked.push(one)
      const sent = (await hooks.asked?.(one)) ?? body
      const forward = request({ host: target.hostname, port: target.port, method, path, headers })
      forward.end(sent)
      const [reply] = (await once(forward, 'response')) as [typeof incoming]
      const answer = {
        status: reply.statusCode ?? 0,
        headers: reply.headers,
        body: Buffer.concat(await reply.toArray()),
      }
      hooks.answered?.(answer, one)
      if (method !== 'HEAD') answer.headers['content-length'] = String(answer.body.length)
      delete answer.headers['transfer-encoding']
      outgoing.writeHead(answer.status, answer.headers)
      outgoing.end(answer.body)
    }
    pass().catch(() => outgoing.destroy())
  })
  // Requests each body with 100 Continue, for which the SDK waits.
  server.on('checkContinue', (incoming, outgoing) => {
    outgoing.writeContinue()
    delete incoming.headers.expect
    server.emit('request', incoming, outgoing)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
