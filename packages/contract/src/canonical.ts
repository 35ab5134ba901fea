/**
 * The canonical text of a JSON value (RFC 8785): members sorted by name, no spaces, so that equal values give
 * equal bytes. Leaves out undefined members; numbers are integers.
 */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value === 'number' && !Number.isSafeInteger(value))
    throw new RangeError(`not a whole number: ${value}`)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  let members = ''
  // By UTF-16 code units, as RFC 8785 says.
  for (const name of Object.keys(value).toSorted()) {
    const member = (value as Record<string, unknown>)[name]
    if (member !== undefined)
      members += `${members === '' ? '' : ','}${JSON.stringify(name)}:${canonical(member)}`
  }
  return `{${members}}`
}
