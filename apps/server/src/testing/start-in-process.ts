import { pino } from 'pino'
import { readConfig } from '../config.ts'
import type { House } from '../house.ts'
import { openHouse } from '../open-house.ts'
import { serveHouse } from '../serve.ts'

/** Seconds for requests under way when the server stops. */
const DRAIN = 2

export interface InProcessServer {
  house: House
  url: string
  stop(): Promise<void>
}

/** Starts the server with the portal in this process, so that the next start in it reads no module again. */
export async function startInProcess(env: NodeJS.ProcessEnv, portalFolder: string): Promise<InProcessServer> {
  await using resources = new AsyncDisposableStack()
  const config = readConfig(env)
  const log = pino({ level: config.logLevel }, process.stderr)
  const { house, queue, close } = await openHouse(config, log, () => undefined)
  resources.defer(close)
  const server = await serveHouse(house, queue, portalFolder)
  resources.defer(() => server.close(DRAIN))
  const url = await server.start()
  const all = resources.move()
  return { house, url, stop: () => all.disposeAsync() }
}
