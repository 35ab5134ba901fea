import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { openSession } from '../testing/alert-fixture.ts'
import { testServer, type TestServer } from '../testing/server.ts'
import { loggedParameters } from './audit.ts'

const digest = (value: unknown) => hash('sha256', JSON.stringify(value), 'hex')
const names = (count: number, last: string) => [
  ...Array.from({ length: count - 1 }, (_, i) => `user ${i}`.padEnd(60, 'x')),
  last,
]
type Cut = Record<'params' | 'query' | 'body', Record<string, unknown>>
const logged = (parts: object, secrets: string[] = []) => JSON.parse(loggedParameters(parts, secrets)) as Cut

describe('logged parameters', () => {
  it('are kept whole up to the length of a request line', () => {
    const parts = { params: { client: 'acme' }, query: { users: names(100, 'alice'), search: 'x' } }
    assert.deepEqual(logged(parts), parts)
    assert.equal(loggedParameters({ query: {}, body: undefined }, []), '{"query":{}}')
    assert.equal(loggedParameters({}, []), '{}')
  })

  it('keep every field of a long body, and a digest of each shortened value', () => {
    const payload_references = names(100, 'the one')
    const text = 'long '.repeat(2000)
    const { body, query } = logged({
      query: { client: 'acme' },
      body: { payload_references, text, is_last: true },
    })
    assert.deepEqual(query, { client: 'acme' })
    assert.deepEqual(body.payload_references, {
      cut: payload_references.slice(0, 20),
      items: 100,
      sha256: digest(payload_references),
    })
    assert.deepEqual(body.text, { cut: text.slice(0, 200), characters: text.length, sha256: digest(text) })
    assert.equal(body.is_last, true)
  })

  it('contain no secret, not even its digest', () => {
    const secret = 's'.repeat(9000)
    const long = logged({ body: { token: secret, list: Array(999).fill({ token: secret }) } }, ['token'])
    assert.equal(long.body.token, '…')
    assert.equal((long.body.list as { sha256: string }).sha256, digest(Array(999).fill({ token: '…' })))
    assert.equal(loggedParameters({ token: secret }, ['token']), '{"token":"…"}')
  })

  it('stay below 30,000 characters and keep every field, whatever was sent', () => {
    const value = fc.oneof(
      fc.string({ maxLength: 3000, unit: 'binary' }),
      fc.array(fc.string({ maxLength: 300 }), { maxLength: 300 }),
      fc.jsonValue(),
    )
    const part = fc.dictionary(fc.string({ maxLength: 20 }), value, { maxKeys: 20 })
    fc.assert(
      fc.property(part, part, (query, body) => {
        const text = loggedParameters({ query, body }, [])
        const found = JSON.parse(text) as Cut
        assert.deepEqual(Object.keys(found.query), Object.keys(JSON.parse(JSON.stringify(query)) as object))
        assert.deepEqual(Object.keys(found.body), Object.keys(JSON.parse(JSON.stringify(body)) as object))
        assert.ok(text.isWellFormed() && text.length < 30_000, `${text.length}`)
      }),
      { numRuns: 300 },
    )
  })
})

describe('logged list filters', () => {
  let server: TestServer
  before(async () => {
    server = await testServer()
  })
  after(() => server?.close())

  it('keep all 100 values of a filter', async () => {
    const token = await openSession(server.ctx, {
      client: 'acme',
      user_reference: 'searcher',
      roles: ['Auditor'],
    })
    const query = new URLSearchParams(names(100, 'alice').map((name, i) => [`users[${i}]`, name]))
    const answer = await fetch(`${server.url}/admin/v1/api/acme/activities?${query}&search=hidden`, {
      headers: { authorization: `Bearer ${token}` },
    })
    assert.equal(answer.status, 200)
    const rows = await server.sql<{ parameters: string }>(
      `select parameters from portal_activities where user_reference = 'searcher'`,
    )
    const { users, search } = (JSON.parse(rows[0]?.parameters ?? '') as Cut).query
    assert.deepEqual(users, names(100, 'alice'))
    assert.equal(search, 'hidden')
  })
})
