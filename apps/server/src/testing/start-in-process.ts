import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import type { Config } from '../config.ts'
import type { House } from '../house.ts'
import { openHouse } from '../open-house.ts'
import { serveHouse, type ServeOptions } from '../serve.ts'

export interface InProcessServer {
  house: House
  app: FastifyInstance
  url: string
  stop(): Promise<void>
}

export interface InProcessOptions extends ServeOptions {
  portalFolder: string
  /** Parts that replace those of the server. */
  parts?: Partial<House>
  /** Seconds for requests under way when the server stops; absent: as in production. */
  drain?: number
}

/** Starts the server in this process, so that the next start in it reads no module again. */
export async function startInProcess(
  config: Config,
  { portalFolder, parts = {}, drain, ...options }: InProcessOptions,
): Promise<InProcessServer> {
  await using resources = new AsyncDisposableStack()
  const log = pino({ level: config.logLevel }, process.stderr)
  const { house: opened, queue, close } = await openHouse(config, log, () => undefined)
  resources.defer(close)
  const house = { ...opened, ...parts }
  const server = await serveHouse(house, queue, portalFolder, options)
  resources.defer(() => server.close(drain))
  const url = await server.start()
  const all = resources.move()
  return { house, app: server.app, url, stop: () => all.disposeAsync() }
}
