import { type AccessImpact, type ClientAppInput, type Fault, fault } from '@custodia/contract'
import { compileNetworks } from '@custodia/domain'
import { changerOf } from '../access/assert-permitted.ts'
import { previewGrantImpact } from '../access/impact.ts'
import type { AccessCache } from '../access/load.ts'
import type { Rights } from '../access/rights.ts'
import { seenGroups } from '../access/visible-groups.ts'
import type { Handler, PortalContext } from '../http/context.ts'
import type { Queryable } from '../ports/database/lease.ts'
import { findAppOfIdentity } from './store.ts'

/** Previews what saving the app grants, and its problems. */
export function reviewClientApp(book: AccessCache): Handler<'reviewClientApp'> {
  return (context, { params, body }) =>
    context.read(async (q) => {
      const rights = await book.rightsOf(q)
      const { problems, impact } = await validateApp(context, q, rights, params.app_reference, body)
      return { problems, warnings: [], impact: seenGroups(context.caller, rights).narrowToSeen(impact) }
    })
}

/**
 * Validates an app, whose rights are those of its roles within its networks; reviews show it and saves are checked
 * against it.
 */
export async function validateApp(
  context: PortalContext,
  q: Queryable,
  rights: Rights,
  app_reference: string,
  { oidc_config, roles, group, cidr_ranges }: ClientAppInput,
): Promise<{ problems: Fault[]; impact: AccessImpact }> {
  const problems = roles.flatMap((role, i) =>
    rights.roles.has(role) ? [] : [fault(`roles.${i}`, 'unknown_reference', { value: role })],
  )
  if (group !== null && groupIdOf(rights, group) === undefined)
    problems.push(fault('group', 'unknown_reference', { value: group }))
  const other = await findAppOfIdentity(q, oidc_config)
  if (other && other.app_reference !== app_reference)
    problems.push(fault('oidc_config.audience', 'same_identity', { value: other.app_reference }))
  const granted = { roles, networks: compileNetworks(cidr_ranges) }
  return { problems, impact: previewGrantImpact(rights, changerOf(context), granted) }
}

/** The group's id, if the client has one of that name. */
export const groupIdOf = ({ source }: Rights, reference: string | null): number | undefined =>
  source.groups.find((group) => !group.is_reserved && group.group_reference === reference)?.group_id
