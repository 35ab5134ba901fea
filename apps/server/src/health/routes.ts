import type { FastifyInstance, FastifyReply } from 'fastify'
import { mayReadMetrics } from './may-read-metrics.ts'
import { askAll } from './probes.ts'
import type { Watched } from './watched.ts'

/**
 * `GET /health`, `GET /ready`, `GET /metrics`: for whoever watches a process, with an API or without. They answer whatever has failed,
 * within three seconds.
 */
export function serveHealth(
  app: FastifyInstance,
  { probes, notes, registry }: Watched,
  token: string | undefined,
): void {
  const say = (reply: FastifyReply, is_ok: boolean, more: object = {}) =>
    reply
      .code(is_ok ? 200 : 503)
      .header('cache-control', 'no-store')
      .send({ status: is_ok ? 'ok' : 'unavailable', ...more })
  app.get('/health', async (_request, reply) => say(reply, (await probes.database()) === 'ok'))
  app.get('/ready', async (_request, reply) => {
    const states = await askAll(probes)
    return say(reply, !Object.values(states).includes('unavailable'), { parts: { ...states, ...notes } })
  })
  app.get('/metrics', async (request, reply) => {
    if (!mayReadMetrics(request, token)) {
      // Without a token nobody from outside can read the figures, whatever a client sends.
      if (token === undefined) return reply.callNotFound()
      return reply.code(401).header('www-authenticate', 'Bearer').send({ status: 'unauthorised' })
    }
    return reply.type(registry.contentType).send(await registry.metrics())
  })
}
