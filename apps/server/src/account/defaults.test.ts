import assert from 'node:assert/strict'
import { after, beforeEach, describe, it } from 'node:test'
import type { AccountDefaultsInput } from '@custodia/contract'
import { accessFixture, allow, getCode, type Person, getProblem } from '../testing/access-fixture.ts'

const fixture = await accessFixture()
after(() => fixture.close())

const DEFAULTS: AccountDefaultsInput = {
  user_group: 'Unassigned',
  role: null,
  cidr_ranges: [],
  contact: null,
}
const HERE = '127.0.0.0/8'
const save = (
  person: Person,
  body: Partial<AccountDefaultsInput>,
  query: { confirm_lockout?: boolean } = {},
  how: { if_match?: string } = {},
) => person.api.saveAccountDefaults({ query, body: { ...DEFAULTS, ...body } }, how)
const review = (person: Person, body: Partial<AccountDefaultsInput>) =>
  person.api.reviewAccountDefaults({ body: { ...DEFAULTS, ...body } })
const read = (person: Person) => person.api.readAccountDefaults({})

describe('account defaults', () => {
  beforeEach(async () => {
    await save(fixture.alice, {})
    await fixture.newAlerts()
  })

  it('are replaced as a whole, with networks written in full', async () => {
    const { version } = await read(fixture.alice)
    const saved = await save(
      fixture.alice,
      { user_group: 'North', role: 'Auditor', cidr_ranges: ['10/8', '127/8'] },
      {},
      { if_match: version },
    )
    assert.deepEqual(
      [saved.user_group, saved.role, saved.cidr_ranges, saved.updated_by],
      ['North', 'Auditor', ['10.0.0.0/8', HERE], 'alice'],
    )
    // The indexing progress changes meanwhile.
    assert.deepEqual({ ...(await read(fixture.alice)), content_index: saved.content_index }, saved)
    assert.equal((await getProblem(save(fixture.alice, {}, {}, { if_match: version }))).status, 412)
  })

  it('name a contact, which every profile of the client shows', async () => {
    assert.equal((await read(fixture.alice)).contact, null)
    const contact = 'Compliance desk, ext. 4321'
    const { version } = await read(fixture.alice)
    assert.equal((await save(fixture.alice, { contact })).contact, contact)
    assert.notEqual((await read(fixture.alice)).version, version)
    const person = await fixture.personWith(['Desk Reviewer', 'Auditor'])
    const profile = await person.api.readProfile({})
    assert.deepEqual([profile.contact, profile.unknown_roles], [contact, ['Desk Reviewer']])
    assert.equal((await fixture.gina.api.readProfile({})).contact, null, 'of another client')
    for (const wrong of ['', 'x'.repeat(256)])
      assert.equal(await getCode(save(fixture.alice, { contact: wrong })), 'invalid_input')
    assert.equal((await save(fixture.alice, { contact: 'x'.repeat(255) })).contact?.length, 255)
    assert.equal((await save(fixture.alice, {})).contact, null)
  })

  it('accept only groups and roles of the client that exist', async () => {
    const wrong = { user_group: 'Nowhere', role: 'Unknown', cidr_ranges: ['10/8', '10.300/8'] }
    assert.equal(await getCode(save(fixture.alice, wrong)), 'invalid_input')
    const { problems } = await review(fixture.alice, { user_group: 'Nowhere', role: 'Provider Support' })
    assert.deepEqual(
      problems.map(({ path, code }) => [path, code]),
      [
        ['user_group', 'unknown_reference'],
        ['role', 'unknown_reference'],
      ],
    )
    assert.deepEqual(
      (await getProblem(save(fixture.alice, { user_group: 'Nowhere', role: 'Provider Support' }))).faults,
      problems,
    )
    assert.equal(
      await getCode(save(fixture.alice, { user_group: 'Brokers' })),
      'invalid_input',
      'a group of globex',
    )
  })

  it('need confirmation before they lock out the caller’s own address', async () => {
    assert.equal((await review(fixture.alice, { cidr_ranges: ['10/8'] })).impact.locks_out, true)
    assert.equal(await getCode(save(fixture.alice, { cidr_ranges: ['10/8'] })), 'locks_out')
    assert.equal((await review(fixture.alice, { cidr_ranges: ['10/8', HERE] })).impact.locks_out, false)
    await save(fixture.alice, { cidr_ranges: ['10/8'] }, { confirm_lockout: true })
    assert.equal(await getCode(read(fixture.alice)), 'network_not_permitted')
    await fixture.sql(`update account_defaults set cidr_ranges = '{}'`)
    await fixture.sql('update clients set access_epoch = access_epoch + 1')
  })

  it('reject roles and networks beyond the caller’s rights, unless the caller may escalate', async () => {
    await fixture.giveRole('Settings', [allow('account.defaults:*', 'profile:read')])
    await fixture.giveRole('Small', [allow('profile:read')])
    const person = await fixture.personWith(['Settings'])
    const { impact } = await review(person, { role: 'Compliance Reviewer' })
    assert.ok(impact.escalations.some(({ action }) => action === 'payloads:play'))
    assert.equal(await getCode(save(person, { role: 'Compliance Reviewer' })), 'escalation')
    assert.equal((await save(person, { role: 'Small' })).role, 'Small')
    await save(person, { role: 'Small', cidr_ranges: [HERE, '10/8'] })
    await save(person, { role: 'Small', cidr_ranges: [HERE] })
    assert.equal(await getCode(save(person, { role: 'Small', cidr_ranges: [HERE, '10/8'] })), 'escalation')
    assert.equal(await getCode(save(person, { role: 'Small' })), 'escalation')
    assert.deepEqual(await fixture.newAlerts(), [])
    await save(await fixture.personWith(['Account Administrator']), { role: 'Receipt App', cidr_ranges: [] })
    const [alert, ...others] = await fixture.newAlerts()
    assert.match(alert ?? '', /^High: carol saved the account settings\b.*account\.data_requests:copy/)
    assert.deepEqual(others, [])
  })

  it('need confirmation before they remove the caller’s only role, the default role', async () => {
    await fixture.giveRole('Newcomer', [allow('account.defaults:*', 'profile:read')])
    await save(fixture.alice, { role: 'Newcomer' })
    const person = await fixture.personWith(['Newcomer'])
    const locks = async (who: Person, role: string | null) => (await review(who, { role })).impact.locks_out
    assert.deepEqual(
      [await locks(person, null), await locks(person, 'Auditor'), await locks(person, 'Newcomer')],
      [true, true, false],
    )
    assert.equal(await getCode(save(person, { role: null })), 'locks_out')
    const both = await fixture.personWith(['Newcomer', 'Auditor'])
    assert.equal(await locks(both, null), false, 'the provider names the roles of this person')
    await save(person, { role: null }, { confirm_lockout: true })
  })

  it('give the default role to more people only as the caller may give it, and to fewer after confirmation', async () => {
    await fixture.giveRole('Newcomer', [allow('account.defaults:*', 'profile:read')])
    const fewer = { role: 'Newcomer', default_for_empty_roles: false }
    await save(fixture.alice, { ...fewer, default_for_empty_roles: true })
    const person = await fixture.personWith(['Newcomer'])
    assert.equal(await getCode(save(person, fewer)), 'locks_out')
    assert.equal((await save(fixture.alice, fewer)).default_for_empty_roles, false)
    await save(fixture.alice, { role: 'Auditor' })
    assert.equal(
      (await read(fixture.alice)).default_for_empty_roles,
      false,
      'a save without the field keeps it',
    )
    const more = { role: 'Auditor', default_for_empty_roles: true }
    assert.equal(await getCode(save(person, more)), 'escalation')
    assert.equal((await save(fixture.alice, more)).default_for_empty_roles, true)
  })

  it('reject a role for networks where the caller does not hold its permissions', async () => {
    await fixture.giveRole('Local Settings', [allow('account.defaults:*', 'profile:read')], {
      cidr_ranges: [HERE],
    })
    await fixture.giveRole('Small', [allow('profile:read')])
    const person = await fixture.personWith(['Local Settings'])
    const { impact } = await review(person, { role: 'Small' })
    assert.deepEqual(
      impact.escalations.map(({ action, limit }) => `${action} ${limit}`),
      ['profile:read networks'],
    )
    assert.equal(await getCode(save(person, { role: 'Small' })), 'escalation')
  })

  it('need the permission without conditions, and stay within the client', async () => {
    await fixture.giveRole('Partial', [
      { actions_matching: ['account.defaults:*'], conditions: [{ names_matching: ['North'] }] },
    ])
    const partial = await fixture.personWith(['Partial'])
    for (const call of [() => read(partial), () => save(partial, {}), () => review(partial, {})])
      assert.equal(await getCode(call()), 'not_permitted')
    await fixture.sql(
      `update portal_sessions set roles = '{Account Administrator}' where user_reference = 'gina'`,
    )
    assert.equal((await read(fixture.gina)).user_group, 'Brokers')
  })
})
