import assert from 'node:assert/strict'
import { after, beforeEach, describe, it } from 'node:test'
import type { RoleInput } from '@custodia/contract'
import { accessFixture, allow, getCode, type Person, roleInput } from '../testing/access-fixture.ts'

const fixture = await accessFixture()
after(() => fixture.close())

const HERE = '127.0.0.0/8'
const save = (person: Person, role_reference: string, body: RoleInput, confirm_lockout?: boolean) =>
  person.api.saveRole({ params: { role_reference }, query: { confirm_lockout }, body })
const review = async (person: Person, role_reference: string, body: RoleInput) =>
  (await person.api.reviewRole({ params: { role_reference }, body })).impact
const getLimits = ({ escalations }: Awaited<ReturnType<typeof review>>) => [
  ...new Set(escalations.map(({ limit }) => limit)),
]

describe('a permission with a network limit and an alert', () => {
  const RIGHTS = [allow('roles:*', 'payloads:list', 'profile:read')]
  const TERMS = { cidr_ranges: [HERE], is_alertable: true }
  let editor: Person
  beforeEach(async () => {
    await fixture.giveRole('Editor', RIGHTS, TERMS)
    editor = await fixture.personWith(['Editor'])
  })

  it('its holder cannot drop the network limit or the alert in any role', async () => {
    for (const name of ['Editor', 'Copy'])
      for (const [terms, limit] of [
        [{ ...TERMS, cidr_ranges: [] }, 'networks'],
        [{ ...TERMS, cidr_ranges: [HERE, '10.0.0.0/8'] }, 'networks'],
        [{ ...TERMS, is_alertable: false }, 'watch'],
      ] as const) {
        const body = roleInput(RIGHTS, { ...terms, cidr_ranges: [...terms.cidr_ranges] })
        assert.deepEqual(getLimits(await review(editor, name, body)), [limit], name)
        assert.equal(await getCode(save(editor, name, body)), 'escalation', name)
      }
  })

  it('can be freed of its limits by a holder without limits, and no alert is raised', async () => {
    await fixture.giveRole('Mighty', [allow('*')])
    const mighty = await fixture.personWith(['Mighty'])
    await fixture.newAlerts()
    const free = roleInput(RIGHTS)
    const impact = await review(mighty, 'Editor', free)
    assert.deepEqual([impact.escalations, impact.locks_out], [[], false])
    assert.deepEqual(
      impact.roles.map(({ role_reference }) => role_reference),
      ['Editor'],
    )
    await save(mighty, 'Editor', free)
    assert.deepEqual(await fixture.newAlerts(), [])
  })
})

describe('a change that its author could not undo', () => {
  const ALL = roleInput([allow('*')])
  const boss = async (more: Partial<RoleInput> = {}) => {
    await fixture.giveRole('Boss', ALL.permissions, more)
    return fixture.personWith(['Boss'])
  }
  const locks = async (person: Person, name: string, body: RoleInput) =>
    (await review(person, name, body)).locks_out

  it('needs confirmation, even if the author keeps the action for undoing it', async () => {
    const person = await boss()
    const less = roleInput([allow('roles:*', 'profile:read')])
    assert.equal(await locks(person, 'Boss', less), true)
    assert.equal(await getCode(save(person, 'Boss', less)), 'locks_out')
    await save(person, 'Boss', less, true)
    assert.equal(await getCode(save(person, 'Boss', ALL)), 'escalation')
  })

  it('needs confirmation when it removes only networks or payload types, or adds alerts', async () => {
    const person = await boss()
    const escalation = { is_denied: true, actions_matching: ['access:escalate'] }
    await fixture.giveRole('Boss', [allow('*'), escalation])
    for (const terms of [
      { cidr_ranges: [HERE] },
      { is_alertable: true },
      { payload_types: ['Call' as const] },
    ])
      assert.equal(await locks(person, 'Boss', roleInput([allow('*'), escalation], terms)), true)
    assert.equal(await locks(person, 'Boss', roleInput([allow('*'), escalation])), false)
  })

  it('needs no confirmation when the author keeps the permission to escalate', async () => {
    const person = await boss()
    const keys = roleInput([allow('roles:*', 'profile:read', 'access:escalate')])
    assert.equal(await locks(person, 'Boss', keys), false)
    await save(person, 'Boss', keys)
    assert.equal(await locks(person, 'Boss', ALL), false)
    await fixture.newAlerts()
    await save(person, 'Boss', ALL)
    assert.equal((await fixture.newAlerts()).length, 1)
  })

  it('needs no confirmation for losses of others or for permissions held by another role', async () => {
    await fixture.giveRole('Keeper', [allow('roles:*', 'profile:read')])
    await fixture.giveRole('Player', [allow('payloads:play', 'profile:read')])
    const less = roleInput([allow('profile:read')])
    assert.equal(await locks(await fixture.personWith(['Keeper']), 'Player', less), false)
    assert.equal(await locks(await fixture.personWith(['Keeper', 'Player']), 'Player', less), true)
    await fixture.giveRole('Player 2', [allow('payloads:play', 'profile:read')])
    assert.equal(
      await locks(await fixture.personWith(['Keeper', 'Player', 'Player 2']), 'Player', less),
      false,
    )
  })

  it('needs confirmation also for permissions that apply only from other networks', async () => {
    await fixture.giveRole('Keeper', [allow('roles:*', 'profile:read')])
    await fixture.giveRole('Office', [allow('payloads:play')], { cidr_ranges: ['10.0.0.0/8'] })
    const person = await fixture.personWith(['Keeper', 'Office'])
    const shut = roleInput([allow('profile:read')], { cidr_ranges: ['10.0.0.0/8'] })
    assert.equal(await locks(person, 'Office', shut), true)
    assert.equal(await locks(person, 'Another', shut), false)
  })
})
