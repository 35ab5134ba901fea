import { BATCH_LIMIT } from '@custodia/contract'

/** Rows that can be selected at once: what one batch may hold (spec section 9). */
export const SELECTION_LIMIT = BATCH_LIMIT

/** The selected rows by key. A range grows from `anchor` on top of `base`, and shrinks back when its end returns. */
export interface Selection {
  keys: ReadonlySet<string>
  base: ReadonlySet<string>
  anchor: number | undefined
  /** True when the last change was cut off at the limit. */
  isCut: boolean
}

export const EMPTY_SELECTION: Selection = {
  keys: new Set(),
  base: new Set(),
  anchor: undefined,
  isCut: false,
}

function limited(base: Iterable<string>, added: readonly string[]): Pick<Selection, 'keys' | 'isCut'> {
  const keys = new Set(base)
  let isCut = false
  for (const key of added) {
    if (keys.size >= SELECTION_LIMIT && !keys.has(key)) isCut = true
    else keys.add(key)
  }
  return { keys, isCut }
}

/** Adds or removes the row at `index`; it becomes the anchor of later ranges. */
export function toggleRow(selection: Selection, index: number, key: string): Selection {
  const without = new Set(selection.keys)
  const next = without.delete(key) ? { keys: without, isCut: false } : limited(selection.keys, [key])
  return { ...next, base: next.keys, anchor: index }
}

/**
 * Selects from the anchor, or from `from` when there is none, up to the row at `to`.
 *
 * @param keys all loaded keys in the order of the list
 */
export function extendTo(selection: Selection, from: number, to: number, keys: readonly string[]): Selection {
  const anchor = selection.anchor ?? from
  const base = selection.anchor === undefined ? selection.keys : selection.base
  const range = keys.slice(Math.min(anchor, to), Math.max(anchor, to) + 1)
  // Nearest to the anchor first: a cut falls on the far end.
  return { ...limited(base, to < anchor ? range.toReversed() : range), base, anchor }
}

/** A plain move of the cursor ends a range; what is selected stays. */
export const endRange = (selection: Selection): Selection =>
  selection.anchor === undefined && !selection.isCut
    ? selection
    : { keys: selection.keys, base: selection.keys, anchor: undefined, isCut: false }

/** Selects the first rows up to the limit, or nothing when something is selected already. */
export const toggleAll = (selection: Selection, keys: readonly string[]): Selection =>
  selection.keys.size > 0 ? EMPTY_SELECTION : { ...EMPTY_SELECTION, ...limited([], keys) }
