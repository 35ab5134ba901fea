import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { RetentionEntry } from '@custodia/contract'
import fc from 'fast-check'
import { DAY, moment } from './cases.test-support.ts'
import { type HoldEvent, type HoldPeriod, holdPeriods } from './decide.ts'
import { decideRecord, recordSpans, type RetainedRecord, soonestOfRecords } from './records.ts'
import type { PolicyVersion } from './versions.ts'

/** Worlds to compare with the oracle. */
const FIXTURES = process.env['TEST_LONG'] ? 100_000 : 5000

const days = fc.option(fc.integer({ min: 0, max: 6 }), { nil: undefined, freq: 3 })
const entry = fc
  .record({
    entity_type: fc.constantFrom('Device', 'Device', 'DeviceUser'),
    delete_after_days: days,
    destroy_after_days: days,
  })
  .map((each) => each as RetentionEntry)
const versions = fc
  .array(
    fc.record({ at: moment, entries: fc.array(entry, { maxLength: 1 }), applies_to_kept: fc.boolean() }),
    { maxLength: 4 },
  )
  .map((some): PolicyVersion[] => some.toSorted((a, b) => a.at - b.at))
const record = fc.record({
  follows: fc.constant('Device' as const),
  recorded_at: moment,
  received_at: moment,
})
const deleted = fc.tuple(record, moment).map(([each, deleted_at]) => ({ ...each, deleted_at }))
const ended = fc.tuple(record, moment).map(([each, ended_at]) => ({ ...each, ended_at }))
const any: fc.Arbitrary<RetainedRecord> = fc.oneof(record, deleted, ended, ended, ended)
const holds = fc.oneof(
  { weight: 3, arbitrary: fc.constant<HoldPeriod[]>([]) },
  {
    weight: 1,
    arbitrary: fc.array(fc.record({ from: moment, until: fc.option(moment, { nil: null, freq: 3 }) }), {
      maxLength: 2,
    }),
  },
)

/** Read sentence by sentence, without any part of what is tested: follows every policy that the record has lived under. */
function oracle(
  r: RetainedRecord,
  policies: PolicyVersion[],
  held: HoldPeriod[],
  now: number,
): 'keep' | 'delete' | 'destroy' {
  for (const { until } of held) if (until === null || now < until + 7 * DAY) return 'keep'
  type Days = { delete_after_days?: number; destroy_after_days?: number } | undefined
  const getStatement = (policy: PolicyVersion) =>
    policy.entries.find(({ entity_type }) => entity_type === r.follows) as Days
  let counts: Days
  for (const policy of policies) {
    const stated = getStatement(policy)
    const isBefore = r.recorded_at > policy.at && r.received_at > policy.at
    if (isBefore || policy.applies_to_kept) counts = stated
    // No entry: never. That is the longest.
    else if (stated === undefined) counts = undefined
    else if (counts !== undefined) {
      const first = (each: NonNullable<Days>) => each.delete_after_days ?? each.destroy_after_days ?? Infinity
      const sooner =
        stated.destroy_after_days === undefined
          ? first(stated) < first(counts) || stated.delete_after_days === undefined
          : counts.destroy_after_days === undefined ||
            (stated.delete_after_days === undefined) !== (counts.delete_after_days === undefined) ||
            (stated.delete_after_days ?? 0) < (counts.delete_after_days ?? 0) ||
            stated.destroy_after_days < counts.destroy_after_days
      if (stated.delete_after_days === undefined && stated.destroy_after_days === undefined) counts = stated
      else if (first(counts) !== Infinity && !sooner) counts = stated
    }
  }
  if (r.ended_at !== undefined && r.deleted_at === undefined) {
    if (counts?.delete_after_days === undefined) return 'keep'
    for (const at of [r.recorded_at, r.received_at, r.ended_at])
      if (now < at + counts.delete_after_days * DAY) return 'keep'
    return 'delete'
  }
  if (counts?.destroy_after_days === undefined) return 'keep'
  if (r.deleted_at !== undefined && now < r.deleted_at + counts.destroy_after_days * DAY) return 'keep'
  const last = (r.deleted_at === undefined ? (counts.delete_after_days ?? 0) : 0) + counts.destroy_after_days
  for (const at of [r.recorded_at, r.received_at]) if (now < at + last * DAY) return 'keep'
  return 'destroy'
}

describe('the retention decision for a device record', () => {
  it(`agrees with the oracle in ${FIXTURES} cases`, () => {
    const seen = { keep: 0, delete: 0, destroy: 0 }
    fc.assert(
      fc.property(any, versions, holds, moment, (asked, policies, held, now) => {
        const expected = oracle(asked, policies, held, now)
        seen[expected] += 1
        assert.equal(decideRecord(asked, { versions: policies, holds: held }, now).verdict, expected)
      }),
      { numRuns: FIXTURES },
    )
    for (const [verdict, count] of Object.entries(seen))
      assert.ok(count > FIXTURES / 1000, `${verdict}: ${count}`)
  })

  it('takes effect at the announced second, never before the soonest policy or at an unknown time', () => {
    fc.assert(
      fc.property(any, versions, (asked, policies) => {
        const at = (now: number) => decideRecord(asked, { versions: policies, holds: [] }, now)
        const { goes_at } = at(0)
        const { ended_at, deleted_at, recorded_at, received_at } = asked
        const stage = deleted_at !== undefined ? 'deleted' : ended_at !== undefined ? 'ended' : 'record'
        if (goes_at !== null) {
          assert.equal(at(goes_at - 1).verdict, 'keep')
          assert.equal(at(goes_at).verdict, stage === 'ended' ? 'delete' : 'destroy')
          const soonest = soonestOfRecords(policies, 'Device', stage) ?? Infinity
          assert.ok(goes_at >= (deleted_at ?? ended_at ?? recorded_at) + soonest * DAY)
        }
        const came_at = Math.min(recorded_at, received_at)
        const spans = recordSpans(policies, 'Device', stage).filter(
          ({ from, until }) => came_at >= (from ?? -Infinity) && came_at < (until ?? Infinity),
        )
        const since = Math.max(recorded_at, received_at, deleted_at ?? ended_at ?? recorded_at)
        assert.deepEqual(
          spans.map(({ days: after }) => since + after * DAY),
          goes_at === null ? [] : [goes_at],
        )
        assert.equal(at(Number.NaN).verdict, 'keep')
        const unknown = { ...asked, received_at: Number.NaN }
        assert.equal(decideRecord(unknown, { versions: policies, holds: [] }, Infinity).verdict, 'keep')
      }),
      { numRuns: 5000 },
    )
  })
})

const set = (at: number): HoldEvent => ({ act: 'set', at })
const released = (at: number): HoldEvent => ({ act: 'released', at })
const spans = (...events: HoldEvent[]) => holdPeriods(events).map(({ from, until }) => [from, until])

describe('legal hold periods', () => {
  it('begin when the hold is set and end with the next release', () => {
    assert.deepEqual(spans(), [])
    assert.deepEqual(spans(set(5)), [[5, null]])
    assert.deepEqual(spans(set(5), released(9), set(20)), [
      [5, 9],
      [20, null],
    ])
  })
  it('stay valid with contradictory events', () => {
    assert.deepEqual(spans(released(3), set(5), set(7), released(9), released(11)), [[5, 9]])
    assert.deepEqual(spans(set(5), set(7)), [[5, null]])
  })
  it('keep their events', () => {
    const [period] = holdPeriods([
      { ...set(5), by: 'alice' },
      { ...released(9), by: 'bob' },
    ])
    assert.deepEqual([period?.began.by, period?.ended?.by], ['alice', 'bob'])
  })
})
