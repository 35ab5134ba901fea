import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import {
  type AccessFixture,
  accessFixture,
  allow,
  codeOf,
  type Person,
  read,
  remove,
  review,
  roleInput,
  save,
} from '../testing/access-fixture.ts'

let fixture: AccessFixture
before(async () => {
  fixture = await accessFixture()
})
after(() => fixture?.close())

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
      assert.equal(await codeOf(save(editor, name, wider)), 'escalation')
    }
    const rights = { ops_read: false, ops_write: false, sec_read: true, sec_write: false }
    assert.equal(
      await codeOf(save(editor, 'Other', roleInput([allow('profile:read')], { alert_permissions: rights }))),
      'escalation',
    )
    assert.equal((await read(editor, 'Editor')).permissions.length, 1)
    assert.equal((await save(editor, 'Other', roleInput([allow('payloads:list')]))).role_reference, 'Other')
    assert.deepEqual(await fixture.newAlerts(), [])
  })

  it('counts the removal of a denial, by editing or by deleting its role', async () => {
    const deny = { is_denied: true, actions_matching: ['payloads:play'] }
    await fixture.giveRole('Brake', [deny])
    assert.equal(await codeOf(save(editor, 'Brake', roleInput([allow('profile:read')]))), 'escalation')
    assert.equal(await codeOf(remove(editor, 'Brake')), 'escalation')
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
    assert.equal(await codeOf(save(narrow, 'Given', roleInput([north]))), 'escalation')
    assert.equal(
      await codeOf(save(narrow, 'Given', roleInput([allow('payloads:list')], { payload_types: ['SMS'] }))),
      'escalation',
    )
    await save(narrow, 'Given', roleInput([north], { payload_types: ['SMS'] }))
    const confined = await fixture.personWith(['Editor'], ['North'])
    assert.equal(await codeOf(save(confined, 'Given', roleInput([allow('payloads:list')]))), 'escalation')
    await fixture.giveRole('Elsewhere', [allow('payloads:play')], { cidr_ranges: ['10.0.0.0/8'] })
    const away = await fixture.personWith(['Editor', 'Elsewhere'])
    assert.equal(await codeOf(save(away, 'Given', roleInput([allow('payloads:play')]))), 'escalation')
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
      () => partial.api.listRoles({ query: {} }),
    ])
      assert.equal(await codeOf(call()), 'not_permitted')
  })
})

describe('a change that locks its author out', () => {
  it('requires confirmation', async () => {
    await fixture.giveRole('Own', [allow('roles:*', 'profile:read')])
    const person = await fixture.personWith(['Own'])
    const less = roleInput([allow('profile:read')])
    assert.equal((await review(person, 'Own', less)).impact.locks_out, true)
    assert.equal(await codeOf(save(person, 'Own', less)), 'locks_out')
    assert.equal(
      await codeOf(save(person, 'Own', roleInput([allow('roles:*')], { cidr_ranges: ['10/8'] }))),
      'locks_out',
    )
    assert.equal(await codeOf(remove(person, 'Own')), 'locks_out')
    await save(person, 'Own', less, { confirm_lockout: true })
    assert.equal(await codeOf(read(person, 'Own')), 'not_permitted')
  })
})
