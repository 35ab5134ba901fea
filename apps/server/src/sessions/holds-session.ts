import type { FastifyRequest } from 'fastify'
import { isCurrent } from './cookie-halves.ts'
import { readCookies } from './cookies.ts'
import type { SessionParts } from './parts.ts'
import { readRotation } from './store.ts'

/**
 * Whether the request comes from the browser of that session, and the session lives. For addresses that a player opens by
 * itself, where no token can be sent along.
 */
export async function holdsSession(
  { house, halves, cookies }: SessionParts,
  request: FastifyRequest,
  session_id: string,
  now: number,
): Promise<boolean> {
  const cookie = readCookies(request.headers.cookie).get(cookies.sessionName(session_id))
  const presented = halves.read(session_id, cookie)
  if (presented === undefined) return false
  const stored = await readRotation(house.db, session_id, now)
  return stored !== undefined && isCurrent(stored, presented, now)
}
