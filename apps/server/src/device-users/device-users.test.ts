import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { DEVICE_SERVICES, type DeviceUserInput, type Permission } from '@custodia/contract'
import { accessFixture, getCode, type Person, getProblem } from '../testing/access-fixture.ts'
import { demoPhone } from '../testing/phones.ts'

const fixture = await accessFixture()
after(() => fixture.close())

const ADA: DeviceUserInput = {
  group: 'North',
  services: ['calls', 'sms'],
  expected_device_count: 1,
  email: 'ada.byron@acme.example',
  first_name: 'Ada',
  surname: 'Byrón',
  is_active: true,
}
const at = (device_user_reference: string) => ({ params: { device_user_reference }, query: {} })
const create = (person: Person, reference: string, changes: Partial<DeviceUserInput> = {}) =>
  person.api.createDeviceUser({ ...at(reference), body: { ...ADA, email: null, ...changes } })
const update = (
  person: Person,
  reference: string,
  changes: Partial<DeviceUserInput> = {},
  how: { if_match?: string } = {},
) => person.api.updateDeviceUser({ ...at(reference), body: { ...ADA, email: null, ...changes } }, how)
const read = (person: Person, reference: string) => person.api.readDeviceUser(at(reference))
const remove = (person: Person, reference: string, how: { if_match?: string } = {}) =>
  person.api.deleteDeviceUser(at(reference), how)
const found = async (person: Person, query: Parameters<Person['api']['listDeviceUsers']>[0]['query']) => {
  const answer = await person.api.listDeviceUsers({ query })
  assert.ok('data' in answer)
  const total = await person.api.listDeviceUsers({ query: { ...query, type: 'total' } })
  assert.deepEqual(total, { total: answer.data.length })
  return answer.data.map(({ device_user_reference }) => device_user_reference)
}
const within = (actions_matching: string[], names_matching: string[]): Permission => ({
  actions_matching,
  conditions: [{ names_matching }],
})

describe('device users', () => {
  it('are created, changed and read, and changes of an outdated version are rejected', async () => {
    const made = await create(fixture.alice, 'ada', { email: ADA.email })
    const { version, updated_at, onboard_date, ...rest } = made
    assert.deepEqual(rest, {
      ...ADA,
      client: 'acme',
      device_user_reference: 'ada',
      offboard_date: null,
      is_legacy: false,
      actual_device_count: 0,
      is_held: false,
      updated_by: 'alice',
      updated_by_name: 'Alice Carter',
    })
    assert.equal(onboard_date, updated_at)
    assert.deepEqual(await read(fixture.alice, 'ada'), made)
    assert.equal(await getCode(create(fixture.alice, 'ada')), 'already_exists')
    const changed = await update(fixture.alice, 'ada', { surname: 'King' }, { if_match: version })
    assert.deepEqual([changed.surname, changed.onboard_date], ['King', onboard_date])
    assert.equal((await getProblem(update(fixture.alice, 'ada', {}, { if_match: version }))).status, 412)
    assert.equal(await getCode(update(fixture.alice, 'unknown')), 'not_found')
    assert.equal(await getCode(read(fixture.gina, 'ada')), 'not_found', 'another client')
  })

  it('are offboarded and onboarded again, which sets and clears the offboard date', async () => {
    const left = await update(fixture.alice, 'ada', { is_active: false })
    assert.ok(left.offboard_date !== null && left.offboard_date >= (left.onboard_date ?? 0))
    assert.deepEqual(await found(fixture.alice, { is_active: false, search: 'ada' }), ['ada'])
    const still = await update(fixture.alice, 'ada', { is_active: false, surname: 'Lovelace' })
    assert.equal(still.offboard_date, left.offboard_date)
    const back = await update(fixture.alice, 'ada')
    assert.deepEqual([back.is_active, back.offboard_date], [true, null])
  })

  it('are found by name prefixes in any case or accent, by reference and by email', async () => {
    await create(fixture.alice, 'bea-1', { first_name: 'Béatrice', surname: 'de Souza', group: 'South' })
    for (const search of ['SOUZA', 'beat sou', 'bea-1', 'béatri s'])
      assert.deepEqual(await found(fixture.alice, { search }), ['bea-1'], search)
    await update(fixture.alice, 'bea-1', {
      first_name: 'Zoë',
      surname: null,
      email: 'Zo@acme.example',
      group: 'South',
    })
    for (const search of ['souza', 'béatri s'])
      assert.deepEqual(await found(fixture.alice, { search }), [], search)
    for (const search of ['zoe', 'zo@ACME'])
      assert.deepEqual(await found(fixture.alice, { search }), ['bea-1'])
    assert.deepEqual(await found(fixture.alice, { search: '%' }), [])
    assert.deepEqual(await found(fixture.alice, { groups: ['South'], search: 'zo' }), ['bea-1'])
    assert.deepEqual(await found(fixture.alice, { services: ['videos'], search: 'zo' }), [])
    assert.deepEqual(await found(fixture.alice, { devices: 'fewer', search: 'zo' }), ['bea-1'])
  })

  it('cannot be found, read, changed or created outside the caller’s groups', async () => {
    await fixture.giveRole('North desk', [within(['users:*'], ['North'])])
    const nora = await fixture.personWith(['North desk'])
    const names = await found(nora, { limit: 200 })
    assert.ok(names.includes('ada') && !names.includes('bea-1'))
    assert.deepEqual(await found(nora, { search: 'zoe' }), [])
    for (const call of [
      () => read(nora, 'bea-1'),
      () => update(nora, 'bea-1', { group: 'North' }),
      () => remove(nora, 'bea-1'),
    ])
      assert.equal(await getCode(call()), 'not_found')
    const { faults } = await getProblem(update(nora, 'ada', { group: 'South' }))
    assert.deepEqual(
      faults.map(({ path, code }) => [path, code]),
      [['group', 'unknown_reference']],
      'a group outside the reach is not found',
    )
    assert.equal((await getProblem(create(nora, 'cleo', { group: 'South' }))).code, 'invalid_input')
    assert.equal((await create(nora, 'cleo')).group, 'North')
  })

  it('take their devices along when they move to another group', async () => {
    const phone = await demoPhone(fixture.server.ctx.config.dataDir, fixture.server.url, 'Harriet')
    await phone.authenticate()
    const [harriet] = await found(fixture.alice, { search: 'harriet' })
    assert.ok(harriet)
    for (const search of ['07700 9', '900101'])
      assert.deepEqual(await found(fixture.alice, { search }), [harriet])
    const before = await read(fixture.alice, harriet)
    assert.equal(before.actual_device_count, 1)
    const { device_user_reference: _, onboard_date: _o, offboard_date: _f, is_legacy: _l, ...known } = before
    const {
      client: _c,
      actual_device_count: _a,
      is_held: _h,
      version: _v,
      updated_at: _u,
      updated_by: _b,
      ...body
    } = known
    await fixture.alice.api.updateDeviceUser({ ...at(harriet), body: { ...body, group: 'South' } })
    const rows = await fixture.sql<{ group: string; open: boolean }>(
      `select g.group_reference as group, h.to_at is null as open from device_history h join groups g using (client_id, group_id)
       join devices d using (client_id, device_id) join device_users u on u.device_user_id = d.device_user_id
       where u.device_user_reference = $1 order by h.from_at, open`,
      [harriet],
    )
    assert.deepEqual(
      rows.filter(({ open }) => open).map((row) => row.group),
      ['South'],
    )
    const [device] = await fixture.sql<{ group: string }>(
      `select g.group_reference as group from devices d join groups g using (client_id, group_id)
       join device_users u on u.device_user_id = d.device_user_id where u.device_user_reference = $1`,
      [harriet],
    )
    assert.equal(device?.group, 'South')
    await fixture.alice.api.updateDeviceUser({ ...at(harriet), body })
  })

  it('cannot be moved to gain permissions, unless the caller may escalate, which raises an alert', async () => {
    await fixture.giveRole('Mover', [
      within(['users:*'], ['North', 'South']),
      within(['payloads:play', 'payloads:list'], ['North']),
    ])
    await fixture.giveRole('Root', [{ actions_matching: ['access:escalate'] }])
    const max = await fixture.personWith(['Mover'])
    await fixture.newAlerts()
    const refused = await getProblem(update(max, 'bea-1', { group: 'North' }))
    assert.equal(refused.code, 'escalation')
    assert.equal((await read(fixture.alice, 'bea-1')).group, 'South')
    assert.deepEqual(await fixture.newAlerts(), [])
    assert.equal(
      (await update(max, 'ada', { group: 'South' })).group,
      'South',
      'to a group with fewer rights',
    )
    const root = await fixture.personWith(['Mover', 'Root'])
    assert.equal((await update(root, 'bea-1', { group: 'North' })).group, 'North')
    const alerts = await fixture.newAlerts()
    assert.equal(alerts.length, 1)
    assert.match(alerts[0] ?? '', /^High: carol moved the device user bea-1 .*payloads:play \(North\)/)
  })

  it('cannot get services beyond the licences, but keep the services that they had', async () => {
    const limit = async (service: string, count: number) =>
      fixture.sql(
        `update client_licenses set limits = limits || jsonb_build_object($1::text, $2::int)
         where client_id = (select client_id from clients where client = 'acme')`,
        [service, count],
      )
    await limit('gps', 0)
    const { code } = await getProblem(create(fixture.alice, 'dora', { services: ['gps'] }))
    assert.equal(code, 'license_exceeded')
    assert.equal(await getCode(read(fixture.alice, 'dora')), 'not_found', 'nothing was stored')
    await create(fixture.alice, 'dora', { services: [] })
    assert.equal(await getCode(update(fixture.alice, 'dora', { services: ['gps'] })), 'license_exceeded')
    const harriet = (await found(fixture.alice, { search: 'harriet' }))[0] ?? ''
    const { services } = await read(fixture.alice, harriet)
    assert.ok(services.includes('gps'))
    await limit('gps', 100)
    await limit('photos', 0)
    const kept = await fixture.alice.api.updateDeviceUser({
      ...at(harriet),
      body: { ...ADA, email: 'harriet.lane@acme.example', services: [...services] },
    })
    assert.deepEqual(kept.services, services, 'existing services stay')
    await limit('photos', 100)
  })

  it('are hidden after deletion, and their reference stays reserved', async () => {
    const { version } = await read(fixture.alice, 'cleo')
    assert.equal(await getCode(remove(fixture.alice, 'cleo', { if_match: 'other' })), 'changed_meanwhile')
    assert.deepEqual(await remove(fixture.alice, 'cleo', { if_match: version }), {})
    assert.deepEqual(await found(fixture.alice, { search: 'cleo' }), [])
    for (const call of [read, update, remove])
      assert.equal(await getCode(call(fixture.alice, 'cleo')), 'not_found')
    assert.equal(await getCode(create(fixture.alice, 'cleo')), 'already_exists')
    const [row] = await fixture.sql<{ is_active: boolean; offboard_date: number | null }>(
      `select is_active, offboard_date from device_users where device_user_reference = 'cleo'`,
    )
    assert.ok(row && !row.is_active && row.offboard_date !== null)
  })

  it('have a unique email among active device users', async () => {
    await update(fixture.alice, 'ada', { email: 'same@acme.example', group: 'South' })
    const { faults } = await getProblem(create(fixture.alice, 'eve', { email: 'SAME@acme.example' }))
    assert.deepEqual(
      faults.map(({ path, code }) => [path, code]),
      [['email', 'email_taken']],
    )
    assert.equal(
      (await create(fixture.alice, 'eve', { email: 'SAME@acme.example', is_active: false })).is_active,
      false,
    )
    assert.equal(await getCode(update(fixture.alice, 'eve', { email: 'same@acme.example' })), 'invalid_input')
    const rivals = ['gus1', 'gus2', 'gus3', 'gus4'].map((each) =>
      create(fixture.alice, each, { email: 'gus@acme.example' }),
    )
    const created = (await Promise.allSettled(rivals)).filter(({ status }) => status === 'fulfilled')
    assert.equal(created.length, 1, 'of requests at the same time')
  })

  it('are validated against the limits of the specification', async () => {
    const refused = async (reference: string, changes: Partial<DeviceUserInput> = {}) =>
      assert.equal(
        await getCode(create(fixture.alice, reference, changes)),
        'invalid_input',
        JSON.stringify(changes),
      )
    for (const reference of ['ab', 'x'.repeat(61), ' abc', ',abc', 'a,bc']) await refused(reference)
    await refused('fay', { first_name: '' })
    await refused('fay', { first_name: 'x'.repeat(36) })
    await refused('fay', { email: 'ab' })
    await refused('fay', { expected_device_count: -1 })
    await refused('fay', { expected_device_count: 1001 })
    await refused('fay', { services: ['calls', 'calls'] })
    await refused('fay', { group: 'No such group' })
    const longest = { first_name: 'x'.repeat(35), surname: 'y', email: `a@${'b'.repeat(253)}` }
    const made = await create(fixture.alice, 'x'.repeat(60), {
      ...longest,
      expected_device_count: 0,
      services: [...DEVICE_SERVICES],
    })
    assert.deepEqual([made.email?.length, made.expected_device_count], [255, 0])
    assert.equal(
      (await create(fixture.alice, 'ab/c #?%', { services: [] })).device_user_reference,
      'ab/c #?%',
    )
    assert.equal((await read(fixture.alice, 'ab/c #?%')).device_user_reference, 'ab/c #?%')
  })
})
