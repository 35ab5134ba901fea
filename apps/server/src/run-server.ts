import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Logger, pino } from 'pino'
import type { AppContext } from './app-context.ts'
import { ConfigError, readConfig } from './config.ts'
import { createContext } from './create-context.ts'
import { VERSION } from './health/version.ts'
import { limitOutages } from './limit-outages.ts'
import { startTracing } from './ports/tracing.ts'
import { startServer } from './serve.ts'

/** Explanations of operating system errors that an operator can fix. */
const MEANINGS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not use it',
  EPERM: 'this user may not use it',
  EROFS: 'its file system is read-only',
  ENOSPC: 'its disk is full',
  EDQUOT: 'its disk quota is used up',
  ENOTDIR: 'a part of the path is no folder',
  EADDRINUSE: 'another program listens there; stop it, or set another PORT',
  EADDRNOTAVAIL: 'this machine has no such address; see HOST',
  ECONNREFUSED: 'no server listens there',
  ENOTFOUND: 'no such host is known',
}

/** Errors that are a fault of the program: only their stack says where. */
const FAULTS = [TypeError, ReferenceError, SyntaxError, RangeError]

/** The message of a failed start for the operator: one sentence, or the stack for a fault of the program. */
export function getSentence(error: unknown): string {
  if (!(error instanceof Error)) return `The server cannot start: ${String(error)}`
  if (FAULTS.some((kind) => error instanceof kind) && !('code' in error)) return error.stack ?? error.message
  return `The server cannot start: ${getReason(error)}`
}

function getReason(error: Error & { code?: unknown }): string {
  const meaning = typeof error.code === 'string' ? MEANINGS[error.code] : undefined
  const own = meaning ? `${getPlace(error)}: ${meaning}` : error.message
  const cause = error.cause instanceof Error ? getReason(error.cause) : ''
  // Several addresses of one host were tried: the first failure stands for all.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : undefined
  if (own === '' && first instanceof Error) return getReason(first)
  return cause && !own.includes(cause) ? `${own} (${cause})` : own
}

function getPlace(error: object): string {
  const { path, address, port, hostname } = error as Record<string, unknown>
  if (typeof path === 'string') return path
  if (typeof address === 'string') {
    const host = address.includes(':') ? `[${address}]` : address
    return port === undefined ? host : `${host}:${String(port)}`
  }
  return typeof hostname === 'string' ? hostname : 'the system'
}

/** Seconds for a graceful shutdown: for requests and running jobs, and in total. */
const DRAIN = { requests: 12, all: 19 }

/** The portal as `npm run build` in apps/web leaves it. */
const PORTAL = fileURLToPath(new URL('../../web/dist', import.meta.url))

/**
 * Runs the server with the configuration of the environment and the command line until a signal ends it. Resolves to
 * its server and address once it listens. Configuration faults are listed at once; the process then ends with 1.
 */
export async function runServer(
  argv: readonly string[],
  say: (step: string) => void = () => undefined,
): Promise<{ ctx: AppContext; address: string }> {
  const config = readOrExit(argv)
  const log = pino({
    level: config.logLevel,
    base: { services: config.services.join(',') },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (level) => ({ level }) },
    hooks: limitOutages(),
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
 * Keeps the process alive after an uncaught error, because one fault must not stop service for all users and no
 * acknowledged data depends on memory. The error is logged and counted for monitoring.
 */
function surviveFaults(log: Logger, count: (kind: string) => void): void {
  const note = (kind: string) => (error: unknown) => {
    count(kind)
    log.fatal({ err: error }, `uncaught ${kind}`)
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
  console.error(getSentence(error))
  process.exit(1)
}
