/**
 * The real server plus the route `/plain/<token>`, which serves the file FILE unsealed, with the checks, audit and
 * headers of `/media/<token>`. For the measurement only.
 */
import { createReadStream, statSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { AccessCache } from '../../../apps/server/src/access/load.ts'
import { readConfig } from '../../../apps/server/src/config.ts'
import { createContext } from '../../../apps/server/src/create-context.ts'
import { beginAnswer, mediaGrants } from '../../../apps/server/src/payloads/data/media-grant.ts'
import { startServer } from '../../../apps/server/src/serve.ts'
import { cookieHalves, cookiesFor } from '../../../apps/server/src/sessions/cookies.ts'
import { sessionOfRequest } from '../../../apps/server/src/sessions/make-sessions.ts'

const FILE = process.env.FILE ?? ''
const PORTAL = fileURLToPath(new URL('../../../apps/web/dist', import.meta.url))

const log = pino({ level: process.env.LOG_LEVEL ?? 'warn' })
// As of main.ts, the first argument is the command.
const { ctx, queue, close } = await createContext(
  readConfig(process.env, process.argv.slice(3)),
  log,
  () => undefined,
)
const server = await startServer(ctx, queue, PORTAL)
const halves = cookieHalves(await ctx.keys.namedSecret('session-cookies'))
const cookies = cookiesFor(ctx.config.publicUrl)
const grants = mediaGrants(ctx, {
  access: new AccessCache(ctx.db),
  sessionOfRequest: (request, wanted) => sessionOfRequest({ ctx, halves, cookies }, request, wanted),
  appOfRequest: async () => undefined,
})
const { size } = statSync(FILE)
server.app.get('/plain/:token', async (request, reply) => {
  const grant = await grants.getGrant(request)
  const { start, end } = await beginAnswer(grants, grant, size, request, reply)
  const plain = createReadStream(FILE, { start, end: end - 1, highWaterMark: 2 ** 18 })
  await pipeline(plain, reply.raw).catch(() => undefined)
  return reply
})
await server.start()
process.on(
  'SIGTERM',
  () =>
    void server
      .close()
      .then(close)
      .then(() => process.exit(0)),
)
