import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { demoPhone } from '../../testing/phones.ts'
import { testServer, type TestServer } from '../../testing/server.ts'
import { CODE_SECONDS, issueVerification } from './verify.ts'
import { purgeVerifications } from './jobs.ts'
import { VERIFIED_SECONDS } from '../number-custody.ts'

interface Device {
  client_id: number
  device_id: number
}

describe('verification of a phone number', () => {
  let server: TestServer
  let harriet: Device
  let tom: Device
  before(async () => {
    server = await testServer()
    for (const name of ['Harriet', 'Tom'])
      await (await demoPhone(server.ctx.config.dataDir, server.url, name)).authenticate()
    const found = await server.sql('select client_id, device_id from devices order by client_id')
    ;[harriet, tom] = found as [Device, Device]
  })
  after(() => server?.close())
  beforeEach(() => server.sql('delete from number_verifications'))

  const issue = ({ client_id, device_id }: Device, now = server.ctx.now()) =>
    server.ctx.db.write(client_id, (tx) => issueVerification(tx, { device_id, now }))
  const report = async (verification_code: string, phone_number = '+44 7700 900555') => {
    const response = await fetch(`${server.url}/admin/v1/internal/verify`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ phone_number, verification_code }),
    })
    return { status: response.status, body: await response.text() }
  }
  const numbersOf = ({ device_id }: Device) =>
    server.sql<{ phone_number: string; first_verified: number | null; last_verified: number | null }>(
      `select phone_number, slot_index, first_verified, last_verified from device_numbers
       where device_id = $1 and to_at is null order by claim_id desc`,
      [device_id],
    )
  const activities = async () => {
    const rows = await server.sql(
      `select client_id, device_user_reference, parameters from device_activities join groups using (client_id, group_id)
       where action = 'verify' order by log_id`,
    )
    return rows as { client_id: number; device_user_reference: string; parameters: string }[]
  }
  const REFUSED = { status: 200, body: '{"is_verified":false,"verified_until":null}' }

  it('verifies the number of the device that sent the code, and logs it once', async () => {
    const code = await issue(harriet)
    assert.match(code, /^[0-9A-HJKMNP-TV-Z]{26}$/)
    const others = await numbersOf(tom)
    const { status, body } = await report(code)
    const now = server.ctx.now()
    const answer = JSON.parse(body) as { is_verified: boolean; verified_until: number }
    assert.deepEqual([status, answer.is_verified], [200, true])
    assert.ok(Math.abs(answer.verified_until - now - VERIFIED_SECONDS) < 60)
    const [number, ...known] = await numbersOf(harriet)
    assert.equal(number?.phone_number, '+447700900555')
    assert.ok(number && Math.abs((number.first_verified ?? 0) - now) < 60)
    assert.deepEqual(
      known.map(({ phone_number, last_verified }) => [phone_number, last_verified]),
      [['+447700900101', null]],
    )
    assert.deepEqual(await numbersOf(tom), others)
    const [entry, ...more] = await activities()
    assert.ok(entry && more.length === 0)
    assert.deepEqual([entry.client_id, entry.device_user_reference], [harriet.client_id, 'Harriet Cole'])
    assert.ok(!entry.parameters.includes(code))
    assert.deepEqual(await report(code), REFUSED, 'a second time')
    assert.equal((await activities()).length, 1)
  })

  it('renews a known number and keeps the time when it was first verified', async () => {
    await server.sql('update device_numbers set to_at = from_at where device_id = $1', [tom.device_id])
    await server.sql(
      `insert into device_numbers (client_id, device_id, phone_number, slot_index, from_at, last_reported, first_verified, last_verified)
       values ($1, $2, '+447700900201', 1, 4, 4, 5, 6)`,
      [tom.client_id, tom.device_id],
    )
    assert.equal((await report(` ${(await issue(tom)).toLowerCase()} `, '447700900201')).status, 200)
    const [number, ...more] = await numbersOf(tom)
    assert.ok(number && (number.last_verified ?? 0) > 6)
    assert.deepEqual(
      [{ ...number, last_verified: 0 }, more],
      [{ phone_number: '+447700900201', slot_index: 1, first_verified: 5, last_verified: 0 }, []],
    )
  })

  it('gives the same answer to unknown, expired and partly wrong codes, without using up the code', async () => {
    const before = await activities()
    const expired = await issue(harriet, server.ctx.now() - CODE_SECONDS)
    const fresh = await issue(harriet)
    for (const code of [expired, '0'.repeat(26), `${fresh.slice(0, 25)}!`, fresh.slice(1)])
      assert.deepEqual(await report(code), REFUSED)
    assert.deepEqual(await report(fresh, 'Example Bank'), REFUSED, 'not a number')
    assert.equal((await report('short')).status, 400)
    assert.deepEqual(await activities(), before)
    assert.match((await report(fresh)).body, /"is_verified":true/, 'the refused reports did not use the code')
  })

  it('accepts a code once when it is reported several times at the same time', async () => {
    const code = await issue(harriet)
    const answers = await Promise.all(Array.from({ length: 8 }, () => report(code)))
    assert.equal(answers.filter(({ body }) => body.includes('true')).length, 1)
  })

  it('stores no plain code, issues none for devices of another client, and deletes old codes', async () => {
    const code = await issue(harriet)
    const rows = await server.sql('select t::text as row from number_verifications t')
    assert.ok(rows.length === 1 && !rows[0]?.row.includes(code))
    await assert.rejects(issue({ client_id: tom.client_id, device_id: harriet.device_id }), {
      code: 'not_found',
    })
    const day = 86_400
    await issue(tom, server.ctx.now() - 31 * day)
    await purgeVerifications.run(server.ctx, {}, new AbortController().signal)
    const left = await server.sql('select device_id from number_verifications')
    assert.deepEqual(left, [{ device_id: harriet.device_id }])
  })
})
