import assert from 'node:assert/strict'
import { createHmac, randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type CustomerHook, startCustomerHook } from './customer-hook.ts'

describe('the simulated customer’s webhook receiver', () => {
  const key = randomBytes(32)
  const body = '{"type":"alert.test"}'
  const now = Math.floor(Date.now() / 1000)
  let folder: string
  let hook: CustomerHook
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'custodia-hook-'))
    hook = await startCustomerHook(folder, { port: 0, key })
  })
  after(async () => {
    await hook.close()
    await rm(folder, { recursive: true, force: true })
  })

  async function post({ id = 'one', sent_at = String(now), secret = key, sent = body, path = '' } = {}) {
    const signature = createHmac('sha256', secret).update(`${id}.${sent_at}.${body}`).digest('base64')
    const headers = {
      'webhook-id': id,
      'webhook-timestamp': sent_at,
      'webhook-signature': `v1,${signature}`,
    }
    const { status } = await fetch(`${hook.url}${path}`, { method: 'POST', headers, body: sent })
    return status
  }

  it('stores a signed webhook once per id', async () => {
    assert.equal(await post(), 204)
    assert.equal(await post(), 204)
    assert.equal(await post({ id: 'two', sent_at: String(now - 240) }), 204)
    assert.deepEqual((await readdir(folder)).toSorted(), ['one.json', 'two.json'])
    assert.equal(await readFile(join(folder, 'one.json'), 'utf8'), `${body}\n`)
  })

  it('rejects a webhook with a bad signature, timestamp, id, size or path', async () => {
    const before = await readdir(folder)
    assert.equal(await post({ id: 'other', secret: randomBytes(32) }), 401)
    assert.equal(await post({ id: 'other', sent: '{"type":"alert.other"}' }), 401)
    assert.equal(await post({ id: 'other', sent_at: String(now - 400) }), 400)
    assert.equal(await post({ id: 'other', sent_at: 'yesterday' }), 400)
    assert.equal(await post({ id: '../other' }), 400)
    assert.equal(await post({ id: 'other', sent: 'x'.repeat(64 * 1024 + 1) }), 413)
    assert.equal(await post({ id: 'other', path: '/more' }), 404)
    assert.deepEqual(await readdir(folder), before)
  })
})
