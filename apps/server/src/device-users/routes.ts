import { searchWords } from '@custodia/domain'
import { mayKnowHolds } from '../access/holds.ts'
import type { AppContext } from '../app-context.ts'
import type { Handler, Handlers } from '../http/context.ts'
import { pageByName } from '../http/page.ts'
import { Problem } from '../http/problem.ts'
import { importDeviceUsers, reviewDeviceUserImport } from './import.ts'
import { readUserQueue } from './queue.ts'
import { createDeviceUser, deleteDeviceUser, updateDeviceUser } from './save.ts'
import { countUsers, findUser, listUsers, toResponse } from './store.ts'

type Rows =
  | 'listDeviceUsers'
  | 'readDeviceUser'
  | 'createDeviceUser'
  | 'updateDeviceUser'
  | 'deleteDeviceUser'
  | 'importDeviceUsers'
  | 'reviewDeviceUserImport'
  | 'readUserQueue'

/** Device user routes. */
export const deviceUserRoutes = (ctx: Pick<AppContext, 'cursors'>): Handlers<Rows> => ({
  listDeviceUsers: listDeviceUsers(ctx),
  readDeviceUser,
  createDeviceUser,
  updateDeviceUser,
  deleteDeviceUser,
  importDeviceUsers,
  reviewDeviceUserImport,
  readUserQueue,
})

/** Lists device users in the caller's groups by reference, or counts them. */
function listDeviceUsers(ctx: Pick<AppContext, 'cursors'>): Handler<'listDeviceUsers'> {
  return async (context, { query }) => {
    const { access, client_id } = context.caller
    const { search, groups, services, is_active, is_legacy, devices, is_held } = query
    const knows_holds = mayKnowHolds(access)
    const filter = {
      reach: is_held === undefined || knows_holds ? access.groups('users:list') : [],
      search:
        search === undefined ? undefined : { words: searchWords(search), email: search.trim().toLowerCase() },
      groups,
      services,
      is_active,
      is_legacy,
      devices,
      is_held,
    }
    if (query.type === 'total') return { total: await context.readFromReplica((q) => countUsers(q, filter)) }
    return pageByName(
      ctx.cursors,
      { name: 'users', client_id, query },
      async (after, limit) =>
        (await context.readFromReplica((q) => listUsers(q, filter, { after, limit }))).map((user) =>
          toResponse(user, knows_holds),
        ),
      ({ device_user_reference }) => device_user_reference,
    )
  }
}

const readDeviceUser: Handler<'readDeviceUser'> = async (context, { params }) => {
  const user = await context.read((q) => findUser(q, params.device_user_reference))
  if (!user || !context.caller.access.permits('users:read', user))
    throw new Problem('not_found', { detail: 'no such device user' })
  return toResponse(user, mayKnowHolds(context.caller.access))
}
