import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import type { Condition, TagInput } from '@custodia/contract'
import {
  type AccessFixture,
  accessFixture,
  allow,
  codeOf,
  type Person,
} from '../../testing/access-fixture.ts'

let fixture: AccessFixture
before(async () => {
  fixture = await accessFixture()
})
after(() => fixture?.close())

const team = (default_value: string, is_required = true): TagInput => ({
  tag_values: null,
  default_value,
  is_required,
})
const save = (person: Person, body: TagInput, confirm_lockout?: boolean) =>
  person.api.saveTag({
    params: { tag_key: 'team' },
    query: { force_update: true, confirm_lockout },
    body,
  })
const review = async (person: Person, body: TagInput) =>
  (await person.api.reviewTag({ params: { tag_key: 'team' }, query: {}, body })).impact
const mine = { keys_matching: ['team'], values_matching: ['Mine'] }

describe('the default value of a required tag', () => {
  const trap = async (conditions: Condition[] = [mine], is_denied = false) => {
    await fixture.giveRole('Trap', [
      allow('tags:*', 'groups:update', 'roles:list', 'profile:read', ...(is_denied ? ['payloads:list'] : [])),
      { actions_matching: ['payloads:list', 'groups:list'], conditions, is_denied },
    ])
    return fixture.personWith(['Trap'])
  }
  beforeEach(async () => {
    await save(fixture.alice, team('Other'), true)
    await fixture.newAlerts()
  })

  it('is refused when it gives its author access to prospective groups', async () => {
    const person = await trap()
    const impact = await review(person, team('Mine'))
    assert.deepEqual(
      impact.escalations.map(({ action, limit, groups }) => [action, limit, groups.count, groups.first]),
      [
        ['groups:list', 'reach', 0, []],
        ['payloads:list', 'reach', 0, []],
      ],
    )
    assert.deepEqual(
      impact.roles.map(({ role_reference }) => role_reference),
      ['Trap'],
    )
    assert.equal(await codeOf(save(person, team('Mine'))), 'escalation')
    await save(person, team('Another'))
    assert.deepEqual(await fixture.newAlerts(), [])
  })

  it('is checked together with other defaults, and when its definition is deleted', async () => {
    const zone = (default_value: string) => ({
      params: { tag_key: 'zone' },
      query: { force_update: true },
      body: { tag_values: null, is_required: true, default_value },
    })
    await fixture.alice.api.saveTag(zone('Closed'))
    const person = await trap([
      { keys_matching: ['team'], values_matching: ['*'] },
      { keys_matching: ['zone'], values_matching: ['Closed'], is_denied: true },
    ])
    assert.equal(await codeOf(person.api.saveTag(zone('Open'))), 'escalation')
    const remove = (tag_key: string) => person.api.deleteTag({ params: { tag_key }, query: {} })
    assert.equal(await codeOf(remove('zone')), 'escalation')
    await fixture.alice.api.deleteTag({ params: { tag_key: 'zone' }, query: {} })
    await fixture.newAlerts()
  })

  it('is checked for every name condition that a role may have', async () => {
    const named: Condition[][] = [
      [{ ...mine, names_matching: ['Fresh*'] }],
      [{ ...mine, names_matching: ['?resh Desk', 'x'] }],
      [{ names_matching: ['Fresh.*'], values_matching: ['M.*'], keys_matching: ['team'], is_regex: true }],
      [mine, { ...mine, names_matching: ['Other*'], is_denied: true }],
    ]
    for (const conditions of named)
      assert.equal(
        (await review(await trap(conditions), team('Mine'))).escalations.length,
        2,
        JSON.stringify(conditions),
      )
    const elsewhere = await trap([{ names_matching: ['Fresh*'] }])
    assert.deepEqual((await review(elsewhere, team('Mine'))).escalations, [])
  })

  it('counts as an escalation when it lifts a denial, by another value or by becoming optional', async () => {
    const person = await trap([{ keys_matching: ['team'], values_matching: ['Other'] }], true)
    for (const body of [team('Mine'), team('Other', false)])
      assert.ok(
        (await review(person, body)).escalations.some(({ action }) => action === 'groups:list'),
        JSON.stringify(body),
      )
  })

  it('can be set without an alert by a user who holds all permissions', async () => {
    await trap()
    await fixture.giveRole('Mighty', [allow('*')])
    const mighty = await fixture.personWith(['Mighty'])
    const impact = await review(mighty, team('Mine'))
    assert.deepEqual([impact.escalations, impact.locks_out], [[], false])
    await save(mighty, team('Mine'))
    assert.deepEqual(await fixture.newAlerts(), [])
  })

  it('reports a lockout when its author would lose prospective groups', async () => {
    const person = await trap()
    await save(fixture.alice, team('Mine'), true)
    assert.equal((await review(person, team('Other'))).locks_out, true)
    assert.equal((await review(person, team('Mine'))).locks_out, false)
  })

  it('shows the author of a group which roles gain access, without refusing the group', async () => {
    await trap()
    await save(fixture.alice, team('Mine'), true)
    await fixture.newAlerts()
    const params = { group_reference: 'Fresh Desk' }
    const { impact } = await fixture.alice.api.reviewGroup({ params, query: {}, body: { tags: [] } })
    assert.deepEqual(
      impact.roles.map(({ role_reference, groups_gained }) => [role_reference, groups_gained.first]),
      [['Trap', ['Fresh Desk']]],
    )
    assert.deepEqual(impact.escalations, [])
    await fixture.alice.api.saveGroup({ params, query: {}, body: { tags: [] } })
    await fixture.alice.api.deleteGroup({ params, query: {} })
    assert.deepEqual(await fixture.newAlerts(), [])
  })
})
