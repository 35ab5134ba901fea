import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DESTRUCTION_ITEM_STATES, DESTRUCTION_STATES } from '@custodia/contract'
import fc from 'fast-check'
import { DAY, moment, retentionCase, T0 } from './cases.test-support.ts'
import {
  decide,
  movedItem,
  refuseRelease,
  type RetentionItem,
  type RetentionCase,
  type RetentionRule,
} from './decide.ts'

const PAYLOAD: RetentionItem = {
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
  is_written_off: false,
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
  payload: Partial<RetentionItem> = {},
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
      'not_written_off',
      'basis_missing',
      'receipts_missing',
      'transfers_missing',
      'held',
    ])
    assert.deepEqual(decide(asked({ payload_state: 'Scanning' }), T0 + 100 * DAY).blocked_by, ['under_way'])
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

const ORACLE_DAY = 86_400

/** What is to become of a payload, read from the specification sentence by sentence, without any part of `decide`. */
function oracleDecides(asked: RetentionCase, now: number): 'keep' | 'delete' | 'destroy' {
  const { payload: p, policy } = asked
  // No entry for a type: never.
  const entry = policy.rules.find((rule) => rule.payload_type === p.payload_type)
  if (entry === undefined) return 'keep'
  // A destroyed payload stays a tombstone; an uploaded or scanned one is not in its final state.
  const was = p.payload_state === 'Deleted' ? p.state_before_deletion : p.payload_state
  if (p.payload_state === 'Destroyed' || was === 'Uploaded' || was === 'Scanning') return 'keep'
  // Recorded and Failed are due only when late, alerted and abandoned by a person.
  if (was === 'Recorded' || was === 'Failed') {
    if (!p.is_late) return 'keep'
    if (!p.is_alerted) return 'keep'
    if (!p.is_written_off) return 'keep'
  }
  // Holds, and seven days after their release.
  for (const { until } of asked.holds) {
    if (until === null) return 'keep'
    if (now < until + 7 * ORACLE_DAY) return 'keep'
  }
  // A migration without acceptance.
  if (p.awaits_sign_off) return 'keep'
  // Both gates.
  for (const name of entry.required_receipts) if (!asked.receipts.includes(name)) return 'keep'
  for (const name of entry.required_transfers) if (!asked.transfers.includes(name)) return 'keep'
  // What came late counts from its arrival.
  let recorded = p.payload_time
  if (p.is_late && p.announced_at > recorded) recorded = p.announced_at
  // The law.
  for (const minimum of policy.minimums)
    if (minimum.payload_type === p.payload_type && now < recorded + minimum.days * ORACLE_DAY) return 'keep'
  // The basis; one that is not set never expires.
  let basis: number | null = recorded
  if (entry.retention_timestamp === 'processed_at') basis = p.processed_at
  if (entry.retention_timestamp === 'transferred_at') basis = p.transferred_at
  if (entry.retention_timestamp === 'receipt_confirmed_at') basis = p.receipt_confirmed_at
  if (basis === null) return 'keep'
  // Restored: the later of the two.
  if (p.restored_at !== null && p.restored_at > basis) basis = p.restored_at
  const { delete_after_days, destroy_after_days } = entry
  if (delete_after_days !== undefined && p.payload_state !== 'Deleted')
    return now >= basis + delete_after_days * ORACLE_DAY ? 'delete' : 'keep'
  if (destroy_after_days === undefined) return 'keep'
  // With both, destruction counts from deletion.
  const from = delete_after_days === undefined ? basis : (p.deleted_at ?? Infinity)
  return now >= from + destroy_after_days * ORACLE_DAY ? 'destroy' : 'keep'
}

/** Random cases to compare with the oracle. */
const FIXTURES = process.env['TEST_LONG'] ? 100_000 : 5000
const FEWER = Math.ceil(FIXTURES / 10)

/** As it would be if nothing stood in its way. */
const unblocked = ({ payload, policy, ...asked }: RetentionCase): RetentionCase => ({
  ...asked,
  payload: {
    ...payload,
    is_alerted: true,
    is_written_off: true,
    awaits_sign_off: false,
    ...(payload.payload_state === 'Recorded' || payload.payload_state === 'Failed'
      ? { payload_state: 'Processed' as const }
      : {}),
  },
  policy: {
    ...policy,
    rules: policy.rules.map((rule) => ({ ...rule, required_receipts: [], required_transfers: [] })),
  },
  holds: [],
})

const getVerdicts = (asked: RetentionCase, now: number) => decide(asked, now).verdict

describe('the retention decision for a payload, against the oracle', () => {
  it(`agrees with the oracle in ${FIXTURES} cases`, () => {
    const seen = { keep: 0, delete: 0, destroy: 0 }
    fc.assert(
      fc.property(retentionCase, moment, (asked, now) => {
        const expected = oracleDecides(asked, now)
        seen[expected] += 1
        assert.equal(getVerdicts(asked, now), expected)
      }),
      { numRuns: FIXTURES },
    )
    for (const [verdict, count] of Object.entries(seen))
      assert.ok(count > FIXTURES / 1000, `${verdict}: ${count}`)
  })

  it('takes effect at the announced second and not before', () => {
    fc.assert(
      fc.property(retentionCase, moment, (asked, now) => {
        const free = unblocked(asked)
        const { delete_at, destroy_at } = decide(free, now)
        const next = delete_at ?? destroy_at
        if (next === null || decide(free, next).blocked_by.length > 0) return
        assert.equal(oracleDecides(free, next - 1), 'keep')
        assert.equal(oracleDecides(free, next), delete_at === null ? 'destroy' : 'delete')
      }),
      { numRuns: FEWER },
    )
  })
})
