import { BATCH_LIMIT } from '@custodia/contract'

/** Maximum selection: the batch limit (spec section 9). */
export const SELECTION_LIMIT = BATCH_LIMIT

/** Selected row keys. A range grows from `anchor` on top of `base` and shrinks when its end returns. */
export interface Selection {
  keys: ReadonlySet<string>
  base: ReadonlySet<string>
  anchor: number | undefined
  /** True when the limit cut the last change. */
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

/** Toggles the row at `index`, the anchor of later ranges. */
export function toggleRow(selection: Selection, index: number, key: string): Selection {
  const without = new Set(selection.keys)
  const next = without.delete(key) ? { keys: without, isCut: false } : limited(selection.keys, [key])
  return { ...next, base: next.keys, anchor: index }
}

/**
 * Selects from the anchor (or `from`) to the row at `to`.
 * @param keys loaded keys in list order
 */
export function extendTo(selection: Selection, from: number, to: number, keys: readonly string[]): Selection {
  const anchor = selection.anchor ?? from
  const base = selection.anchor === undefined ? selection.keys : selection.base
  const range = keys.slice(Math.min(anchor, to), Math.max(anchor, to) + 1)
  // Nearest to the anchor first: the limit cuts the far end.
  return { ...limited(base, to < anchor ? range.toReversed() : range), base, anchor }
}

/** A plain cursor move ends a range; the selection stays. */
export const endRange = (selection: Selection): Selection =>
  selection.anchor === undefined && !selection.isCut
    ? selection
    : { keys: selection.keys, base: selection.keys, anchor: undefined, isCut: false }

/** Selects the first rows up to the limit, or clears an existing selection. */
export const toggleAll = (selection: Selection, keys: readonly string[]): Selection =>
  selection.keys.size > 0 ? EMPTY_SELECTION : { ...EMPTY_SELECTION, ...limited([], keys) }
