import type { IncomingMessage } from 'node:http'

/**
 * Address of the caller of a bare request, as Fastify gives it for its own: each of the `proxies` in front of us has added
 * the address it saw to the end of X-Forwarded-For; what stands before those is hearsay.
 */
export function addressOf(request: IncomingMessage, proxies: number): string {
  const forwarded = [request.headers['x-forwarded-for'] ?? []].flat().join(',')
  const seen = forwarded
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')
  const hops = [...seen, request.socket.remoteAddress ?? '']
  return hops.at(-1 - Math.min(proxies, hops.length - 1)) ?? ''
}
