import { type Fault, fault, PARSE_OPTIONS, toFaults } from '@custodia/contract'
import type * as z from 'zod/mini'
import type { FieldFault } from '../../api/failure-text.ts'

/**
 * What the contract's schema refuses in `value`, told as the server would tell it. A text that is empty is missing,
 * and nothing else is said about it.
 */
export function shapeFaults(schema: z.ZodMiniType, value: unknown, path = ''): Fault[] {
  const parsed = schema.safeParse(value, PARSE_OPTIONS)
  if (parsed.success) return []
  const missing = new Set<string>()
  return parsed.error.issues.flatMap((issue) => {
    const place = [path, ...issue.path].filter((part) => part !== '').join('.')
    if (valueAt(value, issue.path.join('.')) !== '') return toFaults([issue], path)
    if (missing.has(place)) return []
    missing.add(place)
    return [fault(place, 'required', { field: place.split('.').at(-1) ?? '' })]
  })
}

/** Faults of the field at `path`, those of its parts included. */
export const faultsAt = (faults: readonly FieldFault[], path: string): FieldFault[] =>
  faults.filter((fault) => fault.path === path || fault.path.startsWith(`${path}.`))

/** What stands at a dotted path such as `cidr_ranges.1`; undefined when there is nothing. */
export function valueAt(values: unknown, path: string): unknown {
  if (path === '') return values
  return path
    .split('.')
    .reduce<unknown>(
      (value, key) =>
        typeof value === 'object' && value !== null && Object.hasOwn(value, key)
          ? (value as Record<string, unknown>)[key]
          : undefined,
      values,
    )
}

/** The texts of faults at one field, each once; a fault of an item of a list quotes the item. */
export function textsAt(
  faults: readonly FieldFault[],
  path: string,
  values: unknown,
  textOf: (fault: FieldFault) => string,
): string[] {
  const texts = faultsAt(faults, path).map((fault) => {
    const item = fault.path === path ? undefined : valueAt(values, fault.path)
    return typeof item === 'string' && item !== '' ? `${item}: ${textOf(fault)}` : textOf(fault)
  })
  return [...new Set(texts)]
}
