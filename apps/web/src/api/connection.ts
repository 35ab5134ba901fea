import { onlineManager } from '@tanstack/react-query'
import { partRules } from '../reload/load-part.ts'

/** Milliseconds between two attempts to reach the server again. */
const PAUSE_MS = 3_000

/**
 * A request did not reach the server although the browser has a network: queries and saves wait until the server
 * answers again. The query client resumes them, and none of them was sent before.
 */
export function noteLostConnection(): void {
  if (!onlineManager.isOnline()) return
  onlineManager.setOnline(false)
  void reconnect()
}

async function reconnect(): Promise<void> {
  while (!onlineManager.isOnline()) {
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    if (await isReachable()) onlineManager.setOnline(true)
  }
}

/** Any answer counts: the next call reports what is wrong with it. */
export async function isReachable(): Promise<boolean> {
  try {
    await fetch('/version.json', { cache: 'no-store' })
    return true
  } catch {
    return false
  }
}

partRules.whenOnline = () =>
  new Promise((resolve) => {
    if (onlineManager.isOnline()) return resolve()
    const stop = onlineManager.subscribe((isOnline) => {
      if (!isOnline) return
      stop()
      resolve()
    })
  })

partRules.noteIfLost = async () => {
  if (await isReachable()) return false
  noteLostConnection()
  return true
}
