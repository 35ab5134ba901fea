import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { readConfig } from '../config.ts'
import type { House } from '../house.ts'
import { openHouse } from '../open-house.ts'
import { serveHouse } from '../serve.ts'
import { testDatabase } from './database.ts'
import { freePort } from './daemon.ts'
import { UNLIMITED } from './unlimited.ts'

export interface TestServer {
  house: House
  app: FastifyInstance
  url: string
  close(): Promise<void>
}

/**
 * The whole server with the demo's clients and people, listening on a free port, on a database and a data folder of its
 * own. Prepared answers are checked against the contract as well. `env` adds settings.
 */
export async function testServer(env: Record<string, string> = {}): Promise<TestServer> {
  const database = await testDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'custodia-test-'))
  const port = await freePort()
  const config = readConfig({
    PORT: String(port),
    CUSTODIA_DATA: dataDir,
    DATABASE_URL: database.connection,
    LOG_LEVEL: 'fatal',
    ...UNLIMITED,
    ...env,
  })
  const { house, queue, close } = await openHouse(config, pino({ level: config.logLevel }), () => undefined)
  const server = await serveHouse(house, queue, join(dataDir, 'no-portal'), { strict: true })
  const url = (await server.start()) ?? config.publicUrl
  return {
    house,
    app: server.app,
    url,
    async close() {
      await server.close()
      await close()
      await database.drop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
