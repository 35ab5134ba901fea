import { api, getActions, type Endpoint, fullPath, LOCALES, PROBLEMS } from '@custodia/contract'
import * as z from 'zod/mini'
import { getBodyLimit } from './body.ts'
import { getProblems } from './problem.ts'

type Json = Record<string, unknown>

/** OpenAPI 3.1 of the whole system, derived from the endpoint table. */
export function openApi(publicUrl: string): Json {
  const paths: Record<string, Json> = {}
  for (const [name, endpoint] of Object.entries(api) as [string, Endpoint][]) {
    const path = (paths[fullPath(endpoint)] ??= {})
    path[endpoint.method.toLowerCase()] = operation(name, endpoint)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Custodia',
      version: '1',
      description:
        'Compliance archive for mobile communications. Times are epoch seconds; lists page by `last_key`.',
    },
    servers: [{ url: publicUrl }],
    paths,
    components: {
      securitySchemes: {
        portal: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'Id token of a portal user, or the token of a client app from its own issuer',
        },
        device: { type: 'http', scheme: 'bearer', description: 'Access token of a device' },
      },
      schemas: { Problem: PROBLEM },
    },
  }
}

const PROBLEM = {
  type: 'object',
  required: ['error_code', 'message', 'code', 'request_id'],
  properties: {
    error_code: { type: 'integer', description: 'HTTP status' },
    message: { type: 'string' },
    code: { type: 'string', enum: Object.keys(PROBLEMS) },
    path: { type: 'string' },
    errors: { type: 'array', items: { type: 'object' } },
    request_id: { type: 'string' },
  },
}

function operation(name: string, endpoint: Endpoint): Json {
  const secured = endpoint.authentication === 'portal' || endpoint.authentication === 'device'
  const actions = getActions(endpoint)
  return {
    operationId: name,
    summary: endpoint.summary,
    ...(endpoint.description === undefined ? {} : { description: endpoint.description }),
    tags: [endpoint.portal],
    ...(actions.length > 0 ? { 'x-actions': actions } : {}),
    security: secured ? [{ [endpoint.authentication]: [] }] : [],
    parameters: [...parameters('path', endpoint.params), ...parameters('query', endpoint.query)],
    ...requestBody(endpoint),
    responses: {
      200: success(endpoint),
      ...(endpoint.deferred ? { 202: deferred(endpoint.deferred) } : {}),
      ...problems(endpoint),
    },
  }
}

function requestBody(endpoint: Endpoint): Json {
  if (endpoint.bytes === 'request') {
    return {
      requestBody: {
        required: true,
        content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
      },
    }
  }
  if (!endpoint.body) return {}
  return {
    requestBody: {
      required: true,
      description: `At most ${getBodyLimit(endpoint)} bytes`,
      content: { 'application/json': { schema: getSchema(endpoint.body, 'input') } },
    },
  }
}

function success(endpoint: Endpoint): Json {
  if (!endpoint.response) return { description: 'The bytes' }
  return {
    description: 'OK',
    content: { 'application/json': { schema: getSchema(endpoint.response, 'output') } },
  }
}

const deferred = (schema: NonNullable<Endpoint['deferred']>): Json => ({
  description: 'Proposed: the server does it after another person confirms it',
  content: { 'application/json': { schema: getSchema(schema, 'output') } },
})

function problems(endpoint: Endpoint): Json {
  const byStatus = new Map<number, string[]>()
  for (const code of getProblems(endpoint)) {
    const { status } = PROBLEMS[code]
    const texts = byStatus.get(status) ?? []
    const text = `\`${code}\`: ${PROBLEMS[code][LOCALES[0]]}`
    if (!texts.includes(text)) byStatus.set(status, [...texts, text])
  }
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Problem' } } }
  return Object.fromEntries(
    [...byStatus].map(([status, texts]) => [status, { description: texts.join(' '), content }]),
  )
}

function parameters(place: 'path' | 'query', schema: z.ZodMiniObject | undefined): Json[] {
  if (!schema) return []
  const { properties = {}, required = [] } = getSchema(schema, place === 'query' ? 'output' : 'input') as {
    properties?: Record<string, Json>
    required?: string[]
  }
  return Object.entries(properties).map(([name, each]) => ({
    name,
    in: place,
    // A value with a default is always present when read, but optional in a request.
    required: place === 'path' || (required.includes(name) && !('default' in each)),
    ...(each.type === 'array' ? { style: 'deepObject', explode: true } : {}),
    schema: each,
  }))
}

function getSchema(schema: z.ZodMiniType, io: 'input' | 'output'): Json {
  const { $schema: _draft, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json
  return rest
}
