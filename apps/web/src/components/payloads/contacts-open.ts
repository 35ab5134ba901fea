import { useSyncExternalStore } from 'react'

let isOpen = false
const listeners = new Set<() => void>()
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/**
 * Whether it is told of numbers where else they come: once somebody has asked, for every recording that they go on to. Kept in memory alone,
 * so that a page that is loaded asks for nothing more than itself.
 */
export const useContactsOpen = () => useSyncExternalStore(subscribe, () => isOpen)

export function setContactsOpen(open: boolean): void {
  isOpen = open
  for (const listener of listeners) listener()
}
