import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { HOLD_GRACE_SECONDS, holdsAt } from './decide.ts'
import { holdPeriods, type HoldEvent } from './holds.ts'

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

describe('a legal hold period', () => {
  it('applies until exactly seven days after its release', () => {
    const period = { from: 1000, until: 2000 }
    const end = 2000 + HOLD_GRACE_SECONDS
    assert.equal(HOLD_GRACE_SECONDS, 604_800)
    assert.deepEqual(
      [1500, 2000, end - 1, end, end + 1].map((now) => holdsAt(period, now)),
      [true, true, true, false, false],
    )
    assert.ok(holdsAt({ from: 1000, until: null }, Number.MAX_SAFE_INTEGER))
  })
  it('applies when the time is unknown or before its start', () => {
    assert.ok(holdsAt({ from: 1000, until: 2000 }, Number.NaN))
    assert.ok(holdsAt({ from: 1000, until: 2000 }, 5))
  })
})
