import type { IncomingMessage } from 'node:http'

/**
 * The caller's address of a raw request, by Fastify's rule: each of the `proxies` in front appends the address it saw
 * to X-Forwarded-For; earlier entries are not trusted.
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
