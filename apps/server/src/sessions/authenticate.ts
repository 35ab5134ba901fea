import { TERMS_VERSION } from '@custodia/contract'
import type { FastifyRequest } from 'fastify'
import type { PortalUser } from '../http/context.ts'
import { Problem } from '../http/problem.ts'
import type { SessionParts } from './parts.ts'
import { readLiveSession } from './store.ts'

/**
 * The person behind a request: its id token says which session, the session's row says who, with which roles, and whether
 * it still lives. Problems: authentication_required, session_ended, network_not_permitted.
 */
export async function authenticatePortal(
  { house, access, tokens }: SessionParts,
  request: FastifyRequest,
  now: number,
): Promise<PortalUser> {
  const token = tokenOf(request.headers.authorization)
  const claims = token === undefined ? undefined : await tokens.verify(token, now)
  if (!claims) throw new Problem('authentication_required')
  const { client_id, session_id } = claims
  const session = await readLiveSession(house.db, client_id, session_id, TERMS_VERSION)
  if (!session || session.ended_at !== null || session.expires_at <= now) throw new Problem('session_ended')
  const { client, client_name, user_reference, roles, user_group, groups, terms_accepted_at } = session
  const rights = await access.accessOf({
    client_id,
    epoch: session.access_epoch,
    roles,
    groups,
    ip: request.ip,
  })
  if (!rights.is_network_allowed) throw new Problem('network_not_permitted')
  return {
    kind: 'portal',
    client_id,
    client,
    client_name,
    user_reference,
    session_id,
    roles,
    user_group,
    group_references: groups,
    access: rights,
    terms_accepted_at,
    session_expires_at: session.expires_at,
    is_provider: session.is_provider,
  }
}

/** The id token of `Authorization`, bare or as a bearer (spec section 7). Support mode is not offered yet. */
function tokenOf(header: string | undefined): string | undefined {
  return /^(?:bearer +)?([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(header ?? '')?.[1]
}
