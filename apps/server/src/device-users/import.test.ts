import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { DEVICE_SERVICES, type DeviceUserInput, type ImportRow, type UserChange } from '@custodia/contract'
import type { PortalContext } from '../http/context.ts'
import { accessFixture, getCode, type Person } from '../testing/access-fixture.ts'
import { saveUsers } from './save-users.ts'
import { findUsers } from './store.ts'

const BODY = {
  services: ['calls' as const],
  expected_device_count: 1,
  first_name: 'Person',
  surname: null,
  is_active: true,
}
const fixture = await accessFixture()
after(() => fixture.close())

const call = (name: 'importDeviceUsers' | 'reviewDeviceUserImport', person: Person, rows: ImportRow[]) =>
  person.api[name]({ query: {}, body: { rows } })
const outcomes = async (name: Parameters<typeof call>[0], rows: ImportRow[], person = fixture.alice) =>
  (await call(name, person, rows)).rows.map(({ outcome, problem, faults }) =>
    [outcome, problem, ...faults.map(({ path, code }) => `${path} ${code}`)].filter(Boolean).join(' '),
  )
const read = (device_user_reference: string) =>
  fixture.alice.api.readDeviceUser({ params: { device_user_reference } })
const people = Array.from({ length: 60 }, (_, i) => ({
  device_user_reference: `import ${i}`,
  group: i % 2 ? 'North' : 'South',
  services: 'calls; sms',
  first_name: 'Person',
  surname: `Number ${i}`,
}))

describe('the import of device users', () => {
  it('previews the outcome without changing anything', async () => {
    const rows = [people[0]!, { device_user_reference: 'Harriet Cole', surname: 'Coles' }]
    assert.deepEqual(await outcomes('reviewDeviceUserImport', rows), ['created', 'updated'])
    assert.equal(await getCode(read('import 0')), 'not_found')
    assert.equal((await read('Harriet Cole')).surname, 'Cole')
  })

  it('imports all valid rows and reports the faults of the others', async () => {
    const rows: ImportRow[] = [...people]
    rows[3] = { ...people[3], group: 'No such group' }
    rows[4] = { ...people[4], email: 'no email' }
    rows[5] = { ...people[5], device_user_reference: 'import 1' }
    const faulty = {
      3: 'refused group unknown_reference',
      4: 'refused email email',
      5: 'refused device_user_reference not_unique',
    }
    for (const name of ['reviewDeviceUserImport', 'importDeviceUsers'] as const) {
      const result = await outcomes(name, rows)
      assert.deepEqual(
        Object.fromEntries(result.flatMap((each, i) => (each === 'created' ? [] : [[i, each]]))),
        faulty,
        name,
      )
    }
    const { services, group, expected_device_count, is_active } = await read('import 7')
    assert.deepEqual(
      [services, group, expected_device_count, is_active],
      [['calls', 'sms'], 'North', 1, true],
    )
    for (const i of [3, 4, 5]) assert.equal(await getCode(read(`import ${i}`)), 'not_found')
    assert.deepEqual(await outcomes('importDeviceUsers', people.slice(7, 9)), ['unchanged', 'unchanged'])
    const ofHr = { device_user_reference: 'import of HR', group: 'North' }
    assert.deepEqual(await outcomes('importDeviceUsers', [ofHr]), ['created'])
    assert.deepEqual((await read('import of HR')).services, DEVICE_SERVICES, 'all, as in the form')
  })

  it('keeps values of missing columns and clears the email when its cell is empty', async () => {
    await outcomes('importDeviceUsers', [
      {
        device_user_reference: 'import 7',
        email: 'seven@acme.example',
        expected_device_count: '2',
        is_active: 'no',
      },
    ])
    const seven = await read('import 7')
    assert.deepEqual(
      [seven.email, seven.expected_device_count, seven.is_active, seven.surname, seven.group],
      ['seven@acme.example', 2, false, 'Number 7', 'North'],
    )
    await outcomes('importDeviceUsers', [
      {
        device_user_reference: 'import 7',
        email: '',
        expected_device_count: '',
        is_active: 'sim',
        group: '',
      },
    ])
    const again = await read('import 7')
    assert.deepEqual(
      [again.email, again.expected_device_count, again.is_active, again.group],
      [null, 2, true, 'North'],
    )
  })

  it('reports a fault for each cell that cannot be read', async () => {
    const wrong = async (row: ImportRow) =>
      (
        await outcomes('reviewDeviceUserImport', [{ ...people[0], device_user_reference: 'wrong', ...row }])
      )[0]
    assert.equal(await wrong({ services: 'calls, pigeons' }), 'refused services.1 not_an_option')
    assert.equal(await wrong({ expected_device_count: 'two' }), 'refused expected_device_count wrong_type')
    assert.equal(await wrong({ is_active: 'perhaps' }), 'refused is_active wrong_type')
    assert.equal(await wrong({ first_name: 'x'.repeat(36) }), 'refused first_name too_long')
    assert.equal(await wrong({ group: '' }), 'refused group required')
    assert.equal(
      (await outcomes('reviewDeviceUserImport', [{ group: 'North' }]))[0],
      'refused device_user_reference required',
    )
  })

  it('is limited to the groups of the importing user', async () => {
    await fixture.giveRole('North desk', [
      { actions_matching: ['users:*'], conditions: [{ names_matching: ['North'] }] },
    ])
    const nora = await fixture.personWith(['North desk'])
    assert.deepEqual(
      await outcomes(
        'importDeviceUsers',
        [
          { device_user_reference: 'of nora', group: 'North' },
          { device_user_reference: 'not of nora', group: 'South' },
          { device_user_reference: 'import 8', surname: 'Stolen' },
          { device_user_reference: 'import 8', group: 'North' },
          { device_user_reference: 'import 10', group: 'North' },
        ],
        nora,
      ),
      [
        'created',
        'refused group unknown_reference',
        'refused group required',
        'refused device_user_reference not_unique',
        'refused already_exists',
      ],
    )
    assert.deepEqual((await read('import 10')).group, 'South')
  })

  it('gives an email to one active user only, until an earlier row releases it', async () => {
    const email = 'Shared@acme.example'
    const line = (i: number, more: ImportRow = {}): ImportRow => ({
      device_user_reference: `sharer ${i}`,
      group: 'North',
      email: i === 1 ? email.toLowerCase() : email,
      ...more,
    })
    assert.deepEqual(await outcomes('importDeviceUsers', [line(0), line(1)]), [
      'created',
      'refused email email_taken',
    ])
    assert.deepEqual(await outcomes('importDeviceUsers', [line(2), line(0, { is_active: 'no' }), line(1)]), [
      'refused email email_taken',
      'updated',
      'created',
    ])
  })

  it('applies each row to the result of the rows before it', async () => {
    const line = (i: number, more: ImportRow): ImportRow => ({
      device_user_reference: `changer ${i}`,
      ...more,
    })
    const of = (i: number) => `changer${i}@acme.example`
    assert.deepEqual(
      await outcomes(
        'importDeviceUsers',
        [0, 1, 2].map((i) => line(i, { group: 'North', email: of(i), services: 'calls' })),
      ),
      ['created', 'created', 'created'],
    )
    assert.deepEqual(
      await outcomes('importDeviceUsers', [
        line(0, { email: of(1) }),
        line(1, { email: of(9), group: 'South', services: 'sms' }),
        line(2, { email: of(1).toUpperCase() }),
        line(3, { email: of(2), group: 'North' }),
        line(0, { surname: 'again' }),
      ]),
      [
        'refused email email_taken',
        'updated',
        'updated',
        'created',
        'refused device_user_reference not_unique',
      ],
    )
    const people = await Promise.all([0, 1, 2, 3].map((i) => read(`changer ${i}`)))
    assert.deepEqual(
      people.map(({ email, group, services }) => [email, group, services.join()]),
      [
        [of(0), 'North', 'calls'],
        [of(9), 'South', 'sms'],
        [of(1).toUpperCase(), 'North', 'calls'],
        [of(2), 'North', DEVICE_SERVICES.join()],
      ],
    )
  })

  it('counts licences row by row, with licences that earlier rows returned', async () => {
    const services = (...given: string[]) =>
      given.map((each, i) => ({ device_user_reference: `licensed ${i}`, group: 'North', services: each }))
    await call('importDeviceUsers', fixture.alice, services('calls', 'sms', 'sms'))
    await fixture.sql(
      `insert into devices (client_id, device_reference, group_id, device_user_id, services, activated_at, updated_at, updated_by)
       select client_id, 'phone of ' || device_user_reference, group_id, device_user_id, '{}', 1, 0, 'test'
       from device_users where device_user_reference like 'licensed %'`,
    )
    const { used } = await fixture.alice.api.readLicenses({})
    await fixture.sql(
      `update client_licenses set limits = limits || jsonb_build_object('calls', $1::int)
       where client_id = (select client_id from clients where client = 'acme')`,
      [used.calls],
    )
    const line = ([first, second, third]: [string, string, string]) =>
      outcomes('importDeviceUsers', services(first, second, third))
    assert.deepEqual(await line(['sms', 'calls', 'calls']), [
      'updated',
      'updated',
      'refused license_exceeded',
    ])
    assert.deepEqual((await fixture.alice.api.readLicenses({})).used, used)
  })
})

describe('a change of several device users', () => {
  it('takes effect for a selection or all that match, is previewed, and says why others stay', async () => {
    const { alice } = fixture
    await fixture.giveRole('North mover', [
      {
        actions_matching: ['users:list', 'users:read', 'users:update', 'users:review'],
        conditions: [{ names_matching: ['North'] }],
      },
    ])
    const north = await fixture.personWith(['North mover'])
    const rows = [0, 1, 2].map((i) => ({
      device_user_reference: `set ${i}`,
      group: i === 2 ? 'South' : 'North',
      services: i === 0 ? 'calls' : 'sms',
      surname: 'Settler',
    }))
    await outcomes('importDeviceUsers', rows)
    const ask = async (
      name: 'changeDeviceUsers' | 'reviewDeviceUserChanges',
      order: UserChange,
      { person = alice, ...asked }: { person?: Person; search?: string; device_user_references?: string[] },
    ) => {
      const { search, device_user_references } = asked
      const body = {
        order,
        ...(device_user_references ? { device_user_references } : { all: true as const }),
      }
      const { data, is_cut } = await person.api[name]({ query: search ? { search } : {}, body })
      assert.equal(is_cut, false)
      return Object.fromEntries(
        data.map(({ device_user_reference, status, problem, faults }) => [
          device_user_reference,
          problem ?? faults[0]?.code ?? status,
        ]),
      )
    }
    const calls: UserChange = { change: 'add_services', services: ['calls'] }
    const all = { 'set 0': 'Unchanged', 'set 1': 'Ok', 'set 2': 'Ok' }
    const found = { search: 'settler' }
    assert.deepEqual(await ask('reviewDeviceUserChanges', calls, found), all)
    assert.deepEqual((await read('set 1')).services, ['sms'])
    await fixture.sql(
      `update client_licenses set limits = limits || '{"calls": 100}'
       where client_id = (select client_id from clients where client = 'acme')`,
    )
    assert.deepEqual(await ask('changeDeviceUsers', calls, found), all)
    assert.deepEqual((await read('set 1')).services, ['calls', 'sms'])
    // Beyond the caller's groups there are neither people nor groups.
    const move = { change: 'move' as const, group: 'South' }
    const chosen = { person: north, device_user_references: ['set 0', 'set 2', 'unknown'] }
    assert.deepEqual(await ask('changeDeviceUsers', move, chosen), {
      'set 0': 'unknown_reference',
      'set 2': 'NoMatchingRecord',
      unknown: 'NoMatchingRecord',
    })
    assert.deepEqual(await ask('changeDeviceUsers', { change: 'offboard' }, { ...found, person: north }), {
      'set 0': 'Ok',
      'set 1': 'Ok',
    })
    assert.equal((await read('set 2')).is_active, true)
    assert.equal((await read('set 0')).is_active, false)
    const [entry] = await fixture.sql<{ facts: object }>(
      `select parameters::jsonb -> 'facts' as facts from portal_activities
       where action = 'users:update' order by log_id desc limit 1`,
    )
    assert.deepEqual(entry?.facts, { users: 2, change: 'offboard' })
  })
})

describe('saving device users', () => {
  it('needs fewer than 16 statements for 500 new or changed device users', async () => {
    const { ctx } = fixture.server
    const client_id = await fixture.server
      .sql<{ client_id: number }>(`select client_id from clients where client = 'acme'`)
      .then(([row]) => row?.client_id ?? 0)
    const many = Array.from({ length: 500 }, (_, i) => `many ${i}`)
    const context = {
      now: 1_700_000_000,
      caller: { user_reference: 'alice', access: { permits: () => true, allowsGroupless: () => true } },
    } as unknown as PortalContext
    const mutex: [Partial<DeviceUserInput>, string[]][] = [
      [{}, ['North', 'South']],
      [{ services: ['calls', 'sms'], surname: 'Changed' }, ['South', 'North']],
      [{ is_active: false }, ['South', 'North']],
    ]
    for (const [change, groups] of mutex) {
      let statements = 0
      await ctx.db.write(client_id, async (tx) => {
        // A retry counts from zero.
        statements = 0
        const known = new Map(
          (await findUsers(tx, many, true)).map((user) => [user.device_user_reference, user]),
        )
        const counting = new Proxy(tx, {
          get(target, key) {
            const value = Reflect.get(target, key) as unknown
            if (key === 'query') statements++
            return typeof value === 'function' ? value.bind(target) : value
          },
        })
        const problems = await saveUsers(
          context,
          counting,
          many.map((device_user_reference, i) => ({
            device_user_reference,
            body: { ...BODY, ...change, group: groups[i % 2]!, email: `many${i}@acme.example` },
            known: known.get(device_user_reference),
          })),
        )
        assert.deepEqual(problems, Array(500).fill(undefined))
      })
      assert.ok(statements < 16, `${statements} statements`)
    }
    const last = await read('many 499')
    assert.deepEqual(
      [last.email, last.group, last.is_active, last.surname],
      ['many499@acme.example', 'North', false, null],
    )
  })
})
