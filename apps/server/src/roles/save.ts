import type { AccessBook } from '../access/load.ts'
import { assertGroupless, assertPermitted } from '../access/assert-permitted.ts'
import { actorOf, type Handler } from '../http/context.ts'
import { assertUnchanged, sendVersion } from '../http/etag.ts'
import { Problem } from '../http/problem.ts'
import { judgeRole } from './draft.ts'
import { findRole, writeRole } from './store.ts'
import { isSystemRole } from './system.ts'

/** Creates or replaces a role. Problems: system_role, already_exists, changed_meanwhile, invalid_input, locks_out, escalation. */
export function saveRole(book: AccessBook): Handler<'saveRole'> {
  return async (context, { params, query, body }) => {
    assertGroupless(context, 'roles:update')
    const { role_reference } = params
    if (isSystemRole(role_reference)) throw new Problem('system_role')
    const { client_id } = context.caller
    const saved = await context.write(async (tx) => {
      const rights = await book.beginChange(tx, client_id)
      assertUnchanged(context, (await findRole(tx, client_id, role_reference))?.version)
      const { role, problems, impact } = await judgeRole(context, rights, role_reference, body)
      if (problems.length > 0) throw new Problem('invalid_input', { faults: problems.slice(0, 100) })
      await assertPermitted(context, tx, impact, {
        what: { text: 'escalated_by_role', name: role_reference },
        confirm_lockout: query.confirm_lockout,
      })
      return writeRole(tx, client_id, role, {
        updated_at: context.now,
        updated_by: actorOf(context.caller),
      })
    })
    sendVersion(context, saved.version)
    return saved
  }
}
