import assert from 'node:assert/strict'
import { it } from 'node:test'
import { dueOf } from './due.ts'

const at = (text: string) => Date.parse(text) / 1000
const readState = (seconds: number | null) => seconds && new Date(seconds * 1000).toISOString().slice(0, 19)

it('a GDPR request is due in one month, and in three months at the latest', () => {
  const { due_at, latest } = dueOf('GDPR', at('2026-03-15T09:30:01Z'))
  assert.equal(readState(due_at), '2026-04-15T09:30:01')
  assert.equal(readState(latest), '2026-06-15T09:30:01')
})

it('a due date falls on the last day of a shorter month', () => {
  assert.equal(readState(dueOf('GDPR', at('2027-01-31T23:59:59Z')).due_at), '2027-02-28T23:59:59')
  assert.equal(readState(dueOf('GDPR', at('2028-01-31T00:00:00Z')).due_at), '2028-02-29T00:00:00')
  assert.equal(readState(dueOf('GDPR', at('2026-11-30T12:00:00Z')).latest), '2027-02-28T12:00:00')
  assert.equal(readState(dueOf('GDPR', at('2026-12-31T12:00:00Z')).due_at), '2027-01-31T12:00:00')
})

it('an LGPD request is due after fifteen days without extension', () => {
  const { due_at, latest } = dueOf('LGPD', at('2026-02-20T10:00:00Z'))
  assert.equal(readState(due_at), '2026-03-07T10:00:00')
  assert.equal(latest, due_at)
})

it('a MiFID II request has no due date', () => {
  assert.deepEqual(dueOf('MiFID II', at('2026-02-20T10:00:00Z')), {
    due_at: null,
    latest: null,
  })
})
