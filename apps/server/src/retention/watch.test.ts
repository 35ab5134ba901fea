import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type AlertText, alertPhrases, type PayloadType } from '@custodia/contract'
import { accessFixture, type AccessFixture } from '../testing/access-fixture.ts'
import { storePayload } from '../testing/stored-payload.ts'
import { watchRetention } from './watch.ts'

const DAY = 86_400

describe('retention alerts', () => {
  let fixture: AccessFixture
  let client_id: number
  before(async () => {
    fixture = await accessFixture()
    client_id = await fixture.server.idOf('acme')
  })
  after(() => fixture?.close())

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
