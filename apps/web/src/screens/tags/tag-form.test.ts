import assert from 'node:assert/strict'
import { test } from 'node:test'
import { draftOfTag, NEW_TAG, tagInput } from './tag-form.ts'

const stored = {
  tag_key: 'region',
  is_required: true,
  default_value: 'North',
  groups: 3,
  client: 'acme',
  version: 'v',
  updated_at: null,
  updated_by: null,
}

test('a tag definition round-trips through the form', () => {
  for (const tag_values of [null, ['North', 'South']]) {
    for (const default_value of [null, 'North']) {
      assert.deepEqual(tagInput(draftOfTag({ ...stored, tag_values, default_value })), {
        tag_values,
        is_required: true,
        default_value,
      })
    }
  }
})

test('listed values are sent only when the tag has listed values', () => {
  const draft = { ...NEW_TAG, listed: ['a'] }
  assert.equal(tagInput(draft).tag_values, null)
  assert.deepEqual(tagInput({ ...draft, values: 'none' }).tag_values, [])
  assert.deepEqual(tagInput({ ...draft, values: 'listed' }).tag_values, ['a'])
})

test('a tag without values sends no default value', () => {
  const draft = { ...NEW_TAG, default_value: 'North' }
  assert.equal(tagInput(draft).default_value, 'North')
  assert.equal(tagInput({ ...draft, values: 'none' }).default_value, null)
})
