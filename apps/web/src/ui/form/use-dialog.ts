import { useEffect, useState } from 'react'
import { useReturnFocus } from './use-return-focus.ts'

/** Dialogs and drawers on screen, the topmost last. */
const open: symbol[] = []

/**
 * What every dialog and drawer does that is on screen as long as its component is: it gives the focus back when it
 * goes, and closes only while it is the topmost, since the library tells all of them at once of the Escape key.
 *
 * @returns what the library is to call when the person wants to close it
 */
export function useDialog(onClose: () => void): () => void {
  useReturnFocus()
  const [self] = useState(() => Symbol('dialog'))
  useEffect(() => {
    open.push(self)
    // The key that closed it must not reach the one below.
    return () => void setTimeout(() => open.splice(open.indexOf(self), 1))
  }, [self])
  return () => {
    if (open.at(-1) === self) onClose()
  }
}
