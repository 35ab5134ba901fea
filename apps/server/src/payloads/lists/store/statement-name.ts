import { hash } from 'node:crypto'

const names = new Map<string, string>()
/**
 * Statement shapes are few (filters × parts of a scope), but roles multiply them; the rest is not prepared.
 */
const NAMES = 200

/**
 * Name of the prepared statement; undefined: not prepared. Planning is half of the cost of a short list, and
 * most of a total.
 */
export function statementName(text: string): string | undefined {
  const known = names.get(text)
  if (known) return known
  if (names.size >= NAMES) return undefined
  const name = `list_${hash('sha256', text, 'base64url').slice(0, 20)}`
  names.set(text, name)
  return name
}
