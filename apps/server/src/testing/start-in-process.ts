import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import type { AppContext } from '../app-context.ts'
import type { Config } from '../config.ts'
import { createContext } from '../create-context.ts'
import { startServer, type ServeOptions } from '../serve.ts'

export interface InProcessServer {
  ctx: AppContext
  app: FastifyInstance
  url: string
  stop(): Promise<void>
}

export interface InProcessOptions extends ServeOptions {
  portalFolder: string
  /** Parts that replace those of the server. */
  parts?: Partial<AppContext>
  /** Seconds for requests under way when the server stops; absent: as in production. */
  drain?: number
  /** Seconds that a statement may wait; absent: as in production. */
  patience?: number | undefined
}

/** Starts the server in this process, so that the next start in it reads no module again. */
export async function startInProcess(
  config: Config,
  { portalFolder, parts = {}, drain, patience, ...options }: InProcessOptions,
): Promise<InProcessServer> {
  await using resources = new AsyncDisposableStack()
  const log = pino({ level: config.logLevel }, process.stderr)
  const { ctx: opened, queue, close } = await createContext(config, log, () => undefined)
  resources.defer(close)
  const db = patience === undefined ? opened.db : opened.db.within(patience)
  const ctx = { ...opened, db, ...parts }
  const server = await startServer(ctx, queue, portalFolder, options)
  resources.defer(() => server.close(drain))
  const url = await server.start()
  const all = resources.move()
  return { ctx, app: server.app, url, stop: () => all.disposeAsync() }
}
