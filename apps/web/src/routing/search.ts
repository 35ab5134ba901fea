/** Search parameters of the address: a text, or several separated by commas. */
export type RawSearch = Record<string, string | string[]>

/** Parses `?types=Call,SMS&from=-7d`. A comma inside a value is written `%2C`. */
export function parseSearch(search: string): RawSearch {
  const parsed: RawSearch = Object.create(null)
  for (const pair of search.replace(/^\?/, '').split('&')) {
    if (pair === '') continue
    const at = pair.indexOf('=')
    const name = decode(at < 0 ? pair : pair.slice(0, at))
    const values = (at < 0 ? '' : pair.slice(at + 1)).split(',').map(decode)
    parsed[name] = values.length === 1 ? (values[0] ?? '') : values
  }
  return { ...parsed }
}

/** Formats a search for `parseSearch`; omits undefined and empty lists. */
export function stringifySearch(search: Record<string, unknown>): string {
  const pairs = Object.entries(search).flatMap(([name, value]) => {
    const values = (Array.isArray(value) ? value : [value]).filter((one) => one !== undefined && one !== null)
    if (values.length === 0) return []
    return `${encodeURIComponent(name)}=${values.map((one) => encodeURIComponent(String(one))).join(',')}`
  })
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

/** Keeps invalid percent encoding as it is: users edit addresses by hand. */
function decode(text: string): string {
  const spaced = text.replaceAll('+', ' ')
  try {
    return decodeURIComponent(spaced)
  } catch {
    return spaced
  }
}

const getValues = (raw: unknown): string[] =>
  (Array.isArray(raw) ? raw : [raw]).filter((value) => typeof value === 'string')

/** Readers for `validateSearch`: drop unknown values instead of failing. */
export const read = {
  /** One text of at most `longest` characters; empty counts as absent. */
  text: (raw: unknown, longest = 255): string | undefined => {
    const text = getValues(raw).join(',').slice(0, longest)
    return text === '' ? undefined : text
  },
  /** One of `options`. */
  oneOf: <T extends string>(raw: unknown, options: readonly T[]): T | undefined =>
    options.find((option) => option === getValues(raw)[0]),
  /** Distinct values of `options` in their order; undefined for none. */
  getMany: <T extends string>(raw: unknown, options: readonly T[]): T[] | undefined => {
    const found = options.filter((option) => getValues(raw).includes(option))
    return found.length === 0 ? undefined : found
  },
  /** Several distinct free texts. */
  texts: (raw: unknown, most = 100): string[] | undefined => {
    const found = [...new Set(getValues(raw).filter((value) => value !== ''))].slice(0, most)
    return found.length === 0 ? undefined : found
  },
  /** True only for `true`. */
  flag: (raw: unknown): true | undefined => (getValues(raw)[0] === 'true' ? true : undefined),
}
