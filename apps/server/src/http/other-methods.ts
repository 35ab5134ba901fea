import { api, type Endpoint, fullPath } from '@custodia/contract'
import type { FastifyInstance, HTTPMethods } from 'fastify'
import { Problem } from './problem.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const satisfies readonly HTTPMethods[]

/**
 * Answers known paths with an unknown method: 405 with the known ones in `Allow` (RFC 9110, 15.5.6). Like
 * calls of unknown paths, they concern no client's data and are not audited.
 */
export function refuseOtherMethods(app: FastifyInstance): void {
  const places = Map.groupBy(Object.values(api) as Endpoint[], (endpoint) =>
    fullPath(endpoint).replace(/\{(\w+)\}/g, ':$1'),
  )
  for (const [url, endpoints] of places) {
    const known: HTTPMethods[] = endpoints.map(({ method }) => method)
    const allow = [...known, ...(known.includes('GET') ? ['HEAD'] : [])].toSorted().join(', ')
    app.route({
      method: METHODS.filter((method) => !known.includes(method)),
      url,
      handler: (_request, reply) => {
        void reply.header('allow', allow)
        throw new Problem('method_not_allowed')
      },
    })
  }
}
