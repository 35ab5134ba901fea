import { REVIEWED_PEOPLE } from '@custodia/contract'
import { decodeJwt } from 'jose'
import type { KnownClaims } from '../identity-providers/store.ts'
import { listLastSessions } from './people-store.ts'
import { readProviderTokens } from './provider-tokens.ts'
import type { SessionServices } from './session-services.ts'
import { findProviderTokens } from './store.ts'

/** Reads the claims that sessions keep. Each id token was verified when it came. */
export function knownClaims({ ctx, seal }: Pick<SessionServices, 'ctx' | 'seal'>): KnownClaims {
  const claimsOf = async (sealed: string | null, now: number) => {
    const tokens = await readProviderTokens(seal, sealed, now)
    return tokens?.id_token === undefined ? undefined : decodeJwt(tokens.id_token)
  }
  return {
    ofCaller: async ({ caller, now }) => claimsOf(await findProviderTokens(ctx.db, caller.session_id), now),
    async ofPeople(q) {
      const sessions = await listLastSessions(q)
      const people = sessions
        .slice(0, REVIEWED_PEOPLE)
        // As of no time: most of these sessions have ended.
        .map(async ({ provider_tokens, ...person }) => ({
          ...person,
          claims: await claimsOf(provider_tokens, 0),
        }))
      return { people: await Promise.all(people), others: Math.max(0, sessions.length - REVIEWED_PEOPLE) }
    },
  }
}
