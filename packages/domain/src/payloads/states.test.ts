import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { PAYLOAD_STATES } from '@custodia/contract'
import type { PayloadState } from '@custodia/contract'
import { deviceView, INITIAL_STATES, mayMove, RESTING_STATES, transitionRows } from './states.ts'

/** The reading of spec section 4, written once more by hand: from, then everything it may become. */
const EXPECTED = [
  'NotRecorded > Deleted',
  'Recorded > Uploaded Deleted',
  'Uploaded > Scanning',
  'Scanning > NotRecorded Processed Quarantined Failed',
  'Quarantined > Scanning Deleted',
  'Failed > Uploaded Deleted',
  'Processed > Deleted',
  'Transferred > Deleted',
  'Deleted > Destroyed',
  'Destroyed >',
]
const expected = new Set(
  EXPECTED.flatMap((line) => {
    const [from, states = ''] = line.split(' >')
    return states
      .split(' ')
      .filter(Boolean)
      .map((to) => `${from} ${to}`)
  }),
)

describe('payload states', () => {
  it('allow the listed transitions and refuse all others', () => {
    assert.equal(EXPECTED.length, PAYLOAD_STATES.length)
    for (const from of PAYLOAD_STATES) {
      for (const to of PAYLOAD_STATES)
        assert.equal(mayMove(from, to), expected.has(`${from} ${to}`), `${from} ${to}`)
    }
  })

  it('restore a deleted payload to the state it was deleted from, and to no other', () => {
    for (const cached of [...PAYLOAD_STATES, null]) {
      for (const to of PAYLOAD_STATES) {
        const rests = (RESTING_STATES as readonly PayloadState[]).includes(to)
        assert.equal(mayMove('Deleted', to, cached), to === 'Destroyed' || (to === cached && rests))
      }
    }
  })

  it('use the state before deletion for restores only', () => {
    assert.equal(mayMove('Processed', 'Recorded', 'Recorded'), false)
    assert.equal(mayMove('Destroyed', 'Processed', 'Processed'), false)
  })

  it('are all reachable', () => {
    const reached = new Set<PayloadState>(INITIAL_STATES.migration)
    for (const from of reached) for (const to of PAYLOAD_STATES) if (mayMove(from, to)) reached.add(to)
    assert.deepEqual([...reached].sort(), [...PAYLOAD_STATES].sort())
  })

  it('allow Transferred only by migration and Destroyed only after Deleted', () => {
    const into = (state: PayloadState) =>
      transitionRows()
        .filter((row) => row.to_state === state)
        .map((row) => row.from_state)
    assert.deepEqual(into('Transferred'), [null, 'Deleted'])
    assert.deepEqual(into('Destroyed'), ['Deleted'])
    assert.ok(!(INITIAL_STATES.phone as readonly string[]).includes('Transferred'))
  })

  it('give unique and sorted rows for the database', () => {
    const rows = transitionRows().map((row) => `${row.from_state ?? ''} ${row.to_state}`)
    assert.deepEqual(rows, [...new Set(rows)].sort())
    assert.equal(rows.length, INITIAL_STATES.migration.length + expected.size + RESTING_STATES.length)
  })

  it('have a device view as pending, failed or processed', () => {
    const seen = Object.groupBy(PAYLOAD_STATES, (state) => deviceView(state))
    assert.deepEqual(seen.pending, ['Recorded', 'Uploaded', 'Scanning'])
    assert.deepEqual(seen.failed, ['Failed'])
    assert.deepEqual(seen.processed, [
      'NotRecorded',
      'Processed',
      'Transferred',
      'Deleted',
      'Destroyed',
      'Quarantined',
    ])
    assert.equal(seen.not_found, undefined)
    assert.equal(deviceView(undefined), 'not_found')
  })
})
