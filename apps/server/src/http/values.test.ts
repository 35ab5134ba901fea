import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'
import { api } from '@custodia/contract'
import fc from 'fast-check'
import { decodeTime, isValid } from 'ulid'
import * as z from 'zod/mini'
import { hasShape } from './answer-shape.ts'
import { isCheapToParse } from './cheap-json.ts'
import { newId } from './new-id.ts'
import { traceField } from './trace-context.ts'

const isCheapText = (text: string) => isCheapToParse(Buffer.from(text))
const getDepth = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(getDepth)) : 0

test('isCheapToParse accepts short JSON of at most 16 levels, whatever its strings contain', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
      assert.equal(isCheapText(JSON.stringify(value)), getDepth(value) <= 16)
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

it('creates unique ULIDs of the current time, random in every position', () => {
  const before = Date.now()
  const ids = Array.from({ length: 5000 }, newId)
  assert.ok(ids.every((id) => isValid(id) && decodeTime(id) >= before && decodeTime(id) <= Date.now()))
  assert.equal(new Set(ids).size, ids.length)
  for (let place = 10; place < 26; place++)
    assert.equal(new Set(ids.map((id) => id[place])).size, 32, `place ${place}`)
})

it('the trace id of a valid traceparent header is a field of the log line', () => {
  const trace_id = '4bf92f3577b34da6a3ce929d0e0e4736'
  assert.deepEqual(traceField(`00-${trace_id}-00f067aa0ba902b7-01`), { trace_id })
  for (const invalid of [
    undefined,
    ['a', 'b'],
    'x',
    `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
    `00-${trace_id}-${'0'.repeat(16)}-01`,
    `00-${trace_id.toUpperCase()}-00f067aa0ba902b7-01`,
  ])
    assert.deepEqual(traceField(invalid), {})
})

const Answer = z.strictObject({
  name: z.string().check(z.maxLength(3)),
  count: z.int(),
  share: z.number(),
  kind: z.enum(['one', 'other']),
  note: z.optional(z.nullable(z.string())),
  rows: z.array(z.strictObject({ is_on: z.boolean(), of: z.union([z.string(), z.literal(4)]) })),
  limits: z.record(z.enum(['calls', 'sms']), z.int()),
})
const GOOD = {
  name: 'Ada',
  count: 1,
  share: 0.5,
  kind: 'one',
  rows: [
    { is_on: true, of: 4 },
    { is_on: false, of: 'x' },
  ],
  limits: { calls: 1, sms: 2 },
}

describe('the response shape check', () => {
  it('rejects undeclared fields at any depth', () => {
    for (const more of [
      { ...GOOD, secret: 1 },
      { ...GOOD, rows: [{ is_on: true, of: 4, secret: 1 }] },
      { ...GOOD, limits: { calls: 1, sms: 2, secret: 3 } },
    ])
      assert.ok(!hasShape(Answer, more), JSON.stringify(more))
  })

  it('rejects missing fields and values of another type', () => {
    const { name: _name, ...nameless } = GOOD
    for (const bad of [
      nameless,
      null,
      [GOOD],
      'x',
      { ...GOOD, name: 1 },
      { ...GOOD, count: 1.5 },
      { ...GOOD, share: Number.NaN },
      { ...GOOD, share: '1' },
      { ...GOOD, kind: 'third' },
      { ...GOOD, note: 1 },
      { ...GOOD, rows: {} },
      { ...GOOD, rows: [null] },
      { ...GOOD, rows: [{ is_on: 'yes', of: 4 }] },
      { ...GOOD, rows: [{ is_on: true, of: 5 }] },
      { ...GOOD, limits: { calls: 1 } },
    ])
      assert.ok(!hasShape(Answer, bad), JSON.stringify(bad))
  })

  it('agrees with the schema of every call about an undeclared field', () => {
    for (const [name, { response }] of Object.entries(api) as [string, { response?: z.ZodMiniType }][]) {
      if (!response) continue
      const other = { undeclared: true }
      assert.equal(hasShape(response, other), response.safeParse(other).success, name)
    }
  })
})
