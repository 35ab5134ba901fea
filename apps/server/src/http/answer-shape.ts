import { answerSchema, type Endpoint, PARSE_OPTIONS, toFaults } from '@custodia/contract'
import type * as z from 'zod/mini'
import { PreparedJson } from './prepared-json.ts'

type Check = (value: unknown) => boolean
type Schema = z.ZodMiniType
type Definition = Schema['_zod']['def'] & Record<string, unknown>

/** The JSON text of a response that matches the contract; undefined when the handler has sent bytes. */
export function getText(
  { strict }: { strict: boolean },
  endpoint: Endpoint,
  status: number,
  answer: unknown,
): string | undefined {
  if (endpoint.bytes === 'response') return undefined
  const schema = answerSchema(endpoint, status)
  if (answer instanceof PreparedJson) {
    if (strict) assertShape(endpoint, schema, JSON.parse(answer.text))
    return answer.text
  }
  if (strict || !schema || !hasShape(schema, answer)) assertShape(endpoint, schema, answer)
  return JSON.stringify(answer)
}

function assertShape(endpoint: Endpoint, schema: Schema | undefined, answer: unknown): void {
  const parsed = schema?.safeParse(answer, PARSE_OPTIONS)
  if (parsed?.success) return
  const faults = parsed ? toFaults(parsed.error.issues) : []
  throw new Error(
    `the answer of ${endpoint.method} ${endpoint.path} breaks the contract: ${faults.map((each) => `${each.path}: ${each.message}`).join('; ')}`,
  )
}

const compiled = new WeakMap<Schema, Check>()

/**
 * Whether a response has the declared fields, no others, of the declared types. Limits and patterns were
 * checked on input; checking them again took most of a list's time.
 */
export function hasShape(schema: Schema, answer: unknown): boolean {
  const known = compiled.get(schema)
  if (known) return known(answer)
  const made = getCheck(schema)
  compiled.set(schema, made)
  return made(answer)
}

const isNumber: Check = (value) => typeof value === 'number' && Number.isFinite(value)

function getCheck(schema: Schema): Check {
  const def = schema._zod.def as Definition
  switch (def.type) {
    case 'string':
    case 'boolean':
      return (value) => typeof value === def.type
    case 'number':
      return def['format'] === 'safeint' ? Number.isSafeInteger : isNumber
    case 'null':
      return (value) => value === null
    case 'enum':
      return among(Object.values(def['entries'] as object))
    case 'literal':
      return among(def['values'] as unknown[])
    case 'nullable':
      return or((value) => value === null, getCheck(def['innerType'] as Schema))
    case 'optional':
      return or((value) => value === undefined, getCheck(def['innerType'] as Schema))
    case 'union':
      return (def['options'] as Schema[]).map(getCheck).reduce(or)
    case 'array': {
      const each = getCheck(def['element'] as Schema)
      return (value) => Array.isArray(value) && value.every(each)
    }
    case 'object':
      return isStrict(def) ? getObject(def['shape'] as Record<string, Schema>) : wholly(schema)
    default:
      return wholly(schema)
  }
}

function among(values: readonly unknown[]): Check {
  const all = new Set(values)
  return (value) => all.has(value)
}

const or =
  (one: Check, other: Check): Check =>
  (value) =>
    one(value) || other(value)

const isStrict = (def: Definition): boolean =>
  (def['catchall'] as Schema | undefined)?._zod.def.type === 'never'

function getObject(shape: Readonly<Record<string, Schema>>): Check {
  const fields = Object.entries(shape).map(([name, schema]) => [name, getCheck(schema)] as const)
  const names = new Set(Object.keys(shape))
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
    for (const name of Object.keys(value)) if (!names.has(name)) return false
    return fields.every(([name, check]) => check((value as Record<string, unknown>)[name]))
  }
}

/** Schemas without a shape of their own: their rules decide. */
const wholly =
  (schema: Schema): Check =>
  (value) =>
    schema.safeParse(value).success
