import { decodeJwt } from 'jose'
import type { PortalContext } from '../http/context.ts'
import type { VerifiedIdentity } from '../ports/identity/port.ts'
import { readProviderTokens } from './provider-tokens.ts'
import type { SessionServices } from './session-services.ts'
import { findProviderTokens } from './store.ts'

/** Resolves to the claims with which the identity provider vouched for the caller last; undefined where no id token is kept. */
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
