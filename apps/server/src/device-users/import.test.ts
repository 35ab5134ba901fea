import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { ImportRow } from '@custodia/contract'
import { type AccessWorld, accessWorld, codeOf } from '../testing/access-world.ts'
import type { Person } from '../testing/person.ts'
import type { PortalContext } from '../http/context.ts'
import { addUsers } from './add.ts'
import { readLicenses } from './saved.ts'

const BODY = {
  services: ['calls' as const],
  expected_device_count: 1,
  first_name: 'Person',
  surname: null,
  is_active: true,
}
let world: AccessWorld
before(async () => {
  world = await accessWorld()
})
after(() => world?.close())

const call = (name: 'importDeviceUsers' | 'reviewDeviceUserImport', person: Person, rows: ImportRow[]) =>
  person.api[name]({ query: {}, body: { rows } })
const outcomes = async (name: Parameters<typeof call>[0], rows: ImportRow[], person = world.alice) =>
  (await call(name, person, rows)).rows.map(({ outcome, problem, faults }) =>
    [outcome, problem, ...faults.map(({ path, code }) => `${path} ${code}`)].filter(Boolean).join(' '),
  )
const read = (device_user_reference: string) =>
  world.alice.api.readDeviceUser({ params: { device_user_reference }, query: {} })
const people = Array.from({ length: 60 }, (_, i) => ({
  device_user_reference: `import ${i}`,
  group: i % 2 ? 'North' : 'South',
  services: 'calls; sms',
  first_name: 'Person',
  surname: `Number ${i}`,
}))

describe('the import of device users', () => {
  it('reviews what it would do and changes nothing', async () => {
    const rows = [people[0]!, { device_user_reference: 'Harriet Cole', surname: 'Coles' }]
    assert.deepEqual(await outcomes('reviewDeviceUserImport', rows), ['created', 'updated'])
    assert.equal(await codeOf(read('import 0')), 'not_found')
    assert.equal((await read('Harriet Cole')).surname, 'Cole')
  })

  it('takes every line but the faulty ones, and says what is wrong with those', async () => {
    const rows: ImportRow[] = [...people]
    rows[3] = { ...people[3], group: 'No such group' }
    rows[4] = { ...people[4], email: 'nobody' }
    rows[5] = { ...people[5], device_user_reference: 'import 1' }
    const faulty = {
      3: 'refused group unknown_reference',
      4: 'refused email email',
      5: 'refused device_user_reference not_unique',
    }
    for (const name of ['reviewDeviceUserImport', 'importDeviceUsers'] as const) {
      const told = await outcomes(name, rows)
      assert.deepEqual(
        Object.fromEntries(told.flatMap((each, i) => (each === 'created' ? [] : [[i, each]]))),
        faulty,
        name,
      )
    }
    const { services, group, expected_device_count, is_active } = await read('import 7')
    assert.deepEqual(
      [services, group, expected_device_count, is_active],
      [['calls', 'sms'], 'North', 1, true],
    )
    for (const i of [3, 4, 5]) assert.equal(await codeOf(read(`import ${i}`)), 'not_found')
    assert.deepEqual(await outcomes('importDeviceUsers', people.slice(7, 9)), ['unchanged', 'unchanged'])
  })

  it('leaves what a line does not say as it is, and clears names and addresses that it says are none', async () => {
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

  it('says of each cell what cannot be read', async () => {
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

  it('reaches as far as whoever imports', async () => {
    await world.giveRole('North desk', [
      { actions_matching: ['users:*'], conditions: [{ names_matching: ['North'] }] },
    ])
    const nora = await world.personWith(['North desk'])
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

  it('gives an address to one person only, and to the next as soon as a line before has given it up', async () => {
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

  it('takes few statements, however many people are new', async () => {
    const { house } = world.server
    const client_id = await world.server
      .sql<{ client_id: number }>(`select client_id from clients where client = 'acme'`)
      .then(([row]) => row?.client_id ?? 0)
    const users = Array.from({ length: 500 }, (_, i) => ({
      device_user_reference: `many ${i}`,
      body: { ...BODY, group: i % 2 ? 'North' : 'South', email: `many${i}@acme.example` },
    }))
    let statements = 0
    await house.db.write(client_id, async (tx) => {
      const counting = new Proxy(tx, {
        get(target, key) {
          const value = Reflect.get(target, key) as unknown
          if (key === 'query') statements++
          return typeof value === 'function' ? value.bind(target) : value
        },
      })
      const context = {
        now: 1_700_000_000,
        caller: { user_reference: 'alice', access: { permits: () => true } },
      } as unknown as PortalContext
      const problems = await addUsers(context, counting, users, await readLicenses(tx))
      assert.deepEqual(problems, Array(500).fill(undefined))
    })
    assert.ok(statements < 12, `${statements} statements`)
    assert.equal((await read('many 499')).email, 'many499@acme.example')
  })
})
