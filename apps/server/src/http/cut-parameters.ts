import { hash } from 'node:crypto'

/** Length of a cut value. */
interface Measure {
  items: number
  characters: number
  /** Below this level long values are replaced by their digest. */
  depth: number
}

/** Limits in order, until the result is short enough. */
const MEASURES: readonly Measure[] = [
  { items: 20, characters: 200, depth: 5 },
  { items: 5, characters: 60, depth: 3 },
  { items: 1, characters: 30, depth: 2 },
]

/**
 * A call's parameters in about `limit` characters of JSON. Every field stays: a long list or text is cut to
 * its beginning, its length and the SHA-256 of its whole JSON text, which can prove a guess at the rest.
 */
export function cutParameters(value: unknown, limit: number): unknown {
  let kept: unknown = value
  for (const measure of MEASURES) {
    if (JSON.stringify(kept).length <= limit) break
    kept = cut(value, measure, 0)
  }
  return kept
}

function cut(value: unknown, measure: Measure, depth: number): unknown {
  if (typeof value === 'string') {
    if (value.length <= measure.characters) return value
    const head = value.slice(0, measure.characters).toWellFormed()
    return { cut: head, characters: value.length, sha256: digestOf(value) }
  }
  if (typeof value !== 'object' || value === null) return value
  if (depth >= measure.depth && JSON.stringify(value).length > measure.characters)
    return { cut: null, sha256: digestOf(value) }
  if (!Array.isArray(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [key, cut(each, measure, depth + 1)]),
    )
  }
  const head = value.slice(0, measure.items).map((each) => cut(each, measure, depth + 1))
  return value.length <= measure.items ? head : { cut: head, items: value.length, sha256: digestOf(value) }
}

const digestOf = (value: unknown) => hash('sha256', JSON.stringify(value), 'hex')
