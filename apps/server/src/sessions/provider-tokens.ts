import * as z from 'zod/mini'
import type { IdentityProvider, ProviderTokens } from '../ports/identity/port.ts'
import type { Seal } from '../ports/identity/sealed.ts'
import { SEALED } from './session-services.ts'

const Kept = z.object({
  issuer: z.string(),
  refresh_token: z.optional(z.string()),
  id_token: z.optional(z.string()),
})

/** What a session keeps of its provider. Only that very provider may ever see it again. */
export interface KeptTokens extends ProviderTokens {
  issuer: string
}

/** Seals tokens of `provider` for the session's row, until `expires_at` (epoch seconds). */
export const sealProviderTokens = (
  seal: Seal,
  provider: Pick<IdentityProvider, 'issuer'>,
  tokens: ProviderTokens,
  expires_at: number,
): Promise<string> => seal.seal(SEALED.provider_tokens, { ...tokens, issuer: provider.issuer }, expires_at)

/** Opens the session's provider tokens; undefined when there are none (left). */
export async function readProviderTokens(
  seal: Seal,
  sealed: string | null,
  now: number,
): Promise<KeptTokens | undefined> {
  if (sealed === null) return undefined
  return Kept.safeParse(await seal.open(SEALED.provider_tokens, sealed, now)).data
}
