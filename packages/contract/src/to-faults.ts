import type * as z from 'zod/mini'
import { FAULTS, type FaultCode, faultPhrase } from './fault-phrases.ts'
import type { Fault } from './fault.ts'
import type { Placeholder } from './phrases.ts'

/** Translates what a schema found (parsed with PARSE_OPTIONS) into the friendly faults of spec section 5. */
export function toFaults(issues: readonly z.core.$ZodIssue[], prefix = ''): Fault[] {
  // A value of the wrong type has no length fault; the length check accepts any value with a length.
  const mistyped = new Set(
    issues.filter(({ code }) => code === 'invalid_type').map(({ path }) => path.join('.')),
  )
  const identifying = issues.filter(
    ({ code, path }) => code === 'invalid_type' || !mistyped.has(path.join('.')),
  )
  return identifying.flatMap((issue) => {
    const path = [prefix, ...issue.path.map(String)].filter((part) => part !== '').join('.')
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) =>
        fault([path, key].filter(Boolean).join('.'), 'not_allowed', { field: key }),
      )
    }
    const within = issue.code === 'invalid_union' ? nearest(issue.errors) : undefined
    if (within) return toFaults(within, path)
    const { code, values } = describe(issue, String(issue.path.at(-1) ?? path))
    return [filled(path, code, values)]
  })
}

/**
 * Of a value with several shapes, such as a page or a total, the faults of the nearest shape: the one with the fewest
 * faults at its own level.
 */
function nearest(shapes: readonly (readonly z.core.$ZodIssue[])[]): readonly z.core.$ZodIssue[] | undefined {
  const shallow = (issues: readonly z.core.$ZodIssue[]) =>
    issues.reduce(
      (sum, { code, path, ...rest }) =>
        sum +
        (code === 'unrecognized_keys' ? (rest as { keys: string[] }).keys.length : path.length < 2 ? 1 : 0),
      0,
    )
  const [best] = shapes.toSorted((one, other) => shallow(one) - shallow(other))
  return best?.some(({ path }) => path.length > 0) ? best : undefined
}

type Values = Record<string, string | number>
/** Values that the phrases of some codes require. */
type RequiredValues<Code extends FaultCode> = Placeholder<(typeof FAULTS)[Code]['en-GB']>

/** Creates a fault with its English phrase. Codes with placeholders require their values. */
export function fault<Code extends FaultCode>(
  path: string,
  code: Code,
  ...[values]: [RequiredValues<Code>] extends [never]
    ? [values?: Values]
    : [values: Record<RequiredValues<Code>, string | number> & Values]
): Fault {
  return filled(path, code, values)
}

function filled(path: string, code: FaultCode, values?: Record<string, string | number>): Fault {
  const message = faultPhrase(code, values ?? {}, 'en-GB')
  return values ? { path, code, message, values } : { path, code, message }
}

function describe(
  issue: z.core.$ZodIssue,
  field: string,
): { code: FaultCode; values?: Record<string, string | number> } {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? { code: 'required', values: { field } }
        : { code: 'wrong_type', values: { type: issue.expected } }
    case 'invalid_value':
      if (issue.input === undefined) return { code: 'required', values: { field } }
      return { code: 'not_an_option', values: { options: issue.values.map(String).join(', ') } }
    case 'too_small':
      return { code: SIZE_FAULTS[getSize(issue.origin)][0], values: { limit: Number(issue.minimum) } }
    case 'too_big':
      return { code: SIZE_FAULTS[getSize(issue.origin)][1], values: { limit: Number(issue.maximum) } }
    case 'invalid_union': {
      // The fault of the field that selects one of several shapes; other unions have the faults of their nearest shape.
      const { discriminator, options } = issue as { discriminator?: string; options?: readonly unknown[] }
      if (discriminator === undefined || options === undefined) return { code: 'invalid' }
      const { [discriminator]: value } = Object(issue.input) as Record<string, unknown>
      if (value === undefined) return { code: 'required', values: { field } }
      return { code: 'not_an_option', values: { options: options.map(String).join(', ') } }
    }
    default:
      return { code: Object.hasOwn(FAULTS, issue.message) ? (issue.message as FaultCode) : 'invalid' }
  }
}

const SIZE_FAULTS = {
  characters: ['too_short', 'too_long'],
  items: ['too_few', 'too_many'],
  number: ['too_small', 'too_big'],
} as const satisfies Record<string, readonly [FaultCode, FaultCode]>

function getSize(origin: string): keyof typeof SIZE_FAULTS {
  if (origin === 'string') return 'characters'
  return origin === 'array' || origin === 'set' ? 'items' : 'number'
}
