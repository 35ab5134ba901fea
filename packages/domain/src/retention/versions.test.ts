import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { PayloadRetention, RetentionEntry } from '@custodia/contract'
import fc from 'fast-check'
import { moment, retentionCase } from './cases.test-support.ts'
import { decide, type RetentionCase, type RetentionRule } from './decide.ts'
import {
  changedSubjects,
  isNoShorter,
  type PolicyVersion,
  ruleFor,
  ruleSpans,
  shortenedSubjects,
} from './versions.ts'

const entry = (days: Partial<PayloadRetention>): PayloadRetention => ({
  entity_type: 'Payload',
  payload_type: 'Call',
  retention_timestamp: 'payload_time',
  required_receipts: [],
  required_transfers: [],
  ...days,
})
const version = (at: number, entries: RetentionEntry[], applies_to_kept = false): PolicyVersion => ({
  at,
  entries,
  applies_to_kept,
})
const call = (announced_at: number) => ({ payload_type: 'Call', announced_at }) as const
const [YEAR, TWO] = [entry({ delete_after_days: 365 }), entry({ delete_after_days: 730 })]

const RUNS = process.env['TEST_LONG'] ? 100_000 : 5000

describe('the retention policy of a payload', () => {
  it('is the policy at the time of its announcement', () => {
    const versions = [version(100, [TWO]), version(200, [YEAR])]
    assert.equal(ruleFor(call(150), versions), TWO)
    assert.equal(ruleFor(call(201), versions), YEAR)
    assert.equal(ruleFor(call(200), versions), TWO, 'in the same second')
    assert.equal(ruleFor(call(99), versions), undefined, 'kept before the first policy')
    assert.equal(ruleFor({ payload_type: 'SMS', announced_at: 300 }, versions), undefined)
  })

  it('is a later policy if it is longer, or shorter and applied to kept payloads', () => {
    assert.equal(ruleFor(call(150), [version(100, [YEAR]), version(200, [TWO])]), TWO)
    assert.equal(ruleFor(call(150), [version(100, [YEAR]), version(200, [])]), undefined, 'for good')
    assert.equal(ruleFor(call(150), [version(100, [TWO]), version(200, [YEAR], true)]), YEAR)
    assert.equal(ruleFor(call(50), [version(100, [YEAR], true)]), YEAR)
    // What was promised for good stays so, however long the next policy is.
    assert.equal(ruleFor(call(150), [version(100, []), version(200, [TWO])]), undefined)
  })

  const days = fc.option(fc.integer({ min: 0, max: 6 }), { nil: undefined })
  const some = fc.subarray(['archive', 'risk'])
  const anyEntry = fc
    .record({
      delete_after_days: days,
      destroy_after_days: days,
      retention_timestamp: fc.constantFrom('payload_time', 'processed_at', 'receipt_confirmed_at'),
      required_receipts: some,
      required_transfers: some,
    })
    .map((each) => entry(each as Partial<PayloadRetention>))

  it('counts as no shorter only if it deletes nothing sooner', () => {
    let longer = 0
    const weight = { keep: 0, delete: 1, destroy: 2 }
    fc.assert(
      fc.property(retentionCase, anyEntry, anyEntry, moment, (asked, from, to, now) => {
        if (!isNoShorter(from, to)) return
        longer++
        const verdict = (rule: RetentionRule) => {
          const payload = { ...asked.payload, payload_type: 'Call' as const }
          const under: RetentionCase = { ...asked, payload, policy: { ...asked.policy, rules: [rule] } }
          return weight[decide(under, now).verdict]
        }
        assert.ok(verdict(to) <= verdict(from))
      }),
      { numRuns: RUNS },
    )
    assert.ok(longer > RUNS / 100, `${longer}`)
  })

  it('is the same for rule spans and for single payloads', () => {
    const anyVersion = fc.record({
      at: fc.integer({ min: 0, max: 12 }),
      entries: fc.option(anyEntry, { nil: undefined }).map((each) => (each ? [each] : [])),
      applies_to_kept: fc.boolean(),
    })
    fc.assert(
      fc.property(
        fc.array(anyVersion, { maxLength: 5 }),
        fc.integer({ min: 0, max: 14 }),
        (some, announced_at) => {
          const versions = some.toSorted((a, b) => a.at - b.at)
          const [span, ...others] = ruleSpans(versions).filter(
            ({ from = -1, until = 99 }) => from <= announced_at && announced_at < until,
          )
          assert.deepEqual(others, [])
          assert.deepEqual(span?.rule, ruleFor(call(announced_at), versions))
        },
      ),
      { numRuns: 5000 },
    )
  })
})

describe('a policy change', () => {
  it('names the subjects that it changes', () => {
    const minimums = [{ payload_type: 'Call', days: 10 }] as const
    const device = { entity_type: 'Device', delete_after_days: 10 } as const
    assert.deepEqual(changedSubjects(undefined, { entries: [YEAR], minimums }), [
      'Payload Call',
      'Minimum Call',
    ])
    assert.deepEqual(
      changedSubjects(
        { entries: [YEAR, device], minimums },
        { entries: [{ ...YEAR, required_receipts: [] }], minimums },
      ),
      ['Device'],
    )
  })

  it('shortens subjects whose records expire sooner', () => {
    const device = (delete_after_days: number) => ({ entity_type: 'Device', delete_after_days }) as const
    const before = [version(100, [YEAR, device(20)])]
    assert.deepEqual(shortenedSubjects(before, version(200, [TWO, device(19)])), ['Device'])
    assert.deepEqual(shortenedSubjects(before, version(200, [])), [])
    assert.deepEqual(shortenedSubjects([], version(200, [TWO])), ['Payload Call'])
    const more = { ...YEAR, required_receipts: ['archive'] }
    assert.equal(isNoShorter(YEAR, more), true)
    assert.equal(isNoShorter(more, YEAR), false)
    assert.equal(isNoShorter(YEAR, { ...YEAR, retention_timestamp: 'processed_at' }), false)
  })
  it('shortens payloads of an older policy when it applies to kept ones', () => {
    const versions = [version(100, [TWO]), version(200, [YEAR])]
    assert.equal(ruleFor(call(150), versions), TWO)
    assert.deepEqual(shortenedSubjects(versions, version(300, [YEAR])), [])
    assert.deepEqual(shortenedSubjects(versions, version(300, [YEAR], true)), ['Payload Call'])
    const between = entry({ delete_after_days: 540 })
    assert.deepEqual(shortenedSubjects(versions, version(300, [between], true)), ['Payload Call'])
    // Records from before the first policy stay permanently, unless the version applies to kept records.
    assert.deepEqual(shortenedSubjects(versions, version(300, [TWO], true)), ['Payload Call'])
    const ticked = [version(100, [TWO], true), version(200, [YEAR])]
    assert.deepEqual(shortenedSubjects(ticked, version(300, [TWO], true)), [])
  })
})
