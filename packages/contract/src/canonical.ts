/**
 * The canonical text of a JSON value (RFC 8785): members sorted by name, no spaces, so that equal values give
 * equal bytes. Leaves out undefined members; numbers are integers.
 */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value === 'number' && !Number.isSafeInteger(value))
    throw new RangeError(`not a whole number: ${value}`)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`)
  return `{${members.join(',')}}`
}
