import type { FastifyInstance } from 'fastify'
import { Histogram, type Registry } from 'prom-client'

/** Seconds, from a quick list to a long upload. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60]

/** Measures every request. Labels are route templates and codes, never references. */
export function measureRequests(app: FastifyInstance, registry: Registry): void {
  const requests = new Histogram({
    name: 'custodia_http_request_duration_seconds',
    help: 'Duration of requests by method, route and status',
    labelNames: ['method', 'route', 'status'],
    buckets: BUCKETS,
    registers: [registry],
  })
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'none'
    requests.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000)
  })
}
