import { useSyncExternalStore } from 'react'

let isOpen = false
const listeners = new Set<() => void>()
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/**
 * Whether the contacts panel is open: the user's choice applies to later recordings. Kept in memory only, so that a
 * loaded page sends no extra request.
 */
export const useContactsOpen = () => useSyncExternalStore(subscribe, () => isOpen)

export function setContactsOpen(open: boolean): void {
  isOpen = open
  for (const listener of listeners) listener()
}
