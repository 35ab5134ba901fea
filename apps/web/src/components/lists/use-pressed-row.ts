import type { PointerEvent } from 'react'

/** Pointer movement in pixels that still counts as a click. */
const STILL = 6
/** Interactive elements in a row that do not open it. */
const OTHERWISE = '[data-pick], [data-peek], button'

/**
 * Opens a pressed row where the browser fires no click, because rows moved between press and release.
 * @param rowOf a row by its key, while it exists
 * @param open `isNewTab`: in another tab
 * @returns press handler for a stable container of the rows
 */
export function usePressedRow<Row>(
  rowOf: (key: string | undefined) => Row | undefined,
  open: (row: Row, isNewTab: boolean) => void,
) {
  return ({ nativeEvent: pressed }: PointerEvent) => {
    const { button, ctrlKey, metaKey, shiftKey, pointerType, target, clientX, clientY } = pressed
    const key =
      target instanceof Element && target.closest(OTHERWISE) === null
        ? target.closest<HTMLElement>('[data-key]')?.dataset.key
        : undefined
    const row = rowOf(key)
    if (row === undefined || button !== 0 || shiftKey || pointerType === 'touch') return
    const onRelease = (released: globalThis.PointerEvent) => {
      if (Math.hypot(released.clientX - clientX, released.clientY - clientY) > STILL) return
      let isMet = false
      const onClick = (click: globalThis.MouseEvent) => {
        isMet =
          click.target instanceof Element &&
          click.target.closest<HTMLElement>('[data-key]')?.dataset.key === key
      }
      document.addEventListener('click', onClick, { capture: true, once: true })
      // The click event follows the release immediately.
      setTimeout(() => {
        document.removeEventListener('click', onClick, true)
        if (!isMet && getSelection()?.type !== 'Range') open(row, ctrlKey || metaKey)
      })
    }
    document.addEventListener('pointerup', onRelease, { capture: true, once: true })
  }
}
