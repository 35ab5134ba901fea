import { isPassing, PassingFailure } from './retry.ts'

/**
 * How one PUT ended. `stored`: the server has the bytes. `expired`: ask for another address. `mismatch`: not the announced bytes
 * arrived. `conflict`: other bytes lie under this reference.
 */
export type UploadOutcome = 'stored' | 'expired' | 'mismatch' | 'conflict'

/**
 * Sends sealed data to an upload address, which may be the server's own or an object store's. Throws PassingFailure, or the TypeError of
 * fetch, for what may be different a moment later.
 */
export async function putSealed(
  send: typeof fetch,
  url: string,
  headers: Readonly<Record<string, string>>,
  sealed: Blob,
): Promise<UploadOutcome> {
  // A Blob has a known size, so fetch sends Content-Length and not chunks; it is read while it is sent.
  const response = await send(url, {
    method: 'PUT',
    headers: { 'content-type': 'application/octet-stream', ...headers },
    body: sealed,
    redirect: 'error',
  })
  await response.body?.cancel()
  // 412: an object store that has these bytes already.
  if (response.ok || response.status === 412) return 'stored'
  if (response.status === 409) return 'conflict'
  if (response.status === 400 || response.status === 413) return 'mismatch'
  if (isPassing(response.status)) {
    const retry_after = Number(response.headers.get('retry-after') ?? Number.NaN)
    throw new PassingFailure(`the upload was answered with ${response.status}`, {
      retry_after: Number.isFinite(retry_after) ? retry_after : undefined,
    })
  }
  return 'expired'
}
