import { BATCH_LIMIT } from '@custodia/contract'
import { useCallback, useState } from 'react'

/** Maximum selection: the batch limit (spec section 9). */
export const SELECTION_LIMIT = BATCH_LIMIT

/** Selected row keys. A range grows from `anchor` on top of `base` and shrinks when its end returns. */
export interface Selection {
  keys: ReadonlySet<string>
  base: ReadonlySet<string>
  anchor: number | undefined
  /** True when the limit cut the last change. */
  isCut: boolean
  /** All rows that match the filters, loaded or not. */
  isAll?: true
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
  selection.isAll || (selection.anchor === undefined && !selection.isCut)
    ? selection
    : { keys: selection.keys, base: selection.keys, anchor: undefined, isCut: false }

/**
 * Selects the first rows up to the limit, or clears an existing selection.
 * @param total rows that match the filters, where the box selects these
 */
export function toggleAll(selection: Selection, keys: readonly string[], total = 0): Selection {
  if (selection.keys.size > 0) return EMPTY_SELECTION
  const first = { ...EMPTY_SELECTION, ...limited([], keys) }
  return total > first.keys.size ? { ...first, isCut: false, isAll: true } : first
}

/**
 * Selection of a list; a change of filters clears it.
 * @param keys all loaded rows in order
 * @param total as of `toggleAll`
 */
export function useSelection(keys: readonly string[], filters: string, total: number | undefined) {
  const [kept, setKept] = useState({ filters, selection: EMPTY_SELECTION })
  const selection = kept.filters === filters ? kept.selection : EMPTY_SELECTION
  const setSelection = useCallback(
    (next: (selected: Selection) => Selection) =>
      setKept((before) => ({
        filters,
        selection: next(before.filters === filters ? before.selection : EMPTY_SELECTION),
      })),
    [filters],
  )
  return {
    selection,
    toggle: useCallback(
      (index: number) => {
        const key = keys[index]
        if (key !== undefined) setSelection((selected) => toggleRow(selected, index, key))
      },
      [keys, setSelection],
    ),
    extend: useCallback(
      (from: number, to: number) => setSelection((selected) => extendTo(selected, from, to, keys)),
      [keys, setSelection],
    ),
    endRange: useCallback(() => setSelection(endRange), [setSelection]),
    toggleAll: useCallback(
      () => setSelection((selected) => toggleAll(selected, keys, total)),
      [keys, total, setSelection],
    ),
    /** As the box of the header does, whatever is selected. */
    selectAll: useCallback(
      () => setSelection(() => toggleAll(EMPTY_SELECTION, keys, total)),
      [keys, total, setSelection],
    ),
    selectMatching: useCallback(
      () => setSelection((selected) => ({ ...selected, isAll: true })),
      [setSelection],
    ),
    /** But for rows that an action refused. */
    clear: useCallback(
      (refused: readonly string[] = []) =>
        setSelection(() => {
          const kept = limited([], refused)
          return { ...EMPTY_SELECTION, ...kept, base: kept.keys }
        }),
      [setSelection],
    ),
  }
}
export type SelectionHandle = ReturnType<typeof useSelection>
