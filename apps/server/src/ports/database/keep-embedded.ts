import { setTimeout as pause } from 'node:timers/promises'
import { type EmbeddedDatabase, type EmbeddedOptions, startEmbedded } from './embedded.ts'

/** Milliseconds before the first restart of PostgreSQL, and at most before further ones. */
const PAUSE = { first: 250, most: 10_000 }
/** Attempts in a row, about a minute, before the process gives up. */
const ATTEMPTS = 10
/** Milliseconds after which a run of PostgreSQL resets the count of attempts. */
const SETTLED = 60_000

export interface KeepOptions extends Omit<EmbeddedOptions, 'onExit'> {
  /** Called on each end and each attempt. */
  report: (message: string) => void
  /** Called when PostgreSQL cannot be kept running: the server should log it and exit. */
  giveUp: (reason: string) => void
}

/**
 * Restarts the embedded PostgreSQL when it ends by itself, such as after a crash or an out-of-memory kill.
 * Requests fail meanwhile, but the server stays and its address is unchanged.
 */
export async function keepEmbedded(options: KeepOptions): Promise<Pick<EmbeddedDatabase, 'url' | 'stop'>> {
  const { report, giveUp, ...embedded } = options
  let isStopping = false
  let attempts = 0
  let startedAt = Date.now()
  let restarting: Promise<void> = Promise.resolve()
  const start = () => startEmbedded({ ...embedded, onExit: (reason) => (restarting = restart(reason)) })
  let current = await start()

  async function restart(reason: string): Promise<void> {
    if (isStopping) return
    report(`the embedded PostgreSQL ended (${reason}) and is started again`)
    if (Date.now() - startedAt > SETTLED) attempts = 0
    while (!isStopping) {
      if (attempts === ATTEMPTS) return giveUp(`the embedded PostgreSQL ended ${ATTEMPTS} times: ${reason}`)
      await pause(Math.min(PAUSE.first * 2 ** attempts++, PAUSE.most))
      try {
        if (isStopping) return
        startedAt = Date.now()
        current = await start()
        report('the embedded PostgreSQL runs again')
        return
      } catch (error) {
        report(`the embedded PostgreSQL did not start: ${String(error)}`)
      }
    }
  }

  return {
    url: current.url,
    async stop() {
      isStopping = true
      await restarting
      await current.stop()
    },
  }
}
