import { type ActionPreview, EXPECTATIONS, type PayloadType } from '@custodia/contract'

/**
 * Companion permissions that a role lacks.
 * @param payload_types of the role; none: all
 */
export function unmatchedBy(
  actions: readonly Pick<ActionPreview, 'action' | 'outcome'>[],
  payload_types: readonly PayloadType[],
): typeof EXPECTATIONS {
  const allowed = new Set(actions.flatMap(({ action, outcome }) => (outcome === 'allowed' ? [action] : [])))
  return EXPECTATIONS.filter(
    ({ with: has, without, types }) =>
      allowed.has(has) &&
      !allowed.has(without) &&
      (types === undefined ||
        payload_types.length === 0 ||
        types.some((type) => payload_types.includes(type))),
  )
}
