import type { AccessCache } from '../access/load.ts'
import type { AppContext } from '../app-context.ts'
import type { Handlers } from '../http/context.ts'
import { Problem } from '../http/problem.ts'
import { deleteRole } from './delete.ts'
import { listRoles, rolesIn } from './list.ts'
import { reviewRole } from './review.ts'
import { saveRole } from './save.ts'

/** Handlers of roles: those that the client made, and those of the system, which nobody changes. */
export const roleRoutes = (
  ctx: Pick<AppContext, 'cursors'>,
  book: AccessCache,
): Handlers<'listRoles' | 'readRole' | 'saveRole' | 'reviewRole' | 'deleteRole'> => ({
  listRoles: listRoles(ctx, book),
  async readRole({ caller }, { params: { role_reference } }) {
    const roles = rolesIn(await book.presentRights(caller), caller)
    const role = roles.find((each) => each.role_reference === role_reference)
    if (!role) throw new Problem('not_found', { detail: 'no such role' })
    return role
  },
  saveRole: saveRole(book),
  reviewRole: reviewRole(book),
  deleteRole: deleteRole(book),
})
