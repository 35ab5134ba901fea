import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RetentionSettings } from '@custodia/contract'
import { getDraft, fieldAt, getInput, isDeletable } from './draft.ts'

const SETTINGS: RetentionSettings = {
  client: 'acme',
  version: 'v',
  updated_at: 1,
  updated_by: 'alice',
  policy_version: 3,
  note: 'of the version before',
  applies_to_kept: true,
  entries: [
    {
      entity_type: 'Payload',
      payload_type: 'SMS',
      destroy_after_days: 0,
      retention_timestamp: 'processed_at',
      required_receipts: ['a-app'],
      required_transfers: ['T1x'],
    },
    { entity_type: 'Device', delete_after_days: 5 },
    { entity_type: 'Transfer', destroy_after_days: 9 },
  ],
  minimums: [{ payload_type: 'Call', days: 7, legal_basis: 'Law' }],
}

test('a draft gives back its policy, without the kept-records option and the note', () => {
  const { entries, minimums } = SETTINGS
  assert.deepEqual(getInput(getDraft(SETTINGS)), { entries, minimums, applies_to_kept: false, note: null })
})

test('an empty line gives no entry, and 0 days give one', () => {
  const draft = getDraft({ ...SETTINGS, entries: [], minimums: [] })
  assert.equal(draft.lines.length, 16)
  assert.deepEqual(getInput(draft).entries, [])
  const [first] = draft.lines
  const some = { lines: [{ ...first, delete_days: 0 } as never] }
  assert.equal(getInput(some).entries.length, 1)
  assert.deepEqual(
    draft.lines.filter((line) => !isDeletable(line)).map(({ entity_type }) => entity_type),
    ['PortalUser', 'Migration', 'SupportAccessRequest', 'Transfer'],
  )
})

test('a fault is shown at its line and field', () => {
  const draft = getDraft(SETTINGS)
  const place = (path: string) => {
    const [, line, name] = fieldAt(draft, path).split('.')
    return [draft.lines[Number(line)]?.payload_type ?? draft.lines[Number(line)]?.entity_type, name]
  }
  assert.deepEqual(place('entries.0.destroy_after_days'), ['SMS', 'destroy_days'])
  assert.deepEqual(place('entries.1.delete_after_days'), ['Device', 'delete_days'])
  assert.deepEqual(place('minimums.0.days'), ['Call', 'minimum_days'])
  assert.equal(fieldAt(draft, 'note'), 'note')
})
