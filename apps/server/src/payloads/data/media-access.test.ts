import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, beforeEach, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { makeClient } from '@custodia/client'
import { allow, openPerson, type Person, playerFixture, PLAYS } from '../../testing/access-fixture.ts'
import { readSlowly } from '../../testing/waits.ts'
import { RESPONSES_EACH } from './address.ts'

/** Bytes: more than the buffers between a server and a client that does not read. */
const SIZE = 40_000_000
/** Milliseconds within which a running response repeats the permission check. */
const LONG_ENOUGH = 2500

const fixture = await playerFixture(randomBytes(SIZE))
after(() => fixture.close())

describe('permissions at a data address', () => {
  let carol: Person
  beforeEach(async () => {
    await fixture.giveRole('Player', PLAYS)
    carol = await fixture.personWith(['Player'])
  })

  const { sql, change, confine } = {
    sql: (text: string, values: unknown[] = []) => fixture.sql(text, values),
    /** Changes permissions of a client directly in the database, like the server's own writes. */
    async change(text: string, values: unknown[] = [], client = 'acme') {
      await fixture.sql(text, values)
      await fixture.sql('update clients set access_epoch = access_epoch + 1 where client = $1', [client])
    },
    confine: (ranges: string[], client = 'acme') =>
      change(
        `update account_defaults set cidr_ranges = $1 where client_id = (select client_id from clients where client = $2)`,
        [ranges, client],
        client,
      ),
  }
  const range = { range: 'bytes=0-99' }
  const codeAt = async (path: string, person = carol) => {
    const answer = await person.fetch(path, { headers: range })
    return answer.ok ? answer.status : ((await answer.json()) as { code: string }).code
  }

  it('are checked again with the next request', async () => {
    const path = await fixture.getAddress(carol)
    assert.equal(await codeAt(path), 206)
    const endings: Record<string, [() => Promise<unknown>, string]> = {
      'role deleted': [() => change(`delete from roles where role_reference = 'Player'`), 'not_permitted'],
      'another group': [
        () =>
          fixture.giveRole('Player', [
            { ...allow('payloads:*'), conditions: [{ names_matching: ['South'] }] },
          ]),
        'not_permitted',
      ],
      'another type': [() => fixture.giveRole('Player', PLAYS, { payload_types: ['SMS'] }), 'not_permitted'],
      'another action': [() => fixture.giveRole('Player', [allow('payloads:download')]), 'not_permitted'],
      'networks of the role': [
        () => fixture.giveRole('Player', PLAYS, { cidr_ranges: ['10.0.0.0/8'] }),
        'not_permitted',
      ],
      'networks of the account': [() => confine(['10.0.0.0/8']), 'network_not_permitted'],
      'another role': [
        () => sql(`update portal_sessions set roles = '{Auditor}' where user_reference = 'carol'`),
        'not_permitted',
      ],
      'confined elsewhere': [
        () => sql(`update portal_sessions set groups = '{South}' where user_reference = 'carol'`),
        'not_permitted',
      ],
    }
    for (const [name, [end, code]] of Object.entries(endings)) {
      await end()
      assert.equal(await codeAt(path), code, name)
      await fixture.giveRole('Player', PLAYS)
      await confine([])
      await sql(`update portal_sessions set roles = '{Player}', groups = null where user_reference = 'carol'`)
      assert.equal(await codeAt(path), 206, `after ${name}`)
    }
  })

  it('end a running response when they are revoked', async () => {
    const endings: [() => Promise<unknown>, string][] = [
      [
        () => change(`delete from roles where role_reference = 'Player'`),
        'not_permitted: GroupNotAuthorised',
      ],
      [() => confine(['10.0.0.0/8']), 'network_not_permitted'],
    ]
    for (const [end, reason] of endings) {
      const path = await fixture.getAddress(carol)
      const running = await readSlowly(`${fixture.server.url}${path}`, { cookie: carol.cookie() })
      await end()
      await running.closed()
      const { is_whole, bytes } = await running.finish()
      assert.ok(!is_whole && bytes < SIZE, `${bytes} bytes arrived`)
      const entries = await fixture.sql<{ denial_reason: string | null }>(
        `select denial_reason from portal_activities
         where parameters::jsonb ->> 'data_address' is not null order by log_id desc limit 2`,
      )
      assert.deepEqual(
        entries.map(({ denial_reason }) => denial_reason),
        [reason, null],
        'begun, then cut',
      )
      await fixture.giveRole('Player', PLAYS)
      await confine([])
    }
  })

  it('let a running response continue when an unrelated role changes', async () => {
    const path = await fixture.getAddress(carol)
    const running = await readSlowly(`${fixture.server.url}${path}`, { cookie: carol.cookie() })
    await change(`delete from roles where role_reference = 'Unassigned'`)
    await pause(LONG_ENOUGH)
    assert.deepEqual(await running.finish(), { is_whole: true, bytes: SIZE })
  })

  it('let a person run a few responses at a time, and others too', async () => {
    const path = await fixture.getAddress(carol)
    const begin = () => readSlowly(`${fixture.server.url}${path}`, { cookie: carol.cookie() })
    const running = await Promise.all(Array.from({ length: RESPONSES_EACH }, begin))
    assert.equal(await codeAt(path), 'too_many_requests')
    const manager = await openPerson(fixture.server, 'acme', 'alice')
    const other = await fixture.getAddress(manager)
    assert.equal((await manager.fetch(other, { headers: { range: 'bytes=0-0' } })).status, 206)
    await change(`delete from roles where role_reference = 'Player'`)
    await Promise.all(running.map((each) => each.closed()))
    await fixture.giveRole('Player', PLAYS)
    assert.equal(await codeAt(path), 206)
  })

  it('are those of the approved role and of the staff member in support mode', async () => {
    const erin = await openPerson(fixture.server, 'admin', 'erin')
    const hour = 3600
    const now = fixture.server.ctx.now()
    await fixture.giveRole('Helper', PLAYS)
    const body = {
      role: 'Helper',
      request_description: 'A phone does not upload',
      requested_expiry: now + hour,
    }
    const { request_reference } = await erin.api.requestSupportAccess({ params: { client: 'acme' }, body })
    await fixture.alice.api.decideSupportAccess({
      params: { request_reference },
      body: { approval_state: 'approved', approval_expiry: now + hour },
    })
    const api = makeClient({
      baseUrl: fixture.server.url,
      client: () => 'acme',
      credentials: async () => ({ token: erin.id_token, support_reference: request_reference }),
    })
    const path = await fixture.getAddress({ api })
    assert.equal(await codeAt(path, erin), 206)
    const endings: Record<string, [() => Promise<unknown>, string]> = {
      'the approved role is gone': [
        () => change(`delete from roles where role_reference = 'Helper'`),
        'not_permitted',
      ],
      'no support mode for them any more': [
        () => sql(`update portal_sessions set roles = '{Auditor}' where user_reference = 'erin'`),
        'not_permitted',
      ],
      'networks of the provider': [() => confine(['10.0.0.0/8'], 'admin'), 'network_not_permitted'],
      'networks of the client': [() => confine(['10.0.0.0/8']), 'network_not_permitted'],
      'the client is suspended': [
        () =>
          sql(
            `update clients set suspended_at = 1, suspended_by = 'x', suspended_reason = 'x' where client = 'acme'`,
          ),
        'address_expired',
      ],
    }
    for (const [name, [end, code]] of Object.entries(endings)) {
      await end()
      assert.equal(await codeAt(path, erin), code, name)
      await fixture.giveRole('Helper', PLAYS)
      for (const client of ['acme', 'admin']) await confine([], client)
      await sql(`update portal_sessions set roles = '{Provider Support}' where user_reference = 'erin'`)
      await sql('update clients set suspended_at = null, suspended_by = null, suspended_reason = null')
      assert.equal(await codeAt(path, erin), 206, `after ${name}`)
    }
    const running = await readSlowly(`${fixture.server.url}${path}`, { cookie: erin.cookie() })
    await sql(`update portal_sessions set roles = '{Auditor}' where user_reference = 'erin'`)
    await running.closed()
    assert.ok(!(await running.finish()).is_whole)
  })
})
