import { useSyncExternalStore } from 'react'

/** Clock resolution in milliseconds. */
const EVERY_MS = 10_000

const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined
let now = Math.floor(Date.now() / 1000)

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(() => {
    now = Math.floor(Date.now() / 1000)
    for (const each of listeners) each()
  }, EVERY_MS)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

function snapshot(): number {
  // Without subscribers the clock was stale.
  if (timer === undefined) now = Math.floor(Date.now() / 1000)
  return now
}

/** Current epoch seconds; all subscribers share one timer. */
export const useNow = (): number => useSyncExternalStore(subscribe, snapshot)
