import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DAY, T0 } from './cases.test-support.ts'
import {
  decide,
  movedItem,
  refuseRelease,
  type Retained,
  type RetentionCase,
  type RetentionRule,
} from './decide.ts'
import { DESTRUCTION_ITEM_STATES, DESTRUCTION_STATES } from '@custodia/contract'

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

describe('the retention decision for a payload', () => {
  it('gives deletion first and counts destruction from the deletion', () => {
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

  it('counts destruction of an overdue payload from now', () => {
    const now = T0 + 100 * DAY
    const { delete_at, destroy_at } = decide(asked(), now)
    assert.deepEqual([delete_at, destroy_at], [T0 + 10 * DAY, now + 5 * DAY])
  })

  it('keeps a payload without a rule or a period', () => {
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

  it('deletes at once after 0 days and keeps the payload for an invalid period', () => {
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

  it('waits for a legal minimum and reports it', () => {
    const { delete_at, destroy_at, set_by, verdict } = decide(asked({}, {}, { minimum: 30 }), T0 + 12 * DAY)
    assert.deepEqual([verdict, set_by], ['keep', 'minimum'])
    assert.deepEqual([delete_at, destroy_at], [T0 + 30 * DAY, T0 + 35 * DAY])
    const deleted = { payload_state: 'Deleted', state_before_deletion: 'Processed', deleted_at: T0 } as const
    assert.equal(decide(asked(deleted, {}, { minimum: 30 }), T0 + 30 * DAY - 1).verdict, 'keep')
    assert.equal(decide(asked(deleted, {}, { minimum: 30 }), T0 + 30 * DAY).verdict, 'destroy')
  })

  it('lists everything that blocks the deletion', () => {
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

  it('counts a late payload from its arrival, not from a wrong device clock', () => {
    const behind = { payload_time: T0 - 4000 * DAY, is_late: true }
    assert.equal(decide(asked(behind), T0 + DAY).verdict, 'keep')
    assert.equal(decide(asked(behind), T0 + DAY).delete_at, PAYLOAD.announced_at + 10 * DAY)
  })

  it('has no further dates for a destroyed payload', () => {
    const gone = decide(asked({ payload_state: 'Destroyed' }), T0 + 100 * DAY)
    assert.deepEqual([gone.verdict, gone.delete_at, gone.destroy_at], ['keep', null, null])
  })
})

describe('a destruction list', () => {
  const facts = { state: 'waiting', authors: ['alice'], is_current: true } as const

  it('is released only by a person who wrote none of its policies and saw its current state', () => {
    assert.equal(refuseRelease(facts, { by: 'ines', kind: 'person' }), undefined)
    assert.equal(refuseRelease(facts, { by: 'alice', kind: 'person' }), 'same_person')
    assert.equal(refuseRelease(facts, { by: 'robot', kind: 'app' }), 'no_person')
    assert.equal(refuseRelease({ ...facts, is_current: false }, { by: 'ines', kind: 'person' }), 'changed')
    for (const state of DESTRUCTION_STATES)
      if (state !== 'waiting')
        assert.equal(refuseRelease({ ...facts, state }, { by: 'ines', kind: 'person' }), 'not_waiting')
  })

  it('lets listed items be taken out and only those be put back', () => {
    for (const list of DESTRUCTION_STATES)
      for (const item of DESTRUCTION_ITEM_STATES) {
        assert.equal(movedItem(item, list, true), item === 'listed' ? 'taken_out' : undefined)
        const isOpen = list === 'waiting' || list === 'gathering'
        const back = isOpen ? 'listed' : 'put_back'
        assert.equal(movedItem(item, list, false), item === 'taken_out' ? back : undefined)
      }
  })
})
