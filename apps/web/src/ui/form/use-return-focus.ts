import { useEffect } from 'react'

/** Gives the focus back to where it was once the component is gone: drawers that leave by address unmount at once. */
export function useReturnFocus(): void {
  useEffect(() => {
    const before = document.activeElement
    return () => {
      if (!(before instanceof HTMLElement) || before === document.body) return
      // After the dialog has let go of its own trap.
      setTimeout(() => before.isConnected && before.focus({ preventScroll: true }))
    }
  }, [])
}
