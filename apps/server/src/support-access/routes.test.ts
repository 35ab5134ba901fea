import assert from 'node:assert/strict'
import { createPublicKey, randomBytes } from 'node:crypto'
import { after, describe, it } from 'node:test'
import { ApiProblem, makeClient } from '@custodia/client'
import { openPerson, roleInput } from '../testing/access-fixture.ts'
import { assertVerifiedOffline } from '../testing/offline-verifier.ts'
import { testServer } from '../testing/server.ts'
import { storePayload } from '../testing/stored-payload.ts'
import { readSlowly } from '../testing/waits.ts'
import { checkSupportReport } from './session.ts'

const HOUR = 3600

/** Bytes: more than fit between a server and a client that does not read. */
const SIZE = 40_000_000

const server = await testServer()
after(() => server.close())
const alice = await openPerson(server, 'acme', 'alice')
const dave = await openPerson(server, 'admin', 'dave')
const erin = await openPerson(server, 'admin', 'erin')
const ERIN = 'Erin Walsh'

describe('support mode', () => {
  const now = () => server.ctx.now()
  const ask = async (role = 'Support Metadata', client = 'acme') => {
    const body = { role, request_description: 'A phone does not upload', requested_expiry: now() + 2 * HOUR }
    return (await erin.api.requestSupportAccess({ params: { client }, body })).request_reference
  }
  const approve = (request_reference: string) =>
    alice.api.decideSupportAccess({
      params: { request_reference },
      body: { approval_state: 'approved', approval_expiry: now() + HOUR },
    })
  const revoke = (request_reference: string) =>
    alice.api.decideSupportAccess({ params: { request_reference }, body: { approval_state: 'revoked' } })
  const approved = async (role?: string) => {
    const reference = await ask(role)
    await approve(reference)
    return reference
  }
  /** The portal of a member of staff in support mode. */
  const as = (support_reference: string, staff = erin, client = 'acme') =>
    makeClient({
      baseUrl: server.url,
      client: () => client,
      credentials: async () => ({ token: staff.id_token, support_reference }),
    })
  const call = async (reference: string, path: string, init: RequestInit = {}, staff = erin) => {
    const answer = await fetch(`${server.url}${path}`, {
      ...init,
      headers: { authorization: `Support ${reference}:${staff.id_token}`, ...init.headers },
    })
    const body = (await answer.json()) as { code?: string }
    return [answer.status, body.code ?? ''].join(' ').trim()
  }
  const refused = (made: Promise<unknown>, code: string) =>
    assert.rejects(made, (error) => {
      assert.ok(error instanceof ApiProblem, String(error))
      assert.equal(error.code, code)
      return true
    })
  const PROFILE = '/admin/v1/api/acme/profile'

  it('lets staff act in the client under the approved role', async () => {
    const reference = await approved()
    const profile = await as(reference).readProfile({})
    assert.deepEqual(
      [profile.client, profile.user_reference, profile.roles, profile.is_provider, profile.support?.role],
      ['acme', 'erin', ['Support Metadata'], false, 'Support Metadata'],
    )
    assert.equal(profile.support?.request_reference, reference)
    assert.ok(profile.actions.includes('payloads:list'))
    assert.ok(!profile.actions.some((action) => /^(internal|supportaccess|roles:create)/.test(action)))
    await as(reference).listPayloads({})
    await refused(
      as(reference).readPayloadData({ params: { payload_reference: '0'.repeat(26) } }),
      'not_permitted',
    )
  })

  it('ends with the next request after it is revoked or expires', async () => {
    const reference = await approved()
    assert.equal(await call(reference, PROFILE), '200')
    await revoke(reference)
    assert.equal(await call(reference, PROFILE), '403 support_mode_ended')
    const other = await approved()
    assert.equal(await call(other, PROFILE), '200')
    await server.sql('update support_access set approval_expiry = $2 where request_reference = $1', [
      other,
      now(),
    ])
    assert.equal(await call(other, PROFILE), '403 support_mode_ended')
  })

  it('requires an approved request of the same staff member', async () => {
    const pending = await ask()
    assert.equal(await call(pending, PROFILE), '403 support_mode_ended')
    const reference = await approved()
    assert.equal(await call(reference, PROFILE, {}, dave), '403 support_mode_ended')
    assert.equal(await call(reference, PROFILE, {}, alice), '403 support_mode_ended')
    for (const invented of ['01ARZ3NDEKTSV4RRFFQ69G5FAV', 'x', "'--"])
      assert.equal(await call(invented, PROFILE), '403 support_mode_ended', invented)
    assert.equal(await call('', PROFILE), '401 authentication_required')
    const garbage = { headers: { authorization: `Support ${reference}:a.b.c` } }
    assert.equal(await call(reference, PROFILE, garbage), '401 authentication_required')
  })

  it('is limited to the approved client and its portal', async () => {
    const reference = await approved()
    assert.equal(await call(reference, '/admin/v1/api/globex/profile'), '404 not_found')
    assert.equal(await call(reference, '/admin/v1/api/admin/profile'), '404 not_found')
    assert.equal(await call(reference, '/client/v1/api/payloads?client=globex'), '404 not_found')
    assert.equal(await call(reference, '/client/v1/api/payloads?client=acme'), '200')
    assert.equal(await call(reference, '/client/v1/api/payloads'), '200')
    assert.equal(await call(reference, '/admin/v1/internal/clients/acme/supportaccess'), '404 not_found')
  })

  it('cannot grant rights through tags that it does not have itself', async () => {
    const staff = as(await approved('Account Administrator'))
    const params = { tag_key: 'desk' }
    await staff.saveTag({ params, body: { tag_values: null, is_required: false, default_value: null } })
    await alice.api.saveRole({
      params: { role_reference: 'Desk transfers' },
      body: {
        description: '',
        ...roleInput([
          {
            actions_matching: ['devices.commands:send'],
            conditions: [{ keys_matching: ['desk'], values_matching: ['rates'] }],
          },
        ]),
      },
    })
    const tag = (by: typeof staff, value: string) =>
      by.saveGroup({ params: { group_reference: 'North' }, body: { tags: [{ key: 'desk', value }] } })
    await tag(staff, 'credit')
    await refused(tag(staff, 'rates'), 'escalation')
    await tag(alice.api, 'rates')
  })

  it('grants no permissions after the approved role is deleted', async () => {
    await server.sql(
      `insert into roles select client_id, 'Passing', $1, 0, 'test' from clients where client = 'acme'`,
      [
        {
          role_reference: 'Passing',
          permissions: [{ actions_matching: ['*'] }],
          payload_types: [],
          cidr_ranges: [],
          alert_permissions: { ops_read: true, ops_write: true, sec_read: true, sec_write: true },
          is_alertable: false,
          is_system: false,
        },
      ],
    )
    const renew = () => server.sql(`update clients set access_epoch = access_epoch + 1 where client = 'acme'`)
    await renew()
    const reference = await approved('Passing')
    assert.equal(await call(reference, '/client/v1/api/payloads'), '200')
    await server.sql(`delete from roles where role_reference = 'Passing'`)
    await renew()
    assert.equal(await call(reference, '/client/v1/api/payloads'), '403 not_permitted')
    assert.deepEqual((await as(reference).readProfile({})).actions, [])
  })

  it('requires permitted networks of both accounts, a support role and accepted terms', async () => {
    const reference = await approved()
    const confine = async (client: string, ranges: string[]) => {
      await server.sql(
        `update account_defaults set cidr_ranges = $2 where client_id = (select client_id from clients where client = $1)`,
        [client, ranges],
      )
      await server.sql('update clients set access_epoch = access_epoch + 1 where client = $1', [client])
    }
    for (const client of ['acme', 'admin']) {
      await confine(client, ['10.0.0.0/8'])
      assert.equal(await call(reference, PROFILE), '403 network_not_permitted', client)
      await confine(client, [])
      assert.equal(await call(reference, PROFILE), '200', client)
    }
    await server.sql(`update portal_sessions set roles = '{Auditor}' where user_reference = 'erin'`)
    assert.equal(await call(reference, PROFILE), '403 not_permitted')
    await server.sql(`update portal_sessions set roles = '{Provider Support}' where user_reference = 'erin'`)
    await server.sql(`delete from terms_acceptances where user_reference = 'erin'`)
    assert.equal(await call(reference, PROFILE), '403 terms_required')
    await erin.api.acceptTerms({ body: { version: '2026-11' } })
    assert.equal(await call(reference, PROFILE), '200')
  })

  it('ends with the session of the staff member', async () => {
    const reference = await approved()
    const again = await openPerson(server, 'admin', 'erin')
    assert.equal(await call(reference, PROFILE, {}, again), '200')
    await again.api.signOut({})
    assert.equal(await call(reference, PROFILE, {}, again), '401 session_ended')
  })

  it('is audited for both accounts at start and end, and for the client at each call', async () => {
    const params = { client: 'acme', request_reference: await ask() }
    const input = { params, query: {} }
    await refused(erin.api.startSupportMode(input), 'support_mode_ended')
    await approve(params.request_reference)
    await refused(dave.api.startSupportMode(input), 'support_mode_ended')
    assert.equal((await erin.api.startSupportMode(input)).approval_state, 'approved')
    await as(params.request_reference).listPayloads({})
    await refused(
      as(params.request_reference).readPayloadData({
        params: { payload_reference: '0'.repeat(26) },
        query: { action: 'play' },
      }),
      'not_permitted',
    )
    await revoke(params.request_reference)
    await refused(erin.api.startSupportMode(input), 'support_mode_ended')
    await refused(dave.api.endSupportMode(input), 'not_found')
    assert.equal((await erin.api.endSupportMode(input)).approval_state, 'revoked')
    const rows = await server.sql(
      `select c.client, a.action, a.is_allowed, a.user_ip <> '' as has_ip, a.roles from portal_activities a join clients c using (client_id)
       where a.support_reference = $1 order by a.log_id`,
      [params.request_reference],
    )
    const roles = ['Support Metadata']
    assert.deepEqual(rows, [
      { client: 'acme', action: 'payloads:list', is_allowed: true, has_ip: true, roles },
      { client: 'acme', action: 'payloads:play', is_allowed: false, has_ip: true, roles },
    ])
    const both = await server.sql<{ client: string; action: string }>(
      `select c.client, a.action from portal_activities a join clients c using (client_id)
       where a.action like 'internal.support_mode:%' and a.is_allowed and a.status_code = 200 order by a.action, c.client`,
    )
    assert.deepEqual(
      both.map(({ client, action }) => `${client} ${action}`),
      [
        'acme internal.support_mode:end',
        'admin internal.support_mode:end',
        'acme internal.support_mode:start',
        'admin internal.support_mode:start',
      ],
    )
  })

  it('shows each step in order to the client, and to the provider without names', async () => {
    const payload_reference = await storePayload(server.ctx, { client: 'acme', group: 'North' })
    const reference = await approved()
    const request = { params: { client: 'acme', request_reference: reference } }
    const staff = as(reference)
    await erin.api.startSupportMode(request)
    await staff.readProfile({})
    for (const search of ['secret', 'secret']) await staff.listDevices({ query: { search } })
    await staff.readPayload({ params: { payload_reference } })
    await refused(
      staff.readPayloadData({ params: { payload_reference }, query: { action: 'play' } }),
      'not_permitted',
    )
    await erin.api.endSupportMode(request)
    await server.sql(
      `update portal_activities set activity_time = activity_time - 150 where action = 'internal.support_mode:start' and parameters like $1`,
      [`%${reference}%`],
    )
    await server.sql(
      'update support_access set requested_at = requested_at - 200 where request_reference = $1',
      [reference],
    )

    // A person of the client with the sign-in name of the staff member has another name.
    await server.sql(
      `insert into oidc_people (client, user_reference, password_hash, roles, description, display_name) values ('acme', 'erin', '', '{}', '', 'Erin Other')`,
    )
    const seen = await alice.api.readSupportSession({ params: { request_reference: reference } })
    const provider = await dave.api.readSupportSessionOfClient({ ...request })
    for (const { steps, step_count, seconds, actions } of [seen, provider]) {
      assert.deepEqual(
        steps.map(({ action, is_allowed }) => `${action}${is_allowed ? '' : ' refused'}`),
        [
          'internal.support_mode:start',
          'devices:list',
          'payloads:read',
          'payloads:play refused',
          'internal.support_mode:end',
        ],
      )
      assert.equal(step_count, 5)
      assert.deepEqual(new Set(steps.map(({ names }) => names['who'])), new Set([ERIN]))
      assert.ok(seconds >= 150 && seconds < 200, String(seconds))
      assert.ok(actions.includes('payloads:read') && !actions.includes('payloads:play'))
    }
    assert.equal(seen.steps[2]?.recording?.seen?.payload_type, 'Call')
    assert.equal(seen.request.requester_name, ERIN)
    assert.equal(provider.request.requester_name, ERIN)
    const inLog = await alice.api.listActivities({ query: { users: ['erin'] } })
    assert.ok('data' in inLog)
    const named = inLog.data.filter(({ parameters }) => parameters.includes(reference))
    assert.deepEqual(new Set(named.map(({ names }) => names['who'])), new Set([ERIN]))
    assert.match(seen.steps[1]?.parameters ?? '', /secret/)
    assert.deepEqual(provider.steps[2]?.recording, { payload_reference, seen: null })
    assert.doesNotMatch(JSON.stringify(provider.steps), /secret/)

    const report = () => alice.api.readSupportReport({ params: { request_reference: reference } })
    await refused(report(), 'wrong_state')
    await revoke(reference)
    const text = JSON.stringify(await report(), null, 2)
    const { keys } = await alice.api.readCertificateKeys({})
    const check = (file: string) =>
      checkSupportReport(
        file,
        keys.map(({ public_key_pem }) => createPublicKey(public_key_pem)),
      )
    const good = check(text)
    assert.ok(good.outcome === 'good')
    assert.equal(good.result.session.step_count, 5)
    assert.equal(check(text.replace('devices:list', 'devices:read')).outcome, 'altered')
    await assertVerifiedOffline(server.ctx.keys, await report(), 'Report of a support session')
  })

  it('shows content only under a role that may play it', async () => {
    const text = 'Buy at noon'
    const sms = await storePayload(server.ctx, {
      client: 'acme',
      group: 'North',
      payload_type: 'SMS',
      bytes: Buffer.from(JSON.stringify({ text })),
      content_type: 'application/json',
      text,
      document: { thread_id: 't', length: 11, parties: [{ phone_number: '+44', contact_name: 'Ben' }] },
    })
    const photo = await storePayload(server.ctx, {
      client: 'acme',
      group: 'North',
      payload_type: 'Photo',
      bytes: Buffer.from('a picture'),
      document: { notes: 'Secret plan' },
      meta: { payload_notes: 'Secret plan in full', timezone: 'UTC' },
    })
    const thread = { params: { device_reference: `phone ${sms}`, thread_id: 't' }, query: {} }
    assert.match(JSON.stringify(await alice.api.readThread(thread)), /Buy at noon/, 'there to be read')
    const everything = async (reference: string) => {
      const staff = as(reference)
      const texts: unknown[] = [await staff.listPayloads({ query: { limit: 200 } })]
      for (const payload_reference of [sms, photo]) {
        const params = { payload_reference }
        const calls = [
          staff.readPayload({ params }),
          staff.readPayloadPeaks({ params }),
          staff.readPayloadData({ params, query: { action: 'play' } }),
          staff.readPayloadData({ params, query: { action: 'download' } }),
          staff.readPayloadAudit({ params }),
          staff.readThread(thread),
        ]
        texts.push(
          ...(await Promise.allSettled(calls)).map((each) => (each.status === 'fulfilled' ? each.value : '')),
        )
      }
      return JSON.stringify(texts)
    }
    const metadata = await everything(await approved('Support Metadata'))
    assert.match(metadata, new RegExp(sms))
    assert.match(metadata, /"length":11/)
    assert.doesNotMatch(metadata, /Secret plan|Buy at noon|s3_url/)
    const auditor = await everything(await approved('Auditor'))
    assert.doesNotMatch(auditor, /Secret plan|Buy at noon|s3_url/)
    const content = await everything(await approved('Support Content'))
    assert.match(content, /Secret plan in full/)
    assert.match(content, /s3_url/)
    assert.doesNotMatch(content, /Buy at noon/, 'reading conversations is a right of its own')
  })

  it('issues data addresses that end with the approval, even during a download', async () => {
    const payload_reference = await storePayload(server.ctx, {
      client: 'acme',
      group: 'North',
      bytes: randomBytes(SIZE),
    })
    const getAddress = async (reference: string) => {
      const answer = await as(reference).readPayloadData({
        params: { payload_reference },
        query: { action: 'play' },
      })
      assert.equal(answer.status, 'Ok')
      return new URL(answer.s3_url ?? '').pathname
    }
    const endings: [string, (reference: string) => Promise<unknown>][] = [
      ['revoked', revoke],
      [
        'expired',
        (reference) =>
          server.sql('update support_access set approval_expiry = $2 where request_reference = $1', [
            reference,
            now(),
          ]),
      ],
      [
        'signed out',
        () => server.sql(`update portal_sessions set ended_at = 1 where user_reference = 'erin'`),
      ],
    ]
    for (const [name, end] of endings) {
      const reference = await approved('Support Content')
      const [running, later] = [await getAddress(reference), await getAddress(reference)]
      assert.equal((await alice.fetch(later)).status, 403, 'it is not for the client’s people')
      const reader = await readSlowly(`${server.url}${running}`, { cookie: erin.cookie() })
      await end(reference)
      await reader.closed()
      const { is_whole, bytes: read } = await reader.finish()
      assert.ok(!is_whole && read < SIZE, `${read} bytes arrived`)
      assert.equal((await erin.fetch(later)).status, 403, name)
    }
    const audit = await alice.api.readPayloadAudit({ params: { payload_reference } })
    assert.equal(audit.records.length, 3)
    assert.ok(audit.records.every(({ portal_user }) => portal_user === 'erin (support)'))
  })
})
