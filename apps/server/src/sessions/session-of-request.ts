import type { FastifyRequest } from 'fastify'
import { isCurrent } from './cookie-halves.ts'
import { readCookies } from './cookies.ts'
import type { SessionServices } from './session-services.ts'

/**
 * The id of `wanted` if it is an open session of the request's browser, else undefined. For addresses that a player
 * opens without a token. A browser may have several sessions.
 */
export function sessionOfRequest(
  { ctx, halves, cookies }: Pick<SessionServices, 'ctx' | 'halves' | 'cookies'>,
  request: Pick<FastifyRequest, 'headers'>,
  wanted: { session_id: string; rotation: number; rotated_at: number },
): string | undefined {
  const { session_id } = wanted
  const value = readCookies(request.headers.cookie).get(cookies.sessionName(session_id))
  const presented = halves.read(session_id, value)
  return presented !== undefined && isCurrent(wanted, presented, ctx.now()) ? session_id : undefined
}
