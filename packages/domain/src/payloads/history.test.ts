import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { PayloadState } from '@custodia/contract'
import { type HistoryStep, isHistory } from './history.ts'

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
