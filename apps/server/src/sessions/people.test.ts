import assert from 'node:assert/strict'
import { createPublicKey } from 'node:crypto'
import { after, describe, it } from 'node:test'
import { decodeJwt } from 'jose'
import { recordBuiltinRoles } from '../access/load.ts'
import { type AccessFixture, accessFixture, allow, getCode } from '../testing/access-fixture.ts'
import { Browser } from '../testing/browser.ts'
import { assertVerifiedOffline } from '../testing/offline-verifier.ts'
import { storePayload } from '../testing/stored-payload.ts'
import { checkAccessReport } from './access-report.ts'

const fixture = await accessFixture()
after(() => fixture.close())

describe('the people of a client', () => {
  const list = async (query: Parameters<AccessFixture['alice']['api']['listPeople']>[0]['query'] = {}) => {
    const page = await fixture.alice.api.listPeople({ query })
    assert.ok('data' in page)
    return page
  }
  const getNames = async (query: Parameters<typeof list>[0]) =>
    (await list(query)).data.map(({ user_reference }) => user_reference)
  const read = (user_reference: string) => fixture.alice.api.readPerson({ params: { user_reference } })

  it('are those who signed in and those of the embedded provider, with the roles they have and why', async () => {
    const browser = new Browser(fixture.server.url)
    await browser.signIn('acme', 'hugo')
    const { data } = await list()
    assert.deepEqual(data.map(({ user_reference }) => user_reference).toSorted(), [
      'alice',
      'bob',
      'carol',
      'hugo',
      'ines',
    ])
    const hugo = data.find(({ user_reference }) => user_reference === 'hugo')
    assert.deepEqual(hugo?.roles, [
      { role: 'Desk Reviewer', source: 'claim', value: 'Desk Reviewer', exists: false },
    ])
    assert.ok(hugo?.open_sessions === 1 && hugo.last_seen !== null && hugo.email === 'hugo@acme.example')
    const bob = data.find(({ user_reference }) => user_reference === 'bob')
    assert.deepEqual(
      [bob?.display_name, bob?.last_seen, bob?.groups, bob?.open_sessions],
      ['Bob Singh', null, ['North'], 0],
    )
  })

  it('are found by name, role and open sessions, and paged by when they were here', async () => {
    assert.deepEqual(await getNames({ search: 'ALI' }), ['alice'])
    assert.deepEqual(await getNames({ role: 'Compliance Reviewer' }), ['bob'])
    assert.deepEqual(new Set(await getNames({ has_sessions: true })), new Set(['alice', 'hugo']))
    assert.deepEqual(await getNames({ from: '2999-01-01' }), [])
    for (const order of ['newest', 'oldest'] as const) {
      const whole = await getNames({ order })
      const first = await list({ order, limit: 2 })
      const next = await list({ order, limit: 3, last_key: first.last_key })
      assert.deepEqual(
        [...first.data, ...next.data].map(({ user_reference }) => user_reference),
        whole,
      )
      assert.equal(next.last_key, undefined)
    }
    assert.deepEqual(await fixture.alice.api.listPeople({ query: { type: 'total' } }), { total: 5 })
  })

  it('lose a session that an administrator ends, on record, and none of another client', async () => {
    const browser = new Browser(fixture.server.url)
    const tokens = await browser.signIn('acme', 'bob')
    const [session] = (await read('bob')).sessions
    assert.equal(session?.session_id, decodeJwt(tokens.id_token).sid)
    assert.equal(
      (await read('alice')).sessions.some(({ is_own }) => is_own),
      true,
    )
    const params = { user_reference: 'bob', session_id: session?.session_id ?? '' }
    const auditor = await fixture.personWith(['Auditor'])
    assert.equal(await getCode(auditor.api.endPersonSession({ params })), 'not_permitted')
    await fixture.sql(
      `update portal_sessions set roles = '{Account Administrator}' where user_reference = 'gina'`,
    )
    assert.equal(await getCode(fixture.gina.api.endPersonSession({ params })), 'not_found')
    await fixture.alice.api.endPersonSession({ params })
    assert.equal((await browser.profile('acme', tokens.id_token)).status, 401)
    assert.equal((await browser.refresh('acme', tokens.refresh_token)).status, 401)
    assert.equal(await getCode(fixture.alice.api.endPersonSession({ params })), 'not_found')
    const [entry] = await fixture.sql<{ parameters: string }>(
      `select parameters from portal_activities where action = 'people.sessions:end' and is_allowed`,
    )
    assert.match(entry?.parameters ?? '', /bob/)
  })

  it('are shown to who may list people of the whole account only', async () => {
    await fixture.giveRole('Partial', [
      { actions_matching: ['people:*'], conditions: [{ names_matching: ['North'] }] },
    ])
    await fixture.giveRole('Lister', [allow('people:list')])
    const partial = await fixture.personWith(['Partial'])
    assert.equal(await getCode(partial.api.listPeople({})), 'not_permitted')
    const lister = await fixture.personWith(['Lister'])
    await lister.api.listPeople({})
    assert.equal(await getCode(lister.api.readPerson({ params: { user_reference: 'bob' } })), 'not_permitted')
  })

  it('are named with role and rule when they may hear a recording, as the calls then decide', async () => {
    const payload_reference = await storePayload(fixture.server.ctx, {
      client: 'acme',
      group: 'North',
      bytes: Buffer.from('sound'),
    })
    await fixture.giveRole('Deny North', [
      allow('payloads:list'),
      { ...allow('payloads:play'), is_denied: true, conditions: [{ names_matching: ['North'] }] },
    ])
    const reader = (await fixture.personWith(['Compliance Manager'])).api
    const whoMay = async (query: { user_reference?: string; ip?: string | undefined } = {}) =>
      (await reader.listPayloadAccess({ params: { payload_reference }, query })).data
    const explained = async (user_reference: string) => (await whoMay({ user_reference }))[0]
    const listed = await whoMay()
    assert.ok(listed.every(({ is_allowed, decision }) => is_allowed && decision === 'granted'))
    const bob = listed.find(({ user_reference }) => user_reference === 'bob')
    assert.deepEqual(bob?.roles, [
      { role: 'Compliance Reviewer', outcome: 'grants', rules: [1], networks: [] },
    ])
    for (const [roles, groups, decision, reason] of [
      [['Compliance Reviewer'], ['North'], 'granted', 'grants'],
      [['Compliance Reviewer'], ['South'], 'outside_groups', 'grants'],
      [['Auditor'], null, 'not_granted', 'not_granted'],
      [['Compliance Reviewer', 'Deny North'], null, 'denied', 'denies'],
    ] as const) {
      // The answer and the call itself.
      const person = await fixture.personWith(roles, groups)
      const carol = await explained('carol')
      assert.equal(carol?.decision, decision)
      assert.ok(carol?.roles.some(({ outcome }) => outcome === reason))
      const called = await person.api
        .readPayloadData({ params: { payload_reference }, query: { action: 'play' } })
        .then(({ status }) => status === 'Ok')
        .catch(() => false)
      assert.equal(called, carol?.is_allowed, roles.join())
      if (decision === 'denied') assert.deepEqual(carol?.roles[1]?.rules, [2])
    }
    await fixture.sql(
      `insert into client_apps (client_id, app_reference, issuer, audience, jwks_uri, roles, cidr_ranges, updated_at, updated_by)
       select client_id, 'networked', 'https://n', 'a', 'https://n/j', '{Compliance Reviewer}', '{198.51.100.0/24}', 1, 'x'
       from clients where client = 'acme'`,
    )
    for (const [ip, decision] of [
      ['198.51.100.9', 'granted'],
      ['192.0.2.9', 'outside_networks'],
      [undefined, 'granted'],
    ] as const) {
      const asked = { user_reference: 'networked', ip }
      assert.equal((await whoMay(asked))[0]?.decision, decision, `the app from ${ip}`)
    }
    const { data } = await fixture.alice.api.readPersonAccess({ params: { user_reference: 'carol' } })
    const play = data.find(({ action }) => action === 'payloads:play')
    assert.ok(play?.is_allowed && !play.groups.is_all && !play.groups.first.includes('North'))
    const other = { params: { payload_reference }, query: {} }
    await fixture.sql(
      `update portal_sessions set roles = '{Compliance Manager}' where user_reference = 'gina'`,
    )
    assert.equal(await getCode(fixture.gina.api.listPayloadAccess(other)), 'not_found')
  })

  it('could do in the past what calls then allowed, and those who did are named with them', async () => {
    const { sql, giveRole, server, alice } = fixture
    await sql(
      `insert into device_users (client_id, device_user_reference, group_id, updated_at, updated_by)
       select client_id, 'held person', group_id, 0, 'x' from groups join clients using (client_id) where client = 'acme' and group_reference = 'North'`,
    )
    const payload_reference = await storePayload(server.ctx, {
      client: 'acme',
      group: 'North',
      device_user: 'held person',
      bytes: Buffer.from('sound'),
    })
    await fixture.personWith(['Compliance Reviewer'])
    const HOUR = 3600
    const start = server.ctx.now()
    const params = { payload_reference }
    const getDate = (seconds: number) =>
      new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', '-').replaceAll(':', '')
    // What the account answers: as of now, and later of that moment.
    const answerAt = async (at?: string) => {
      const ask = async (may: string, ip?: string) => {
        const {
          data,
          known_since: _,
          ...rest
        } = await alice.api.listPayloadAccess({ params, query: { may, ip, at } })
        const rows = data.map(({ display_name: __, ...row }) => row)
        return {
          ...rest,
          rows: rows.toSorted((a, b) => (a.kind + a.user_reference < b.kind + b.user_reference ? -1 : 1)),
        }
      }
      const bob = await alice.api.readPersonAccess({ params: { user_reference: 'bob' }, query: { at } })
      return {
        play: await ask('payloads:play'),
        download: await ask('payloads:download', '192.0.2.9'),
        bob: bob.data,
      }
    }
    const acme = `(select client_id from clients where client = 'acme')`
    const group = (name: string) =>
      `(select group_id from groups where client_id = ${acme} and group_reference = '${name}')`
    const rules = [
      { ...allow('payloads:*'), conditions: [{ keys_matching: ['desk'], values_matching: ['FX'] }] },
    ]
    const steps = [
      () => giveRole('Desk', rules),
      () =>
        sql(`insert into client_apps (client_id, app_reference, issuer, audience, jwks_uri, roles, updated_at, updated_by)
          values (${acme}, 'reader', 'https://i', 'a', 'https://j', '{Desk}', 1, 'x');
          update client_apps set cidr_ranges = '{192.0.2.0/24}' where app_reference = 'networked'`),
      () =>
        sql(`insert into group_tags values (${acme}, ${group('North')}, 'desk', 'FX')
          on conflict (client_id, group_id, tag_key) do update set tag_value = 'FX'`),
      () => giveRole('Desk', rules, { cidr_ranges: ['198.51.100.0/24'] }),
      () =>
        sql(
          `update account_defaults set cidr_ranges = '{127.0.0.0/8,192.0.2.0/24}' where client_id = ${acme}`,
        ),
      () =>
        sql(
          `insert into support_access values (${acme}, 'request', 'Support Content', 'why', $1, 'erin', 1, 'approved', $1, 'alice', null, 1, 'x')`,
          [start + 9 * HOUR],
        ),
      () =>
        sql(
          `update portal_sessions set roles = '{Auditor,Desk}', groups = '{North}' where user_reference = 'carol'`,
        ),
      () => sql(`update support_access set approval_state = 'revoked' where client_id = ${acme}`),
      () =>
        sql(
          `insert into role_assignments values (${acme}, 'hugo', '[{"role": "Compliance Reviewer"}]', '{North}', $1)`,
          [start + HOUR * 0.75],
        ),
      () =>
        sql(
          `insert into role_assignments values (${acme}, 'ines', '[{"role": "Compliance Reviewer"}]', null, $1, '{inquiry}')`,
          [start + 40 * HOUR],
        ),
      () =>
        sql(`insert into legal_matters (client_id, matter_id, name, opened_at, opened_by, updated_at, updated_by)
            values (${acme}, 'inquiry', 'Inquiry', 1, 'x', 1, 'x');
          insert into legal_holds (client_id, target_type, target, device_user_id, is_active, created_at, updated_at, updated_by, is_own)
            select client_id, 'DeviceUser', device_user_reference, device_user_id, true, 1, 1, 'x', false from device_users
            where device_user_reference = 'held person';
          insert into legal_matter_people (client_id, matter_id, target_type, target, added_at, added_by)
            values (${acme}, 'inquiry', 'DeviceUser', 'held person', ${start}, 'x')`),
      () => sql(`update legal_matter_people set removed_at = ${start}, removed_by = 'x'`),
      () => sql(`update account_defaults set cidr_ranges = '{}' where client_id = ${acme}`),
      () =>
        sql(`insert into role_assignments values (${acme}, 'bob', '[{"role": "Desk"}]', '{South}');
          update clients set claim_mapping = '{"roles_from": "portal"}' where client = 'acme'`),
      () => sql(`update role_assignments set groups = null where client_id = ${acme}`),
      () =>
        sql(
          `with moved as (update payloads set group_id = ${group('South')} where payload_reference = $1 returning *)
           insert into payload_reassignments (client_id, payload_id, at, from_group, to_group, from_user, to_user, by)
           select client_id, payload_id, $2::bigint, ${group('North')}, group_id, device_user_id, device_user_id, 'x' from moved`,
          [payload_reference, start],
        ),
      () =>
        sql(`update clients set claim_mapping = null where client = 'acme';
          delete from role_assignments where client_id = ${acme};
          delete from roles where client_id = ${acme} and role_reference = 'Desk'`),
    ]
    const at = (step: number) => start - (steps.length - step) * HOUR
    await sql(
      `insert into payload_history (client_id, payload_id, at, to_state, by)
       select client_id, payload_id, $2, 5, 'x' from payloads where payload_reference = $1`,
      [payload_reference, start - 20 * HOUR],
    )
    const answers = []
    for (const step of steps) {
      await step()
      await sql(`update clients set access_epoch = access_epoch + 1 where client = 'acme'`)
      answers.push(await answerAt())
      // Each step is an hour before the next one.
      for (const table of ['rights_versions', 'payload_reassignments'])
        await sql(`update ${table} set at = at - ${HOUR}`)
      await sql(`alter table role_assignments disable trigger rights_kept;
        update role_assignments set ends_at = ends_at - ${HOUR};
        alter table role_assignments enable trigger rights_kept;
        alter table legal_matter_people disable trigger kept;
        update legal_matter_people set added_at = added_at - ${HOUR}, removed_at = removed_at - ${HOUR};
        alter table legal_matter_people enable trigger kept;
        update rights_versions set document = document || jsonb_build_object('ends_at', (document ->> 'ends_at')::bigint - ${HOUR})
        where document ->> 'ends_at' is not null`)
    }
    for (const [i, answer] of answers.entries())
      assert.deepEqual(await answerAt(getDate(at(i) + HOUR / 2)), answer, `step ${i}`)
    const texts = answers.map((answer) => JSON.stringify(answer))
    const changed = texts.filter((text, i) => text !== texts[i - 1])
    assert.ok(changed.length > steps.length - 2, 'the answers differ')
    const before = await alice.api.listPayloadAccess({ params, query: { at: getDate(start - 50 * HOUR) } })
    // Built-in roles were others before an update of the program.
    await recordBuiltinRoles.run(server.ctx, {}, new AbortController().signal)
    await sql(
      `update rights_versions set at = $1, document = jsonb_set(document, '{document,permissions}', '[]')
       where kind = 'builtin' and reference = 'Compliance Reviewer'`,
      [at(0)],
    )
    await recordBuiltinRoles.run(server.ctx, {}, new AbortController().signal)
    const former = await answerAt(getDate(at(4) + HOUR / 2))
    assert.ok(!former.play.rows.some(({ user_reference }) => user_reference === 'bob'))
    await sql(`delete from rights_versions where kind = 'builtin'`)
    assert.ok(before.data.length === 0 && !before.is_available && before.known_since > start - 50 * HOUR)

    // The report says the same of each moment, and who opened it.
    await sql(
      `insert into payload_audit (client_id, payload_id, at, log_id, portal_user, action)
       select client_id, payload_id, $2, 'x', 'bob', 'payloads:play' from payloads where payload_reference = $1`,
      [payload_reference, at(1)],
    )
    await sql(
      `insert into payload_plays (client_id, payload_id, person, parts, first_at, last_at)
       select client_id, payload_id, 'bob', '{[0,40)}', 1, 1 from payloads where payload_reference = $1`,
      [payload_reference],
    )
    const signed = await alice.api.readAccessReport({
      params,
      query: { may: 'payloads:play', from: getDate(start - 50 * HOUR), to: getDate(start) },
    })
    const { could, did, available, known_since } = signed.report
    assert.deepEqual(available, [{ from: known_since, to: start }])
    const temporary = could.find(({ user_reference }) => user_reference === 'hugo')?.periods
    const given = steps.findIndex((step) => step.toString().includes('hugo'))
    assert.deepEqual(
      temporary?.map(({ to }) => to),
      [at(given) + HOUR * 0.75],
    )
    for (const [i, { play }] of answers.entries()) {
      const moment = at(i) + HOUR / 2
      const then = could.flatMap(({ kind, user_reference, periods }) => {
        const period = periods.find(({ from, to }) => from <= moment && moment < to)
        return period ? [{ kind, user_reference, roles: period.roles, group: period.group }] : []
      })
      const expected = play.rows.map(({ kind, user_reference, roles }) => ({
        kind,
        user_reference,
        roles: roles.filter(({ outcome }) => outcome === 'grants'),
        group: play.group,
      }))
      const byName = (a: { kind: string; user_reference: string }, b: typeof a) =>
        a.kind + a.user_reference < b.kind + b.user_reference ? -1 : 1
      assert.deepEqual(then.toSorted(byName), expected, `step ${i}`)
    }
    assert.deepEqual(
      did.map(({ user_reference, acts, heard }) => [user_reference, acts.map(({ action }) => action), heard]),
      [['bob', ['payloads:play'], 4]],
    )
    const { keys } = await alice.api.readCertificateKeys({})
    const pems = keys.map(({ public_key_pem }) => createPublicKey(public_key_pem))
    const text = JSON.stringify(signed)
    assert.equal(checkAccessReport(text, pems).outcome, 'good')
    assert.equal(checkAccessReport(text.replace('"bob"', '"rob"'), pems).outcome, 'altered')
    await assertVerifiedOffline(fixture.server.ctx.keys, signed, 'Access report')
  })
})
