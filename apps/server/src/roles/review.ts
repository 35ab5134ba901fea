import type { RoleReview } from '@custodia/contract'
import { type Access, type CompiledRole, evaluate, type Lane } from '@custodia/domain'
import type { AccessCache } from '../access/load.ts'
import { seenGroups } from '../access/visible-groups.ts'
import type { Handler, PortalContext } from '../http/context.ts'
import { countVisible } from '../payloads/store.ts'
import type { Queryable } from '../ports/database/lease.ts'
import { draftRole, validateRole } from './draft.ts'

/**
 * What a role would match and reach, and what saving it would mean, as far as the caller sees groups, roles and payloads: patterns
 * ask for names, so what is told must not depend on groups that the caller does not see.
 */
export function reviewRole(book: AccessCache): Handler<'reviewRole'> {
  return async (context, { params, body }) => {
    const { caller } = context
    const seen = seenGroups(caller, await context.read((q) => book.rightsOf(q)))
    // Waits for other people's drafts, so without a connection.
    const draft = await draftRole(context, 'review', seen.rights, params.role_reference, body)
    const { preview, compiled, problems } = draft
    return seen.markAsPartial({
      problems,
      warnings: preview.warnings,
      actions: preview.actions,
      permissions: preview.permissions,
      groups: preview.groups,
      payloads: await context.readFromReplica((q) => countPayloads(context, q, compiled, seen.is_all)),
      impact: validateRole(context, seen.rights, draft),
    })
  }
}

/**
 * Payloads that a holder of this role alone would see in lists, wherever they are, and that the caller may list as well; null when
 * the holder may list none.
 */
async function countPayloads(
  { caller }: PortalContext,
  q: Queryable,
  role: CompiledRole,
  seesAllGroups: boolean,
): Promise<RoleReview['payloads']> {
  const access = evaluate({ roles: [{ ...role, networks: 'any' }], ip: '' }, { networks: 'any' })
  if (!access.may(LIST)) return null
  if (!caller.access.may(LIST)) return { total: null, is_capped: false }
  const seen = seesAllGroups ? 'all' : role.groupIndex.groups.map(({ group_id }) => group_id)
  const own = caller.access.lanes(LIST).map((lane) => ({ ...lane, groups: common(lane.groups, seen) }))
  const isPartial = !own.some(({ types, groups }) => types === 'all' && groups === 'all')
  const lanes = access.lanes(LIST).flatMap((lane) => own.map((other) => commonLane(lane, other)))
  const both: Access = { ...access, lanes: () => lanes }
  const { total, is_capped = false } = await countVisible(q, both, LIST)
  return { total, is_capped, ...(isPartial ? { is_partial: true } : {}) }
}

const LIST = 'payloads:list'

const commonLane = (a: Lane, b: Lane): Lane => ({
  types: common(a.types, b.types),
  groups: common(a.groups, b.groups),
  groupless: a.groupless && b.groupless,
})

function common<T>(a: T[] | 'all', b: T[] | 'all'): T[] | 'all' {
  if (a === 'all') return b
  if (b === 'all') return a
  const others = new Set(b)
  return a.filter((each) => others.has(each))
}
