import { useCallback, useState } from 'react'
import { EMPTY_SELECTION, endRange, extendTo, type Selection, toggleAll, toggleRow } from './selection.ts'

/** Selection of a list; a change of filters clears it. `keys` are all loaded rows in order. */
export function useSelection(keys: readonly string[], filters: string) {
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
    toggleAll: useCallback(() => setSelection((selected) => toggleAll(selected, keys)), [keys, setSelection]),
    clear: useCallback(() => setSelection(() => EMPTY_SELECTION), [setSelection]),
  }
}
export type SelectionHandle = ReturnType<typeof useSelection>
