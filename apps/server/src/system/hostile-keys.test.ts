import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openSession } from '../testing/alert-fixture.ts'
import { testServer, type TestServer } from '../testing/server.ts'

/** Names of properties that every JavaScript object inherits. */
const KEYS = ['constructor', 'toString', 'hasOwnProperty', '__proto__', 'valueOf', '__defineGetter__']
const DATA = `/client/v1/api/data?client=acme&payload_references[0]=${'0'.repeat(26)}`

describe('JavaScript property names as actions', () => {
  let server: TestServer
  before(async () => {
    server = await testServer()
  })
  after(() => server?.close())

  const session = (client: string, user_reference: string, roles: string[]) =>
    openSession(server.ctx, { client, user_reference, roles })
  const get = async (path: string, token: string) => {
    const response = await fetch(server.url + path, { headers: { authorization: `Bearer ${token}` } })
    return { status: response.status, text: await response.text() }
  }
  const entriesOf = async (user_reference: string) =>
    await server.sql<{ action: string; status_code: number; parameters: string }>(
      'select action, status_code, parameters from portal_activities where user_reference = $1 order by log_id',
      [user_reference],
    )

  it('are refused and logged under a valid action', async () => {
    for (const [user_reference, roles, status] of [
      ['no roles', [], 403],
      ['manager', ['Compliance Manager'], 400],
    ] as const) {
      const token = await session('acme', user_reference, [...roles])
      for (const key of KEYS) {
        assert.equal((await get(`${DATA}&action=${key}`, token)).status, status, key)
        const entry = (await entriesOf(user_reference)).at(-1)
        assert.match(entry?.action ?? '', /^payloads:(play|download)$/, key)
        assert.equal(entry?.status_code, status)
        assert.equal((JSON.parse(entry?.parameters ?? '') as { query: { action: string } }).query.action, key)
      }
      assert.equal((await entriesOf(user_reference)).length, KEYS.length)
    }
  })

  it('do not affect requests of other clients', async () => {
    const [mallory, gina] = await Promise.all([
      session('acme', 'mallory', []),
      session('globex', 'gina', ['Compliance Reviewer']),
    ])
    const [, reads] = await Promise.all([
      Promise.all(KEYS.concat(KEYS, KEYS).map((key) => get(`${DATA}&action=${key}`, mallory))),
      Promise.all(Array.from({ length: 60 }, () => get('/client/v1/api/payloads?client=globex', gina))),
    ])
    assert.deepEqual(new Set(reads.map(({ status }) => status)), new Set([200]))
    assert.equal((await entriesOf('gina')).length, 60)
  })
})
