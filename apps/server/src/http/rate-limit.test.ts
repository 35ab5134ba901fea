import assert from 'node:assert/strict'
import { after, before, describe, it, mock } from 'node:test'
import { openSession } from '../testing/session.ts'
import { testServer, type TestServer } from '../testing/server.ts'

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
    await server.sql<{
      action: string
      parameters: string
      user_ip: string
      denial_reason: string
    }>(
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
