import type { AccessBook } from '../access/load.ts'
import type { House } from '../house.ts'
import type { Handlers } from '../http/context.ts'
import { sendVersion } from '../http/etag.ts'
import { Problem } from '../http/problem.ts'
import { checkToken } from './check-token.ts'
import { reviewClientApp } from './judge.ts'
import type { KeySets } from './key-sets.ts'
import { createClientApp, deleteClientApp, updateClientApp } from './save.ts'
import { countApps, findApp, listApps } from './store.ts'

type Rows =
  | 'listClientApps'
  | 'readClientApp'
  | 'createClientApp'
  | 'updateClientApp'
  | 'deleteClientApp'
  | 'reviewClientApp'
  | 'testClientAppToken'

/** The client apps of a client: machines that come with tokens of their own issuer. */
export function clientAppRoutes(house: House, book: AccessBook, sets: KeySets): Handlers<Rows> {
  return {
    listClientApps: async (context, { query }) => {
      const { client_id } = context.caller
      const { search = '', limit } = query
      return context.read(async (q) => {
        if (query.type === 'total') return { total: await countApps(q, client_id, search) }
        const list = `account.apps ${client_id} ${search}`
        const [after = ''] = query.last_key === undefined ? [] : house.cursors.open(list, query.last_key)
        // One more than the page holds tells whether there is a next one.
        const rows = await listApps(q, client_id, { search, after: String(after), limit: limit + 1 })
        const data = rows.slice(0, limit)
        const last = rows.length > limit ? data.at(-1) : undefined
        return {
          count: data.length,
          ...(last ? { last_key: house.cursors.seal(list, [last.app_reference]) } : {}),
          data,
        }
      })
    },

    readClientApp: async (context, { params }) => {
      const found = await context.read((q) => findApp(q, context.caller.client_id, params.app_reference))
      if (!found) throw new Problem('not_found', { detail: 'no such client app' })
      sendVersion(context, found.version)
      return found
    },

    createClientApp: createClientApp(house, book),
    updateClientApp: updateClientApp(house, book),
    deleteClientApp: deleteClientApp(book),
    reviewClientApp: reviewClientApp(book),

    testClientAppToken: async (context, { body }) => {
      const { is_accepted, checks, expires_at } = await checkToken(
        sets,
        body.token,
        body.oidc_config,
        context.now,
      )
      return { is_accepted, checks, expires_at }
    },
  }
}
