import type { PointerEvent } from 'react'

/** Pixels that a hand moves between pressing and letting go without meaning it. */
const STILL = 6
/** What stands in a row and does something else than opening it. */
const OTHERWISE = '[data-pick], [data-peek], button'

/**
 * Has the row opened that was pressed, where the browser says nothing: it tells of no click when the pressed element is gone, or another one
 * in its place, by the time the button is let go, as it happens while rows come in.
 *
 * @param rowOf a row by its key, as long as it is there
 * @param open `isNewTab`: in another tab
 * @returns hears presses on anything around the rows that stays while they come and go
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
      // A click is told of right behind the release.
      setTimeout(() => {
        document.removeEventListener('click', onClick, true)
        if (!isMet && getSelection()?.type !== 'Range') open(row, ctrlKey || metaKey)
      })
    }
    document.addEventListener('pointerup', onRelease, { capture: true, once: true })
  }
}
