import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { PATIENCE } from './ports/database/connect.ts'
import { openSession } from './testing/alert-fixture.ts'
import { knownPhone } from './testing/phones.ts'
import { testServer, type TestServer } from './testing/server.ts'
import { closed, until } from './testing/waits.ts'

/** Connections broken off in each test, at least and at most. */
const BROKEN = { least: 250, most: 10_000 }
/** Log entries that suffice: a busy machine loses some connections before it accepts them. */
const ENOUGH = 25

for (const TRUST_PROXY of ['0', '1'])
  describe(`an aborted connection behind ${TRUST_PROXY} proxies`, () => {
    let server: TestServer
    let gina: string
    before(async () => {
      server = await testServer({ TRUST_PROXY })
      gina = await openSession(server.ctx, {
        client: 'globex',
        user_reference: 'gina',
        roles: ['Compliance Reviewer'],
      })
    })
    after(() => server?.close())

    /** Sends a request and resets the connection at once; `wait` ms later when not at once. */
    async function breakOff(head: string, body: string, wait: number): Promise<void> {
      const { hostname, port } = new URL(server.url)
      const socket = connect(Number(port), hostname)
      socket.on('error', () => undefined)
      await once(socket, 'connect')
      const ending = closed(socket)
      socket.write(`${head}\r\nhost: x\r\n\r\n${body}`, () => {
        if (wait === 0) socket.resetAndDestroy()
        else setTimeout(() => socket.resetAndDestroy(), wait)
      })
      await ending
    }

    /**
     * Breaks off calls while another caller reads, until `logged` finds enough of them. Resolves to the
     * reader's statuses.
     */
    async function replicaReader(
      logged: () => Promise<unknown[]>,
      head: string,
      body = '',
    ): Promise<Set<number>> {
      const statuses = new Set<number>()
      let done = false
      const reading = (async () => {
        while (!done) {
          const response = await fetch(`${server.url}/client/v1/api/payloads?client=globex`, {
            headers: { authorization: `Bearer ${gina}` },
          })
          await response.text()
          statuses.add(response.status)
        }
      })()
      const isEnough = async (sent: number) =>
        sent >= BROKEN.most || (sent >= BROKEN.least && sent % 50 === 0 && (await logged()).length >= ENOUGH)
      for (let sent = 0; !(await isEnough(sent)); sent += 5) {
        await Promise.all([0, 0, 0, 1, 3].map((wait) => breakOff(head, body, wait)))
        await pause(2)
      }
      done = true
      await reading
      return statuses
    }

    /**
     * Asserts that the log has the addresses of the broken connections, and that the reader was not affected.
     */
    async function assertLogged(logged: () => Promise<{ ip: string | null }[]>, head: string, body = '') {
      assert.deepEqual(await replicaReader(logged, head, body), new Set([200]))
      const rows = await logged()
      assert.ok(rows.length >= ENOUGH, `${rows.length} were logged`)
      assert.deepEqual([...new Set(rows.map(({ ip }) => ip))], ['127.0.0.1'])
    }

    it('keeps its address in the audit log of a portal user, and does not disturb other calls', async () => {
      const token = await openSession(server.ctx, { client: 'acme', user_reference: 'mallory', roles: [] })
      const head = `GET /client/v1/api/payloads?client=acme HTTP/1.1\r\nauthorization: Bearer ${token}`
      const logged = () =>
        server.sql<{ ip: string | null }>(
          `select user_ip as ip from portal_activities where user_reference = 'mallory'`,
        )
      await assertLogged(logged, head)
    })

    it('keeps its address in the audit log of a device that sent a body', async () => {
      const { tokenAt } = await knownPhone(server.ctx, 'acme', 'broken phone')
      const token = await tokenAt(server.ctx.now())
      const body = JSON.stringify({ payload_references: ['0'.repeat(26)] })
      const head = `POST /device/v1/payloads/status HTTP/1.1\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`
      const logged = () =>
        server.sql<{ ip: string | null }>(
          `select device_ip as ip from device_activities where device_reference = 'broken phone'`,
        )
      await assertLogged(logged, head, body)
    })

    it('the audit log uses the forwarded address only behind a trusted proxy', async () => {
      const token = await openSession(server.ctx, { client: 'acme', user_reference: 'proxied', roles: [] })
      await fetch(`${server.url}/client/v1/api/payloads?client=acme`, {
        headers: { authorization: `Bearer ${token}`, 'x-forwarded-for': '6.6.6.6, 7.7.7.7' },
      })
      const [entry] = await server.sql<{ user_ip: string }>(
        `select user_ip from portal_activities where user_reference = 'proxied'`,
      )
      assert.equal(entry?.user_ip, TRUST_PROXY === '1' ? '7.7.7.7' : '127.0.0.1')
    })
  })

describe('a raw HTTP request', () => {
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

  it('returns 400 or 431 with the usual problem fields when it is invalid', async () => {
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

  it('whose caller leaves is cancelled at the database, keeps the connection there, and is recorded', async () => {
    const token = await openSession(server.ctx, {
      client: 'acme',
      user_reference: 'leaving',
      roles: ['Compliance Reviewer'],
    })
    const words = JSON.stringify({ words: 'jo' })
    const calls = [
      ['GET /client/v1/api/payloads?is_late=true&type=total', ''],
      ['POST /client/v1/api/payloads/search?search=jo', words],
    ] as const
    const waiting = () =>
      server.sql<{ pid: number }>(
        `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
    const lock = await server.ctx.db.owner.connect()
    await lock.query('begin; lock table payloads, search_words in access exclusive mode')
    const { hostname, port } = new URL(server.url)
    const pids: number[] = []
    try {
      for (const [call, body] of calls) {
        const socket = connect(Number(port), hostname)
        socket.write(
          `${call} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
        )
        const [blocked] = await until('the statement', waiting, (found) => found.length > 0)
        pids.push(blocked?.pid ?? 0)
        socket.destroy()
        const within = { seconds: PATIENCE.statement / 1000 - 1 }
        await until('an end before its limit', waiting, (found) => found.length === 0, within)
      }
    } finally {
      await lock.query('rollback')
      lock.release()
    }
    const logged = await until(
      'the entries',
      () =>
        server.sql(`select status_code, is_allowed from portal_activities where user_reference = 'leaving'`),
      (found) => found.length === calls.length,
    )
    assert.deepEqual(
      logged,
      calls.map(() => ({ status_code: 499, is_allowed: true })),
    )
    await until(
      'the connections to be idle',
      () => server.sql(`select from pg_stat_activity where state = 'idle' and pid = any($1)`, [pids]),
      (idle) => idle.length === new Set(pids).size,
    )
    const answer = await fetch(`${server.url}/client/v1/api/payloads?is_late=true&type=total`, {
      headers: { authorization: `Bearer ${token}` },
    })
    assert.deepEqual(await answer.json(), { total: 0 })
  })
})
