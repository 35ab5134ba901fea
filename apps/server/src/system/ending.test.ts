/** A server process that receives a signal to end. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { mainProcess } from '../testing/main-process.ts'
import { until } from '../testing/waits.ts'

/** Seconds within which the process must exit, with an allowance for a busy machine. */
const GONE_WITHIN = 20 + 40

describe('a server that receives SIGTERM', () => {
  it('answers open requests with 503 and exits in time despite open connections', async (t) => {
    const server = await mainProcess()
    t.after(() => server.stop())
    const { port } = new URL(server.url)
    const begin = async () => {
      const socket = connect(Number(port), '127.0.0.1')
      await once(socket, 'connect')
      socket.write('GET /health HTTP/1.1\r\nhost: x\r\n')
      return socket
    }
    const [asking, holding, third] = [await begin(), await begin(), await begin()]
    holding.on('error', () => undefined)
    // Connections are taken, and read from, in their order: once the third has its answer, the signal finds the others begun.
    third.write('\r\n')
    await once(third, 'data')
    third.destroy()
    const result = performance.now()
    process.kill(server.daemon.pid, 'SIGTERM')
    await until('the door to be closed', () =>
      fetch(`${server.url}/health`).then(
        () => false,
        () => true,
      ),
    )
    asking.end('\r\n')
    const answer = await text(asking)
    const [head = '', body = ''] = answer.split('\r\n\r\n')
    assert.match(head, /^HTTP\/1\.1 503 /)
    assert.match(head, /\r\nretry-after: \d+/i)
    assert.match(head, /\r\nconnection: close/i)
    const problem = JSON.parse(body) as Record<string, unknown>
    assert.deepEqual([problem['error_code'], problem['code']], [503, 'unavailable'])
    await until('the process to be gone', () => !server.daemon.running())
    const seconds = (performance.now() - result) / 1000
    assert.ok(seconds < GONE_WITHIN, `was gone after ${seconds} s`)
  })
})
