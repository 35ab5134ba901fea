import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { testServer, type TestServer } from '../testing/server.ts'

describe('an invalid HTTP request', () => {
  let server: TestServer
  before(async () => {
    server = await testServer()
  })
  after(() => server?.close())

  async function say(words: string): Promise<{ status: number; body: Record<string, unknown> }> {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    socket.write(words)
    const answer = await text(socket)
    const [head = '', body = ''] = answer.split('\r\n\r\n')
    return { status: Number(head.split(' ')[1]), body: JSON.parse(body) as Record<string, unknown> }
  }

  it('returns 400 or 431 with the usual problem fields', async () => {
    const filter = 'x'.repeat(40_000)
    for (const [words, expected] of [
      ['HELLO\r\n\r\n', 400],
      [`GET /client/v1/api/payloads?search=${filter} HTTP/1.1\r\nhost: x\r\n\r\n`, 431],
    ] as const) {
      const { status, body } = await say(words)
      assert.deepEqual([status, body.error_code, body.code], [expected, expected, 'invalid_input'])
      assert.ok(body.request_id && body.message)
    }
  })
})
