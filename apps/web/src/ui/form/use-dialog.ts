import { useEffect, useState } from 'react'
import { useReturnFocus } from './use-return-focus.ts'

/** Open dialogs and drawers, topmost last. */
const open: symbol[] = []

/**
 * Common behaviour of mounted dialogs and drawers: returns the focus on unmount, and closes only the topmost on
 * Escape, which the library sends to all.
 * @returns close handler for the library
 */
export function useDialog(onClose: () => void): () => void {
  useReturnFocus()
  const [self] = useState(() => Symbol('dialog'))
  useEffect(() => {
    open.push(self)
    // The closing key must not reach the dialog below.
    return () => void setTimeout(() => open.splice(open.indexOf(self), 1))
  }, [self])
  return () => {
    if (open.at(-1) === self) onClose()
  }
}
