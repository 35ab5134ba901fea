import { admits, compileNetworks } from '@custodia/domain'
import type { AccessCache } from '../access/load.ts'
import { readOwnClient } from '../clients/store.ts'
import type { AppContext } from '../app-context.ts'
import type { PortalUser } from '../http/context.ts'
import { Problem } from '../http/problem.ts'
import { checkToken, readToken } from './check-token.ts'
import type { KeySets } from './key-sets.ts'
import { findAppOfIdentity, writeLastSeen } from './store.ts'

/** Seconds between two notes that an app was here. */
const SEEN_EVERY = 60

export type AuthenticateApp = (
  token: string,
  client_id: number,
  at: { ip: string; now: number },
) => Promise<PortalUser | undefined>

/**
 * The client app behind a token of its own issuer. The app is read anew for every call, so that a removed or changed one counts
 * at once; its own networks and the account's must both admit the caller. Undefined when no app of the client has this issuer
 * and audience. Problems: authentication_required, network_not_permitted, unavailable when its keys cannot be asked for.
 */
export function appAuthentication(
  ctx: Pick<AppContext, 'db' | 'log'>,
  access: AccessCache,
  sets: KeySets,
): AuthenticateApp {
  return async (token, client_id, { ip, now }) => {
    const stated = readToken(token)
    const [audience, ...more] = stated?.aud ?? []
    if (!stated || audience === undefined || more.length > 0) return undefined
    const found = await ctx.db.read(client_id, async (q) => {
      const app = await findAppOfIdentity(q, { issuer: stated.iss, audience })
      return app && { app, client: await readOwnClient(q) }
    })
    if (!found?.client) return undefined
    const { app, client } = found
    const checked = await checkToken(sets, token, app.oidc_config, now)
    if (checked.is_unavailable) throw new Problem('unavailable', { detail: 'the keys of a client app' })
    if (!checked.is_accepted || checked.expires_at === null)
      throw new Problem('authentication_required', { detail: checked.checks.at(-1)?.check ?? 'shape' })
    const rights = await access.accessOf({
      client_id,
      epoch: client.access_epoch,
      roles: app.roles,
      groups: null,
      ip,
    })
    const caller = {
      kind: 'portal',
      client_id,
      user_reference: app.app_reference,
      roles: app.roles,
      user_group: app.group,
      group_id: await access.groupIdOf(client_id, client.access_epoch, app.group),
      is_client_app: true,
    } as const
    const own_networks = compileNetworks(app.cidr_ranges)
    if (!rights.is_network_allowed || !admits(own_networks, ip))
      throw new Problem('network_not_permitted', { caller })
    if (app.last_seen === null || now - app.last_seen >= SEEN_EVERY)
      await writeLastSeen(ctx.db, client_id, app.app_reference, now)
    return {
      ...caller,
      client: client.client,
      client_name: client.client_name,
      session_id: '',
      group_references: null,
      access: rights,
      own_networks,
      // Machines accept no terms; whoever entered the app has.
      terms_accepted_at: now,
      session_expires_at: checked.expires_at,
      // Not even an app of the provider's own client has a way into the internal area.
      is_provider: false,
    }
  }
}
