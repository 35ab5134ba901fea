import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { WatchedProcess } from './metrics.ts'
import { askAll } from './probes.ts'
import { VERSION } from './version.ts'

/** Headers that proxies add to forwarded requests. */
const FORWARDED = ['x-forwarded-for', 'x-real-ip', 'forwarded', 'via']

/** Whether a caller may read figures: with the token where one is set, else only from this machine itself. */
function mayReadMetrics(
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

/** Parts without which uploads are still stored, and what waits for them. */
const OPTIONAL: Readonly<Record<string, string>> = {
  scanner: 'The malware scanner does not answer. Uploads are stored and wait to be scanned.',
}

/**
 * `GET /livez`, `/readyz`, `/health` and `/metrics`, of a process with an API or without. `/livez` checks the process
 * only: restart it when there is no answer. `/readyz` checks whether it can store uploads; `/health` adds the
 * version. Each answers within three seconds, whatever has failed.
 */
export function serveHealth(
  app: FastifyInstance,
  { probes, notes, registry }: WatchedProcess,
  token: string | undefined,
): void {
  const answer = (reply: FastifyReply, isOk: boolean, more: object = {}) =>
    reply
      .code(isOk ? 200 : 503)
      .header('cache-control', 'no-store')
      .send({ status: isOk ? 'ok' : 'unavailable', ...more })
  const ready = async (reply: FastifyReply, more: object = {}) => {
    const states = await askAll(probes)
    const away = Object.keys(states).filter((part) => states[part] === 'unavailable')
    const optional = away.filter((part) => part in OPTIONAL)
    return answer(reply, away.length === optional.length, {
      ...more,
      parts: { ...states, ...notes },
      warnings: optional.map((part) => OPTIONAL[part]),
    })
  }
  app.get('/livez', async (_request, reply) => answer(reply, true))
  app.get('/readyz', async (_request, reply) => ready(reply))
  app.get('/health', async (_request, reply) => ready(reply, { version: VERSION }))
  app.get('/metrics', async (request, reply) => {
    if (!mayReadMetrics(request, token)) {
      // Without a token no outside client can read the metrics, whatever it sends.
      if (token === undefined) return reply.callNotFound()
      return reply.code(401).header('www-authenticate', 'Bearer').send({ status: 'unauthorised' })
    }
    return reply.type(registry.contentType).send(await registry.metrics())
  })
}
