import * as z from 'zod/mini'
import type { ProviderTokens } from '../ports/identity/port.ts'
import type { Seal } from '../ports/identity/sealed.ts'
import { SEALED } from './parts.ts'

const Tokens = z.object({ refresh_token: z.optional(z.string()), id_token: z.optional(z.string()) })

/** Opens what the session keeps of its provider; undefined when there is nothing (any more). */
export async function readProviderTokens(
  seal: Seal,
  sealed: string | null,
  now: number,
): Promise<ProviderTokens | undefined> {
  if (sealed === null) return undefined
  return Tokens.safeParse(await seal.open(SEALED.provider_tokens, sealed, now)).data
}
