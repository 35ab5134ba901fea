import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { playerFixture } from './player-fixture.test-support.ts'

interface Logged {
  log_id: string
  user_reference: string
  user_ip: string
  browser: string | null
  roles: string[]
  action: string
  is_allowed: boolean
  denial_reason: string | null
  status_code: number
}

describe('the use of a data address', () => {
  let fixture: Awaited<ReturnType<typeof playerFixture>>
  before(async () => {
    fixture = await playerFixture(Buffer.from('a recorded call'))
  })
  after(() => fixture?.close())

  async function address() {
    const path = await fixture.addressOf(fixture.carol)
    const [token = ''] = path.replace('/media/', '').split('.')
    const [id] = JSON.parse(Buffer.from(token, 'base64url').toString()) as [string]
    return { path, id }
  }
  const logged = (id: string) =>
    fixture.sql<Logged>(
      `select log_id, user_reference, user_ip, browser, roles, action, is_allowed, denial_reason, status_code from portal_activities
       where parameters::jsonb ->> 'data_address' = $1 and parameters::jsonb ->> 'payload_reference' = $2 order by log_id`,
      [id, fixture.payload_reference],
    )
  const get = (path: string, headers: Record<string, string> = {}) =>
    fixture.server.app.inject({
      url: path,
      headers: { cookie: fixture.carol.cookie(), 'user-agent': 'Player 1', ...headers },
    })

  it('is audited with user, network and browser, once per address and network', async () => {
    const { path, id } = await address()
    assert.deepEqual(await logged(id), [], 'an address is no use yet')
    for (const range of ['bytes=0-3', 'bytes=4-7', 'bytes=8-'])
      assert.equal((await get(path, { range })).statusCode, 206)
    const [first, ...rest] = await logged(id)
    assert.deepEqual(rest, [])
    const { log_id, ...entry } = first ?? assert.fail('no entry')
    assert.deepEqual(entry, {
      user_reference: 'carol',
      user_ip: '127.0.0.1',
      browser: 'Player 1',
      roles: ['Player'],
      action: 'payloads:play',
      is_allowed: true,
      denial_reason: null,
      status_code: 206,
    })
    const there = { url: path, headers: { cookie: fixture.carol.cookie() }, remoteAddress: '192.0.2.7' }
    for (const _again of [1, 2]) assert.equal((await fixture.server.app.inject(there)).statusCode, 200)
    const both = await logged(id)
    assert.deepEqual(
      both.map(({ user_ip }) => user_ip),
      ['127.0.0.1', '192.0.2.7'],
    )
    const audit = await fixture.sql<{ log_id: string }>(
      `select log_id from payload_audit join payloads using (client_id, payload_id) where payload_reference = $1 order by log_id`,
      [fixture.payload_reference],
    )
    assert.deepEqual(
      audit.map((record) => record.log_id),
      both.map((record) => record.log_id),
    )
    assert.ok(both.some((record) => record.log_id === log_id))
  })

  it('creates one entry for parallel requests', async () => {
    const { path, id } = await address()
    const answers = await Promise.all(Array.from({ length: 8 }, () => get(path)))
    assert.ok(answers.every(({ statusCode }) => statusCode === 200))
    assert.equal((await logged(id)).length, 1)
  })

  it('returns no data when the entry cannot be written', async () => {
    const { path, id } = await address()
    for (const table of ['portal_activities', 'payload_audit']) {
      await fixture.sql(`revoke insert on ${table} from custodia_app`)
      try {
        const { statusCode, body } = await get(path)
        assert.ok(statusCode >= 500, String(statusCode))
        assert.doesNotMatch(body, /recorded call/)
      } finally {
        await fixture.sql(`grant insert on ${table} to custodia_app`)
      }
    }
    assert.deepEqual(await logged(id), [])
    assert.equal((await get(path)).statusCode, 200)
    assert.equal((await logged(id)).length, 1)
  })

  it('is audited with the reason when it is refused, unless the address is forged', async () => {
    const before = await fixture.sql('select log_id from portal_activities')
    const { path, id } = await address()
    assert.equal((await get(`${path.slice(0, -4)}AAAA`)).statusCode, 403)
    assert.equal((await get('/media/nonsense')).statusCode, 403)
    assert.equal((await fixture.sql('select log_id from portal_activities')).length, before.length + 1)
    const reasons = async () =>
      (await logged(id)).map(({ is_allowed, status_code, user_reference, denial_reason }) =>
        [is_allowed, status_code, user_reference, denial_reason].join(' '),
      )
    const refusal = (reason: string) => `false 403 carol ${reason}`
    const expected: string[] = []
    const refused = async (reason: string, headers?: Record<string, string>) => {
      // A second time within the minute makes no entry.
      for (const _again of [1, 2]) assert.equal((await get(path, headers)).statusCode, 403, reason)
      expected.push(refusal(reason))
      assert.deepEqual(await reasons(), expected)
    }
    await refused('address_expired: another session', { cookie: fixture.alice.cookie() })
    await fixture.sql(`update portal_sessions set roles = '{}' where user_reference = 'carol'`)
    await refused('not_permitted: GroupNotAuthorised')
    await fixture.sql(`update portal_sessions set ended_at = 1 where user_reference = 'carol'`)
    await refused('address_expired: its session has ended')
    await fixture.sql(
      `update portal_sessions set roles = '{Player}', ended_at = null where user_reference = 'carol'`,
    )
    const away = await fixture.server.app.inject({ url: path, remoteAddress: '192.0.2.7' })
    assert.equal(away.statusCode, 403)
    assert.equal((await logged(id)).at(-1)?.user_ip, '192.0.2.7', 'from where it was tried')
  })

  it('creates one entry for parallel refusals, and returns 5xx while it cannot be written', async () => {
    const { path, id } = await address()
    const headers = { cookie: fixture.alice.cookie() }
    const many = async () =>
      new Set(
        (await Promise.all(Array.from({ length: 60 }, () => get(path, headers)))).map((a) => a.statusCode),
      )
    await fixture.sql('revoke insert on portal_activities from custodia_app')
    try {
      for (const status of await many()) assert.ok(status >= 500, String(status))
    } finally {
      await fixture.sql('grant insert on portal_activities to custodia_app')
    }
    assert.deepEqual([...(await many())], [403])
    assert.deepEqual(
      (await logged(id)).map(({ denial_reason }) => denial_reason),
      ['address_expired: another session'],
    )
  })

  it('is audited when the address has expired', async (t) => {
    const { path, id } = await address()
    const late = Date.now() + 61_000
    t.mock.timers.enable({ apis: ['Date'], now: late })
    assert.equal((await get(path)).statusCode, 403)
    t.mock.timers.reset()
    assert.deepEqual(
      (await logged(id)).map(({ denial_reason }) => denial_reason),
      ['address_expired: expired'],
    )
  })
})
