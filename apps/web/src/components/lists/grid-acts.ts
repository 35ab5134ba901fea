import type { KeyboardEvent, MouseEvent } from 'react'
import type { SelectionHandle } from './selection.ts'

/** Row operations of a list, by index. */
export interface GridActs {
  current: number
  onCurrent: (index: number) => void
  selection: SelectionHandle
  openKey: string | undefined
  onOpen: (index: number) => void
  /** Opens a clicked row next to the list. Absent: a click opens it as Enter does. */
  onChoose: ((index: number) => void) | undefined
  onOpenInTab: (index: number) => void
  onPreview: (index: number) => void
  onHear: (index: number) => void
  onClosePreview: () => void
}

/**
 * Keyboard and mouse handlers of a list, for rows and tiles.
 * @param after target index of a key; undefined: none
 * @param moveTo moves cursor and focus
 */
export function useGridActs(
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
    if (event.key === 'a' && (event.ctrlKey || event.metaKey)) {
      // The browser would select the text of the page.
      event.preventDefault()
      return selection.selectAll()
    }
    if (event.ctrlKey || event.altKey || event.metaKey || (event.key.length === 1 && event.key !== ' '))
      return
    // The header has controls of its own: all rows, and the order.
    const isInHeader = event.target instanceof Element && event.target.closest('[role=columnheader]') !== null
    if (isInHeader && (event.key === ' ' || event.key === 'Enter')) return
    if (isInHeader && event.key === 'ArrowDown') moveTo(current)
    else if (event.key === ' ') selection.toggle(current)
    else if (event.key === 'Enter') props.onOpen(current)
    else if (event.key === 'Escape' && props.openKey !== undefined) props.onClosePreview()
    else if (event.key === 'Escape' && selection.selection.keys.size > 0) selection.clear()
    else if (!step(event.key, event.shiftKey)) return
    event.preventDefault()
  }
  const onClick = (event: MouseEvent) => {
    const target = event.target instanceof Element ? event.target : undefined
    const index = Number(target?.closest<HTMLElement>('[data-index]')?.dataset.index ?? Number.NaN)
    if (target === undefined || Number.isNaN(index)) return
    if (target.closest('[data-pick]')) {
      // The label must not click its box again; preventing the box itself would revert its state.
      if (!(target instanceof HTMLInputElement)) event.preventDefault()
      if (event.shiftKey) selection.extend(current, index)
      else selection.toggle(index)
      moveTo(index)
    } else if (target.closest('[data-peek]')) {
      moveTo(index)
      if (target.closest('[data-hear]')) props.onHear(index)
      else props.onPreview(index)
    } else if (event.ctrlKey || event.metaKey) {
      // Links handle this themselves.
      if (target.closest('a') === null) props.onOpenInTab(index)
    } else if (!event.shiftKey && getSelection()?.type !== 'Range') {
      event.preventDefault()
      if (props.onChoose && target.closest('a') === null) {
        moveTo(index)
        props.onChoose(index)
      } else {
        props.onCurrent(index)
        props.onOpen(index)
      }
    }
  }
  return { step, onKeyDown, onClick }
}
