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
async function isReachable(): Promise<boolean> {
  try {
    await fetch('/version.json', { cache: 'no-store' })
    return true
  } catch {
    return false
  }
}

/** The server did not answer, so a change was not sent: repeating it makes it once. */
class NotSent extends TypeError {}

/** Milliseconds for which an answer shows that the server is reachable: waiting changes follow each other at once. */
const ANSWERED_MS = 100
let answeredAt = 0

/**
 * Options of a mutation whose change waits for the server. It is sent once, because the server must answer before; the
 * bar at the top counts it meanwhile.
 */
export const sentWhenReachable = <Input, Output>(send: (input: Input) => Promise<Output>) => ({
  mutationFn: async (input: Input): Promise<Output> => {
    if (Date.now() - answeredAt > ANSWERED_MS && !(await isReachable())) {
      noteLostConnection()
      throw new NotSent()
    }
    const output = await send(input)
    answeredAt = Date.now()
    return output
  },
  retry: (_failures: number, error: Error) => error instanceof NotSent,
  retryDelay: 0,
})

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
