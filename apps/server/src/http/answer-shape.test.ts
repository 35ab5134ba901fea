import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { api } from '@custodia/contract'
import * as z from 'zod/mini'
import { hasShape } from './answer-shape.ts'

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
  it('accepts responses that match the contract', () => {
    for (const good of [GOOD, { ...GOOD, note: null }, { ...GOOD, note: 'x' }, { ...GOOD, rows: [] }])
      assert.ok(hasShape(Answer, good), JSON.stringify(good))
    assert.ok(
      hasShape(Answer, { ...GOOD, name: 'longer than it may come in' }),
      'limits are for what comes in',
    )
  })

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
