import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { testServer } from '../testing/server.ts'
import { until } from '../testing/waits.ts'

test('refuses an upload without disk space, asks for a retry and alerts the provider', async (t) => {
  const server = await testServer({ DISK_RESERVE_MB: '9999999' })
  t.after(() => server.close())
  const body = Buffer.from('evidence')
  const key = 'acme/p/original'
  const sha256 = createHash('sha256').update(body).digest('hex')
  const grant = { key, size: body.length, sha256, expires_at: server.ctx.now() + 600 }
  const { url } = await server.ctx.objects.uploadAddress(grant)
  const refused = await fetch(url, {
    method: 'PUT',
    headers: { 'content-type': 'application/octet-stream' },
    body,
  })
  assert.equal(refused.status, 503)
  assert.equal(refused.headers.get('retry-after'), '60')
  assert.equal(await server.ctx.objects.head(key), undefined)
  assert.equal(server.ctx.space.reserved(), 0)
  const ready = await fetch(`${server.url}/readyz`)
  const { parts } = (await ready.json()) as { parts: Record<string, string> }
  assert.deepEqual([ready.status, parts['objects'], parts['space']], [503, 'unavailable', 'unavailable'])
  const [alert] = await until(
    'the alert',
    async () => await server.sql(`select * from alerts where alert_key like 'space %'`),
    (rows) => rows.length > 0,
  )
  assert.deepEqual(
    [alert?.alert_type, alert?.alert_target, alert?.alert_severity],
    ['LambdaAlert', 'admin', 'High'],
  )
})
