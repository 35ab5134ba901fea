import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { DAY, moment, retentionCase } from './cases.test-support.ts'
import { decide, HOLD_GRACE_SECONDS, type RetentionCase } from './decide.ts'
import { oracleDecides } from './oracle.test-support.ts'

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
