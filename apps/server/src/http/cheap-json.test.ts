import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isCheapToParse } from './cheap-json.ts'

const isCheapText = (text: string) => isCheapToParse(Buffer.from(text))
const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0

test('isCheapToParse accepts short JSON of at most 16 levels, whatever its strings contain', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
      assert.equal(isCheapText(JSON.stringify(value)), depthOf(value) <= 16)
    }),
  )
  const tricky = [
    '[[[['.repeat(100),
    '\\',
    '\\\\',
    '"',
    '\\"[[',
    ','.repeat(60_000),
    '{"'.repeat(50),
    '\ud83d[',
  ]
  assert.ok(isCheapText(JSON.stringify(tricky)))
  for (const text of tricky) assert.ok(isCheapText(JSON.stringify({ [text]: [text] })), text)
})

test('isCheapToParse rejects deep nesting and more than 50,000 values', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
  assert.ok(isCheapText(nested(16)))
  assert.ok(!isCheapText(nested(17)))
  assert.ok(!isCheapText('['.repeat(1_000_000)))
  assert.ok(!isCheapText(`{"a":"]]]]",${'"b":{'.repeat(17)}`), 'brackets in strings close nothing')
  assert.ok(isCheapText(`[${'1,'.repeat(40_000)}1]`))
  for (const part of ['1,', '{},', '"":1,', '[],', '"a",'])
    assert.ok(!isCheapText(`[${part.repeat(50_001)}1]`), part)
})

test('isCheapToParse scans unterminated strings in linear time', () => {
  // A scan from each quotation mark would take hours.
  const started = performance.now()
  for (const text of ['"', '\\"', '\\\\', '"\\', '"\\"']) isCheapText(`"${text.repeat(2_000_000)}`)
  assert.ok(performance.now() - started < 20_000)
})
