import { decodeJwt } from 'jose'
import type { PortalContext } from '../http/context.ts'
import type { VerifiedIdentity } from '../ports/identity/port.ts'
import { readProviderTokens } from './provider-tokens.ts'
import type { SessionServices } from './session-services.ts'
import { findProviderTokens } from './store.ts'

/** Resolves to the claims of the caller's last id token from the provider; undefined if none is stored. */
export const ownClaims =
  ({ ctx, seal }: Pick<SessionServices, 'ctx' | 'seal'>) =>
  async ({
    caller,
    now,
  }: Pick<PortalContext, 'caller' | 'now'>): Promise<VerifiedIdentity['claims'] | undefined> => {
    const sealed = await findProviderTokens(ctx.db, caller.session_id)
    const tokens = await readProviderTokens(seal, sealed, now)
    // It was verified when it came.
    return tokens?.id_token === undefined ? undefined : decodeJwt(tokens.id_token)
  }
