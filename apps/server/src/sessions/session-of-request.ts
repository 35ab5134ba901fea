import type { FastifyRequest } from 'fastify'
import { isCurrent } from './cookie-halves.ts'
import { readCookies } from './cookies.ts'
import type { SessionServices } from './session-services.ts'

/**
 * The id of `wanted`, a session that lives, when the request comes from its browser, else undefined. For addresses that a
 * player opens by itself, where no token can be sent along. A browser may hold several sessions, hence the question.
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
