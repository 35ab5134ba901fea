import type { IncomingMessage, ServerResponse } from 'node:http'
import { newId } from './new-id.ts'
import { Problem, problemBody } from './problem.ts'
import type { RateLimits } from './rate-limit.ts'

export type Listener = (request: IncomingMessage, response: ServerResponse) => void

/** Another app in this process with its own request listener. */
export interface MountedApp {
  listener: Listener
  /** The address whose limit a request uses; undefined for our own requests. */
  addressOf(request: IncomingMessage): string | undefined
}

/** Applies the rate limit of unauthenticated calls per address to a mounted app. */
export function limitAddresses({ listener, addressOf }: MountedApp, rateLimits: RateLimits): Listener {
  return (request, response) => {
    const ip = addressOf(request)
    const early = ip === undefined ? undefined : rateLimits.ofAddress(ip)
    if (!early) return listener(request, response)
    response
      .writeHead(429, {
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'no-store',
        'retry-after': String(early.retry_after),
        connection: 'close',
      })
      .end(JSON.stringify(problemBody(new Problem('too_many_requests'), newId())))
  }
}
