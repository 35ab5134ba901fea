import assert from 'node:assert/strict'
import { after, beforeEach, describe, it } from 'node:test'
import type { PayloadType, RoleInput } from '@custodia/contract'
import {
  accessFixture,
  allow,
  getCode,
  type Person,
  read,
  remove,
  review,
  roleInput,
  save,
} from '../testing/access-fixture.ts'
import { countPayload } from '../testing/list-fixture.ts'

const fixture = await accessFixture()
after(() => fixture.close())

describe('the escalation check of roles', () => {
  const EDITOR = [allow('roles:*', 'payloads:list', 'profile:read')]
  let editor: Person
  beforeEach(async () => {
    await fixture.giveRole('Editor', EDITOR)
    editor = await fixture.personWith(['Editor'])
    await fixture.newAlerts()
  })

  it('refuses rights that the editor does not hold, in new roles and in their own', async () => {
    for (const name of ['Other', 'Editor']) {
      const wider = roleInput([...EDITOR, allow('payloads:play')])
      const { impact } = await review(editor, name, wider)
      assert.deepEqual(
        impact.escalations.map(({ action }) => action),
        ['payloads:play'],
      )
      assert.equal(impact.may_escalate, false)
      assert.equal(await getCode(save(editor, name, wider)), 'escalation')
    }
    const rights = { ops_read: false, ops_write: false, sec_read: true, sec_write: false }
    assert.equal(
      await getCode(save(editor, 'Other', roleInput([allow('profile:read')], { alert_permissions: rights }))),
      'escalation',
    )
    assert.equal((await read(editor, 'Editor')).permissions.length, 1)
    assert.equal((await save(editor, 'Other', roleInput([allow('payloads:list')]))).role_reference, 'Other')
    assert.deepEqual(await fixture.newAlerts(), [])
  })

  it('counts the removal of a denial, by editing or by deleting its role', async () => {
    const deny = { is_denied: true, actions_matching: ['payloads:play'] }
    await fixture.giveRole('Brake', [deny])
    assert.equal(await getCode(save(editor, 'Brake', roleInput([allow('profile:read')]))), 'escalation')
    assert.equal(await getCode(remove(editor, 'Brake')), 'escalation')
    assert.deepEqual(await remove(fixture.alice, 'Brake'), {})
  })

  it('compares payload types, groups and networks with those of the editor', async () => {
    await fixture.giveRole(
      'Narrow',
      [
        allow('roles:*'),
        { actions_matching: ['payloads:list'], conditions: [{ names_matching: ['North'] }] },
      ],
      { payload_types: ['SMS'] },
    )
    const narrow = await fixture.personWith(['Narrow'])
    const north = { actions_matching: ['payloads:list'], conditions: [{ names_matching: ['North'] }] }
    assert.equal(await getCode(save(narrow, 'Given', roleInput([north]))), 'escalation')
    assert.equal(
      await getCode(save(narrow, 'Given', roleInput([allow('payloads:list')], { payload_types: ['SMS'] }))),
      'escalation',
    )
    await save(narrow, 'Given', roleInput([north], { payload_types: ['SMS'] }))
    const confined = await fixture.personWith(['Editor'], ['North'])
    assert.equal(await getCode(save(confined, 'Given', roleInput([allow('payloads:list')]))), 'escalation')
    await fixture.giveRole('Elsewhere', [allow('payloads:play')], { cidr_ranges: ['10.0.0.0/8'] })
    const away = await fixture.personWith(['Editor', 'Elsewhere'])
    assert.equal(await getCode(save(away, 'Given', roleInput([allow('payloads:play')]))), 'escalation')
  })

  it('allows users with the escalation permission, and raises a High alert with details', async () => {
    const administrator = await fixture.personWith(['Account Administrator'])
    const saved = await save(administrator, 'Wide', roleInput([allow('receipts:confirm')]))
    assert.equal(saved.role_reference, 'Wide')
    assert.deepEqual(await fixture.newAlerts(), [
      'High: carol saved the role Wide and so granted more than their own rights: receipts:confirm (*)',
    ])
    const [entity] = await fixture.sql<{ count: number }>(
      `select count(*)::int from portal_activities where action = 'roles:update' and user_reference = 'carol' and not is_allowed`,
    )
    assert.ok((entity?.count ?? 0) > 0, 'refusals stand in the audit as such')
  })

  it('refuses editors whose role permission is limited to groups', async () => {
    await fixture.giveRole('Partial', [
      { actions_matching: ['roles:*'], conditions: [{ names_matching: ['North'] }] },
    ])
    const partial = await fixture.personWith(['Partial'])
    const body = roleInput([allow('profile:read')])
    for (const call of [
      () => save(partial, 'Other', body),
      () => review(partial, 'Other', body),
      () => remove(partial, 'Editor'),
      () => read(partial, 'Editor'),
      () => partial.api.listRoles({}),
    ])
      assert.equal(await getCode(call()), 'not_permitted')
  })
})

describe('a change that locks its author out', () => {
  it('requires confirmation', async () => {
    await fixture.giveRole('Own', [allow('roles:*', 'profile:read')])
    const person = await fixture.personWith(['Own'])
    const less = roleInput([allow('profile:read')])
    assert.equal((await review(person, 'Own', less)).impact.locks_out, true)
    assert.equal(await getCode(save(person, 'Own', less)), 'locks_out')
    assert.equal(
      await getCode(save(person, 'Own', roleInput([allow('roles:*')], { cidr_ranges: ['10/8'] }))),
      'locks_out',
    )
    assert.equal(await getCode(remove(person, 'Own')), 'locks_out')
    await save(person, 'Own', less, { confirm_lockout: true })
    assert.equal(await getCode(read(person, 'Own')), 'not_permitted')
  })
})

describe('the role review', () => {
  it('shows matches and denials per action, and saves nothing', async () => {
    const body = roleInput([
      {
        actions_matching: ['payloads:p*', 'nothing:*'],
        conditions: [{ keys_matching: ['region'], values_matching: ['North'] }],
      },
      { is_denied: true, actions_matching: ['payloads:play'], conditions: [{ names_matching: ['North'] }] },
      allow('payloads:list'),
    ])
    const { actions, permissions, groups, warnings, problems, payloads, impact } = await review(
      fixture.alice,
      'Draft',
      body,
    )
    const play = actions.find(({ action }) => action === 'payloads:play')
    assert.deepEqual(
      [play?.outcome, play?.allowed_by, play?.denied_by, play?.struck.first, play?.groups.count],
      ['denied', [0], [1], ['North'], 0],
    )
    assert.deepEqual(permissions[0]?.patterns, [
      { pattern: 'payloads:p*', actions: ['payloads:play'] },
      { pattern: 'nothing:*', actions: [] },
    ])
    assert.deepEqual(
      warnings.map(({ path, code }) => [path, code]),
      [['permissions.0.actions_matching.1', 'matches_no_action']],
    )
    assert.deepEqual([problems, groups.is_all, payloads], [[], true, { total: 0, is_capped: false }])
    assert.deepEqual(
      impact.roles.map((role) => [role.role_reference, role.actions_gained]),
      [['Draft', ['payloads:list']]],
    )
    const saved = fixture.alice.api.readRole({ params: { role_reference: 'Draft' } })
    assert.equal(await getCode(saved), 'not_found')
    assert.equal((await review(fixture.alice, 'Draft', roleInput([allow('roles:list')]))).payloads, null)
  })

  it('neither names nor counts groups that the caller may not see', async () => {
    const person = await fixture.personWith(['Account Administrator'], ['North'])
    const { groups, impact, payloads } = await review(person, 'Draft', roleInput([allow('payloads:list')]))
    const north = { is_all: true, count: 1, first: ['North'], is_partial: true }
    assert.deepEqual(groups, north)
    assert.deepEqual(
      impact.escalations.map(({ action, groups: beyond }) => [action, beyond]),
      [['payloads:list', north]],
    )
    assert.deepEqual(payloads, { total: null, is_capped: false })
  })

  const byName = (pattern: string) => ({ conditions: [{ names_matching: [pattern], is_regex: true }] })

  it('gives the same result whether or not a pattern matches groups hidden from the caller', async () => {
    await countOne('South')
    await fixture.giveRole('Blind Editor', [
      allow('roles:*', 'profile:read'),
      { actions_matching: ['groups:list', 'payloads:list'], conditions: [{ names_matching: ['North'] }] },
    ])
    await fixture.giveRole('Other', [{ actions_matching: ['tags:list'], ...byName('Sou.*') }])
    const blind = await fixture.personWith(['Blind Editor'])
    const questions: [string, (pattern: string) => RoleInput][] = [
      ['Draft', (pattern) => roleInput([{ actions_matching: ['payloads:list'], ...byName(pattern) }])],
      [
        'Draft',
        (pattern) =>
          roleInput([allow('*'), { actions_matching: ['*'], is_denied: true, ...byName(pattern) }]),
      ],
      [
        // What the one rule grants is all that the other leaves: is anything left?
        'Draft',
        (pattern) =>
          roleInput([
            { actions_matching: ['payloads:list'], ...byName(pattern) },
            { actions_matching: ['payloads:list'], is_denied: true, ...byName('Nothing') },
          ]),
      ],
      ['Other', (pattern) => roleInput([{ actions_matching: ['tags:list'], ...byName(pattern) }])],
      ['Blind Editor', (pattern) => roleInput([{ actions_matching: ['roles:update'], ...byName(pattern) }])],
    ]
    for (const [name, body] of questions) {
      assert.deepEqual(await review(blind, name, body('Sou.*')), await review(blind, name, body('Nou.*')))
      const [south, none] = [body('Sou.*'), body('Nou.*')]
      assert.notDeepEqual(await review(fixture.alice, name, south), await review(fixture.alice, name, none))
      assert.notDeepEqual(await review(blind, name, body('Nor.*')), await review(blind, name, none))
    }
  })

  /** Counts a payload of long ago, as its announcement would have. */
  async function countOne(group: string, payload_type: PayloadType = 'Call'): Promise<void> {
    const [place] = await fixture.sql<{ client_id: number; group_id: number }>(
      `select client_id, group_id from groups join clients using (client_id) where client = 'acme' and group_reference = $1`,
      [group],
    )
    assert.ok(place)
    await countPayload(fixture.server.ctx.db, { ...place, payload_type, payload_time: 0 })
  }

  it('counts only payloads that the caller may list', async () => {
    await fixture.sql('truncate payload_counts')
    await countOne('North')
    await countOne('North', 'SMS')
    await countOne('South')
    const everything = roleInput([allow('payloads:list')])
    const south = roleInput([{ actions_matching: ['payloads:list'], ...byName('South') }])
    const payloads = async (person: Person, body: RoleInput) => (await review(person, 'Draft', body)).payloads
    const some = (total: number) => ({ total, is_capped: false, is_partial: true })

    assert.deepEqual(await payloads(fixture.alice, everything), { total: 3, is_capped: false })
    assert.deepEqual(await payloads(fixture.alice, south), { total: 1, is_capped: false })
    await fixture.giveRole('North Reader', [
      allow('roles:*', 'groups:list'),
      { actions_matching: ['payloads:list'], ...byName('North') },
    ])
    const north = await fixture.personWith(['North Reader'])
    assert.deepEqual(await payloads(north, everything), some(2))
    assert.deepEqual(await payloads(north, south), some(0))
    await fixture.giveRole('SMS Reader', [allow('roles:*', 'groups:list', 'payloads:list')], {
      payload_types: ['SMS'],
    })
    assert.deepEqual(await payloads(await fixture.personWith(['SMS Reader']), everything), some(1))
    await fixture.giveRole('Reader Without Groups', [allow('roles:*', 'payloads:list')])
    assert.deepEqual(await payloads(await fixture.personWith(['Reader Without Groups']), everything), some(0))
  })

  it('counts roles without naming them for a caller who may not list roles', async () => {
    const body = roleInput([allow('profile:read')])
    await fixture.giveRole('Reviewer', [allow('roles:review', 'groups:*')])
    const reviewer = await fixture.personWith(['Reviewer'])
    const { impact } = await review(reviewer, 'Draft', body)
    assert.deepEqual([impact.roles, impact.hidden_roles], [[], 1])
    const { impact: own } = await review(fixture.alice, 'Draft', body)
    assert.deepEqual([own.roles.length, own.hidden_roles], [1, undefined])

    await fixture.giveRole('Secret Investigators', [
      {
        actions_matching: ['payloads:*'],
        conditions: [{ keys_matching: ['region'], values_matching: ['Z'] }],
      },
    ])
    const moved = (person: Person) =>
      person.api.reviewGroup({
        params: { group_reference: 'North' },
        body: { tags: [{ key: 'region', value: 'Z' }] },
      })
    const result = await moved(reviewer)
    assert.deepEqual([result.impact.roles, result.impact.hidden_roles], [[], 1])
    assert.ok(!JSON.stringify(result).includes('Secret'))
    assert.equal((await moved(fixture.alice)).impact.roles[0]?.role_reference, 'Secret Investigators')
  })
})
