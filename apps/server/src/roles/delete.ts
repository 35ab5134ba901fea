import type { AccessCache } from '../access/load.ts'
import { assertPermitted } from '../access/assert-permitted.ts'
import type { Handler } from '../http/context.ts'
import { assertUnchanged } from '../http/etag.ts'
import { Problem } from '../http/problem.ts'
import { previewRemovalImpact } from './draft.ts'
import { findRole, findUsesOfRole, removeRole } from './store.ts'
import { isSystemRole } from './system.ts'

/** Deletes an unused role. */
export function deleteRole(book: AccessCache): Handler<'deleteRole'> {
  return async (context, { params, query }) => {
    const { role_reference } = params
    if (isSystemRole(role_reference)) throw new Problem('system_role')
    await context.write(async (tx) => {
      const rights = await book.beginChange(tx)
      const role = await findRole(tx, role_reference)
      if (!role) throw new Problem('not_found', { detail: 'no such role' })
      assertUnchanged(context, role.version)
      const uses = await findUsesOfRole(tx, role_reference, context.now)
      if (uses.length > 0) throw new Problem('in_use', { detail: uses.slice(0, 10).join(', ') })
      await assertPermitted(context, tx, previewRemovalImpact(context, rights, role_reference), {
        what: { text: 'escalated_by_role_deletion', name: role_reference },
        confirm_lockout: query.confirm_lockout,
      })
      await removeRole(tx, role_reference)
    })
    return {}
  }
}
