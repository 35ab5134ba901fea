import assert from 'node:assert/strict'
import { test } from 'node:test'
import { api, type Endpoint, fullPath } from '@custodia/contract'
import { AccessCache } from './access/load.ts'
import { featureHandlers, FEATURES, getSearchPages } from './features.ts'
import { openPerson } from './testing/access-fixture.ts'
import { testServer } from './testing/server.ts'
import { storePayload } from './testing/stored-payload.ts'

test('a server without the capabilities beyond the specification serves all other calls', async () => {
  await using made = new AsyncDisposableStack()
  const server = await testServer({}, { features: [] })
  made.defer(() => server.close())
  const parts = {
    ctx: server.ctx,
    access: new AccessCache(server.ctx.db),
    readSearchPage: getSearchPages([], server.ctx),
  }
  const removed = Object.keys(featureHandlers(Object.values(FEATURES), parts))
  const calls = (Object.entries(api) as [string, Endpoint][]).filter(
    ([, { authentication }]) => authentication === 'portal',
  )
  const unknown: string[] = []
  for (const [name, endpoint] of calls) {
    const { statusCode } = await server.app.inject({
      method: endpoint.method,
      url: fullPath(endpoint).replace(/\{\w+\}/g, 'x'),
    })
    // 405: another call has the same path.
    if (statusCode === 404 || statusCode === 405) unknown.push(name)
    else assert.equal(statusCode, 401, name)
  }
  assert.deepEqual(unknown.toSorted(), removed.toSorted())
  const payload_reference = await storePayload(server.ctx, { client: 'acme', group: 'North' })
  const alice = await openPerson(server, 'acme', 'alice')
  const read = await alice.api.readPayload({ params: { payload_reference } })
  assert.equal(read.payload_reference, payload_reference)
})
