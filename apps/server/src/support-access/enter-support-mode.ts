import { Ulid } from '@custodia/contract'
import { stateAt, supportObstacle } from '@custodia/domain'
import type { AccessCache } from '../access/load.ts'
import type { AppContext } from '../app-context.ts'
import type { PortalUser, RefusedPerson } from '../http/context.ts'
import { Problem } from '../http/problem.ts'
import { cacheEntry } from '../ports/cache.ts'
import { findClientOfRequest, readApproval } from './store.ts'

/** Requests of which the client is cached. */
const CACHED = 1000

export type EnterSupportMode = (
  staff: PortalUser,
  request_reference: string,
  at: { ip: string; now: number },
) => Promise<PortalUser>

/**
 * Makes a member of staff the caller of a client under an approval, which is read again for every call. They have the
 * actions of the approved role that the endpoint table opens to support, from networks of both accounts. A deleted
 * role permits nothing. Problems: not_permitted, terms_required, network_not_permitted, support_mode_ended.
 */
export function supportMode(ctx: Pick<AppContext, 'db'>, access: AccessCache): EnterSupportMode {
  const clients = new Map<string, number>()

  async function getClient(request_reference: string): Promise<number | undefined> {
    const known = clients.get(request_reference)
    if (known !== undefined || !Ulid.safeParse(request_reference).success) return known
    const client_id = await findClientOfRequest(ctx.db, request_reference)
    if (client_id === undefined) return undefined
    cacheEntry(clients, request_reference, client_id, CACHED)
    return client_id
  }

  return async (staff, request_reference, { ip, now }) => {
    if (!staff.is_provider) throw ended('not of the provider')
    if (staff.terms_accepted_at === null) throw new Problem('terms_required')
    if (!staff.access.allowsGroupless('internal.support_mode:start'))
      throw new Problem('not_permitted', { detail: 'no role permits support mode' })
    const client_id = await getClient(request_reference)
    const approval = client_id && (await readApproval(ctx.db, client_id, request_reference))
    if (!approval) throw ended('no such request')
    // Its people could not revoke the approval.
    if (approval.suspended_at !== null) throw ended('the client is suspended')
    const obstacle = supportObstacle(approval, 'start', { now, by: staff.user_reference })
    if (obstacle === 'not_requester') throw ended('requested by another person')
    const { role, client, client_name, access_epoch, approval_expiry } = approval
    const caller: RefusedPerson = {
      kind: 'portal',
      client_id: approval.client_id,
      user_reference: staff.user_reference,
      user_group: null,
      group_id: null,
      roles: [role],
      support_reference: request_reference,
    }
    if (obstacle !== undefined || approval_expiry === null) throw ended(stateAt(approval, now), caller)
    const rights = await access.getAccess({
      client_id: approval.client_id,
      epoch: access_epoch,
      roles: [role],
      groups: null,
      matters: null,
      ip,
      is_support: true,
    })
    if (!rights.is_network_allowed) throw new Problem('network_not_permitted', { caller })
    return {
      ...staff,
      client_id: approval.client_id,
      client,
      client_name,
      issuer: null,
      roles: [role],
      // Groups of the provider do not apply here.
      user_group: null,
      group_id: null,
      group_references: null,
      access: rights,
      is_provider: false,
      support_reference: request_reference,
      support: { request_reference, role, approval_expiry },
    }
  }
}

const ended = (detail: string, caller?: RefusedPerson) =>
  new Problem('support_mode_ended', { detail, ...(caller ? { caller } : {}) })
