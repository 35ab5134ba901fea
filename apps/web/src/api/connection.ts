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

/** Longest wait for an answer, in milliseconds. */
const PATIENCE_MS = 10_000

/** Any answer counts: the next call reports what is wrong with it. */
async function isReachable(): Promise<boolean> {
  try {
    await fetch('/version.json', { cache: 'no-store', signal: AbortSignal.timeout(PATIENCE_MS) })
    return true
  } catch {
    return false
  }
}

/** A save was not sent, because the server does not answer: it may be repeated, which could otherwise save twice. */
export class NotSent extends TypeError {}

/** Sends a save to a server that answers; else it is not sent, and the query client waits for the connection. */
export async function sendReachable<Saved>(send: () => Promise<Saved>): Promise<Saved> {
  if (await isReachable()) return await send()
  noteLostConnection()
  throw new NotSent()
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
