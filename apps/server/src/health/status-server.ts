import Fastify, { type FastifyInstance } from 'fastify'
import type { AppContext } from '../app-context.ts'
import { serveHealth } from './routes.ts'
import type { Watched } from './metrics.ts'

/** The default port of a process without an API. */
const PORT = 4001

/** A small server with the health checks and `/metrics`, for a process that serves nothing else. */
export function statusServer(watched: Watched, token: string | undefined): FastifyInstance {
  const app = Fastify({ routerOptions: { ignoreTrailingSlash: false } })
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ status: 'not found' }))
  serveHealth(app, watched, token)
  return app
}

/**
 * Listens on the configured port. If several workers share a machine, a worker that finds the default port in use
 * takes a free one.
 */
export async function listen(
  app: FastifyInstance,
  { port, host }: AppContext['config']['status'],
): Promise<string> {
  if (port !== undefined) return app.listen({ port, host })
  try {
    return await app.listen({ port: PORT, host })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    return app.listen({ port: 0, host })
  }
}
