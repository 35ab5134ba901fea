import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { testDatabase, type TestDatabase } from '../testing/database.ts'
import { AuditLog, newLogId } from './audit.ts'
import type { AuditEntry, Phone, PortalUser } from './context.ts'
import { toProblem } from './translate.ts'

let database: TestDatabase
before(async () => {
  database = await testDatabase()
})
after(() => database.drop())

function entryOf(kind: 'portal' | 'device', log_id = newLogId()): AuditEntry {
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
    caller: (kind === 'portal' ? person : { ...phone, group_reference: 'g' }) as PortalUser | Phone,
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
  const entries = Array.from({ length: 501 }, (_, i) => entryOf(i % 3 === 0 ? 'device' : 'portal'))
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

it('names each entry by a UUID that begins with its time', () => {
  const before = Date.now()
  const ids = Array.from({ length: 1000 }, newLogId)
  assert.equal(new Set(ids).size, ids.length)
  for (const id of ids) {
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    const time = Number.parseInt(id.slice(0, 13).replace('-', ''), 16)
    assert.ok(time >= before && time <= Date.now())
  }
})

it('rejects an entry that cannot be written, and continues with the others', async () => {
  const audit = new AuditLog(database.db)
  const taken = entryOf('portal')
  await audit.append(taken)
  const phone = entryOf('device')
  const results = await Promise.allSettled([audit.append({ ...taken }), audit.append(phone)])
  assert.deepEqual(
    results.map(({ status }) => status),
    ['rejected', 'fulfilled'],
  )
  assert.ok((await written('device_activities')).includes(phone.log_id))
  const next = entryOf('portal')
  await audit.append(next)
  assert.ok((await written('portal_activities')).includes(next.log_id))
})

it('fails only the entries of a batch that cannot be written', async () => {
  const audit = new AuditLog(database.db)
  const entries = Array.from({ length: 450 }, (_, i) => entryOf(i % 4 === 0 ? 'device' : 'portal'))
  const bad = new Set([0, 7, 8, 199, 200, 449])
  for (const i of bad) Object.assign(entries[i] ?? {}, { action: null })
  const results = await Promise.allSettled(entries.map((entry) => audit.append(entry)))
  const all = new Set([...(await written('portal_activities')), ...(await written('device_activities'))])
  for (const [i, result] of results.entries()) {
    assert.equal(result.status, bad.has(i) ? 'rejected' : 'fulfilled', String(i))
    assert.equal(all.has(entries[i]?.log_id ?? ''), !bad.has(i), String(i))
  }
})

it('reports an entry that cannot be written as a server error', async () => {
  const audit = new AuditLog(database.db)
  const taken = entryOf('portal')
  await audit.append(taken)
  for (const entry of [taken, { ...entryOf('portal'), ip: undefined as unknown as string }]) {
    const error: unknown = await audit.append(entry).catch((each: unknown) => each)
    assert.ok(toProblem(error).status >= 500)
  }
})
