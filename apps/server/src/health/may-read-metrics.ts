import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'

/** Headers that proxies add to forwarded requests. */
const FORWARDED = ['x-forwarded-for', 'x-real-ip', 'forwarded', 'via']

/** Whether a caller may read figures: with the token where one is set, else only from this machine itself. */
export function mayReadMetrics(
  { headers, socket }: Pick<FastifyRequest, 'headers' | 'socket'>,
  token: string | undefined,
): boolean {
  if (token !== undefined) return isSame(headers.authorization ?? '', `Bearer ${token}`)
  // Behind a proxy on the same machine every request comes from loopback.
  return isLoopback(socket.remoteAddress ?? '') && !FORWARDED.some((name) => name in headers)
}

const isLoopback = (address: string) => /^(?:::1|(?:::ffff:)?127\.\d+\.\d+\.\d+)$/.test(address)

/** Takes the same time for all guesses. */
function isSame(given: string, wanted: string): boolean {
  const [a, b] = [given, wanted].map((text) => createHash('sha256').update(text).digest())
  return a !== undefined && b !== undefined && timingSafeEqual(a, b)
}
