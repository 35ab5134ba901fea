import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { alertPhrases, type AlertText, DAY, type PayloadType, type RetentionInput } from '@custodia/contract'
import { OPERATOR } from '../http/context.ts'
import {
  accessFixture,
  allow,
  getCode,
  assertDone,
  type Person,
  getProblem,
} from '../testing/access-fixture.ts'
import { storePayload } from '../testing/stored-payload.ts'
import { withoutPolicy } from '../testing/test-context.ts'
import { pauseAfterRestore } from './store.ts'
import { watchRetention } from './watch.ts'

const fixture = await accessFixture()
after(() => fixture.close())

type Input = Partial<Omit<RetentionInput, 'entries'>> & { entries?: readonly object[] }
const CALLS = {
  entity_type: 'Payload',
  payload_type: 'Call',
  delete_after_days: 2000,
  destroy_after_days: 30,
} as const
const getBody = (input: Input) => ({ entries: [], ...input }) as unknown as { entries: [] }
const save = (person: Person, input: Input, how: { if_match?: string } = {}) =>
  assertDone(person.api.saveRetention({ body: getBody(input) }, how))
const preview = (person: Person, input: Input) => person.api.reviewRetention({ body: getBody(input) })
const read = (person: Person) => person.api.readRetention({})
const versions = async (person: Person, query: { limit?: number; last_key?: string } = {}) => {
  return person.api.listRetentionVersions({ query })
}
const getFaults = async (call: Promise<unknown>) =>
  (await getProblem(call)).faults.map(({ path, code }) => `${path} ${code}`)

describe('retention alerts', () => {
  let client_id: number
  before(async () => {
    client_id = await fixture.server.getId('acme')
  })

  const look = () => watchRetention.run(fixture.server.ctx, {}, new AbortController().signal)
  /** States of retention alerts by text. */
  const readState = async () => {
    const rows = await fixture.sql<{ alert_key: string; alert_state: string; related_entities: unknown }>(
      `select alert_key, alert_state, related_entities from alerts where alert_key like 'retention%' order by alert_key`,
    )
    return rows
  }
  /** Saves the next policy version for one payload type. */
  const deleteAfterTenDays = (payload_type: PayloadType, required_receipts: string[]) =>
    fixture.sql(
      `insert into retention_policies (client_id, policy_version, entries, minimums, applies_to_kept, at, by)
       select ${client_id}, max(policy_version) + 1, '${JSON.stringify([
         {
           entity_type: 'Payload',
           payload_type,
           retention_timestamp: 'payload_time',
           delete_after_days: 10,
           required_receipts,
           required_transfers: [],
         },
       ])}', '[]', true, max(at) + 1, 'alice' from retention_policies where client_id = ${client_id}`,
    )
  const announcedAt = (payload_reference: string, at: number) =>
    fixture.sql(
      `begin; set local session_replication_role = replica;
       update payloads set payload_time = ${at}, announced_at = ${at} where payload_reference = '${payload_reference}'; commit`,
    )

  it('report payloads that wait for a receipt for more than a week, until it arrives', async () => {
    const { ctx } = fixture.server
    const now = ctx.now()
    await deleteAfterTenDays('Call', ['archive'])
    await look()
    assert.deepEqual(await readState(), [])
    const one = await storePayload(ctx, { client: 'acme', group: 'North' })
    const two = await storePayload(ctx, { client: 'acme', group: 'North' })
    await announcedAt(one, now - 18 * DAY)
    // Due for three days only.
    await announcedAt(two, now - 13 * DAY)
    await look()
    const [alert, ...others] = await readState()
    assert.deepEqual(others, [])
    assert.equal(alert?.alert_key.startsWith('retention_waits'), true)
    assert.equal(alert?.alert_state, 'Triggered')
    assert.deepEqual(alert?.related_entities, [{ entity_id: 'policy', entity_type: 'Retention' }])
    await fixture.sql(
      `insert into payload_receipts (client_id, payload_id, client_app_user, confirmed_at, is_person)
       select client_id, payload_id, 'archive', 1, false from payloads where payload_reference = $1`,
      [one],
    )
    await look()
    assert.notEqual((await readState())[0]?.alert_state, 'Triggered')
  })

  it('report payloads that wait more than a week for their migration sign-off, until it is accepted', async () => {
    const { ctx } = fixture.server
    const now = ctx.now()
    await deleteAfterTenDays('Photo', [])
    const photo = { client: 'acme', group: 'North', payload_type: 'Photo' as const }
    const one = await storePayload(ctx, photo)
    const two = await storePayload(ctx, photo)
    await announcedAt(one, now - 18 * DAY)
    // Due for three days only.
    await announcedAt(two, now - 13 * DAY)
    await fixture.sql(`update payloads set is_legacy = true where payload_reference in ($1, $2)`, [one, two])
    await fixture.sql(
      `insert into migration_runs (client_id, migration_reference, migration_state, is_dry_run, created_at, created_by, migrated_at, filename, switches)
       values (${client_id}, '01MIGRATION', 'Migrated', false, 1, 'alice', 2, 'payloads.csv', '{}')`,
    )
    await fixture.sql(
      `insert into migration_results (client_id, migration_reference, sequence, result_type, kind, item, filename, line, payload_id)
       select client_id, '01MIGRATION', row_number() over (), 'PayloadCreated', 'Payload', payload_reference, 'payloads.csv', 1, payload_id
       from payloads where payload_reference in ($1, $2)`,
      [one, two],
    )
    await look()
    const [alert] = await readState()
    assert.equal(alert?.alert_state, 'Triggered')
    const [row] = await fixture.sql<{ text: AlertText }>(
      `select occurrences -> -1 -> 'text' as text from alerts where alert_key like 'retention_waits%'`,
    )
    assert.ok(row)
    assert.deepEqual(row.text.values, { days: '7', receipts: '0', transfers: '0', sign_offs: '1', late: '0' })
    assert.match(alertPhrases(row.text, 'en-GB')?.message ?? '', / 1 a migration sign-off,/)
    assert.match(alertPhrases(row.text, 'pt-BR')?.message ?? '', / 1 aceite da migração /)
    await fixture.sql(
      `update migration_runs set signed_off_at = 3, signed_off_by = 'alice' where migration_reference = '01MIGRATION'`,
    )
    await look()
    assert.notEqual((await readState())[0]?.alert_state, 'Triggered')
  })

  it('report a pass that does not end, unless retention is paused', async () => {
    const now = fixture.server.ctx.now()
    await fixture.sql(
      `insert into retention_positions (client_id, service, act, began_at) values (${client_id}, 1, 'delete', ${now - 3 * DAY})
       on conflict (client_id, service, act) do update set began_at = excluded.began_at, ended_at = null`,
    )
    const state = async () =>
      (await readState()).find(({ alert_key }) => alert_key.startsWith('retention_behind'))?.alert_state
    await fixture.sql(
      `insert into retention_pauses (client_id, is_paused, reason, at, by) values (${client_id}, true, 'Inquiry', ${now - 4 * DAY}, 'alice')`,
    )
    await look()
    assert.equal(await state(), undefined)
    await fixture.sql(`update retention_pauses set is_paused = false`)
    await look()
    assert.equal(await state(), 'Triggered')
    await fixture.sql(`update retention_positions set ended_at = ${now}`)
    await look()
    assert.notEqual(await state(), 'Triggered')
  })
})

describe('the retention policy', () => {
  before(() => fixture.sql('delete from retention_pauses'))
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
    assert.equal(await getCode(save(fixture.alice, {}, { if_match: version })), 'changed_meanwhile')
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
    await fixture.server.ctx.db.owner.query(
      `insert into transfer_configs (client_id, transfer_config_reference, transfer_type, payload_types, schedule, transfer_file_format, params, is_active, updated_at, updated_by)
       select client_id, 'messages', 'Payload', '{SMS}', null, 'Uncompressed', '{"target_type": "S3"}', true, 0, 'test' from clients where client = 'acme'`,
    )
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
      [{ entity_type: 'Group', destroy_after_days: 1 }, 'entries.0.entity_type not_an_option'],
      [{ ...CALLS, required_receipts: ['unknown'] }, 'entries.0.required_receipts.0 unknown_reference'],
      [{ ...CALLS, required_transfers: ['unknown'] }, 'entries.0.required_transfers.0 unknown_reference'],
      // A call would wait for good for the transfer of messages, as would what no transfer takes.
      [{ ...CALLS, required_transfers: ['messages'] }, 'entries.0.required_transfers.0 never_transferred'],
      [
        { ...CALLS, payload_type: 'BlockedCall', retention_timestamp: 'transferred_at' },
        'entries.0.retention_timestamp never_transferred',
      ],
    ]
    for (const [entry, fault] of wrong)
      assert.deepEqual(await getFaults(save(fixture.alice, { entries: [entry] })), [fault])
    assert.deepEqual(await getFaults(save(fixture.alice, { entries: [CALLS, CALLS] })), [
      'entries not_unique',
    ])
    assert.equal((await read(fixture.alice)).policy_version, 1)
  })

  it('keeps the client apps and transfer configs that it requires from deletion', async () => {
    const { server, alice } = fixture
    const { owner } = server.ctx.db
    await owner.query(
      `insert into client_apps (client_id, app_reference, issuer, audience, jwks_uri, group_id, roles, updated_at, updated_by)
       select client_id, 'ledger', 'https://ledger.example', 'ledger', 'https://ledger.example/keys', null, '{Receipt App}', 0, 'test' from clients where client = 'acme'`,
    )
    await owner.query(
      `insert into transfer_configs (client_id, transfer_config_reference, transfer_type, payload_types, schedule, transfer_file_format, params, is_active, updated_at, updated_by)
       select client_id, 'calls', 'Payload', '{Call}', null, 'Uncompressed', '{"target_type": "S3"}', true, 0, 'test' from clients where client = 'acme'`,
    )
    const gates = { required_receipts: ['ledger'], required_transfers: ['calls'] }
    await save(alice, { entries: [{ ...CALLS, ...gates }] })
    const remove = () => [
      alice.api.deleteClientApp({ params: { app_reference: 'ledger' }, query: {} }),
      alice.api.deleteTransferConfig({ params: { transfer_config_reference: 'calls' }, query: {} }),
    ]
    const codes = () =>
      Promise.all(
        remove().map((each) =>
          each.then(
            () => 'Ok',
            (error) => error.code,
          ),
        ),
      )
    assert.deepEqual(await codes(), ['in_use', 'in_use'])
    // Payloads from before still wait for them.
    await save(alice, { entries: [CALLS] })
    assert.deepEqual(await codes(), ['in_use', 'in_use'])
    await save(alice, { entries: [CALLS], applies_to_kept: true })
    assert.deepEqual(await codes(), ['Ok', 'Ok'])
  })

  it('cannot go below a legal minimum, and a minimum can only rise', async () => {
    const minimum = (days: number) => [{ payload_type: 'Call' as const, days, legal_basis: 'MiFID II' }]
    await save(fixture.alice, { entries: [CALLS], minimums: minimum(2000) })
    for (const call of [save, preview]) {
      const { faults } = await getProblem(
        call(fixture.alice, { entries: [{ ...CALLS, delete_after_days: 1999 }] }),
      )
      assert.deepEqual(
        faults.map(({ path, code, values }) => [path, code, values]),
        [['entries.0.delete_after_days', 'below_minimum', { limit: 2000, basis: 'MiFID II' }]],
      )
    }
    const destroyed = { ...CALLS, delete_after_days: undefined, destroy_after_days: 1999 }
    assert.deepEqual(await getFaults(save(fixture.alice, { entries: [destroyed] })), [
      'entries.0.destroy_after_days below_minimum',
    ])
    assert.deepEqual(await getFaults(save(fixture.alice, { minimums: minimum(1999) })), [
      'minimums.0.days minimum_lowered',
    ])
    assert.deepEqual(await getFaults(save(fixture.alice, { minimums: [] })), ['minimums minimum_lowered'])
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
    const execution = (person: Person) => person.api.readRetentionExecution({})
    const pause = (person: Person, is_paused: boolean, reason = 'An audit is under way') =>
      person.api.pauseRetention({ body: { is_paused, reason } })
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
      assert.equal(await getCode(pause(fixture.alice, false, wrong)), 'invalid_input')
    assert.equal((await execution(fixture.alice)).is_paused, true)
    assert.equal((await pause(fixture.alice, false, 'x'.repeat(500))).is_paused, false)

    // As a restore does: an earlier reason is not lost, and the alert ends with the pause.
    await pause(fixture.alice, true)
    await fixture.server.ctx.db.write(await fixture.server.getId('acme'), (tx) =>
      pauseAfterRestore(tx, { time: new Date('2026-11-22T10:30:00Z'), by: OPERATOR }),
    )
    const alerts = () =>
      fixture.sql(
        `select distinct alert_state, alert_target from alerts where alert_key = 'retention_restored' order by 2`,
      )
    const states = (alert_state: string) =>
      ['admin', 'client'].map((alert_target) => ({ alert_state, alert_target }))
    assert.deepEqual(
      [(await execution(fixture.alice)).reason, await alerts()],
      ['retention_restored 2026-11-22T10:30:00.000Z An audit is under way', states('Triggered')],
    )
    await pause(fixture.alice, true)
    assert.deepEqual(await alerts(), states('Triggered'))
    await pause(fixture.alice, false)
    assert.deepEqual(await alerts(), states('Cleared'))

    const forecast = await fixture.alice.api.readRetentionForecast({})
    assert.equal(forecast.months.length, 12)
    assert.ok(forecast.months.every((at, i) => at > (forecast.months[i - 1] ?? forecast.at - 1)))
    assert.deepEqual([forecast.types, forecast.staying], [[], []])
    await storePayload(fixture.server.ctx, {
      client: 'acme',
      group: 'North',
      payload_time: Math.floor(Date.now() / 1000) - 40 * 86_400,
    })
    await save(fixture.alice, { entries: [{ ...CALLS, delete_after_days: 39 }], applies_to_kept: true })
    const { types } = await fixture.alice.api.readRetentionForecast({})
    const [calls] = types.filter(({ payload_type }) => payload_type === 'Call')
    assert.deepEqual([calls?.deleted.due, calls?.destroyed.due], [1, 0])

    await fixture.giveRole('Policy Reader', [allow('account.retention:read', 'profile:read')])
    const reader = await fixture.personWith(['Policy Reader'])
    assert.equal((await execution(reader)).is_paused, false)
    assert.equal(await getCode(pause(reader, true)), 'not_permitted')

    // A hidden type leaves no trace in counts.
    const rules = [allow('account.retention:*', 'profile:read')]
    await fixture.giveRole('Photo Policies', rules, { payload_types: ['Photo'] })
    const limited = await fixture.personWith(['Photo Policies'])
    const body = { entries: [{ ...CALLS, delete_after_days: 38 }], applies_to_kept: true }
    const counted = async ({ api }: Person) => [
      (await api.readRetentionForecast({})).types.length,
      (await api.reviewRetention({ body })).types.length,
    ]
    assert.deepEqual(
      [await counted(fixture.alice), await counted(limited)],
      [
        [1, 1],
        [0, 0],
      ],
    )
  })
})
