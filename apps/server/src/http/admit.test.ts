import assert from 'node:assert/strict'
import { after, before, describe, it, mock, test } from 'node:test'
import fc from 'fast-check'
import { openSession } from '../testing/alert-fixture.ts'
import { knownPhone } from '../testing/phones.ts'
import { testServer, type TestServer } from '../testing/server.ts'
import { makeRateLimits, TokenBuckets } from './admit.ts'

const ROLES_OF_ACME = '/admin/v1/api/acme/roles?search=wanted'
const APPROVAL = '01J0000000000000000000ADM1'

describe('the audit of refused calls', () => {
  let server: TestServer
  let acme: number
  before(async () => {
    server = await testServer()
    acme = await server.getId('acme')
  })
  after(() => server?.close())

  const session = (user_reference: string, client = 'acme', roles = ['Auditor']) =>
    openSession(server.ctx, { client, user_reference, roles })
  const status = async (url: string, authorization: string) =>
    (
      await server.app.inject({
        url,
        headers: { authorization, 'user-agent': 'tester' },
        remoteAddress: '10.11.12.13',
      })
    ).statusCode
  const logged = (user_reference: string) =>
    server.sql<Record<string, unknown>>(
      `select client_id, user_ip, browser, action, is_allowed, denial_reason, parameters, status_code, support_reference
       from portal_activities where user_reference = $1 and not is_allowed order by log_id`,
      [user_reference],
    )
  const expected = (change: object) => ({
    client_id: acme,
    user_ip: '10.11.12.13',
    browser: 'tester',
    action: 'roles:list',
    is_allowed: false,
    parameters: '{"params":{"client":"acme"},"query":{"search":"wanted"}}',
    support_reference: null,
    ...change,
  })

  it('records a call of an ended session', async () => {
    const token = await session('ended')
    await server.sql(`update portal_sessions set ended_at = 1 where user_reference = 'ended'`)
    assert.equal(await status(ROLES_OF_ACME, `Bearer ${token}`), 401)
    assert.deepEqual(await logged('ended'), [expected({ status_code: 401, denial_reason: 'session_ended' })])
  })

  it('records a call that no role permits, with its parameters', async () => {
    const token = await session('weak', 'acme', ['Compliance Reviewer'])
    assert.equal(await status(ROLES_OF_ACME, token), 403)
    assert.deepEqual(await logged('weak'), [
      expected({ status_code: 403, denial_reason: 'not_permitted: no role permits roles:list' }),
    ])
  })

  it('records a call from a network that the account does not permit', async () => {
    const token = await session('abroad')
    await server.sql(`update account_defaults set cidr_ranges = '{192.168.0.0/16}' where client_id = $1`, [
      acme,
    ])
    await server.sql('update clients set access_epoch = access_epoch + 1 where client_id = $1', [acme])
    assert.equal(await status(ROLES_OF_ACME, token), 403)
    await server.sql(`update account_defaults set cidr_ranges = '{}' where client_id = $1`, [acme])
    await server.sql('update clients set access_epoch = access_epoch + 1 where client_id = $1', [acme])
    assert.deepEqual(await logged('abroad'), [
      expected({ status_code: 403, denial_reason: 'network_not_permitted' }),
    ])
  })

  it('records support calls for the client if its approval was revoked, else for the provider', async () => {
    const token = await session('erin', 'admin', ['Provider Support'])
    const now = server.ctx.now()
    await server.sql(
      `insert into support_access (client_id, request_reference, role, request_description, requested_expiry, requested_by, requested_at,
         approval_state, approval_expiry, approved_by, updated_at, updated_by)
       values ($1, $2, 'Support Metadata', 'why', $3, 'erin', 1, 'revoked', $3, 'alice', 1, 'alice')`,
      [acme, APPROVAL, now + 1000],
    )
    assert.equal(await status(ROLES_OF_ACME, `Support ${APPROVAL}:${token}`), 403)
    const unknown = '01J0000000000000000000ADM2'
    assert.equal(await status(ROLES_OF_ACME, `Support ${unknown}:${token}`), 403)
    const [revoked, stray, ...more] = await logged('erin')
    assert.deepEqual(more, [])
    assert.deepEqual(
      revoked,
      expected({
        status_code: 403,
        denial_reason: 'support_mode_ended: revoked',
        support_reference: APPROVAL,
      }),
    )
    assert.notEqual(stray?.client_id, acme)
    assert.equal(stray?.denial_reason, 'support_mode_ended: no such request')
  })

  it('records calls of a deactivated device and calls with an expired device token', async () => {
    const { ctx } = server
    const { device_id, tokenAt } = await knownPhone(ctx, 'acme', 'admit phone')
    const [valid, expired] = [await tokenAt(ctx.now()), await tokenAt(ctx.now() - 30 * 86_400)]
    assert.equal(await status('/device/v1/policy', `Bearer ${valid}`), 200)
    assert.equal(await status('/device/v1/policy', `Bearer ${expired}`), 401)
    await server.sql('update devices set is_deactivated = true where device_id = $1', [device_id])
    assert.equal(await status('/device/v1/policy', `Bearer ${valid}`), 401)
    const entries = await server.sql<Record<string, unknown>>(
      `select is_allowed, denial_reason, status_code, device_ip from device_activities
       where device_reference = 'admit phone' order by log_id`,
    )
    const refused = (why: string) => ({
      is_allowed: false,
      denial_reason: `device_authentication_required: ${why}`,
      status_code: 401,
      device_ip: '10.11.12.13',
    })
    assert.deepEqual(entries.slice(1), [refused('token expired'), refused('deactivated')])
  })

  it('records nothing for calls without a valid token', async () => {
    const count = () =>
      server.sql('select count(*) from portal_activities union all select count(*) from device_activities')
    const before = await count()
    for (const authorization of ['', 'Bearer a.b.c', `Bearer ${'A'.repeat(48)}`, 'Support x:a.b.c']) {
      assert.equal(await status(ROLES_OF_ACME, authorization), 401)
      assert.equal(await status('/device/v1/policy', authorization), 401)
    }
    assert.deepEqual(await count(), before)
  })
})

describe('the rate limit', () => {
  let server: TestServer
  before(async () => {
    server = await testServer({ RATE_PORTAL: '1/5', RATE_PUBLIC: '1/4' })
    // The clock of the rate limits stands still, so slow calls refill nothing.
    const at = performance.now()
    mock.method(performance, 'now', () => at)
  })
  after(async () => {
    mock.restoreAll()
    await server?.close()
  })

  const session = (user_reference: string, roles = ['Auditor']) =>
    openSession(server.ctx, { client: 'acme', user_reference, roles })
  const call = (path: string, token?: string) =>
    fetch(server.url + path, token ? { headers: { authorization: `Bearer ${token}` } } : {})
  const calls = (n: number, path: string, token?: string) =>
    Promise.all(Array.from({ length: n }, () => call(path, token)))
  /** Calls `n` times and expects as many successes as the rate limit has tokens. */
  const passed = async (n: number, budget: number, path: string, token?: string) => {
    const answers = await calls(n, path, token)
    const counts = statuses(answers)
    assert.equal(counts[429], n - budget, JSON.stringify(counts))
    assert.equal(Object.keys(counts).length, 2)
    return answers
  }
  const statuses = (answers: readonly Response[]) => {
    const counts: Record<number, number> = {}
    for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
    return counts
  }
  const logged = async (user_reference: string, status_code: number) =>
    await server.sql<{ action: string; parameters: string; user_ip: string; denial_reason: string }>(
      `select action, parameters, user_ip, denial_reason from portal_activities
         where user_reference = $1 and status_code = $2 and not is_allowed`,
      [user_reference, status_code],
    )

  it('returns 429 with retry-after, logs one entry, and does not affect other users', async () => {
    const [ann, ben] = [await session('ann'), await session('ben')]
    const answers = await passed(12, 5, '/admin/v1/api/acme/roles?search=flood', ann)
    const refused = answers.find(({ status }) => status === 429)
    assert.ok(refused)
    assert.equal(refused.headers.get('retry-after'), '1')
    assert.equal(((await refused.json()) as { code: string }).code, 'too_many_requests')
    const entries = await logged('ann', 429)
    assert.equal(entries.length, 1)
    assert.equal(entries[0]?.action, 'roles:list')
    assert.match(entries[0]?.parameters ?? '', /flood/)
    assert.ok(entries[0]?.user_ip)
    assert.deepEqual(statuses(await calls(3, '/admin/v1/api/acme/roles', ben)), { 200: 3 })
  })

  it('counts calls that are refused for missing permissions or an ended session', async () => {
    const token = await session('cem', [])
    await passed(9, 5, '/admin/v1/api/acme/roles', token)
    const gone = await session('dee')
    await server.sql(`update portal_sessions set ended_at = 1 where user_reference = 'dee'`)
    const answers = await passed(9, 5, '/admin/v1/api/acme/roles', gone)
    assert.equal((await logged('dee', 401)).length, statuses(answers)[401])
    assert.equal((await logged('dee', 429)).length, 1)
  })

  it('applies to the network address when the caller is not authenticated', async () => {
    await passed(30, 4, '/admin/v1/api/acme/roles', 'a.b.c')
    assert.ok((await calls(5, '/admin/v1/api/acme/url?client=acme')).some(({ status }) => status === 429))
    // Pages and responses of the embedded identity provider count as well.
    const guess = { headers: { 'x-custodia-inside': 'guessed' } }
    const asked = await Promise.all(Array.from({ length: 9 }, () => fetch(`${server.url}/oidc/jwks`, guess)))
    const refused = asked.find(({ status }) => status === 429)
    assert.ok(refused)
    assert.ok(Number(refused.headers.get('retry-after')) >= 1)
    assert.equal(((await refused.json()) as { code: string }).code, 'too_many_requests')
    const token = await session('eve')
    assert.equal((await call('/admin/v1/api/acme/roles', token)).status, 200, 'who is known is not held up')
    assert.equal((await call('/health')).status, 200)
  })
})

function bucketsAt(rate: { per_second: number; burst: number }) {
  const clock = { ms: 5000 }
  return { clock, buckets: new TokenBuckets(rate, () => clock.ms) }
}

test('returns the seconds to wait, and marks at most one refusal per second as the first', () => {
  const { clock, buckets } = bucketsAt({ per_second: 0.1, burst: 1 })
  assert.equal(buckets.take('a'), undefined)
  assert.deepEqual(buckets.take('a'), { retry_after: 10, is_first: true })
  clock.ms += 999
  assert.deepEqual(buckets.take('a'), { retry_after: 10, is_first: false })
  clock.ms += 1
  assert.deepEqual(buckets.take('a'), { retry_after: 9, is_first: true })
  clock.ms += 8000
  assert.equal(buckets.take('a')?.retry_after, 1)
  clock.ms += 1000
  assert.equal(buckets.take('a'), undefined)
})

test('never allows more than burst + rate × time', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 300 }), (pauses) => {
      const { clock, buckets } = bucketsAt({ per_second: 7, burst: 4 })
      const begin = clock.ms
      let taken = 0
      for (const pause of pauses) {
        clock.ms += pause
        if (!buckets.take('a')) taken++
        assert.ok(taken <= 4 + (7 * (clock.ms - begin)) / 1000 + 1e-6)
      }
    }),
  )
})

test('removes idle buckets, and beyond 100,000 buckets the oldest', () => {
  const { clock, buckets } = bucketsAt({ per_second: 1, burst: 2 })
  for (let i = 0; i < 10_000; i++) buckets.take(`a${i}`)
  clock.ms += 3000
  buckets.take('b')
  assert.equal(buckets.size, 1)
  for (let i = 0; i < 150_000; i++) buckets.take(`c${i}`)
  assert.equal(buckets.size, 100_000)
})

test('counts the addresses of an IPv6 /64 network together, and other addresses separately', () => {
  const limits = makeRateLimits({ portal: null, device: null, public: { per_second: 1, burst: 1 } }, () => 0)
  const passes = (ip: string) => limits.ofAddress(ip) === undefined
  assert.ok(passes('2001:db8:1:2::1'))
  assert.ok(!passes('2001:db8:1:2:ffff:1:1:1'))
  assert.ok(passes('2001:db8:1:3::1'))
  assert.ok(passes('2001:db8::1'))
  assert.ok(!passes('2001:db8:0:0:5::'))
  assert.ok(passes('::1'))
  for (const ip of ['10.0.0.1', '10.0.0.2', '::ffff:10.0.0.1']) assert.ok(passes(ip), ip)
  assert.ok(!passes('10.0.0.1'))
  const passing = Array.from({ length: 20 }, (_, n) => passes(`2001:db8:9:${n}::1`)).filter(Boolean)
  assert.equal(passing.length, 4, 'one customer may have 65,536 networks')
  assert.ok(passes('2001:db8:8:1::1'))
})

test('keeps separate budgets for users, client apps, support staff and devices of the same name', () => {
  const rate = { per_second: 1, burst: 1 }
  const limits = makeRateLimits({ portal: rate, device: rate, public: null }, () => 0)
  const person = {
    kind: 'portal',
    client_id: 1,
    user_reference: 'x',
    user_group: null,
    group_id: null,
    roles: [],
  } as const
  const phone = {
    kind: 'device',
    client_id: 1,
    client: 'c',
    device_id: 1,
    device_reference: 'x',
    device_user_reference: null,
    group_reference: 'g',
    group_id: 1,
  } as const
  const callers = [
    person,
    { ...person, client_id: 2 },
    { ...person, is_client_app: true },
    { ...person, support_reference: 's' },
    phone,
    { ...phone, client_id: 2 },
  ]
  for (const caller of callers) assert.equal(limits.ofCaller(caller), undefined)
  for (const caller of callers) assert.ok(limits.ofCaller(caller))
  assert.equal(limits.ofAddress('10.0.0.1'), undefined, 'off is off')
  assert.equal(limits.ofAddress('10.0.0.1'), undefined, 'off is off')
})
