import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { newId } from './new-id.ts'
import { Problem, problemBody } from './problem.ts'

/** The status for each error code of Node's parser (RFC 9110, RFC 6585). */
const STATUSES: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
}

/**
 * Answers an invalid HTTP request, or one with an oversized head, like every other problem. The caller is
 * unknown.
 */
export function answerBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const status = STATUSES[error.code ?? ''] ?? 400
  const body = JSON.stringify({ ...problemBody(new Problem('invalid_input'), newId()), error_code: status })
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      'connection: close',
      '',
      body,
    ].join('\r\n'),
  )
}
