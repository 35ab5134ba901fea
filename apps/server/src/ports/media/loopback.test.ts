import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sourceOf } from './fixtures.ts'
import { serveSource } from './loopback.ts'

const bytes = Buffer.from(Array.from({ length: 25_000 }, (_, i) => i % 251))

test('the source is served whole and in ranges', async () => {
  await using served = await serveSource(sourceOf(bytes))
  const get = async (range?: string) => {
    const response = await fetch(served.url, range ? { headers: { range } } : {})
    return {
      status: response.status,
      body: Buffer.from(await response.arrayBuffer()),
      range: response.headers.get('content-range'),
    }
  }
  assert.ok((await get()).body.equals(bytes))
  const middle = await get('bytes=9990-10010')
  assert.deepEqual([middle.status, middle.range], [206, 'bytes 9990-10010/25000'])
  assert.ok(middle.body.equals(bytes.subarray(9990, 10_011)))
  assert.ok((await get('bytes=24999-')).body.equals(bytes.subarray(24_999)))
  assert.ok((await get('bytes=24000-99999')).body.equals(bytes.subarray(24_000)))
  for (const wrong of ['bytes=25000-', 'bytes=5-4', 'bytes=-5', 'bytes=0-1,3-4', 'lines=1-2'])
    assert.equal((await get(wrong)).status, 416, wrong)
})

test('nobody gets it without the token, by another method or afterwards', async () => {
  const served = await serveSource(sourceOf(bytes))
  const { origin, pathname } = new URL(served.url)
  assert.equal(pathname.length, 65)
  assert.equal((await fetch(`${origin}/`)).status, 404)
  assert.equal((await fetch(`${origin}/${'0'.repeat(64)}`)).status, 404)
  assert.equal((await fetch(served.url, { method: 'POST' })).status, 404)
  await served[Symbol.asyncDispose]()
  await assert.rejects(fetch(served.url))
})

test('a failing source breaks the answer off and is remembered; a reader who leaves is not a failure', async () => {
  const endless = {
    size: 1e12,
    async *read() {
      for (;;) yield bytes
    },
  }
  await using left = await serveSource(endless)
  const response = await fetch(left.url)
  await response.body!.cancel()
  const failing = {
    size: 10,
    async *read() {
      yield bytes.subarray(0, 3)
      throw new Error('forged')
    },
  }
  await using broken = await serveSource(failing)
  await assert.rejects(fetch(broken.url).then((answer) => answer.arrayBuffer()))
  assert.equal((broken.failure() as Error).message, 'forged')
  assert.equal(left.failure(), undefined)
})
