import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { DAY, moment, retentionCase } from './cases.test-support.ts'
import { decide, HOLD_GRACE_SECONDS, type RetentionCase } from './decide.ts'

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
    if (!p.is_abandoned) return 'keep'
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
const FIXTURES = process.env['TEST_LONG'] ? 100_000 : 20_000
const FEWER = Math.ceil(FIXTURES / 10)

/** As it would be if nothing stood in its way. */
const unblocked = ({ payload, policy, ...asked }: RetentionCase): RetentionCase => ({
  ...asked,
  payload: {
    ...payload,
    is_alerted: true,
    is_abandoned: true,
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

const verdictsOf = (asked: RetentionCase, now: number) => decide(asked, now).verdict
const GOES = { keep: 0, delete: 1, destroy: 2 }

describe('the retention decision for a payload, against the oracle', () => {
  it(`agrees with the oracle in ${FIXTURES} cases`, () => {
    const seen = { keep: 0, delete: 0, destroy: 0 }
    fc.assert(
      fc.property(retentionCase, moment, (asked, now) => {
        const expected = oracleDecides(asked, now)
        seen[expected] += 1
        assert.equal(verdictsOf(asked, now), expected)
      }),
      { numRuns: FIXTURES },
    )
    for (const [verdict, count] of Object.entries(seen))
      assert.ok(count > FIXTURES / 100, `${verdict}: ${count}`)
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

  it('never comes earlier through a hold, gate, longer minimum, restore or earlier clock', () => {
    fc.assert(
      fc.property(retentionCase, moment, moment, (asked, now, other) => {
        const { payload, policy } = asked
        const kinder: RetentionCase[] = [
          { ...asked, holds: [...asked.holds, { from: other, until: null }] },
          { ...asked, receipts: [], transfers: [] },
          { ...asked, payload: { ...payload, awaits_sign_off: true } },
          {
            ...asked,
            policy: { ...policy, minimums: [...policy.minimums, { payload_type: 'Call', days: 9 }] },
          },
          { ...asked, policy: { ...policy, rules: [] } },
          { ...asked, payload: { ...payload, restored_at: Math.max(other, payload.restored_at ?? other) } },
        ]
        for (const each of kinder)
          assert.ok(GOES[verdictsOf(each, now)] <= GOES[verdictsOf(asked, now)], JSON.stringify(each))
        const earlier = Math.min(now, other)
        assert.ok(GOES[verdictsOf(asked, earlier)] <= GOES[verdictsOf(asked, Math.max(now, other))])
      }),
      { numRuns: FEWER },
    )
  })

  it('is blocked during a legal hold and for exactly seven days afterwards', () => {
    fc.assert(
      fc.property(retentionCase, moment, moment, (asked, from, until) => {
        const at = (now: number) =>
          decide({ ...asked, holds: [{ from, until }] }, now).blocked_by.includes('held')
        assert.equal(HOLD_GRACE_SECONDS, 7 * DAY)
        assert.equal(at(until + 7 * DAY - 1), true)
        assert.equal(at(until + 7 * DAY), false)
      }),
      { numRuns: 1000 },
    )
  })
})
