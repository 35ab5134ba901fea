import type { FastifyRequest } from 'fastify'
import { isCurrent } from './cookie-halves.ts'
import { readCookies } from './cookies.ts'
import type { SessionParts } from './parts.ts'
import { readRotation } from './store.ts'

/**
 * `wanted` when the request comes from the browser of that session and the session lives, else undefined. For addresses that
 * a player opens by itself, where no token can be sent along. A browser may hold several sessions, hence the question.
 */
export async function sessionOfRequest(
  { house, halves, cookies }: SessionParts,
  request: FastifyRequest,
  wanted: string,
): Promise<string | undefined> {
  const now = house.now()
  const presented = halves.read(wanted, readCookies(request.headers.cookie).get(cookies.sessionName(wanted)))
  if (presented === undefined) return undefined
  const stored = await readRotation(house.db, wanted, now)
  return stored && isCurrent(stored, presented, now) ? wanted : undefined
}
