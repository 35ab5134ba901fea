import { randomBytes } from 'node:crypto'
import { utf8 } from '@custodia/sealed-log'
import { sha256 } from './notes.ts'
import type { Recipient } from './share.ts'

/** Milliseconds for an answer of the time-stamping authority. */
const PATIENCE_MS = 20_000

/** DER of a request for a time stamp (RFC 3161) of a SHA-256, with a nonce and the certificate. */
const timeStampRequest = (digest: Uint8Array, nonce: Uint8Array): Buffer =>
  Buffer.concat([
    Buffer.from('3043020101' + '3031' + '300d06096086480165030402010500' + '0420', 'hex'),
    digest,
    Buffer.from('0208', 'hex'),
    nonce,
    Buffer.from('0101ff', 'hex'),
  ])

/** Whether a response grants a time stamp of this digest and nonce. An auditor verifies its signature. */
function isGranted(response: Buffer, digest: Buffer, nonce: Buffer): boolean {
  // SEQUENCE { SEQUENCE { INTEGER status, … }, token }
  const status = contentAt(response, contentAt(response, 0))
  const isDone = response[status] === 2 && response[status + 1] === 1 && (response[status + 2] ?? 2) < 2
  return isDone && response.includes(digest) && response.includes(nonce)
}

/** Where the content of the DER value at `at` begins. */
function contentAt(der: Buffer, at: number): number {
  const length = der[at + 1] ?? 0
  return at + 2 + (length < 0x80 ? 0 : length & 0x7f)
}

/** Has checkpoints stamped by a time-stamping authority; the response is the receipt. */
export const timeStampRecipient = (url: string): Recipient => ({
  holder: `time stamp of ${new URL(url).host}`,
  async hold({ checkpoint }, signal) {
    const digest = Buffer.from(sha256(utf8(checkpoint)))
    const nonce = randomBytes(8)
    nonce[0] = ((nonce[0] ?? 0) & 0x7f) | 0x40
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/timestamp-query' },
      body: Uint8Array.from(timeStampRequest(digest, nonce)),
      signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]),
    })
    const receipt = Buffer.from(await response.arrayBuffer())
    if (!response.ok || !isGranted(receipt, digest, nonce))
      throw new Error(`the time-stamping authority refused (${response.status})`)
    return { receipt }
  },
})
