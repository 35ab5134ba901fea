/** Names of months, the first being 1. */
export const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC']
/** Names of days of the week, the first being 1. */
export const WEEKDAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT']

/** The number, or the name that stands for it; undefined outside `min` to `max`. */
export function numberOf(
  text: string,
  min: number,
  max: number,
  names: readonly string[] = [],
): number | undefined {
  const named = names.indexOf(text.toUpperCase())
  const number = named >= 0 ? named + 1 : /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN
  return number >= min && number <= max ? number : undefined
}

/** Numbers of a field in their order: values, ranges and steps (`*`, `3`, `3-8`, `3/5`, `3-8/2`) with commas between them. Undefined: none. */
export function numbersOf(
  field: string,
  min: number,
  max: number,
  names: readonly string[] = [],
): number[] | undefined {
  const found = new Set<number>()
  for (const part of field.split(',')) {
    const [range = '', step, ...more] = part.split('/')
    const by = step === undefined ? 1 : numberOf(step, 1, max)
    const bounds = boundsOf(range, step !== undefined)
    if (by === undefined || bounds === undefined || more.length > 0) return undefined
    for (let value = bounds[0]; value <= bounds[1]; value += by) found.add(value)
  }
  return [...found].toSorted((a, b) => a - b)

  function boundsOf(range: string, isStepped: boolean): readonly [number, number] | undefined {
    if (range === '*') return [min, max]
    const [first = '', last, ...more] = range.split('-')
    const from = numberOf(first, min, max, names)
    const to = last === undefined ? (isStepped ? max : from) : numberOf(last, min, max, names)
    return from === undefined || to === undefined || to < from || more.length > 0 ? undefined : [from, to]
  }
}
