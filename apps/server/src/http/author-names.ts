import type * as z from 'zod/mini'
import { PreparedJson } from './prepared-json.ts'

type Schema = z.ZodMiniType

/** The display names of portal users of a client, by sign-in name. */
export type FindAuthorNames = (
  client_id: number,
  references: readonly string[],
) => Promise<ReadonlyMap<string, string>>

/** Names of fields for authors. */
const AUTHOR = /(^|_)by$|^(user_reference|client_app_user)$/

const found = new WeakMap<Schema, ReadonlySet<string>>()

/** The fields of a response that name an author: those that `authors` of the contract declared. */
function authorFields(schema: Schema): ReadonlySet<string> {
  const known = found.get(schema)
  if (known) return known
  const fields = new Set<string>()
  collectFields(schema, fields)
  found.set(schema, fields)
  return fields
}

function collectFields(schema: Schema, fields: Set<string>): void {
  const def = schema._zod.def as Schema['_zod']['def'] & Record<string, unknown>
  for (const inner of [def['innerType'], def['element']]) if (inner) collectFields(inner as Schema, fields)
  for (const option of (def['options'] as Schema[] | undefined) ?? []) collectFields(option, fields)
  const shape = (def['shape'] as Record<string, Schema> | undefined) ?? {}
  for (const [name, field] of Object.entries(shape)) {
    if (AUTHOR.test(name) && `${name}_name` in shape) fields.add(name)
    collectFields(field, fields)
  }
}

/** Adds the display names of authors to an answer, where its schema has them. */
export async function withAuthorNames(
  schema: Schema | undefined,
  answer: unknown,
  find: (references: readonly string[]) => Promise<ReadonlyMap<string, string>>,
): Promise<unknown> {
  if (!schema || answer instanceof PreparedJson) return answer
  const fields = authorFields(schema)
  if (fields.size === 0) return answer
  const references = new Set<string>()
  visit(answer, (name, value) => {
    if (fields.has(name) && typeof value === 'string')
      for (const reference of value.split(',')) references.add(reference)
  })
  if (references.size === 0) return answer
  const names = await find([...references])
  return names.size === 0 ? answer : named(answer, fields, names)
}

function visit(value: unknown, each: (name: string, value: unknown) => void): void {
  if (Array.isArray(value)) for (const item of value) visit(item, each)
  else if (typeof value === 'object' && value !== null)
    for (const [name, inner] of Object.entries(value)) {
      each(name, inner)
      visit(inner, each)
    }
}

function named(value: unknown, fields: ReadonlySet<string>, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item) => named(item, fields, names))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([field, inner]) => {
      const name = fields.has(field) && typeof inner === 'string' ? namesIn(inner, names) : undefined
      const same = [field, named(inner, fields, names)] as const
      return name === undefined ? [same] : [same, [`${field}_name`, name] as const]
    }),
  )
}

/** The name of an author, or of several whose references are separated by commas; undefined: none is known. */
function namesIn(references: string, names: ReadonlyMap<string, string>): string | undefined {
  const authors = references.split(',')
  if (!authors.some((reference) => names.has(reference))) return undefined
  return authors.map((reference) => names.get(reference) ?? reference).join(', ')
}
