import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Logger, pino } from 'pino'
import { ConfigError, readConfig } from './config.ts'
import type { AppContext } from './app-context.ts'
import { startServer } from './serve.ts'
import { sentenceOf } from './start-failure.ts'
import { createContext } from './create-context.ts'
import { startTracing } from './ports/tracing.ts'
import { VERSION } from './health/version.ts'

/** Seconds for all that is to be finished when the process is asked to end; requests and jobs under way are given the first of them. */
const DRAIN = { requests: 12, all: 19 }

/** The portal as `npm run build` in apps/web leaves it. */
const PORTAL = fileURLToPath(new URL('../../web/dist', import.meta.url))

/**
 * Runs the server with the configuration of the environment and the command line until it is told to end. Resolves when
 * it listens, to its server and its address. Faults of the configuration are listed at once; the process then ends with 1.
 */
export async function runServer(
  argv: readonly string[],
  say: (step: string) => void = () => undefined,
): Promise<{ ctx: AppContext; address: string }> {
  const config = readOrExit(argv)
  for (const warning of config.warnings) console.error(warning)
  const log = pino({
    level: config.logLevel,
    base: { services: config.services.join(',') },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (level) => ({ level }) },
  })
  const stopTracing = config.hasTraces ? await startTracing(VERSION) : undefined
  const { ctx, queue, close } = await createContext(config, log, say).catch(failToStart)
  const server = await startServer(ctx, queue, PORTAL)
  surviveFaults(log, server.countUncaught)
  const address = await server.start().catch(failToStart)
  let ending = false
  const end = (signal: string) => {
    if (ending) return
    ending = true
    log.info({ signal }, 'ending')
    const finished = server.close(DRAIN.requests).then(close).then(stopTracing)
    void Promise.race([finished, pause(DRAIN.all * 1000, undefined, { ref: false })]).then(
      () => process.exit(process.exitCode ?? 0),
      (error: unknown) => {
        log.error({ err: error }, 'ending failed')
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', end).on('SIGINT', end)
  log.info(
    { address, objects: ctx.objects.kind, scanner: ctx.scanner.configured, media: Boolean(ctx.media) },
    'ready',
  )
  // Printed at every log level: parent processes read the port from it.
  console.error(`Listening on ${address}`)
  return { ctx, address }
}

/**
 * The last net: what nobody caught is a fault of the program, but no reason to leave everybody else without a server. Nothing acknowledged
 * rests on what this process remembers. It is logged, and counted for whoever watches.
 */
function surviveFaults(log: Logger, count: (kind: string) => void): void {
  const note = (kind: string) => (error: unknown) => {
    count(kind)
    log.fatal({ err: error }, `nobody caught this ${kind}`)
  }
  process.on('unhandledRejection', note('rejection')).on('uncaughtException', note('exception'))
}

function readOrExit(argv: readonly string[]) {
  try {
    return readConfig(process.env, argv)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    console.error(error.message)
    process.exit(1)
  }
}

/** Ends the process with what the operator can mend, in a sentence. */
function failToStart(error: unknown): never {
  console.error(sentenceOf(error))
  process.exit(1)
}
