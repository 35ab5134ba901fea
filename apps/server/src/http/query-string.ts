/** Limits of nesting and pairs in a bracket-style query: more is an attack, not a filter. */
const MAX_DEPTH = 4
const MAX_PAIRS = 500

type Node = { [key: string]: Node | string | string[] }

/**
 * Parses bracket-style keys (`a[0]=x&b[c]=y`, spec section 7) into objects without prototype and lists.
 * Repeated keys, keys `0, 1, 2 …` and an empty key make a list. Too deep or malformed keys stay literal, and
 * strict schemas refuse them by name.
 */
export function parseQueryString(text: string): Record<string, unknown> {
  const root = node()
  let pairs = 0
  for (const [key, value] of new URLSearchParams(text)) {
    if (++pairs > MAX_PAIRS) {
      assign(root, 'too_many_parameters', value)
      break
    }
    insert(root, getPath(key), value)
  }
  return getLists(root) as Record<string, unknown>
}

const node = (): Node => Object.create(null) as Node

function getPath(key: string): string[] {
  const match = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(key)
  if (!match) return [key]
  const inner = [...(match[2] ?? '').matchAll(/\[([^[\]]*)\]/g)].map((part) => part[1] ?? '')
  return inner.length >= MAX_DEPTH ? [key] : [match[1] ?? '', ...inner]
}

function insert(root: Node, path: string[], value: string): void {
  let at = root
  for (const key of path.slice(0, -1)) {
    const next = at[key]
    if (next === undefined) at = at[key] = node()
    else if (typeof next === 'string' || Array.isArray(next)) return assign(root, path.join('.'), value)
    else at = next
  }
  assign(at, path.at(-1) ?? '', value)
}

function assign(at: Node, key: string, value: string): void {
  const present = at[key]
  if (present === undefined) at[key] = value
  else if (typeof present === 'string') at[key] = [present, value]
  else if (Array.isArray(present)) present.push(value)
  else at[`${key}[]`] = value
}

function getLists(value: Node | string | string[]): unknown {
  if (typeof value === 'string' || Array.isArray(value)) return value
  const keys = Object.keys(value)
  const isList = keys.length > 0 && keys.every((key, index) => key === '' || key === String(index))
  if (isList) return keys.flatMap((key) => getLists(value[key] as Node))
  for (const key of keys) {
    const inner = value[key] as Node
    if (typeof inner === 'object' && !Array.isArray(inner)) value[key] = getLists(inner) as Node
  }
  return value
}
