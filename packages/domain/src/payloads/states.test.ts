import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'
import { PAYLOAD_STATES, type PayloadState, type PayloadType } from '@custodia/contract'
import type { Target } from '../access/evaluate.ts'
import {
  dataStatus,
  getDeletion,
  deviceView,
  type HistoryStep,
  INITIAL_STATES,
  isHistory,
  isLate,
  mayMove,
  FINAL_STATES,
  getRestoration,
  transitionRows,
} from './states.ts'

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
        const isFinal = (FINAL_STATES as readonly PayloadState[]).includes(to)
        assert.equal(mayMove('Deleted', to, cached), to === 'Destroyed' || (to === cached && isFinal))
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
    assert.ok(!(INITIAL_STATES.device as readonly string[]).includes('Transferred'))
  })

  it('give unique and sorted rows for the database', () => {
    const rows = transitionRows().map((row) => `${row.from_state ?? ''} ${row.to_state}`)
    assert.deepEqual(rows, [...new Set(rows)].sort())
    assert.equal(rows.length, INITIAL_STATES.migration.length + expected.size + FINAL_STATES.length)
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

const status = (payload_state: PayloadState) => ({ payload_state, state_before_deletion: null })

test('a payload in a final state can be deleted and restored without a visible change on its device', () => {
  for (const state of PAYLOAD_STATES) {
    const deleted = getDeletion(status(state))
    assert.equal(deleted !== undefined, (FINAL_STATES as readonly string[]).includes(state), state)
    if (!deleted) continue
    assert.deepEqual(deleted, { from: state, payload_state: 'Deleted', state_before_deletion: state })
    assert.equal(deviceView('Deleted', state), deviceView(state))
    assert.deepEqual(getRestoration(deleted), { from: 'Deleted', ...status(state) })
    assert.equal(getDeletion(deleted), undefined, 'not twice')
  }
})

test('only a deleted and not destroyed payload can be restored', () => {
  for (const state of PAYLOAD_STATES) assert.equal(getRestoration(status(state)), undefined, state)
  assert.equal(getRestoration({ payload_state: 'Destroyed', state_before_deletion: 'Processed' }), undefined)
  assert.equal(deviceView('Destroyed', 'Recorded'), 'processed')
})

/** Steps from one state to the next, beginning with nothing. */
const steps = (...states: PayloadState[]): HistoryStep[] =>
  states.map((to, i) => ({ from: states[i - 1] ?? null, to }))
const usual = steps('Recorded', 'Uploaded', 'Scanning', 'Processed')

it('a history is a valid path of states that ends in the current state', () => {
  assert.ok(isHistory([usual], 'Processed'))
  assert.ok(isHistory([steps('Uploaded', 'Scanning', 'NotRecorded')], 'NotRecorded'))
  assert.ok(
    isHistory([steps('Recorded', 'Uploaded', 'Scanning', 'Failed', 'Uploaded', 'Scanning')], 'Scanning'),
  )
  assert.ok(!isHistory([usual], 'Failed'), 'another end')
  assert.ok(!isHistory([], 'Processed'), 'nothing')
  assert.ok(!isHistory([steps('Recorded', 'Processed')], 'Processed'), 'no such way')
  assert.ok(!isHistory([steps('Scanning')], 'Scanning'), 'no such beginning')
})

it('a missing, repeated or altered step makes a history invalid', () => {
  for (let i = 0; i < usual.length; i++) {
    assert.ok(!isHistory([usual.toSpliced(i, 1)], 'Processed'), `without step ${i}`)
    assert.ok(!isHistory([[...usual, { ...usual[i]! }]], 'Processed'), `step ${i} twice`)
    assert.ok(
      !isHistory([usual.with(i, { ...usual[i]!, to: 'Quarantined' })], 'Processed'),
      `step ${i} altered`,
    )
  }
})

it('steps of the same moment may be in any order, but the moments may not', () => {
  assert.ok(isHistory([usual.toReversed()], 'Processed'))
  assert.ok(isHistory([usual.slice(0, 2).toReversed(), usual.slice(2)], 'Processed'))
  assert.ok(!isHistory([usual.slice(2), usual.slice(0, 2)], 'Processed'))
})

it('a deleted payload returns only to its earlier state or is destroyed', () => {
  const deleted = [...usual, { from: 'Processed', to: 'Deleted' } as const]
  assert.ok(isHistory([[...deleted, { from: 'Deleted', to: 'Processed' }]], 'Processed'))
  assert.ok(!isHistory([[...deleted, { from: 'Deleted', to: 'Failed' }]], 'Failed'))
  assert.ok(isHistory([[...deleted, { from: 'Deleted', to: 'Destroyed' }]], 'Destroyed'))
})

describe('data status', () => {
  /** May play Calls and SMS in group 1. */
  const access = {
    permits: (action: string, { group_id, payload_type }: Target) =>
      action === 'payloads:play' &&
      group_id === 1 &&
      (payload_type === undefined || ['Call', 'SMS'].includes(payload_type)),
  }
  const status = (
    group_id: number,
    payload_type: PayloadType,
    payload_state: PayloadState,
    action = 'payloads:play',
  ) => dataStatus({ action, access, payload: { group_id, payload_type, payload_state } })

  it('names the first obstacle', () => {
    assert.equal(dataStatus({ action: 'payloads:play', access, payload: undefined }), 'NoMatchingRecord')
    assert.equal(status(2, 'Photo', 'Recorded'), 'GroupNotAuthorised')
    assert.equal(status(1, 'Photo', 'Recorded'), 'TypeNotAuthorised')
    assert.equal(status(1, 'Call', 'Recorded'), 'NoS3Url')
    assert.equal(status(1, 'Call', 'Processed'), 'Ok')
  })
  it('separates playing from downloading', () => {
    assert.equal(status(1, 'Call', 'Processed', 'payloads:download'), 'GroupNotAuthorised')
  })
})

describe('lateness', () => {
  const end = 1_790_000_000
  const sevenDays = 604_800
  const table: [number, boolean][] = [
    [-1, false],
    [0, false],
    [sevenDays - 1, false],
    [sevenDays, false],
    [sevenDays + 1, true],
  ]
  for (const [after, late] of table) {
    it(`${after} s after the end is ${late ? 'late' : 'in time'}`, () => {
      assert.equal(isLate({ recorded_end: end, uploaded_at: end + after }), late)
    })
  }
})
