import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { type ClaimMapping, DEFAULT_CLAIM_MAPPING, isProposed } from '@custodia/contract'
import {
  type AccessFixture,
  accessFixture,
  allow,
  getCode,
  assertDone,
  openPerson,
  roleInput,
  save as saveRole,
  type Person,
} from '../testing/access-fixture.ts'
import { Browser } from '../testing/browser.ts'
import { storePayload } from '../testing/stored-payload.ts'
import { ruleOfTwo } from '../testing/test-context.ts'
import { untilBlocked } from '../testing/waits.ts'
import { watchTemporaryAccess } from './jobs.ts'

const PORTAL: ClaimMapping = { ...DEFAULT_CLAIM_MAPPING, roles_from: 'portal' }

describe('roles that are assigned in the portal', () => {
  let fixture: AccessFixture
  let passed = 0
  before(async () => {
    fixture = await accessFixture(
      {},
      {
        now: () => Math.floor(Date.now() / 1000) + passed,
        patience: 60,
      },
    )
  })
  after(() => fixture?.close())

  const mode = (mapping: ClaimMapping | null) =>
    fixture.sql(`update clients set claim_mapping = $1 where client = 'acme'`, [mapping])
  const admin = { roles: ['Account Administrator', 'Compliance Manager'], groups: null }
  const assign = (
    user_reference: string,
    roles: string[],
    { groups = null, by = fixture.alice }: { groups?: string[] | null; by?: Person } = {},
  ) => by.api.savePersonRoles({ params: { user_reference }, body: { roles, groups } })
  const read = (user_reference: string) => fixture.alice.api.readPerson({ params: { user_reference } })
  const signIn = async (name: string) => {
    const browser = new Browser(fixture.server.url)
    const tokens = await browser.signIn('acme', name)
    return { ...tokens, browser, profile: async () => (await browser.profile('acme', tokens.id_token)).body }
  }
  beforeEach(async () => {
    await fixture.sql('delete from role_assignments')
    await fixture.sql(
      `insert into role_assignments (client_id, user_reference, roles) select client_id, 'alice', $1 from clients where client = 'acme'`,
      [JSON.stringify(admin.roles.map((role) => ({ role, assigned_at: 1, assigned_by: 'test' })))],
    )
    await fixture.sql(`update portal_sessions set roles = $1 where user_reference = 'alice'`, [admin.roles])
    await mode(PORTAL)
    await fixture.newAlerts()
  })

  it('count instead of those of claims, before a first sign-in and at once in open sessions', async () => {
    await assign('hugo', ['Compliance Reviewer'], { groups: ['North'] })
    const entered = await read('hugo')
    assert.deepEqual([entered.last_seen, entered.groups], [null, ['North']])
    const { roles = [] } = entered.assignment ?? {}
    assert.deepEqual(
      [entered.roles[0]?.source, roles[0]?.role, roles[0]?.assigned_by],
      ['assignment', 'Compliance Reviewer', 'alice'],
    )
    const hugo = await signIn('hugo')
    const first = await hugo.profile()
    assert.deepEqual([first.roles, first.groups], [['Compliance Reviewer'], ['North']])
    await assign('hugo', ['Auditor'])
    assert.deepEqual([(await hugo.profile()).roles, (await hugo.profile()).groups], [['Auditor'], null])
    await assign('hugo', [])
    assert.deepEqual((await hugo.profile()).roles, [])
    // His claims name a role, which counts no longer.
    await fixture.sql('update portal_sessions set checked_at = checked_at - 300')
    await hugo.browser.refresh('acme', hugo.refresh_token)
    assert.deepEqual((await hugo.profile()).roles, [])
    const [entry] = await fixture.sql<{ parameters: string }>(
      `select parameters from portal_activities where action = 'people.roles:update' and is_allowed order by log_id limit 1`,
    )
    assert.match(entry?.parameters ?? '', /hugo.*Compliance Reviewer/)
  })

  it('change nothing while claims decide', async () => {
    await mode(null)
    await assign('bob', ['Auditor'])
    const bob = await signIn('bob')
    assert.deepEqual((await bob.profile()).roles, ['Compliance Reviewer'])
    const { roles, assignment } = await read('bob')
    assert.deepEqual([roles[0]?.source, assignment?.roles[0]?.role], ['claim', 'Auditor'])
  })

  it('give no more than the assigner holds, unless the assigner may escalate, and name what exists', async () => {
    await fixture.giveRole('Desk', [allow('people*', 'profile:read')])
    const desk = await fixture.personWith(['Desk'])
    assert.equal(await getCode(assign('bob', ['Auditor'], { by: desk })), 'escalation')
    await assertDone(assign('bob', ['Desk'], { by: desk }))
    assert.deepEqual(await fixture.newAlerts(), [])
    const role = { role_reference: 'Desk' }
    assert.equal(await getCode(fixture.alice.api.deleteRole({ params: role })), 'in_use')
    const escalates = await fixture.personWith(['Account Administrator'])
    await assertDone(assign('bob', ['Receipt App'], { by: escalates }))
    assert.match((await fixture.newAlerts())[0] ?? '', /^High: carol assigned roles to bob.*receipts:confirm/)
    assert.equal(await getCode(assign('bob', ['Nothing'], {})), 'invalid_input')
    const { problems } = await desk.api.reviewPersonRoles({
      params: { user_reference: 'bob' },
      body: { roles: ['Desk'], groups: ['Nowhere'] },
    })
    assert.equal(problems[0]?.path, 'groups.0')
  })

  it('that were taken away are not taken back by a save that waited meanwhile', async () => {
    const { ctx, getId } = fixture.server
    const client_id = await getId('acme')
    await fixture.giveRole('Desk', [allow('people*', 'profile:read')])
    await assertDone(assign('carol', ['Desk']))
    const carol = await fixture.personWith(['Desk'])
    const [taken, taken_back] = await ctx.db.write(client_id, async (tx) => {
      await tx.query('select from clients where client_id = $1 for no key update', [client_id])
      const saves: Promise<unknown>[] = [assign('carol', [])]
      await untilBlocked(fixture.sql, 1)
      saves.push(getCode(assign('carol', ['Desk'], { by: carol })))
      await untilBlocked(fixture.sql, 2)
      return saves
    })
    assert.deepEqual([await taken, await taken_back], [{}, 'not_permitted'])
    assert.equal((await read('carol')).assignment, null)
  })

  it('end by themselves, with a reminder, and count in place of claims until then', async () => {
    const { ctx } = fixture.server
    await mode(null)
    const ends_at = ctx.now() + 2 * 86_400
    const until = (end: number) =>
      fixture.alice.api.savePersonRoles({
        params: { user_reference: 'hugo' },
        body: { roles: ['Auditor'], groups: ['North'], ends_at: end },
      })
    assert.equal(await getCode(until(ctx.now())), 'invalid_input')
    assert.equal(await getCode(until(ctx.now() + 367 * 86_400)), 'invalid_input')
    await assertDone(until(ends_at))
    const hugo = await signIn('hugo')
    const { roles, groups, session_expires_at } = await hugo.profile()
    assert.deepEqual([roles, groups], [['Auditor'], ['North']])
    assert.ok(Number(session_expires_at) <= ends_at)
    const { assignment } = await read('hugo')
    assert.deepEqual([assignment?.ends_at, assignment?.roles[0]?.assigned_by], [ends_at, 'alice'])
    const temporary = await fixture.alice.api.listPeople({ query: { is_temporary: true } })
    assert.deepEqual(
      temporary.data.map((each) => each.user_reference),
      ['hugo'],
    )
    const watch = () => watchTemporaryAccess.run(ctx, {}, new AbortController().signal)
    await fixture.newAlerts()
    await watch()
    const [alert] = await fixture.newAlerts()
    assert.match(alert ?? '', /^Low: The access of hugo ends on \d{4}-\d\d-\d\d \d\d:\d\d UTC\.$/)

    // An earlier end also ends the open session, at that second.
    await assertDone(until(ctx.now() + 60))
    assert.ok(Number((await hugo.profile()).session_expires_at) <= ctx.now() + 60)
    passed += 61
    assert.equal((await hugo.browser.profile('acme', hugo.id_token)).status, 401)
    assert.deepEqual((await read('hugo')).roles, [])
    const again = await signIn('hugo')
    assert.deepEqual((await again.profile()).roles, [])
    // Without the assignment the claims count again, after the next sign-in.
    await assign('hugo', [])
    assert.equal((await again.browser.profile('acme', again.id_token)).status, 401)
    assert.deepEqual((await (await signIn('hugo')).profile()).roles, ['Desk Reviewer'])
  })

  it('with an end leave an administrator without one, and a longer end waits for a second person', async (t) => {
    const own = { params: { user_reference: 'alice' }, query: { confirm_lockout: true } }
    const ends_at = fixture.server.ctx.now() + 86_400
    const last = fixture.alice.api.savePersonRoles({ ...own, body: { ...admin, ends_at } })
    assert.equal(await getCode(last), 'last_administrator')
    const params = { user_reference: 'bob' }
    const save = (end: number | null) =>
      fixture.alice.api.savePersonRoles({
        params,
        body: { roles: ['Auditor'], groups: null, ends_at: end },
      })
    await assertDone(save(ends_at))
    await ruleOfTwo(fixture.sql, true)
    t.after(() => ruleOfTwo(fixture.sql, false))
    assert.ok(isProposed(await save(ends_at + 1)), 'a later end was done, not proposed')
    await assertDone(save(ends_at - 1))
    assert.ok(isProposed(await save(null)), 'access without an end was done, not proposed')
  })

  it('limit a person to the recordings of legal matters, wherever they leave the archive', async (t) => {
    const { ctx } = fixture.server
    await mode(null)
    const storeFor = async (device_user: string) => {
      await fixture.sql(
        `insert into device_users (client_id, device_user_reference, group_id, updated_at, updated_by)
         select client_id, $1, group_id, 0, 'test' from groups join clients using (client_id) where client = 'acme' and group_reference = 'North'`,
        [device_user],
      )
      const bytes = Buffer.from('sound')
      return storePayload(ctx, { client: 'acme', group: 'North', device_user, bytes })
    }
    const [inside, outside] = [await storeFor('held person'), await storeFor('other person')]
    const { matter_id } = await fixture.alice.api.openLegalMatter({ body: { name: 'Inquiry' } })
    const params = { matter_id }
    const person = { target_type: 'DeviceUser' as const, target: 'held person' }
    await fixture.alice.api.holdMatterPeople({ params, body: { people: [person] } })

    const ends_at = ctx.now() + 86_400
    const limit = (matters: string[] | null, end: number | null = ends_at, by = fixture.alice) =>
      by.api.savePersonRoles({
        params: { user_reference: 'hugo' },
        query: {},
        body: { roles: ['Compliance Manager', 'Account Administrator'], groups: null, ends_at: end, matters },
      })
    assert.equal(await getCode(limit([matter_id], null)), 'invalid_input')
    assert.equal(await getCode(limit(['01J9ZK3V5Q8Y7XH2M4N6P07F3K'])), 'invalid_input')
    await fixture.giveRole('Desk', [allow('people*', 'profile:read')])
    const desk = await fixture.personWith(['Desk'])
    assert.equal(await getCode(limit([matter_id], ends_at, desk)), 'invalid_input')
    await assertDone(limit([matter_id]))

    const hugo = await openPerson(fixture.server, 'acme', 'hugo', {
      roles: ['Compliance Manager', 'Account Administrator'],
    })
    const listed = async () => {
      const page = await hugo.api.listPayloads({ query: { limit: 200 } })
      return 'data' in page ? page.data.map(({ payload_reference }) => payload_reference) : []
    }
    assert.deepEqual(await listed(), [inside])
    assert.deepEqual(await hugo.api.listPayloads({ query: { type: 'total' } }), { total: 1 })
    const data = await hugo.api.readData({ query: { action: 'play', payload_references: [inside, outside] } })
    assert.deepEqual(
      data.data.map(({ status }) => status),
      ['Ok', 'NoMatchingRecord'],
    )
    for (const ask of [hugo.api.readPayload, hugo.api.readPayloadAudit, hugo.api.listPayloadAccess])
      assert.equal(
        await getCode(ask({ params: { payload_reference: outside }, query: {} } as never)),
        'not_found',
      )
    assert.equal(await getCode(hugo.api.listDevices({ query: {} })), 'not_permitted')
    assert.equal(await getCode(limit(null, ends_at, hugo)), 'not_permitted')
    const made = await hugo.api.createExport({
      query: {},
      body: { payload_references: [inside, outside], part_megabytes: 1 },
    })
    assert.equal(made.items, 1)

    // The explanations agree.
    const may = 'payloads:play'
    const hears = async (payload_reference: string) => {
      const query = { may, user_reference: 'hugo' } as const
      const { data: found } = await fixture.alice.api.listPayloadAccess({
        params: { payload_reference },
        query,
      })
      return found.map(({ decision }) => decision)
    }
    assert.deepEqual([await hears(inside), await hears(outside)], [['granted'], ['outside_matters']])
    const { data: actions } = await fixture.alice.api.readPersonAccess({
      params: { user_reference: 'hugo' },
      query: {},
    })
    const decided = (action: string) => actions.find((each) => each.action === action)?.decision
    assert.deepEqual([decided(may), decided('devices:list')], ['granted', 'outside_matters'])

    // To remove the limit is to give more.
    await ruleOfTwo(fixture.sql, true)
    t.after(() => ruleOfTwo(fixture.sql, false))
    assert.ok(isProposed(await limit(null)), 'the limit was removed, not proposed')
    await ruleOfTwo(fixture.sql, false)

    // An address that was issued ends with the hold.
    const address = data.data[0]?.s3_url ?? ''
    const fetched = async () => (await hugo.fetch(address)).status
    assert.equal(await fetched(), 200)
    await assertDone(
      fixture.alice.api.releaseMatterPerson({ params: { ...params, ...person }, query: { reason: 'Over' } }),
    )
    assert.equal(await fetched(), 403)
    assert.deepEqual(await listed(), [])
  })

  it('leave one person who may assign roles', async () => {
    assert.equal(await getCode(assign('alice', ['Compliance Manager'])), 'locks_out')
    const params = { user_reference: 'alice' }
    const last = fixture.alice.api.savePersonRoles({
      params,
      query: { confirm_lockout: true },
      body: { roles: [], groups: null },
    })
    assert.equal(await getCode(last), 'last_administrator')
    await assign('ines', ['Account Administrator'])
    const other = await openPerson(fixture.server, 'acme', 'ines')
    await assertDone(assign('alice', ['Compliance Manager'], { by: other }))
    assert.equal(await getCode(assign('bob', [])), 'not_permitted')
  })

  it('wait for a second person only while what their roles permit stays the same', async (t) => {
    const small = roleInput([allow('groups:list')])
    await saveRole(fixture.alice, 'Small', small)
    await ruleOfTwo(fixture.sql, true)
    t.after(() => ruleOfTwo(fixture.sql, false))
    const proposed = await assign('newcomer', ['Small'])
    assert.ok(isProposed(proposed), 'it was done, not proposed')
    await saveRole(fixture.alice, 'Small', { ...small, permissions: [allow('groups:*')] })
    const ines = await openPerson(fixture.server, 'acme', 'ines')
    const one = { params: { proposal_id: proposed.proposal_id } }
    assert.equal((await ines.api.confirmProposal(one)).state, 'superseded')
    assert.deepEqual(await fixture.sql(`select from role_assignments where user_reference = 'newcomer'`), [])
  })

  it('wait for a second person where two people decide, except what only takes', async (t) => {
    await assign('bob', ['Compliance Reviewer', 'Auditor'])
    await ruleOfTwo(fixture.sql, true)
    t.after(() => ruleOfTwo(fixture.sql, false))
    const proposed = await assign('bob', ['Compliance Reviewer', 'Auditor', 'Fleet Administrator'])
    assert.ok(isProposed(proposed), 'it was done, not proposed')
    assert.equal((await read('bob')).roles.length, 2)
    const one = { params: { proposal_id: proposed.proposal_id } }
    const { act } = await fixture.alice.api.readProposal(one)
    assert.ok(act.kind === 'AssignRoles' && act.user_reference_name === 'Bob Singh')
    assert.equal(await getCode(fixture.alice.api.confirmProposal(one)), 'same_person')
    const ines = await openPerson(fixture.server, 'acme', 'ines')
    assert.equal((await ines.api.confirmProposal(one)).state, 'confirmed')
    assert.equal((await read('bob')).assignment?.roles.at(-1)?.assigned_by, 'alice')
    await assertDone(assign('bob', ['Auditor']))
    assert.ok(isProposed(await assign('bob', [...admin.roles])))
  })

  describe('begin and end to count', () => {
    const save = (mapping: ClaimMapping) => fixture.alice.api.saveClaimMapping({ body: mapping })
    const getPeople = async (mapping: ClaimMapping) =>
      (await fixture.alice.api.reviewClaimMapping({ body: mapping })).people

    it('with a review of who gains and loses what, and not without an administrator', async () => {
      await mode(null)
      await fixture.sql(`delete from role_assignments where user_reference = 'alice'`)
      await signIn('bob')
      await assign('bob', ['Auditor'])
      const before = await getPeople(PORTAL)
      const bob = before?.changes.find(({ user_reference }) => user_reference === 'bob')
      assert.deepEqual([bob?.roles_gained, bob?.roles_lost], [['Auditor'], ['Compliance Reviewer']])
      assert.deepEqual([bob?.groups_before, bob?.groups_after], [['North'], null])
      assert.equal(await getCode(save(PORTAL)), 'locks_out')
      const forced = fixture.alice.api.saveClaimMapping({ query: { confirm_lockout: true }, body: PORTAL })
      assert.equal(await getCode(forced), 'last_administrator')
      await assign('alice', admin.roles)
      await assertDone(save(PORTAL))
      const back = await getPeople(DEFAULT_CLAIM_MAPPING)
      const again = back?.changes.find(({ user_reference }) => user_reference === 'bob')
      assert.deepEqual([again?.roles_gained, again?.roles_lost], [['Compliance Reviewer'], ['Auditor']])
      assert.equal(await getPeople(PORTAL), null)
    })

    it('for people whose claims of groups the provider leaves out', async () => {
      const token = JSON.stringify({ sub: 'x1', user_reference: 'hugo', hasgroups: true, roles: [{}] })
      await assign('hugo', ['Auditor'])
      const preview = (mapping: ClaimMapping) => fixture.alice.api.previewClaims({ body: { token, mapping } })
      assert.deepEqual(
        (await preview(PORTAL)).person?.roles.map(({ role }) => role),
        ['Auditor'],
      )
      assert.ok((await preview(DEFAULT_CLAIM_MAPPING)).refusal)
    })
  })
})
