import type { AccessBook } from '../access/load.ts'
import type { House } from '../house.ts'
import type { Handler, Handlers } from '../http/context.ts'
import { Problem } from '../http/problem.ts'
import { deleteRole } from './delete.ts'
import { listRoles } from './list.ts'
import { reviewRole } from './review.ts'
import { saveRole } from './save.ts'
import { findRole, systemRoles } from './store.ts'

/** Handlers of roles: those that the client made, and those of the system, which nobody changes. */
export const roleRoutes = (
  house: Pick<House, 'cursors'>,
  book: AccessBook,
): Handlers<'listRoles' | 'readRole' | 'saveRole' | 'reviewRole' | 'deleteRole'> => ({
  listRoles: listRoles(house),
  readRole,
  saveRole: saveRole(book),
  reviewRole: reviewRole(book),
  deleteRole: deleteRole(book),
})

const readRole: Handler<'readRole'> = async (context, { params: { role_reference } }) => {
  const { caller } = context
  const role =
    systemRoles(caller).find((each) => each.role_reference === role_reference) ??
    (await context.read((q) => findRole(q, role_reference)))
  if (!role) throw new Problem('not_found', { detail: 'no such role' })
  return role
}
