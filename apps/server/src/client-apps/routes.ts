import type { clientAppEndpoints } from '@custodia/contract'
import type { AccessCache } from '../access/load.ts'
import type { AppContext } from '../app-context.ts'
import type { Handlers } from '../http/context.ts'
import { pageByName } from '../http/page.ts'
import { Problem } from '../http/problem.ts'
import { checkToken } from './authenticate-app.ts'
import type { KeySets } from './key-sets.ts'
import { createClientApp, deleteClientApp, reviewClientApp, updateClientApp } from './save.ts'
import { countApps, findApp, listApps } from './store.ts'

type Rows = keyof typeof clientAppEndpoints

/** The client apps of a client: machines that come with tokens of their own issuer. */
export function clientAppRoutes(ctx: AppContext, book: AccessCache, sets: KeySets): Handlers<Rows> {
  return {
    listClientApps: async (context, { query }) => {
      const { client_id } = context.caller
      const { search = '' } = query
      return context.read(async (q) => {
        if (query.type === 'total') return { total: await countApps(q, search) }
        return pageByName(
          ctx.cursors,
          { name: 'account.apps', client_id, query },
          (after, limit) => listApps(q, { search, after, limit }),
          ({ app_reference }) => app_reference,
        )
      })
    },

    readClientApp: async (context, { params }) => {
      const found = await context.read((q) => findApp(q, params.app_reference))
      if (!found) throw new Problem('not_found', { detail: 'no such client app' })
      return found
    },

    createClientApp: createClientApp(ctx, book),
    updateClientApp: updateClientApp(ctx, book),
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
