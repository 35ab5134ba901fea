import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isModest } from './cheap-json.ts'

const isModestText = (text: string) => isModest(Buffer.from(text))
const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0

test('what is shallow and short is modest, whatever its strings hold', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
      assert.equal(isModestText(JSON.stringify(value)), depthOf(value) <= 16)
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
  assert.ok(isModestText(JSON.stringify(tricky)))
  for (const text of tricky) assert.ok(isModestText(JSON.stringify({ [text]: [text] })), text)
})

test('deep nesting and very many parts are not', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
  assert.ok(isModestText(nested(16)))
  assert.ok(!isModestText(nested(17)))
  assert.ok(!isModestText('['.repeat(1_000_000)))
  assert.ok(!isModestText(`{"a":"]]]]",${'"b":{'.repeat(17)}`), 'brackets in strings close nothing')
  assert.ok(isModestText(`[${'1,'.repeat(40_000)}1]`))
  for (const part of ['1,', '{},', '"":1,', '[],', '"a",'])
    assert.ok(!isModestText(`[${part.repeat(50_001)}1]`), part)
})

test('takes no longer for strings that never end', () => {
  // Scanned again from each quotation mark it would be hours.
  const started = performance.now()
  for (const text of ['"', '\\"', '\\\\', '"\\', '"\\"']) isModestText(`"${text.repeat(2_000_000)}`)
  assert.ok(performance.now() - started < 20_000)
})
