import type { LeftOutReason, PayloadType, TransferSettings } from '@custodia/contract'
import { evaluate, intersectReach, isWithinReach, type PayloadReach, reachOfLanes } from '@custodia/domain'
import { AccessCache } from '../access/load.ts'
import type { Rights } from '../access/rights.ts'
import type { AppContext } from '../app-context.ts'
import type { Queryable } from '../ports/database/lease.ts'
import { findRule } from '../proposals/store.ts'
import type { StoredConfig } from './store.ts'

/** Rights that a role needs: payload content for deliveries, list access for reports. */
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
  /** Reason of an exclusion. */
  reasonOf(place: Place): LeftOutReason
}

/** Payloads that a role allows. A transfer has no network, so a role limited to networks allows none. */
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
 * Maximum that a config delivers now: the role's reach. Under dual control also limited to what was confirmed or
 * delivered last.
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

/** Decides with current rights at each call. */
export function reachDecider({
  db,
}: Pick<AppContext, 'db'>): (q: Queryable, stored: StoredConfig) => Promise<Decision> {
  const book = new AccessCache(db)
  return async (q, stored) => decideReach(q, await book.rightsOf(q), stored)
}
