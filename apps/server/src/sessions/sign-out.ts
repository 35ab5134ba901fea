import type { PortalContext } from '../http/context.ts'
import { returnAddress } from '../ports/identity/return-address.ts'
import type { SessionServices } from './session-services.ts'
import { readProviderTokens } from './provider-tokens.ts'
import { endSession, endSessionsOf } from './store.ts'
import { findClient } from '../clients/store.ts'

/**
 * Ends this session, or all of the caller's. The provider is told, but cannot keep anybody signed in here: what it does not
 * hear is logged.
 */
export async function signOut(
  services: SessionServices,
  context: PortalContext,
  everywhere: boolean,
): Promise<{ sign_out_url?: string }> {
  const { house, cookies, seal } = services
  const { caller, now } = context
  const client = await findClient(house.db, caller.client)
  if (!client) throw new Error(`client ${caller.client} is gone`)
  const ended = await context.write((tx) =>
    everywhere
      ? endSessionsOf(tx, caller.user_reference, now)
      : endSession(tx, caller.session_id, 'signed_out', now),
  )
  void context.reply.header('set-cookie', cookies.removeSession(caller.session_id))
  const provider = await services.providers(client)
  const tell = async (session: (typeof ended)[number]): Promise<string | undefined> => {
    const tokens = await readProviderTokens(seal, session.provider_tokens, now)
    if (tokens?.issuer !== provider.issuer) return undefined
    await provider.revoke(tokens)
    if (session.session_id !== caller.session_id) return undefined
    return provider.signOutUrl(tokens, returnAddress(house.config.publicUrl))
  }
  const told = await Promise.allSettled(ended.map(tell))
  const failed = told.find((each) => each.status === 'rejected')
  if (failed) house.log.warn({ err: failed.reason }, 'the identity provider was not told of a sign-out')
  const sign_out_url = told.flatMap((each) => (each.status === 'fulfilled' ? (each.value ?? []) : []))[0]
  return sign_out_url === undefined ? {} : { sign_out_url }
}
