/**
 * Flattens a query object to bracket-style keys (spec section 7): `{ a: [1], b: { c: 2 } }` becomes
 * `a[0]=1&b[c]=2`. Undefined and null values are left out.
 */
export function flattenQuery(query: Readonly<Record<string, unknown>>): URLSearchParams {
  const flat = new URLSearchParams()
  for (const [key, value] of Object.entries(query)) append(flat, key, value)
  return flat
}

function append(flat: URLSearchParams, key: string, value: unknown): void {
  if (value === undefined || value === null) return
  if (typeof value === 'object') {
    for (const [inner, each] of Object.entries(value)) append(flat, `${key}[${inner}]`, each)
  } else {
    flat.append(key, String(value))
  }
}
