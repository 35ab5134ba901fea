import type { FastifyRequest } from 'fastify'
import type { AuthenticateApp } from './authenticate-app.ts'
import { CLOCK_SKEW } from './check-token.ts'

/**
 * The app of a request's own token, for addresses without a client in their path, and the token's expiry (epoch
 * seconds). Undefined without such a token. Problems: as of `appAuthentication`.
 */
export function appOfRequest(authenticateApp: AuthenticateApp, now: () => number) {
  return async (
    request: FastifyRequest,
    client_id: number,
  ): Promise<{ app_reference: string; expires_at: number } | undefined> => {
    const token = /^bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(request.headers.authorization ?? '')?.[1]
    const app = token && (await authenticateApp(token, client_id, { ip: request.ip, now: now() }))
    if (!app) return undefined
    return { app_reference: app.user_reference, expires_at: app.session_expires_at + CLOCK_SKEW }
  }
}
