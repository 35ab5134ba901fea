import type { LeftOutReason, PayloadType, TransferSettings } from '@custodia/contract'
import { evaluate, intersectReach, isWithinReach, type PayloadReach, reachOfLanes } from '@custodia/domain'
import { AccessCache } from '../access/load.ts'
import type { Rights } from '../access/rights.ts'
import type { AppContext } from '../app-context.ts'
import type { Queryable } from '../ports/database/lease.ts'
import { findRule } from '../proposals/store.ts'
import type { StoredConfig } from './store.ts'

/** What a role needs for what a config delivers: a recording is sent with its metadata, a report holds what lists show. */
export const TRANSFER_ACTIONS = {
  Payload: ['payloads:download', 'payloads:read'],
  Report: ['payloads:list'],
} as const satisfies Record<TransferSettings['transfer_type'], readonly string[]>

type Named = Pick<TransferSettings, 'role_reference' | 'transfer_type' | 'payload_types'>
interface Place {
  group_id: number
  payload_type: PayloadType
}

/** What a config may deliver. */
export interface Decision {
  reach: PayloadReach
  /** Whether each use of the role raises an alert. */
  is_watched: boolean
  /** Why something beyond the reach is not delivered. */
  reasonOf(place: Place): LeftOutReason
}

/** What the role of a config lets it deliver. A transfer comes from no network, so a role that is limited to networks lets nothing through. */
export function reachOfRole(
  rights: Rights,
  { role_reference, transfer_type, payload_types }: Named,
): Decision {
  const role = role_reference === null ? undefined : rights.roles.get(role_reference)
  if (!role) return { reach: [], is_watched: false, reasonOf: () => 'role_missing' }
  const access = evaluate({ roles: [role], ip: '' }, { networks: 'any' })
  const actions = TRANSFER_ACTIONS[transfer_type]
  const reach = actions
    .map((action) => reachOfLanes(access.lanes(action), payload_types))
    .reduce(intersectReach)
  return {
    reach,
    is_watched: role.is_alertable,
    reasonOf: ({ group_id }) => {
      if (role.networks !== 'any') return 'role_networks'
      if (!actions.every((action) => access.may(action))) return 'action_not_authorised'
      if (!actions.every((action) => access.permits(action, { group_id }))) return 'group_not_authorised'
      return 'type_not_authorised'
    },
  }
}

/**
 * What a config delivers at most now: what its role reaches. With dual control it is no more than was confirmed or delivered last, even when the
 * role gained rights since.
 */
export async function decideReach(
  q: Queryable,
  rights: Rights,
  { config, reach: known }: Pick<StoredConfig, 'config' | 'reach'>,
): Promise<Decision> {
  const decision = reachOfRole(rights, config)
  if (!(await findRule(q))?.is_required) return decision
  return {
    ...decision,
    reach: intersectReach(decision.reach, known ?? []),
    reasonOf: (place) => (isWithinReach(decision.reach, place) ? 'not_confirmed' : decision.reasonOf(place)),
  }
}

/** Decides about a config by the rights of the moment, each time it is asked. */
export function reachDecider({
  db,
}: Pick<AppContext, 'db'>): (q: Queryable, stored: StoredConfig) => Promise<Decision> {
  const book = new AccessCache(db)
  return async (q, stored) => decideReach(q, await book.rightsOf(q), stored)
}
