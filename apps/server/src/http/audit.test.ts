import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { after, describe, it } from 'node:test'
import fc from 'fast-check'
import { testDatabase } from '../testing/database.ts'
import { AuditLog, loggedParameters, newLogId } from './audit.ts'
import type { AuditEntry, DeviceCaller, PortalUser } from './context.ts'

const database = await testDatabase()
after(() => database.drop())

function getEntry(kind: 'portal' | 'device', log_id = newLogId()): AuditEntry {
  const person = {
    kind: 'portal',
    client_id: 1,
    user_reference: 'ann',
    user_group: null,
    roles: ['a', '"b"'],
  }
  const phone = { kind: 'device', client_id: 2, device_reference: 'd', device_user_reference: null }
  return {
    log_id,
    caller: (kind === 'portal' ? person : { ...phone, group_reference: 'g' }) as PortalUser | DeviceCaller,
    ip: '127.0.0.1',
    browser: undefined,
    activity_time: 5,
    activity_end_time: 6,
    duration: 0.5,
    action: 'payloads:list',
    is_allowed: true,
    denial_reason: null,
    parameters: '{}',
    status_code: 200,
    request_id: 'r',
  }
}

const written = async (table: string) =>
  (await database.db.owner.query<{ log_id: string }>(`select log_id from ${table}`)).rows.map(
    ({ log_id }) => log_id,
  )

it('writes the entries of users and devices before append resolves', async () => {
  const audit = new AuditLog(database.db)
  const entries = Array.from({ length: 501 }, (_, i) => getEntry(i % 3 === 0 ? 'device' : 'portal'))
  await Promise.all(
    entries.map(async (entry) => {
      await audit.append(entry)
      const table = entry.caller.kind === 'portal' ? 'portal_activities' : 'device_activities'
      if (entry === entries[250] || entry === entries[252])
        assert.ok((await written(table)).includes(entry.log_id))
    }),
  )
  const all = [...(await written('portal_activities')), ...(await written('device_activities'))]
  assert.deepEqual(new Set(all), new Set(entries.map(({ log_id }) => log_id)))
  assert.equal(all.length, entries.length)
})

it('fails only the entries of a batch that cannot be written', async () => {
  const audit = new AuditLog(database.db)
  const entries = Array.from({ length: 450 }, (_, i) => getEntry(i % 4 === 0 ? 'device' : 'portal'))
  const bad = new Set([0, 7, 8, 199, 200, 449])
  for (const i of bad) Object.assign(entries[i] ?? {}, { action: null })
  const results = await Promise.allSettled(entries.map((entry) => audit.append(entry)))
  const all = new Set([...(await written('portal_activities')), ...(await written('device_activities'))])
  for (const [i, result] of results.entries()) {
    assert.equal(result.status, bad.has(i) ? 'rejected' : 'fulfilled', String(i))
    assert.equal(all.has(entries[i]?.log_id ?? ''), !bad.has(i), String(i))
  }
})

const digest = (value: unknown) => hash('sha256', JSON.stringify(value), 'hex')
const names = (count: number, last: string) => [
  ...Array.from({ length: count - 1 }, (_, i) => `user ${i}`.padEnd(60, 'x')),
  last,
]
type CutParameters = Record<'params' | 'query' | 'body', Record<string, unknown>>
const logged = (parts: object, secrets: string[] = []) =>
  JSON.parse(loggedParameters(parts, secrets)) as CutParameters

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
        const found = JSON.parse(text) as CutParameters
        assert.deepEqual(Object.keys(found.query), Object.keys(JSON.parse(JSON.stringify(query)) as object))
        assert.deepEqual(Object.keys(found.body), Object.keys(JSON.parse(JSON.stringify(body)) as object))
        assert.ok(text.isWellFormed() && text.length < 30_000, `${text.length}`)
      }),
      { numRuns: 300 },
    )
  })
})
