import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { issueToken } from '../devices/access-token.ts'
import { openSession } from '../testing/session.ts'
import { testServer, type TestServer } from '../testing/server.ts'
import { until } from '../testing/until.ts'

/** Connections that break off in each test. */
const BROKEN = 250

for (const TRUST_PROXY of ['0', '1'])
  describe(`a connection that breaks off, ${TRUST_PROXY} proxies in front`, () => {
    let server: TestServer
    let acme: number
    let gina: string
    before(async () => {
      server = await testServer({ TRUST_PROXY })
      gina = await openSession(server.house, {
        client: 'globex',
        user_reference: 'gina',
        roles: ['Compliance Reviewer'],
      })
      acme =
        (await owner<{ client_id: number }>(`select client_id from clients where client = 'acme'`))[0]
          ?.client_id ?? 0
    })
    after(() => server?.close())

    const owner = async <Row>(text: string, values: unknown[] = []) =>
      (await server.house.db.owner.query(text, values)).rows as Row[]

    /** Sends a request and resets the connection at once; `wait` ms later when not at once. */
    async function breakOff(head: string, body: string, wait: number): Promise<void> {
      const { hostname, port } = new URL(server.url)
      const socket = connect(Number(port), hostname)
      socket.on('error', () => undefined)
      await once(socket, 'connect')
      const closed = once(socket, 'close')
      socket.write(`${head}\r\nhost: x\r\n\r\n${body}`, () => {
        if (wait === 0) socket.resetAndDestroy()
        else setTimeout(() => socket.resetAndDestroy(), wait)
      })
      await closed
    }

    /** Breaks off many calls beside somebody else who reads; resolves to the statuses that the reader got. */
    async function besideReader(head: string, body = ''): Promise<Set<number>> {
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
      for (let sent = 0; sent < BROKEN; sent += 5) {
        await Promise.all([0, 0, 0, 1, 3].map((wait) => breakOff(head, body, wait)))
        await pause(2)
      }
      done = true
      await reading
      return statuses
    }

    /** Holds that a log, whose addresses `text` finds, keeps those of the connections that broke off. */
    async function assertLogged(text: string): Promise<void> {
      // Some connections are gone before anybody accepts them; most are not.
      const rows = await until(
        'most to be logged',
        () => owner<{ ip: string | null }>(text),
        ({ length }) => length > BROKEN / 10,
      )
      assert.deepEqual([...new Set(rows.map(({ ip }) => ip))], ['127.0.0.1'])
    }

    it('of a person stands in the log with its address, and disturbs nobody', async () => {
      const token = await openSession(server.house, { client: 'acme', user_reference: 'mallory', roles: [] })
      const head = `GET /client/v1/api/payloads?client=acme HTTP/1.1\r\nauthorization: Bearer ${token}`
      assert.deepEqual(await besideReader(head), new Set([200]))
      await assertLogged(`select user_ip as ip from portal_activities where user_reference = 'mallory'`)
    })

    it('of a phone too, with a body', async () => {
      const [device] = await owner<{ device_id: number }>(
        `insert into devices (client_id, device_reference, group_id, updated_at, updated_by)
         select $1, 'broken phone', group_id, 1, 'test' from groups where client_id = $1 limit 1 returning device_id`,
        [acme],
      )
      const token = await server.house.db.write(acme, (tx) =>
        issueToken(tx, device?.device_id ?? 0, server.house.now()),
      )
      const body = JSON.stringify({ payload_references: ['0'.repeat(26)] })
      const head = `POST /device/v1/payloads/status HTTP/1.1\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`
      assert.deepEqual(await besideReader(head, body), new Set([200]))
      await assertLogged(
        `select device_ip as ip from device_activities where device_reference = 'broken phone'`,
      )
    })

    it('leaves what was announced by a proxy alone', async () => {
      const token = await openSession(server.house, { client: 'acme', user_reference: 'proxied', roles: [] })
      await fetch(`${server.url}/client/v1/api/payloads?client=acme`, {
        headers: { authorization: `Bearer ${token}`, 'x-forwarded-for': '6.6.6.6, 7.7.7.7' },
      })
      const [entry] = await owner<{ user_ip: string }>(
        `select user_ip from portal_activities where user_reference = 'proxied'`,
      )
      assert.equal(entry?.user_ip, TRUST_PROXY === '1' ? '7.7.7.7' : '127.0.0.1')
    })
  })
