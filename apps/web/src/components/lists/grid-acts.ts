import type { KeyboardEvent, MouseEvent } from 'react'
import type { SelectionHandle } from './use-selection.ts'

/** What a list does with its rows, by their places. */
export interface GridActs {
  current: number
  onCurrent: (index: number) => void
  selection: SelectionHandle
  openKey: string | undefined
  onOpen: (index: number) => void
  onOpenInTab: (index: number) => void
  onPreview: (index: number) => void
  onClosePreview: () => void
}

/**
 * What keys and the mouse do in a list, be it drawn as rows or as tiles.
 *
 * @param after where a key leads to; undefined: nowhere
 * @param moveTo moves the cursor, and the focus with it
 */
export function gridActs(
  props: GridActs & { rows: readonly unknown[] },
  after: (key: string) => number | undefined,
  moveTo: (index: number) => void,
) {
  const { rows, current, selection } = props
  const step = (key: string, extend: boolean): boolean => {
    const next = after(key)
    if (next === undefined || rows.length === 0) return false
    if (extend) selection.extend(current, next)
    else selection.endRange()
    moveTo(next)
    return true
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.altKey || event.metaKey || (event.key.length === 1 && event.key !== ' '))
      return
    if (event.key === ' ') selection.toggle(current)
    else if (event.key === 'Enter') props.onOpen(current)
    else if (event.key === 'Escape' && props.openKey !== undefined) props.onClosePreview()
    else if (!step(event.key, event.shiftKey)) return
    event.preventDefault()
  }
  const onClick = (event: MouseEvent) => {
    const target = event.target instanceof Element ? event.target : undefined
    const index = Number(target?.closest<HTMLElement>('[data-index]')?.dataset.index ?? Number.NaN)
    if (target === undefined || Number.isNaN(index)) return
    if (target.closest('[data-pick]')) {
      // The label must not press its box once more; the box itself, prevented, would take back what it now shows.
      if (!(target instanceof HTMLInputElement)) event.preventDefault()
      if (event.shiftKey) selection.extend(current, index)
      else selection.toggle(index)
      moveTo(index)
    } else if (target.closest('[data-peek]')) {
      moveTo(index)
      props.onPreview(index)
    } else if (event.ctrlKey || event.metaKey) {
      // A link does it by itself.
      if (target.closest('a') === null) props.onOpenInTab(index)
    } else if (!event.shiftKey && getSelection()?.type !== 'Range') {
      event.preventDefault()
      props.onCurrent(index)
      props.onOpen(index)
    }
  }
  return { step, onKeyDown, onClick }
}
