import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as z from 'zod/mini'
import { PATTERN_LIMITS } from './access.ts'
import { SEALED_REPORT_LIMIT } from './device-logs.ts'
import { SEALED_META_LIMIT } from './device.ts'
import { BODY_LIMIT, type Endpoint } from './endpoint.ts'
import { api } from './index.ts'

interface Schema {
  type?: string
  anyOf?: Schema[]
  oneOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  properties?: Record<string, Schema>
  propertyNames?: { enum?: string[] }
  additionalProperties?: Schema | boolean
  items?: Schema
  maxItems?: number
  maxLength?: number
  pattern?: string
}

/** Longest texts of patterns that bound them without saying how long. */
const LONGEST = new Map([
  [String.raw`^[a-z0-9][a-z0-9-]{1,59}$`, 60],
  [String.raw`^[0-7][0-9A-HJKMNP-TV-Z]{25}$`, 26],
  [String.raw`^\d{15}$`, 15],
  [String.raw`^[A-Za-z0-9+/]{16}$`, 16],
  [String.raw`^[0-9a-f]{64}$`, 64],
  [String.raw`^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:-(?:[01]\d|2[0-3])[0-5]\d[0-5]\d)?$`, 17],
  [String.raw`^\d{1,3}(?:\.\d{1,3}){0,3}\/\d{1,2}$`, 18],
])

/** Bytes of the largest JSON that a schema allows, in UTF-8 without needless escapes. */
function largest(schema: Schema): number {
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return Math.max(...choices.map(largest))
  if (schema.const !== undefined) return JSON.stringify(schema.const).length
  if (schema.enum) return Math.max(...schema.enum.map((each) => JSON.stringify(each).length))
  switch (schema.type) {
    case 'object': {
      const named = Object.entries(schema.properties ?? {})
      const inner = schema.additionalProperties
      if (typeof inner === 'object')
        named.push(...(schema.propertyNames?.enum ?? []).map((name) => [name, inner] as [string, Schema]))
      else assert.equal(inner, false, 'an object with fields of any name has no largest form')
      return named.reduce((sum, [name, each]) => sum + name.length + 4 + largest(each), 2)
    }
    case 'array': {
      assert.ok(schema.maxItems !== undefined && schema.items, 'a list without an end')
      return 2 + schema.maxItems * (1 + largest(schema.items))
    }
    case 'string': {
      const length = schema.maxLength ?? LONGEST.get(schema.pattern ?? '')
      assert.ok(length !== undefined, `a text without an end: ${schema.pattern}`)
      // No more than three bytes a unit: control characters and half surrogates, which JSON escapes, are no text.
      return 2 + length * (schema.pattern?.includes('A-Za-z0-9+/') ? 1 : 3)
    }
    case 'integer':
    case 'number':
      return 24
    case 'boolean':
      return 5
    default:
      assert.equal(schema.type, 'null')
      return 4
  }
}

/** A role has fewer patterns than its schema says: all conditions of a permission share one limit (spec section 3). */
const { permissions, conditions, per_list, characters } = PATTERN_LIMITS
const LARGEST_ROLE = permissions * (per_list * (characters * 3 + 3) + (conditions + 1) * 120) + 10_000
const LARGEST_ANNOUNCEMENT = SEALED_META_LIMIT + 10_000

const withBody = (Object.entries(api) as [string, Endpoint][]).flatMap(([name, endpoint]) =>
  endpoint.body ? [{ name, body: endpoint.body, limit: endpoint.bodyLimit ?? BODY_LIMIT }] : [],
)
const REASONED: Readonly<Record<string, number>> = {
  saveRole: LARGEST_ROLE,
  reviewRole: LARGEST_ROLE,
  // A hundred of the largest would be 140 MB: phones announce fewer at once when they are large (docs/protocol.md, "Conventions").
  announcePayloads: 6 * LARGEST_ANNOUNCEMENT,
  // Reports have the same exception: they are far below their limit.
  uploadTelemetry: 5 * (SEALED_REPORT_LIMIT + 10_000),
}

test('each call accepts its largest valid body and hardly more', () => {
  for (const { name, body, limit } of withBody) {
    const schema = z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' }) as Schema
    const bytes = REASONED[name] ?? largest(schema)
    assert.ok(bytes <= limit, `${name} may have ${bytes} bytes, and takes ${limit}`)
    if (limit !== BODY_LIMIT)
      assert.ok(limit > BODY_LIMIT && limit < 2 * bytes, `${name} takes ${limit} for ${bytes}`)
  }
})
