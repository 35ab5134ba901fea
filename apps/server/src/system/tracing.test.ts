import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { it } from 'node:test'
import { api, fullPath } from '@custodia/contract'
import { mainProcess } from '../testing/main-process.ts'
import { until } from '../testing/waits.ts'

interface Span {
  name: string
  traceId: string
  spanId: string
  parentSpanId?: string
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[]
}

it('spans of a request and its statements are sent to the collector as part of the caller’s trace', async (t) => {
  const spans: Span[] = []
  const collector = createServer(async (request, response) => {
    const body = (await json(request)) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] }
    spans.push(...body.resourceSpans.flatMap((each) => each.scopeSpans.flatMap((scope) => scope.spans)))
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  collector.listen(0, '127.0.0.1')
  await once(collector, 'listening')
  t.after(() => collector.close())
  const server = await mainProcess({
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
    OTEL_BSP_SCHEDULE_DELAY: '200',
  })
  t.after(() => server.stop())

  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
  const path = fullPath(api.listPayloads).replace(':client', 'acme')
  await fetch(`${server.url}${path}?search=secret-number`, {
    headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01`, authorization: 'Bearer secret-token' },
  })
  await fetch(`${server.url}/readyz`, { headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` } })

  const ready = await until(
    'the span of the request',
    async () => spans.find(({ name }) => name === 'GET /readyz'),
    (span) => span !== undefined,
  )
  assert.deepEqual([ready?.traceId, ready?.parentSpanId], [traceId, '00f067aa0ba902b7'])
  assert.ok(
    ready?.attributes.some(({ key, value }) => key === 'http.response.status_code' && value.intValue === 200),
  )
  const statement = await until(
    'the span of a statement of that request',
    async () =>
      spans.find(({ name, parentSpanId }) => name.startsWith('SQL ') && parentSpanId === ready?.spanId),
    (span) => span !== undefined,
  )
  assert.equal(statement?.traceId, traceId)
  await until('the span of a job', async () => spans.some(({ name }) => name.startsWith('job ')), Boolean)
  assert.doesNotMatch(JSON.stringify(spans), /secret/)
})
