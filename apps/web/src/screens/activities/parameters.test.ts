import assert from 'node:assert/strict'
import { test } from 'node:test'
import { prettyParameters } from './parameters.ts'

test('JSON is indented', () => {
  assert.equal(prettyParameters('{"query":{"limit":5}}'), '{\n  "query": {\n    "limit": 5\n  }\n}')
})

test('other text stays unchanged', () => {
  assert.equal(prettyParameters('{"cut":'), '{"cut":')
  assert.equal(prettyParameters(''), '')
})
