import type { PortalContext } from '../http/context.ts'
import type { IdentityProvider, ProviderTokens } from '../ports/identity/port.ts'
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
  const { cookies, ctx } = services
  const { caller, now } = context
  const ended = await context.write((tx) =>
    everywhere
      ? endSessionsOf(tx, caller.user_reference, now)
      : endSession(tx, caller.session_id, 'signed_out', now),
  )
  void context.reply.header('set-cookie', cookies.removeSession(caller.session_id))
  const answers = await revokeAtProvider(services, context, ended, (provider, tokens, session) =>
    session.session_id === caller.session_id
      ? provider.signOutUrl(tokens, returnAddress(ctx.config.publicUrl))
      : undefined,
  )
  const sign_out_url = answers.find((each) => each !== undefined)
  return sign_out_url === undefined ? {} : { sign_out_url }
}

/** Tells the provider that the tokens of ended sessions are no longer needed, and asks it what else is wanted; a failure is logged. */
export async function revokeAtProvider<Session extends { provider_tokens: string | null }>(
  { ctx, providers, seal }: Pick<SessionServices, 'ctx' | 'providers' | 'seal'>,
  { caller, now }: Pick<PortalContext, 'caller' | 'now'>,
  ended: readonly Session[],
  also?: (
    provider: IdentityProvider,
    tokens: ProviderTokens,
    session: Session,
  ) => Promise<string | undefined> | undefined,
): Promise<(string | undefined)[]> {
  const client = await findClient(ctx.db, caller.client)
  if (!client) throw new Error(`client ${caller.client} is gone`)
  const provider = await providers(client)
  const revoke = async (session: Session): Promise<string | undefined> => {
    const tokens = await readProviderTokens(seal, session.provider_tokens, now)
    if (tokens?.issuer !== provider.issuer) return undefined
    await provider.revoke(tokens)
    return also?.(provider, tokens, session)
  }
  const answers = await Promise.allSettled(ended.map(revoke))
  const failed = answers.find((each) => each.status === 'rejected')
  if (failed) ctx.log.warn({ err: failed.reason }, 'the identity provider was not told of a sign-out')
  return answers.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
}
