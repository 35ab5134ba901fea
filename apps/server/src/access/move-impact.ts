import { type AccessImpact, getActions, api, ESCALATE, PAYLOAD_TYPES } from '@custodia/contract'
import type { PortalUser } from '../http/context.ts'

/** What can be done with things of a group. */
const GROUP_ACTIONS = [
  ...new Set(
    Object.values(api).flatMap((row) =>
      'concerns' in row && row.concerns === 'groups' && row.authentication === 'portal'
        ? getActions(row)
        : [],
    ),
  ),
]

/**
 * Rights that the mover gains by moving a person to another group: those that they have there and not in the old
 * group. Effects on other users are daily work and audited. Recordings that waited on a device move the same way from
 * the reserved group.
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
 * Rights that a caller could gain by any move between groups: those that they have in some groups and not in others.
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
