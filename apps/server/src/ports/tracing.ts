import {
  type Attributes,
  type Context,
  context,
  propagation,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import type { FastifyInstance } from 'fastify'

const tracer = trace.getTracer('custodia')
let isTracing = false

/** The subject of a span. */
export type SpanSubject = 'server' | 'job' | 'call'

const KINDS: Readonly<Record<SpanSubject, SpanKind>> = {
  server: SpanKind.SERVER,
  job: SpanKind.CONSUMER,
  call: SpanKind.CLIENT,
}

/**
 * Runs work within a span. Names and attributes come from the program: never references, people or content.
 * Marks an error without its text. Costs nothing without an exporter.
 */
export function inSpan<T>(
  kind: SpanSubject,
  name: string | (() => string),
  work: () => Promise<T>,
  attributes: Attributes = {},
): Promise<T> {
  if (!isTracing) return work()
  const title = typeof name === 'string' ? name : name()
  return tracer.startActiveSpan(title, { kind: KINDS[kind], attributes }, async (span) => {
    try {
      return await work()
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR })
      throw error
    } finally {
      span.end()
    }
  })
}

/**
 * Makes a span of every request, within the caller's trace when `traceparent` names one (W3C Trace Context).
 */
export function traceRequests(app: FastifyInstance): void {
  if (!isTracing) return
  app.addHook('onRequest', (request, reply, done) => {
    const caller: Context = propagation.extract(context.active(), request.headers)
    const route = request.routeOptions.url ?? 'none'
    const span = tracer.startSpan(
      `${request.method} ${route}`,
      { kind: KINDS.server, attributes: { 'http.request.method': request.method, 'http.route': route } },
      caller,
    )
    reply.raw.once('close', () => {
      span.setAttribute('http.response.status_code', reply.statusCode)
      if (reply.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end()
    })
    context.with(trace.setSpan(caller, span), done)
  })
}

/**
 * Sends traces over OTLP to `OTEL_EXPORTER_OTLP_ENDPOINT`; the exporter reads its own `OTEL_…` settings. Call
 * it before the server is built. Resolves to the function that sends the last spans and stops.
 */
export async function startTracing(version: string): Promise<() => Promise<void>> {
  const [{ BatchSpanProcessor, TracerProvider }, { OTLPTraceExporter }, hooks, core, resources] =
    await Promise.all([
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/context-async-hooks'),
      import('@opentelemetry/core'),
      import('@opentelemetry/resources'),
    ])
  const provider = new TracerProvider({
    resource: resources.resourceFromAttributes({
      'service.name': process.env['OTEL_SERVICE_NAME'] ?? 'custodia',
      'service.version': version,
    }),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter() })],
  })
  context.setGlobalContextManager(new hooks.AsyncLocalStorageContextManager().enable())
  propagation.setGlobalPropagator(new core.W3CTraceContextPropagator())
  trace.setGlobalTracerProvider(provider)
  isTracing = true
  return () => provider.shutdown()
}
