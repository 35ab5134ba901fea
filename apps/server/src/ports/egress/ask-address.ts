import * as http from 'node:http'
import * as https from 'node:https'
import { pinned } from './dial-address.ts'
import { type CheckedAddress, EgressProblem } from './port.ts'

interface Bounds {
  maxBytes: number
  signal: AbortSignal
  ca: string | undefined
}

/**
 * One request to one of `addresses`, never another: the host name is only used as Host, SNI and for the
 * certificate. Resolves when the response is complete.
 */
export function askAddress(
  url: URL,
  addresses: readonly CheckedAddress[],
  init: RequestInit,
  bounds: Bounds,
): Promise<Response> {
  const body = bodyOf(init.body)
  const headers = new Headers(init.headers)
  headers.delete('host')
  // A compressed response could be small in transit and large here.
  headers.set('accept-encoding', 'identity')
  if (body !== undefined && !headers.has('content-type') && init.body instanceof URLSearchParams) {
    headers.set('content-type', 'application/x-www-form-urlencoded;charset=UTF-8')
  }
  const options: https.RequestOptions = {
    method: init.method ?? 'GET',
    headers: Object.fromEntries(headers),
    // No connection is reused: an idle one would belong to an earlier lookup.
    agent: false,
    lookup: pinned(addresses),
    signal: bounds.signal,
    ...(bounds.ca === undefined ? {} : { ca: bounds.ca }),
  }
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? https : http).request(url, options)
    const fail = (cause: unknown) =>
      reject(cause instanceof EgressProblem ? cause : new EgressProblem('unreachable', url, { cause }))
    request.on('error', fail)
    request.on('response', (answer) => {
      readAnswer(url, answer, bounds.maxBytes).then(resolve, (error: unknown) => {
        request.destroy()
        fail(error)
      })
    })
    request.end(body)
  })
}

async function readAnswer(url: URL, answer: http.IncomingMessage, maxBytes: number): Promise<Response> {
  const { statusCode: status = 0, headersDistinct } = answer
  // The redirect's target was not checked, and a legitimate provider does not need one.
  if (status >= 300 && status < 400) throw new EgressProblem('redirected', url)
  if ((answer.headers['content-encoding'] ?? 'identity') !== 'identity')
    throw new EgressProblem('encoded', url)
  if (Number(answer.headers['content-length'] ?? 0) > maxBytes) throw new EgressProblem('too_large', url)
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new EgressProblem('too_large', url)
    chunks.push(chunk)
  }
  const headers = new Headers()
  for (const [name, values = []] of Object.entries(headersDistinct)) {
    for (const value of values) headers.append(name, value)
  }
  const isEmpty = status === 204 || status === 205
  return new Response(isEmpty ? null : Buffer.concat(chunks), { status, headers })
}

function bodyOf(body: RequestInit['body']): string | undefined {
  if (body === undefined || body === null) return undefined
  if (typeof body === 'string') return body
  if (body instanceof URLSearchParams) return body.toString()
  throw new TypeError('only text is sent to outside addresses')
}
