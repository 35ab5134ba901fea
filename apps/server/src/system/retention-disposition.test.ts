import assert from 'node:assert/strict'
import { after, beforeEach, describe, it } from 'node:test'
import type { RetentionDisposition } from '@custodia/contract'
import { deletePayloads } from '../payloads/deletion-store.ts'
import { accessFixture, type Person } from '../testing/access-fixture.ts'
import { storePayload } from '../testing/stored-payload.ts'
import { withoutPolicy } from '../testing/test-context.ts'

const DAY = 86_400
const NOTHING = { delete_at: null, destroy_at: null, set_by: null } as const

const fixture = await accessFixture()
after(() => fixture.close())
const client_id = await fixture.server.getId('acme')

describe('the retention forecast of a payload', () => {
  beforeEach(async () => {
    await withoutPolicy(fixture.sql)
  })

  const stored = (more: object = {}) =>
    storePayload(fixture.server.ctx, { client: 'acme', group: 'North', ...more })
  const disposition = async (payload_reference: string, person: Person = fixture.alice) =>
    (await person.api.readPayload({ params: { payload_reference } })).retention
  const save = (entry: object, more: object = {}) =>
    fixture.alice.api.saveRetention({
      body: {
        entries: [{ entity_type: 'Payload', payload_type: 'Call', ...entry }],
        applies_to_kept: true,
        ...more,
      } as never,
    })
  const getTimes = async (payload_reference: string) => {
    const { payload_time } = await fixture.alice.api.readPayload({ params: { payload_reference } })
    return payload_time
  }
  const row = async (payload_reference: string) => {
    const [found] = await fixture.sql<{ payload_id: number; device_user_id: number }>(
      'select payload_id::int, device_user_id from payloads where payload_reference = $1',
      [payload_reference],
    )
    assert.ok(found)
    return found
  }

  it('is empty without a policy', async () => {
    assert.equal(await disposition(await stored()), null)
  })

  it('shows the dates that the policy sets', async () => {
    const call = await stored()
    const sms = await stored({ payload_type: 'SMS' })
    await save({ delete_after_days: 10, destroy_after_days: 3 })
    const at = await getTimes(call)
    const expected: RetentionDisposition = {
      delete_at: at + 10 * DAY,
      destroy_at: at + 13 * DAY,
      set_by: 'rule',
      basis: 'payload_time',
      blocked_by: [],
      delete_after_days: 10,
      destroy_after_days: 3,
    }
    assert.deepEqual(await disposition(call), expected)
    assert.equal(await disposition(sms), null, 'another type has no entry')
    // The legal minimum is longer than the days until deletion, so destruction counts from it.
    await save(
      { destroy_after_days: 400 },
      { minimums: [{ payload_type: 'Call', days: 400, legal_basis: 'A law' }] },
    )
    await fixture.sql(
      `update payloads set processed_at = processed_at - 50 * ${DAY} where payload_reference = $1`,
      [call],
    )
    await save({ destroy_after_days: 400, retention_timestamp: 'processed_at' })
    const kept = await disposition(call)
    assert.deepEqual(
      [kept?.destroy_at, kept?.set_by, kept?.legal_basis],
      [at + 400 * DAY, 'minimum', 'A law'],
    )
  })

  it('waits for the receipt of an app and ignores receipts of people', async () => {
    const call = await stored()
    const { payload_id } = await row(call)
    await save({ delete_after_days: 500, retention_timestamp: 'receipt_confirmed_at' })
    assert.deepEqual(await disposition(call), {
      ...NOTHING,
      basis: 'receipt_confirmed_at',
      blocked_by: ['basis_missing'],
      delete_after_days: 500,
    })
    const confirm = (who: string, at: number, is_person: boolean) =>
      fixture.sql(
        `insert into payload_receipts (client_id, payload_id, client_app_user, confirmed_at, is_person) values ($1, $2, $3, $4, $5)`,
        [client_id, payload_id, who, at, is_person],
      )
    await confirm('bob', 5000, true)
    assert.deepEqual((await disposition(call))?.blocked_by, ['basis_missing'], 'a person lets nothing go')
    await confirm('crm', 6000, false)
    const result = await disposition(call)
    assert.deepEqual(result?.blocked_by, [])
    assert.equal(result?.delete_at, 6000 + 500 * DAY)
  })

  it('counts destruction from the deletion, and deletion from the restore', async () => {
    const call = await stored()
    const { payload_id } = await row(call)
    await save({ delete_after_days: 400, destroy_after_days: 20 })
    const at = await getTimes(call)
    const deleted_at = at + 399 * DAY
    await fixture.server.ctx.db.write(client_id, (tx) =>
      deletePayloads(tx, [payload_id], { by: 'retention', now: deleted_at } as never),
    )
    const deleted = await disposition(call)
    assert.deepEqual([deleted?.delete_at, deleted?.destroy_at], [null, deleted_at + 20 * DAY])
    await fixture.sql(
      'update payloads set restored_at = $2, state = state_before_deletion, state_before_deletion = null where payload_id = $1',
      [payload_id, at + 410 * DAY],
    )
    assert.equal((await disposition(call))?.delete_at, at + 810 * DAY)
  })

  it('is blocked by a legal hold, which only permitted users see', async () => {
    const call = await stored()
    const { payload_id } = await row(call)
    await fixture.sql(
      `update payloads set device_user_id = (select device_user_id from device_users where client_id = $1 order by 1 limit 1) where payload_id = $2`,
      [client_id, payload_id],
    )
    const [user] = await fixture.sql<{ device_user_reference: string }>(
      'select device_user_reference from device_users join payloads using (client_id, device_user_id) where payload_id = $1',
      [payload_id],
    )
    await save({ delete_after_days: 400 })
    assert.deepEqual((await disposition(call))?.blocked_by, [])
    const params = { target_type: 'DeviceUser', target: user?.device_user_reference ?? '' } as const
    await fixture.alice.api.setLegalHold({ params })
    const held = await disposition(call)
    assert.deepEqual(held?.blocked_by, ['held'])
    const [by] = held?.held_by ?? []
    const holder = { ...params, target_name: by?.target_name }
    assert.match(String(by?.target_name), / /, 'a person is named')
    assert.deepEqual(held?.held_by, [{ ...holder, matters: [] }])
    const reviewer = await fixture.personWith(['Compliance Reviewer'])
    const seen = await disposition(call, reviewer)
    assert.deepEqual([seen?.blocked_by, seen?.held_by], [[], undefined], 'other reviewers see no reason')
    const { matter_id } = await fixture.alice.api.openLegalMatter({ body: { name: 'Falcon' } })
    await fixture.alice.api.holdMatterPeople({ params: { matter_id }, body: { people: [params] } })
    assert.deepEqual((await disposition(call))?.held_by, [
      { ...holder, matters: [{ matter_id, name: 'Falcon' }] },
    ])
    await fixture.alice.api.closeLegalMatter({ params: { matter_id }, query: { reason: 'It is over' } })
    await fixture.alice.api.releaseLegalHold({ params, query: { reason: 'It is over' } })
    assert.deepEqual((await disposition(call))?.blocked_by, ['held'], 'seven days of grace')
  })
})
