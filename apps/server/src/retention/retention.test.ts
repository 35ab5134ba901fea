import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import type { RetentionInput } from '@custodia/contract'
import {
  accessFixture,
  type AccessFixture,
  allow,
  codeOf,
  doneOf,
  type Person,
  problemOf,
} from '../testing/access-fixture.ts'
import { storePayload } from '../testing/stored-payload.ts'
import { withoutPolicy } from '../testing/test-context.ts'

let fixture: AccessFixture
before(async () => {
  fixture = await accessFixture()
})
after(() => fixture?.close())

type Input = Partial<Omit<RetentionInput, 'entries'>> & { entries?: readonly object[] }
const CALLS = {
  entity_type: 'Payload',
  payload_type: 'Call',
  delete_after_days: 2000,
  destroy_after_days: 30,
} as const
const bodyOf = (input: Input) => ({ entries: [], ...input }) as unknown as { entries: [] }
const save = (person: Person, input: Input, how: { if_match?: string } = {}) =>
  doneOf(person.api.saveRetention({ query: {}, body: bodyOf(input) }, how))
const preview = (person: Person, input: Input) =>
  person.api.reviewRetention({ query: {}, body: bodyOf(input) })
const read = (person: Person) => person.api.readRetention({ query: {} })
const versions = async (person: Person, query: { limit?: number; last_key?: string } = {}) => {
  const page = await person.api.listRetentionVersions({ query })
  assert.ok('data' in page)
  return page
}
const faultsOf = async (call: Promise<unknown>) =>
  (await problemOf(call)).faults.map(({ path, code }) => `${path} ${code}`)

describe('the retention policy', () => {
  beforeEach(async () => {
    await withoutPolicy(fixture.sql)
  })

  it('keeps everything until the first version is saved', async () => {
    const { entries, minimums, policy_version, updated_by, version } = await read(fixture.alice)
    assert.deepEqual([entries, minimums, policy_version, updated_by], [[], [], 0, null])
    assert.deepEqual(
      (await save(fixture.alice, {}, { if_match: version })).policy_version,
      0,
      'no change, no version',
    )
    assert.deepEqual((await versions(fixture.alice)).data, [])
  })

  it('is replaced as a whole, and keeps every version', async () => {
    const { version } = await read(fixture.alice)
    const first = await save(
      fixture.alice,
      { entries: [CALLS], note: 'As the board decided' },
      { if_match: version },
    )
    assert.deepEqual(first.entries, [
      { ...CALLS, retention_timestamp: 'payload_time', required_receipts: [], required_transfers: [] },
    ])
    assert.deepEqual(
      [first.policy_version, first.note, first.updated_by],
      [1, 'As the board decided', 'alice'],
    )
    assert.deepEqual(await read(fixture.alice), first)
    assert.equal(await codeOf(save(fixture.alice, {}, { if_match: version })), 'changed_meanwhile')
    assert.deepEqual(await save(fixture.alice, { entries: [CALLS] }), first, 'a repeat makes no version')
    const device = { entity_type: 'Device', destroy_after_days: 0 } as const
    const second = await save(
      fixture.alice,
      { entries: [device], applies_to_kept: true },
      { if_match: first.version },
    )
    assert.deepEqual([second.entries, second.policy_version, second.applies_to_kept], [[device], 2, true])
    const page = await versions(fixture.alice, { limit: 1 })
    const rest = await versions(fixture.alice, { limit: 1, last_key: page.last_key ?? '' })
    assert.deepEqual(
      [...page.data, ...rest.data].map(({ policy_version, changed }) => [policy_version, changed]),
      [
        [2, ['Payload Call', 'Device']],
        [1, ['Payload Call']],
      ],
    )
    assert.equal(rest.last_key, undefined)
    await assert.rejects(fixture.sql(`update retention_policies set note = 'x'`), /history/)
    await assert.rejects(fixture.sql('delete from retention_policies'), /history/)
  })

  it('accepts one of two concurrent saves', async () => {
    const { version } = await read(fixture.alice)
    const done = await Promise.allSettled(
      [1000, 1001].map((delete_after_days) =>
        save(fixture.alice, { entries: [{ ...CALLS, delete_after_days }] }, { if_match: version }),
      ),
    )
    assert.deepEqual(done.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
  })

  it('validates which periods each entity type may have', async () => {
    const all = [
      { entity_type: 'Device', delete_after_days: 0, destroy_after_days: 36_525 },
      { entity_type: 'DeviceUser', delete_after_days: 1 },
      ...['PortalUser', 'Migration', 'SupportAccessRequest', 'Transfer'].map((entity_type) => ({
        entity_type,
        destroy_after_days: 1,
      })),
    ]
    assert.deepEqual((await save(fixture.alice, { entries: all })).entries, all)
    const wrong: [object, string][] = [
      [
        { entity_type: 'PortalUser', delete_after_days: 1, destroy_after_days: 1 },
        'entries.0.delete_after_days not_allowed',
      ],
      [{ entity_type: 'Transfer' }, 'entries.0.destroy_after_days required'],
      [{ entity_type: 'Device' }, 'entries.0 days_missing'],
      [{ ...CALLS, delete_after_days: -1 }, 'entries.0.delete_after_days too_small'],
      [{ ...CALLS, delete_after_days: 36_526 }, 'entries.0.delete_after_days too_big'],
      [{ ...CALLS, delete_after_days: 1.5 }, 'entries.0.delete_after_days wrong_type'],
      [{ ...CALLS, delete_after_days: null }, 'entries.0.delete_after_days wrong_type'],
      [{ ...CALLS, payload_type: 'Fax' }, 'entries.0.payload_type not_an_option'],
      [{ ...CALLS, retention_timestamp: 'updated_at' }, 'entries.0.retention_timestamp not_an_option'],
      [{ entity_type: 'Group', destroy_after_days: 1 }, 'entries.0.entity_type invalid'],
      [{ ...CALLS, required_receipts: ['unknown'] }, 'entries.0.required_receipts.0 unknown_reference'],
    ]
    for (const [entry, fault] of wrong)
      assert.deepEqual(await faultsOf(save(fixture.alice, { entries: [entry] })), [fault])
    assert.deepEqual(await faultsOf(save(fixture.alice, { entries: [CALLS, CALLS] })), ['entries not_unique'])
    assert.equal((await read(fixture.alice)).policy_version, 1)
  })

  it('cannot go below a legal minimum, and a minimum can only rise', async () => {
    const minimum = (days: number) => [{ payload_type: 'Call' as const, days, legal_basis: 'MiFID II' }]
    await save(fixture.alice, { entries: [CALLS], minimums: minimum(2000) })
    for (const call of [save, preview]) {
      const { faults } = await problemOf(
        call(fixture.alice, { entries: [{ ...CALLS, delete_after_days: 1999 }] }),
      )
      assert.deepEqual(
        faults.map(({ path, code, values }) => [path, code, values]),
        [['entries.0.delete_after_days', 'below_minimum', { limit: 2000, basis: 'MiFID II' }]],
      )
    }
    const destroyed = { ...CALLS, delete_after_days: undefined, destroy_after_days: 1999 }
    assert.deepEqual(await faultsOf(save(fixture.alice, { entries: [destroyed] })), [
      'entries.0.destroy_after_days below_minimum',
    ])
    assert.deepEqual(await faultsOf(save(fixture.alice, { minimums: minimum(1999) })), [
      'minimums.0.days minimum_lowered',
    ])
    assert.deepEqual(await faultsOf(save(fixture.alice, { minimums: [] })), ['minimums minimum_lowered'])
    assert.deepEqual((await save(fixture.alice, {})).minimums, minimum(2000), 'minimums stay when omitted')
    assert.deepEqual((await save(fixture.alice, { minimums: minimum(2001) })).minimums, minimum(2001))
    // Data without an entry stays forever, which satisfies every minimum.
    assert.deepEqual((await read(fixture.alice)).entries, [])
  })

  it('shows its impact before it is saved, without saving it', async () => {
    const now = Math.floor(Date.now() / 1000)
    const before = await preview(fixture.alice, { entries: [] })
    assert.ok(Math.abs(before.at - now) < 60)
    assert.deepEqual([before.types, before.shortened], [[], []])
    const { shortened } = await preview(fixture.alice, { entries: [CALLS] })
    assert.deepEqual(shortened, ['Payload Call'])
    assert.equal((await read(fixture.alice)).policy_version, 0)
  })

  it('can be paused and resumed with a reason, and forecasts what is due', async () => {
    const execution = (person: Person) => person.api.readRetentionExecution({ query: {} })
    const pause = (person: Person, is_paused: boolean, reason = 'An audit is under way') =>
      person.api.pauseRetention({ query: {}, body: { is_paused, reason } })
    const { is_paused, updated_by, deleted } = await execution(fixture.alice)
    assert.deepEqual([is_paused, updated_by, deleted], [false, null, []])
    const paused = await pause(fixture.alice, true)
    assert.deepEqual(
      [paused.is_paused, paused.reason, paused.updated_by],
      [true, 'An audit is under way', 'alice'],
    )
    assert.deepEqual(await execution(fixture.alice), paused)
    assert.equal((await execution(fixture.alice)).is_paused, true)
    for (const wrong of ['', 'xy', 'x'.repeat(501)])
      assert.equal(await codeOf(pause(fixture.alice, false, wrong)), 'invalid_input')
    assert.equal((await execution(fixture.alice)).is_paused, true)
    assert.equal((await pause(fixture.alice, false, 'x'.repeat(500))).is_paused, false)

    const forecast = await fixture.alice.api.readRetentionForecast({ query: {} })
    assert.equal(forecast.months.length, 12)
    assert.ok(forecast.months.every((at, i) => at > (forecast.months[i - 1] ?? forecast.at - 1)))
    assert.deepEqual([forecast.types, forecast.staying], [[], []])
    await storePayload(fixture.server.ctx, {
      client: 'acme',
      group: 'North',
      payload_time: Math.floor(Date.now() / 1000) - 40 * 86_400,
    })
    await save(fixture.alice, {
      entries: [{ ...CALLS, delete_after_days: 39 }],
      applies_to_kept: true,
    })
    const { types } = await fixture.alice.api.readRetentionForecast({ query: {} })
    const [calls] = types.filter(({ payload_type }) => payload_type === 'Call')
    assert.deepEqual([calls?.deleted.due, calls?.destroyed.due], [1, 0])

    await fixture.giveRole('Policy Reader', [allow('account.retention:read', 'profile:read')])
    const reader = await fixture.personWith(['Policy Reader'])
    assert.equal((await execution(reader)).is_paused, false)
    assert.equal(await codeOf(pause(reader, true)), 'not_permitted')
  })

  it('previews shortened retention when only applies_to_kept is switched on', async () => {
    await save(fixture.alice, { entries: [{ ...CALLS, delete_after_days: 4000 }] })
    await save(fixture.alice, { entries: [CALLS] })
    assert.deepEqual((await preview(fixture.alice, { entries: [CALLS] })).shortened, [])
    const ticked = await preview(fixture.alice, { entries: [CALLS], applies_to_kept: true })
    assert.deepEqual(ticked.shortened, ['Payload Call'])
  })

  it('belongs to its client, and requires permissions to read and save it', async () => {
    await save(fixture.alice, { entries: [CALLS] })
    await fixture.sql(
      `update portal_sessions set roles = '{Account Administrator}' where user_reference = 'gina'`,
    )
    assert.equal((await read(fixture.gina)).policy_version, 0)
    const foreign = fixture.gina.api.readRetention({ query: { client: 'acme' } })
    assert.equal((await problemOf(foreign)).status, 404)
    await fixture.giveRole('Policy Reader', [allow('account.retention:read', 'profile:read')])
    const reader = await fixture.personWith(['Policy Reader'])
    assert.equal((await read(reader)).policy_version, 1)
    assert.deepEqual((await preview(reader, {})).shortened, [])
    assert.equal(await codeOf(save(reader, {})), 'not_permitted')
    await fixture.giveRole('No Policy', [allow('profile:read')])
    const unprivileged = await fixture.personWith(['No Policy'])
    for (const call of [read, versions, (who: Person) => preview(who, {})])
      assert.equal(await codeOf(call(unprivileged)), 'not_permitted')
  })
})
