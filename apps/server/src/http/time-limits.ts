import type { Server } from 'node:http'
import type { FastifyInstance } from 'fastify'

/**
 * Timeouts of the HTTP server in ms. Node's five minutes would cut slow uploads: 1 GB at 500 kbit/s takes 4.5
 * hours. `limitBodyTime` limits all other calls, and Node's own minute limits heads.
 */
export const SERVER_TIMES = { requestTimeout: 6 * 3600_000, headersTimeout: 60_000 }

/** Milliseconds in which the body of an ordinary call must arrive: 10 MiB of announcements at 1.4 Mbit/s. */
const BODY_TIME = 60_000
/**
 * Milliseconds without data after which a connection ends: the device that uploads has disconnected, or the reader of
 * an answer has stopped, and the answer takes memory.
 */
const SILENCE = 120_000

/** Cuts the connection of a call whose body arrives too slowly; uploads may take any time. */
export function limitBodyTime(app: FastifyInstance, limit = BODY_TIME): void {
  app.addHook('preParsing', (request, _reply, payload, done) => {
    const { method, headers, raw } = request
    const hasBody = method !== 'GET' && method !== 'HEAD'
    if (hasBody && headers['content-type'] !== 'application/octet-stream') {
      // A handler may take longer once the body is complete.
      const timer = setTimeout(() => raw.complete || raw.destroy(), limit)
      // A call without a body never ends its stream, so the timer must not keep the process alive.
      timer.unref()
      payload.once('end', () => clearTimeout(timer)).once('close', () => clearTimeout(timer))
    }
    done(null, payload)
  })
}

/** Cuts silent connections: without a listener for the event, Node destroys a socket that times out. */
export const limitSilence = (server: Server, silence = SILENCE): Server => server.setTimeout(silence)
