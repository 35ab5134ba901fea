import type { AccessBook } from '../access/load.ts'
import { seenGroups } from '../access/seen-groups.ts'
import { assertGroupless } from '../access/assert-permitted.ts'
import type { Handler, PortalContext } from '../http/context.ts'
import { type CompiledRole, evaluate } from '@custodia/domain'
import { resolveFilter } from '../payloads/list-filter.ts'
import { readListTotal } from '../payloads/list-total.ts'
import type { Queryable } from '../ports/database/lease.ts'
import { draftRole, judgeRole } from './draft.ts'

/** What a role would match and reach, and what saving it would mean. */
export function reviewRole(book: AccessBook): Handler<'reviewRole'> {
  return async (context, { params, body }) => {
    assertGroupless(context, 'roles:review')
    const { client_id } = context.caller
    const rights = await context.read((q) => book.rightsOf(q, client_id))
    // Waits for other people's drafts, so without a connection.
    const draft = await draftRole(context, rights, params.role_reference, body)
    const { preview, compiled, problems } = draft
    return seenGroups(context.caller, rights).cut({
      problems,
      warnings: preview.warnings,
      actions: preview.actions,
      permissions: preview.permissions,
      groups: preview.groups,
      payloads: await context.read((q) => countPayloads(context, q, compiled)),
      impact: judgeRole(context, rights, draft),
    })
  }
}

/** Payloads that a holder of this role alone would see in lists, wherever they are; null when they may list none. */
async function countPayloads(
  { caller }: PortalContext,
  q: Queryable,
  role: CompiledRole,
): Promise<{ total: number; is_capped: boolean } | null> {
  const access = evaluate({ roles: [{ ...role, networks: 'any' }], ip: '' }, { networks: 'any' })
  if (!access.may('payloads:list')) return null
  const filter = await resolveFilter(q, caller.client_id, access, 'payloads:list', {
    date_filter: 'payload_time',
  })
  const { total, is_capped = false } = filter ? await readListTotal(q, filter) : { total: 0 }
  return { total, is_capped }
}
