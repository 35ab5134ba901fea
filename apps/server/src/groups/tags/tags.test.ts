import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import type { Condition, TagInput } from '@custodia/contract'
import { accessFixture, allow, getCode, type Person, getProblem } from '../../testing/access-fixture.ts'

const fixture = await accessFixture()
after(() => fixture.close())

const save = (
  person: Person,
  tag_key: string,
  body: TagInput,
  query: { force_update?: boolean; confirm_lockout?: boolean } = {},
  how: { if_match?: string; if_none_match?: boolean } = {},
) => person.api.saveTag({ params: { tag_key }, query, body }, how)
const review = (person: Person, tag_key: string, body: TagInput) =>
  person.api.reviewTag({ params: { tag_key }, body })
const read = (person: Person, tag_key: string) => person.api.readTag({ params: { tag_key } })
const getTags = async (group_reference: string) =>
  (await fixture.alice.api.readGroup({ params: { group_reference } })).tags.map(
    ({ key, value }) => `${key}=${value}`,
  )
const definition = (
  tag_values: string[] | null,
  default_value: string | null = null,
  is_required = false,
): TagInput => ({ tag_values, default_value, is_required })

describe('tag definitions', () => {
  it('are found by a part of the key, a value or the default', async () => {
    await save(fixture.alice, 'Shade', definition(['Dark Blue', 'Grey']))
    await save(fixture.alice, 'Tint', definition(null, 'bluish'))
    const search = { search: 'BLU' }
    const answer = await fixture.alice.api.listTags({ query: search })
    assert.deepEqual(
      answer.data.map(({ tag_key }) => tag_key),
      ['Shade', 'Tint'],
    )
    assert.deepEqual(await fixture.alice.api.listTags({ query: { type: 'total', ...search } }), { total: 2 })
    assert.deepEqual(await fixture.alice.api.listTags({ query: { type: 'total', search: 'hade' } }), {
      total: 1,
    })
    for (const tag_key of ['Shade', 'Tint']) await fixture.alice.api.deleteTag({ params: { tag_key } })
  })

  it('can be listed, read, replaced and deleted', async () => {
    const made = await save(fixture.alice, 'branch', definition(['A', 'B']), {}, { if_none_match: true })
    assert.deepEqual(
      [made.tag_key, made.tag_values, made.groups, made.updated_by],
      ['branch', ['A', 'B'], 0, 'alice'],
    )
    assert.deepEqual(await read(fixture.alice, 'branch'), made)
    const { data } = (await fixture.alice.api.listTags({})) as { data: { tag_key: string; groups: number }[] }
    assert.deepEqual(
      data.map(({ tag_key, groups }) => [tag_key, groups]),
      [
        ['branch', 0],
        ['desk', 2],
        ['region', 2],
      ],
    )
    assert.deepEqual(await fixture.alice.api.listTags({ query: { type: 'total', search: 'E' } }), {
      total: 2,
    })
    const next = await save(fixture.alice, 'branch', definition(null), {}, { if_match: made.version })
    assert.equal(
      (await getProblem(save(fixture.alice, 'branch', definition([]), {}, { if_match: made.version })))
        .status,
      412,
    )
    const remove = (if_match: string) =>
      fixture.alice.api.deleteTag({ params: { tag_key: 'branch' } }, { if_match })
    assert.equal(await getCode(remove(made.version)), 'changed_meanwhile')
    assert.deepEqual(await remove(next.version), {})
    assert.equal(await getCode(read(fixture.alice, 'branch')), 'not_found')
    assert.equal(await getCode(remove(next.version)), 'not_found')
  })

  it('are rejected when they contradict themselves or exceed 500 values', async () => {
    const wrong: [TagInput, string, string][] = [
      [definition(['A'], null, true), 'default_value', 'requires_default'],
      [definition(['A'], 'B'), 'default_value', 'default_not_in_values'],
      [definition([], 'A', true), 'tag_values', 'values_empty'],
    ]
    for (const [body, path, code] of wrong) {
      const { problems, broken_count } = await review(fixture.alice, 'branch', body)
      assert.deepEqual([problems[0]?.path, problems[0]?.code, broken_count], [path, code, 0])
      assert.deepEqual((await getProblem(save(fixture.alice, 'branch', body))).faults, problems)
    }
    const values = (n: number) => definition(Array.from({ length: n }, (_, i) => String(i)))
    await save(fixture.alice, 'many', values(500))
    assert.equal(await getCode(save(fixture.alice, 'many', values(501))), 'invalid_input')
    await fixture.alice.api.deleteTag({ params: { tag_key: 'many' } })
  })
})

describe('a tag definition that breaks groups', () => {
  const strict = definition(['North', 'West'], 'West', true)
  it('is refused with the affected groups, and corrects them when forced', async () => {
    const { broken_groups, broken_count } = await review(fixture.alice, 'region', strict)
    assert.deepEqual([broken_count, broken_groups.length], [4, 4])
    assert.deepEqual(
      broken_groups.find(({ group_reference }) => group_reference === 'South'),
      { group_reference: 'South', problem: 'value', value: 'South', becomes: 'West' },
    )
    const { code, status, faults } = await getProblem(save(fixture.alice, 'region', strict))
    assert.deepEqual([code, status], ['breaks_groups', 409])
    assert.deepEqual(faults.map((fault) => [fault.path, fault.code]).toSorted(), [
      ['Private Banking', 'tag_missing'],
      ['South', 'tag_value'],
      ['Trading Desk', 'tag_missing'],
      ['Unassigned', 'tag_missing'],
    ])
    assert.deepEqual(await getTags('South'), ['region=South'])
    assert.equal((await save(fixture.alice, 'region', strict, { force_update: true })).groups, 5)
    assert.deepEqual(await getTags('South'), ['region=West'])
    assert.deepEqual(await getTags('Unassigned'), ['region=West'])
    assert.deepEqual(await getTags('Private Banking'), ['desk=Advice', 'region=West'])
    await save(fixture.alice, 'region', definition(['North']), { force_update: true })
    assert.deepEqual(
      [await getTags('South'), await getTags('North')],
      [[], ['region=North']],
      'without default they go',
    )
  })

  it('names at most a hundred groups', async () => {
    await fixture.sql(`insert into groups (client_id, group_reference, updated_at, updated_by)
      select client_id, 'G' || n, 0, 'test' from clients, generate_series(1, 120) n where client = 'acme'`)
    await fixture.sql('update clients set access_epoch = access_epoch + 1')
    const required = definition(null, 'x', true)
    const { broken_groups, broken_count } = await review(fixture.alice, 'new', required)
    assert.deepEqual([broken_groups.length, broken_count], [100, 125])
    assert.equal((await getProblem(save(fixture.alice, 'new', required))).faults.length, 100)
    await fixture.sql(`delete from groups where group_reference ~ '^G[0-9]'`)
    await fixture.sql('update clients set access_epoch = access_epoch + 1')
  })

  it('is refused when a group has the maximum number of tags', async () => {
    const tags = Array.from({ length: 50 }, (_, i) => ({ key: `t${i}`, value: '' }))
    await fixture.alice.api.saveGroup({ params: { group_reference: 'Full' }, body: { tags } })
    const { code, faults } = await getProblem(
      save(fixture.alice, 'new', definition(null, 'x', true), { force_update: true }),
    )
    assert.deepEqual([code, faults[0]?.path, faults[0]?.code], ['invalid_input', 'Full', 'too_many'])
    await fixture.alice.api.deleteGroup({ params: { group_reference: 'Full' } })
  })
})

describe('a tag definition that breaks groups beyond the permissions of its editor', () => {
  const strict = definition(['Here'], 'Here', true)
  const within = (tag_key: string, ...actions_matching: string[]) => ({
    actions_matching,
    conditions: [{ keys_matching: [tag_key] }],
  })
  const setTags = (group_reference: string, tags: { key: string; value: string }[]) =>
    fixture.alice.api.saveGroup({ params: { group_reference }, body: { tags } })
  before(async () => {
    for (const name of ['Near', 'Far']) await setTags(name, [{ key: 'place', value: name }])
    await setTags('Near', [
      { key: 'near', value: 'yes' },
      { key: 'place', value: 'Near' },
    ])
  })
  after(async () => {
    for (const group_reference of ['Near', 'Far'])
      await fixture.alice.api.deleteGroup({ params: { group_reference } })
  })

  it('requires groups:update on every affected group, and warns about it in the review', async () => {
    await fixture.giveRole('Near Tagger', [allow('tags:*'), within('near', 'groups:*')])
    const person = await fixture.personWith(['Near Tagger'])
    const strictHere = definition(['Here'], 'Here')
    const found = await review(person, 'place', strictHere)
    assert.deepEqual(
      found.broken_groups.map(({ group_reference }) => group_reference),
      ['Near'],
    )
    assert.deepEqual(
      [found.problems, found.warnings.map(({ path, code, values }) => [path, code, values])],
      [[], [['force_update', 'may_not_mend', { count: 1 }]]],
    )
    const refused = await getProblem(save(person, 'place', strictHere, { force_update: true }))
    assert.deepEqual([refused.code, refused.status], ['not_permitted', 403])
    assert.doesNotMatch(JSON.stringify(refused), /Far/)
    assert.deepEqual(
      [await getTags('Far'), await getTags('Near')],
      [['place=Far'], ['near=yes', 'place=Near']],
    )

    await setTags('Far', [])
    assert.deepEqual((await review(person, 'place', strictHere)).warnings, [])
    await save(person, 'place', strictHere, { force_update: true })
    assert.deepEqual(await getTags('Near'), ['near=yes', 'place=Here'])
  })

  it('names full groups only if the caller may see them', async () => {
    const full = Array.from({ length: 49 }, (_, i) => ({ key: `t${i}`, value: '' }))
    await setTags('Near', [...full, { key: 'near', value: 'yes' }])
    await setTags('Far', [...full, { key: 'far', value: 'yes' }])
    await fixture.giveRole('Near Lister', [allow('tags:*', 'groups:update'), within('near', 'groups:list')])
    const person = await fixture.personWith(['Near Lister'])
    const { problems } = await review(person, 'new', strict)
    const expected = [
      ['Near', 'too_many'],
      ['force_update', 'too_many'],
    ]
    assert.deepEqual(
      problems.map(({ path, code }) => [path, code]),
      expected,
    )
    const { code, faults } = await getProblem(save(person, 'new', strict, { force_update: true }))
    assert.equal(code, 'invalid_input')
    assert.deepEqual(
      faults.map((each) => [each.path, each.code]),
      expected,
    )
  })
})

describe('privilege escalation by tag definitions', () => {
  const widening = definition(['Open'], 'Open', true)
  beforeEach(async () => {
    await fixture.giveRole('Open Only', [
      {
        actions_matching: ['payloads:play'],
        conditions: [{ keys_matching: ['door'], values_matching: ['Open'] }],
      },
      allow('tags:*', 'groups:update', 'roles:list'),
    ])
    await fixture.newAlerts()
  })

  it('is refused, without naming groups that the editor may not see', async () => {
    const person = await fixture.personWith(['Open Only'])
    const { impact, broken_count } = await review(person, 'door', widening)
    assert.equal(broken_count, 5)
    assert.deepEqual(
      impact.roles.map(({ role_reference, groups_gained }) => [role_reference, groups_gained.count]),
      [['Open Only', 0]],
    )
    assert.deepEqual(
      impact.escalations.map(({ action, groups }) => [action, groups.count, groups.first]),
      [['payloads:play', 0, []]],
      'a caller who lists no groups reads neither their names nor how many they are',
    )
    assert.equal(await getCode(save(person, 'door', widening, { force_update: true })), 'escalation')
    assert.equal(await getCode(read(person, 'door')), 'not_found')
    assert.deepEqual(await getTags('North'), ['region=North'])
  })

  it('is allowed with access:escalate, and raises an alert', async () => {
    await fixture.giveRole('Tagger', [allow('tags:*', 'groups:update', 'access:escalate')])
    const person = await fixture.personWith(['Tagger'])
    assert.equal(await getCode(save(person, 'door', widening)), 'breaks_groups')
    await save(person, 'door', widening, { force_update: true })
    const [alert, ...others] = await fixture.newAlerts()
    assert.match(
      alert ?? '',
      /^High: carol saved the tag door and so granted more .*payloads:play \(.*\+2\)$/,
    )
    assert.deepEqual(others, [])
  })

  it('the review reports when a definition locks its author out', async () => {
    await fixture.giveRole('By Door', [
      { is_denied: true, actions_matching: ['groups:update'], conditions: [{ keys_matching: ['shut'] }] },
      allow('tags:*', 'groups:*'),
    ])
    const person = await fixture.personWith(['By Door'])
    const shut = definition(null, 'yes', true)
    assert.equal(
      (await review(person, 'shut', shut)).impact.locks_out,
      true,
      'untagging would give back a right that is gone by then',
    )
  })
})

const team = (default_value: string, is_required = true): TagInput => ({
  tag_values: null,
  default_value,
  is_required,
})
const saveTeam = (person: Person, body: TagInput, confirm_lockout?: boolean) =>
  person.api.saveTag({ params: { tag_key: 'team' }, query: { force_update: true, confirm_lockout }, body })
const reviewTeam = async (person: Person, body: TagInput) =>
  (await person.api.reviewTag({ params: { tag_key: 'team' }, body })).impact
const mine = { keys_matching: ['team'], values_matching: ['Mine'] }

describe('the default value of a required tag', () => {
  before(() => fixture.sql('delete from roles'))
  const trap = async (conditions: Condition[] = [mine], is_denied = false) => {
    await fixture.giveRole('Trap', [
      allow('tags:*', 'groups:update', 'roles:list', 'profile:read', ...(is_denied ? ['payloads:list'] : [])),
      { actions_matching: ['payloads:list', 'groups:list'], conditions, is_denied },
    ])
    return fixture.personWith(['Trap'])
  }
  beforeEach(async () => {
    await saveTeam(fixture.alice, team('Other'), true)
    await fixture.newAlerts()
  })

  it('is refused when it gives its author access to prospective groups', async () => {
    const person = await trap()
    const impact = await reviewTeam(person, team('Mine'))
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
    assert.equal(await getCode(saveTeam(person, team('Mine'))), 'escalation')
    await saveTeam(person, team('Another'))
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
    assert.equal(await getCode(person.api.saveTag(zone('Open'))), 'escalation')
    const remove = (tag_key: string) => person.api.deleteTag({ params: { tag_key } })
    assert.equal(await getCode(remove('zone')), 'escalation')
    await fixture.alice.api.deleteTag({ params: { tag_key: 'zone' } })
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
        (await reviewTeam(await trap(conditions), team('Mine'))).escalations.length,
        2,
        JSON.stringify(conditions),
      )
    const elsewhere = await trap([{ names_matching: ['Fresh*'] }])
    assert.deepEqual((await reviewTeam(elsewhere, team('Mine'))).escalations, [])
  })

  it('counts as an escalation when it lifts a denial, by another value or by becoming optional', async () => {
    const person = await trap([{ keys_matching: ['team'], values_matching: ['Other'] }], true)
    for (const body of [team('Mine'), team('Other', false)])
      assert.ok(
        (await reviewTeam(person, body)).escalations.some(({ action }) => action === 'groups:list'),
        JSON.stringify(body),
      )
  })

  it('can be set without an alert by a user who holds all permissions', async () => {
    await trap()
    await fixture.giveRole('Mighty', [allow('*')])
    const mighty = await fixture.personWith(['Mighty'])
    const impact = await reviewTeam(mighty, team('Mine'))
    assert.deepEqual([impact.escalations, impact.locks_out], [[], false])
    await saveTeam(mighty, team('Mine'))
    assert.deepEqual(await fixture.newAlerts(), [])
  })

  it('reports a lockout when its author would lose prospective groups', async () => {
    const person = await trap()
    await saveTeam(fixture.alice, team('Mine'), true)
    assert.equal((await reviewTeam(person, team('Other'))).locks_out, true)
    assert.equal((await reviewTeam(person, team('Mine'))).locks_out, false)
  })

  it('shows the author of a group which roles gain access, without refusing the group', async () => {
    await trap()
    await saveTeam(fixture.alice, team('Mine'), true)
    await fixture.newAlerts()
    const params = { group_reference: 'Fresh Desk' }
    const { impact } = await fixture.alice.api.reviewGroup({ params, body: { tags: [] } })
    assert.deepEqual(
      impact.roles.map(({ role_reference, groups_gained }) => [role_reference, groups_gained.first]),
      [['Trap', ['Fresh Desk']]],
    )
    assert.deepEqual(impact.escalations, [])
    await fixture.alice.api.saveGroup({ params, body: { tags: [] } })
    await fixture.alice.api.deleteGroup({ params })
    assert.deepEqual(await fixture.newAlerts(), [])
  })
})
