import { fault, type Role, type StoredRole } from '@custodia/contract'
import type { AccessCache } from '../access/load.ts'
import { assertPermitted } from '../access/assert-permitted.ts'
import { actorOf, type Handler } from '../http/context.ts'
import { assertUnchanged } from '../http/etag.ts'
import { Problem } from '../http/problem.ts'
import { carryDraft, draftRole, validateRole } from './draft.ts'
import { findRole, writeRole } from './store.ts'
import { looksLikeSystemRole } from './system.ts'

/** `/dashboard/access/roles/create` is where roles are made: one of that name could not be opened. */
const PAGE_OF_NEW_ROLES = 'create'

/** Times that a role is compiled; where groups have changed even after the last one, it is carried over to them under the lock. */
const ATTEMPTS = 3

/** Creates or replaces a role. */
export function saveRole(book: AccessCache): Handler<'saveRole'> {
  return async (context, { params, query, body }) => {
    const { role_reference } = params
    if (looksLikeSystemRole(role_reference)) throw new Problem('system_role')
    if (role_reference === PAGE_OF_NEW_ROLES)
      throw new Problem('invalid_input', { faults: [fault('role_reference', 'name_of_a_page')] })
    const { client_id } = context.caller
    // Compiling waits for other people's drafts: with neither a connection nor the lock on the client's rights.
    const compile = async () =>
      draftRole(context, 'save', await context.read((q) => book.rightsOf(q)), role_reference, body)
    const saved = await whileGroupsStay(async (isLast) => {
      const typed = await compile()
      return context.write(async (tx) => {
        const rights = await book.beginChange(tx)
        assertUnchanged(context, (await findRole(tx, role_reference))?.version)
        if (typed.problems.length > 0)
          throw new Problem('invalid_input', { faults: typed.problems.slice(0, 100) })
        const isCurrent = typed.compiled.groupIndex === rights.groupIndex
        const draft = isCurrent ? typed : isLast ? carryDraft(typed, rights) : undefined
        if (!draft) throw new GroupsChanged()
        await assertPermitted(context, tx, validateRole(context, rights, draft), {
          what: { text: 'escalated_by_role', name: role_reference },
          confirm_lockout: query.confirm_lockout,
        })
        const stored = await writeRole(tx, draft.role, {
          updated_at: context.now,
          updated_by: actorOf(context.caller),
        })
        book.keepSaved(client_id, { document: documentOf(stored), compiled: draft.compiled })
        return stored
      })
    })
    return saved
  }
}

/** As it is read from the database, its properties in the same order. */
function documentOf(stored: StoredRole): Role {
  const { client: _client, version: _version, updated_at: _at, updated_by: _by, ...document } = stored
  return document
}

/** The groups differ from those of the compiled role: nothing was written. */
class GroupsChanged extends Error {}

/** Problem: unavailable, when most groups change time and again. */
async function whileGroupsStay<T>(save: (isLast: boolean) => Promise<T>): Promise<T> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    try {
      return await save(attempt === ATTEMPTS)
    } catch (error) {
      if (!(error instanceof GroupsChanged)) throw error
    }
  }
  throw new Problem('unavailable', { detail: 'groups change faster than the role is compiled' })
}
