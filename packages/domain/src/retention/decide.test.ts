import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DAY, T0 } from './cases.test-support.ts'
import { decide, type Retained, type RetentionCase, type RetentionRule } from './decide.ts'

const PAYLOAD: Retained = {
  payload_type: 'Call',
  payload_state: 'Processed',
  state_before_deletion: null,
  deleted_at: null,
  payload_time: T0,
  announced_at: T0 + 60,
  processed_at: T0 + 90,
  transferred_at: null,
  receipt_confirmed_at: null,
  restored_at: null,
  is_late: false,
  is_alerted: false,
  is_abandoned: false,
  awaits_sign_off: false,
}
const RULE: RetentionRule = {
  payload_type: 'Call',
  delete_after_days: 10,
  destroy_after_days: 5,
  retention_timestamp: 'payload_time',
  required_receipts: [],
  required_transfers: [],
}
const asked = (
  payload: Partial<Retained> = {},
  rule: Partial<RetentionRule> = {},
  more: Partial<RetentionCase> & { minimum?: number } = {},
): RetentionCase => {
  const { minimum, ...rest } = more
  return {
    payload: { ...PAYLOAD, ...payload },
    policy: {
      rules: [{ ...RULE, ...rule }],
      minimums: minimum === undefined ? [] : [{ payload_type: 'Call', days: minimum }],
    },
    holds: [],
    receipts: [],
    transfers: [],
    ...rest,
  }
}

describe('the end of a payload', () => {
  it('is told before it comes: deletion first, destruction counted from it', () => {
    assert.deepEqual(decide(asked(), T0), {
      verdict: 'keep',
      delete_at: T0 + 10 * DAY,
      destroy_at: T0 + 15 * DAY,
      set_by: 'rule',
      blocked_by: [],
    })
    const deleted = asked({
      payload_state: 'Deleted',
      state_before_deletion: 'Processed',
      deleted_at: T0 + 12 * DAY,
    })
    assert.deepEqual(decide(deleted, T0 + 17 * DAY), {
      verdict: 'destroy',
      delete_at: null,
      destroy_at: T0 + 17 * DAY,
      set_by: 'rule',
      blocked_by: [],
    })
  })

  it('is counted from now where it should have been deleted before: destroyed is nothing before its days as deleted', () => {
    const now = T0 + 100 * DAY
    const { delete_at, destroy_at } = decide(asked(), now)
    assert.deepEqual([delete_at, destroy_at], [T0 + 10 * DAY, now + 5 * DAY])
  })

  it('never comes without a rule for its type, or without days', () => {
    const late = T0 + 100_000 * DAY
    const other = asked()
    assert.equal(decide({ ...other, policy: { rules: [], minimums: [] } }, late).verdict, 'keep')
    assert.equal(decide(asked({ payload_type: 'SMS' }), late).verdict, 'keep')
    assert.equal(
      decide(asked({}, { delete_after_days: undefined, destroy_after_days: undefined }), late).verdict,
      'keep',
    )
    const deletes = asked(
      { payload_state: 'Deleted', state_before_deletion: 'Processed', deleted_at: T0 },
      {
        destroy_after_days: undefined,
      },
    )
    assert.equal(decide(deletes, late).verdict, 'keep')
  })

  it('comes at once after no days, and never after days that are none', () => {
    assert.equal(decide(asked({}, { delete_after_days: 0 }), T0).verdict, 'delete')
    for (const days of [-1, 0.5, Number.NaN, Infinity, -Infinity]) {
      assert.equal(
        decide(asked({}, { delete_after_days: days }), T0 + 100_000 * DAY).verdict,
        'keep',
        `${days}`,
      )
      assert.equal(
        decide(asked({}, { delete_after_days: undefined, destroy_after_days: days }), T0 + 100_000 * DAY)
          .verdict,
        'keep',
      )
      assert.equal(
        decide(asked({}, {}, { minimum: days }), T0 + 100_000 * DAY).verdict,
        'keep',
        `minimum ${days}`,
      )
    }
    assert.equal(decide(asked(), Number.NaN).verdict, 'keep', 'without a clock')
  })

  it('says which minimum of the law it waits for', () => {
    const { delete_at, destroy_at, set_by, verdict } = decide(asked({}, {}, { minimum: 30 }), T0 + 12 * DAY)
    assert.deepEqual([verdict, set_by], ['keep', 'minimum'])
    assert.deepEqual([delete_at, destroy_at], [T0 + 30 * DAY, T0 + 35 * DAY])
    const deleted = { payload_state: 'Deleted', state_before_deletion: 'Processed', deleted_at: T0 } as const
    assert.equal(decide(asked(deleted, {}, { minimum: 30 }), T0 + 30 * DAY - 1).verdict, 'keep')
    assert.equal(decide(asked(deleted, {}, { minimum: 30 }), T0 + 30 * DAY).verdict, 'destroy')
  })

  it('says everything that stands in its way', () => {
    const gates = {
      required_receipts: ['archive'],
      required_transfers: ['T1'],
      retention_timestamp: 'transferred_at',
    } as const
    const { blocked_by, verdict } = decide(
      asked({ payload_state: 'Failed' }, gates, { holds: [{ from: T0, until: null }] }),
      T0 + 100 * DAY,
    )
    assert.equal(verdict, 'keep')
    assert.deepEqual(blocked_by, [
      'not_abandoned',
      'basis_missing',
      'receipts_missing',
      'transfers_missing',
      'held',
    ])
    assert.deepEqual(decide(asked({ payload_state: 'Scanning' }), T0 + 100 * DAY).blocked_by, ['under_way'])
  })

  it('is no sooner for a phone whose clock stands years behind', () => {
    const behind = { payload_time: T0 - 4000 * DAY, is_late: true }
    assert.equal(decide(asked(behind), T0 + DAY).verdict, 'keep')
    assert.equal(decide(asked(behind), T0 + DAY).delete_at, PAYLOAD.announced_at + 10 * DAY)
  })

  it('has passed for what is destroyed', () => {
    const gone = decide(asked({ payload_state: 'Destroyed' }), T0 + 100 * DAY)
    assert.deepEqual([gone.verdict, gone.delete_at, gone.destroy_at], ['keep', null, null])
  })
})
