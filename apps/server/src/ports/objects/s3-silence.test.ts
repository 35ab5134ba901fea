/** An S3 server that accepts connections and stays silent. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { hangingServer } from '../../testing/hanging-server.ts'
import { ObjectStoreUnavailable } from './port.ts'
import { s3Store } from './s3.ts'

/** Seconds in which the caller must get an error, the second attempt included. */
const REPORTED_WITHIN = 60
const HEALTH_WITHIN = 3 + 12

async function storeAt(t: TestContext, words?: string, to?: string) {
  const server = await hangingServer(words, to)
  t.after(() => server.stop())
  return s3Store({
    bucket: 'b',
    region: 'us-east-1',
    endpoint: server.endpoint,
    force_path_style: true,
    access_key_id: 'AK',
    secret_access_key: 'SK',
    now: () => Math.floor(Date.now() / 1000),
  })
}

async function refusesWithin(seconds: number, work: () => Promise<unknown>): Promise<void> {
  const started = performance.now()
  await assert.rejects(work, (error: unknown) => {
    assert.ok(error instanceof ObjectStoreUnavailable)
    assert.match(error.message, /did not answer in time/)
    return true
  })
  const took = (performance.now() - started) / 1000
  assert.ok(took < seconds, `took ${took} s`)
}

async function* bytes(count: number) {
  for (let i = 0; i < count; i++) yield Buffer.alloc(1 << 20)
}

async function drain(source: AsyncIterable<unknown>) {
  for await (const _ of source);
}

describe('an unresponsive S3 server', { concurrency: true }, () => {
  it('fails its health check in time', async (t) => {
    const store = await storeAt(t)
    await refusesWithin(HEALTH_WITHIN, () => store.health())
  })

  it('makes reads, listings and deletions fail in time', async (t) => {
    const store = await storeAt(t)
    await Promise.all([
      refusesWithin(REPORTED_WITHIN, () => store.head('a/b')),
      refusesWithin(REPORTED_WITHIN, () => store.delete('a/b')),
      refusesWithin(REPORTED_WITHIN, () => drain(store.list('a/'))),
      refusesWithin(REPORTED_WITHIN, () => drain(store.read('a/b'))),
    ])
  })

  it('makes a write fail in time when it accepts no bytes', async (t) => {
    const missing = 'HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n'
    const store = await storeAt(t, missing, 'HEAD')
    await refusesWithin(REPORTED_WITHIN, () => store.put('a/b', bytes(20)))
  })

  it('ends a read in the middle of an object', async (t) => {
    const begun = 'HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\nbeginning'
    const store = await storeAt(t, begun)
    await refusesWithin(REPORTED_WITHIN, () => drain(store.read('a/b')))
  })
})
