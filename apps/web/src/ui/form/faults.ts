import { type Fault, fault, FAULTS, PARSE_OPTIONS, toFaults } from '@custodia/contract'
import type * as z from 'zod/mini'
import type { FieldFault } from '../../api/failure-text.ts'
import { textOfFault } from '../../api/fault-texts.ts'
import { knowFaults } from '../../api/problem-phrases.ts'

knowFaults(textOfFault)

/** Faults of `value` by the contract's schema, in the server's form. An empty text is reported as missing only. */
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

/** Faults of the field at `path`, parts included. */
export const faultsAt = (faults: readonly FieldFault[], path: string): FieldFault[] =>
  faults.filter((fault) => fault.path === path || fault.path.startsWith(`${path}.`))

/** Value at a dotted path such as `cidr_ranges.1`; undefined for none. */
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

/** A rejection, and the values that it concerns. */
export interface Refusal<Values> {
  faults: readonly FieldFault[]
  of: Values
  /** Found by the form's own validation; otherwise by the server. */
  isOwn: boolean
}

/**
 * Faults that remain after a change: the form's own if they still apply, the server's while their value is unchanged.
 * Adds no new faults.
 */
export function statusFaults<Values extends object>(
  { faults, of, isOwn }: Refusal<Values>,
  values: Values,
  check: (values: Values) => readonly FieldFault[],
): readonly FieldFault[] {
  if (values === of) return faults
  if (isOwn) {
    const refused = new Set(faults.map(({ path }) => path))
    return check(values).filter(({ path }) => refused.has(path))
  }
  const isKnown = (path: string) => Object.hasOwn(values, path.split('.')[0] ?? '')
  const [before, now] = [of, values].map((each) => (path: string) => JSON.stringify(valueAt(each, path)))
  return faults.filter(({ path }) => isKnown(path) && before?.(path) === now?.(path))
}

/** Distinct texts of a field's faults; an item's fault quotes the item. */
export function textsAt(
  faults: readonly FieldFault[],
  path: string,
  values: unknown,
  getText: (fault: FieldFault) => string,
): string[] {
  const texts = faultsAt(faults, path).map((fault) => {
    const item = fault.path === path ? undefined : valueAt(values, fault.path)
    return typeof item === 'string' && item !== '' ? `${item}: ${getText(fault)}` : getText(fault)
  })
  return [...new Set(texts)]
}

/** Fault of an empty required field; `field` names it. */
export const faultIfEmpty = (path: string, value: string, field = path): Fault[] =>
  value.trim() === ''
    ? [{ path, code: 'required', message: FAULTS.required['en-GB'], values: { field } }]
    : []
