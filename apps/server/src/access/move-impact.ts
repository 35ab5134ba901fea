import { type AccessImpact, actionsOf, api, ESCALATE, PAYLOAD_TYPES } from '@custodia/contract'
import type { PortalUser } from '../http/context.ts'

/** What can be done with things of a group. */
const GROUP_ACTIONS = [
  ...new Set(
    Object.values(api).flatMap((row) =>
      'concerns' in row && row.concerns === 'groups' && row.authentication === 'portal' ? actionsOf(row) : [],
    ),
  ),
]

/**
 * What moving somebody to another group gives to whoever moves them: rights over what they record from now on that the mover has in that group,
 * and not in the one that they leave. What the move gives or takes others is the daily work of moving people, and on record. What a phone
 * brought while it waited moves likewise, from the reserved group to that of its holder.
 */
export function previewMoveImpact(
  { access }: Pick<PortalUser, 'access'>,
  from: { group_id: number },
  to: { group_id: number; group_reference: string },
): AccessImpact {
  const groups = { is_all: false, count: 1, first: [to.group_reference] }
  const escalations = GROUP_ACTIONS.flatMap((action) => {
    const payload_types = PAYLOAD_TYPES.filter(
      (payload_type) =>
        access.permits(action, { group_id: to.group_id, payload_type }) &&
        !access.permits(action, { group_id: from.group_id, payload_type }),
    )
    return payload_types.length === 0 ? [] : [{ action, limit: 'reach' as const, payload_types, groups }]
  })
  return { locks_out: false, escalations, may_escalate: access.allowsGroupless(ESCALATE), roles: [] }
}

/**
 * Rights that a caller could gain by any move between groups: those that the caller has in some groups and not in others. A caller with the same
 * rights in every group gains none.
 */
export function impactOfAnyMove({ access }: Pick<PortalUser, 'access'>): AccessImpact {
  const escalations = GROUP_ACTIONS.flatMap((action) =>
    access.lanes(action).flatMap(({ types, groups }) =>
      groups === 'all'
        ? []
        : [
            {
              action,
              limit: 'reach' as const,
              payload_types: types === 'all' ? [...PAYLOAD_TYPES] : types,
              groups: { is_all: false, count: groups.length, first: [] },
            },
          ],
    ),
  )
  return { locks_out: false, escalations, may_escalate: access.allowsGroupless(ESCALATE), roles: [] }
}
