import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { knownPhone } from '../testing/known-phone.ts'
import { openSession } from '../testing/session.ts'
import { testServer, type TestServer } from '../testing/server.ts'

const ROLES_OF_ACME = '/admin/v1/api/acme/roles?search=wanted'
const APPROVAL = '01J0000000000000000000ADM1'

describe('the audit of refused calls', () => {
  let server: TestServer
  let acme: number
  before(async () => {
    server = await testServer()
    acme = await server.idOf('acme')
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
