import { PROVIDER_CLIENT, TERMS_VERSION } from '@custodia/contract'
import type { Api, HandlerInput } from '@custodia/contract'
import type { Context, Handlers } from '../http/context.ts'
import { Problem } from '../http/problem.ts'
import { assertPerson } from '../http/assert-person.ts'
import { listDemoCast } from '../ports/identity/people.ts'
import { acceptTerms, readProfile } from './profile.ts'
import { noteExport } from './note-export.ts'
import { readSignInUrl } from './read-sign-in-url.ts'
import { type ExchangeAnswer, redeemCode } from './redeem-code.ts'
import { refresh } from './refresh.ts'
import type { SessionServices } from './session-services.ts'
import { signOut } from './sign-out.ts'

type SessionRow =
  | 'listDemoPeople'
  | 'readSignInUrl'
  | 'exchange'
  | 'internalExchange'
  | 'readProfile'
  | 'acceptTerms'
  | 'noteExport'
  | 'signOut'

/** Handlers of signing in and out and of the caller's own profile. */
export function sessionRoutes(sessions: SessionServices): Handlers<SessionRow> {
  return {
    readSignInUrl: (context, { params, query }) => readSignInUrl(sessions, context, params.client, query),
    listDemoPeople: async () => ({
      terms_version: TERMS_VERSION,
      data: sessions.ctx.config.demo ? await listDemoCast(sessions.ctx.db) : [],
    }),

    exchange: (context, { params, query }) => exchange(sessions, context, params.client, query),
    internalExchange: (context, { query }) => exchange(sessions, context, PROVIDER_CLIENT, query),

    readProfile: (context) => readProfile(sessions, context),
    acceptTerms: (context, { body }) => acceptTerms(sessions, context, body.version),
    noteExport: noteExport(sessions.access),
    signOut: async (context, { query }) => {
      assertPerson(context.caller)
      return signOut(sessions, context, query.everywhere === 'true')
    },
  }
}

async function exchange(
  sessions: SessionServices,
  context: Context,
  client: string,
  { code, state, redirect_uri, refresh_token }: HandlerInput<Api['exchange']>['query'],
): Promise<ExchangeAnswer> {
  if (refresh_token !== undefined) return refresh(sessions, context, client, refresh_token)
  if (code === undefined) throw new Problem('sign_in_refused', { detail: 'neither code nor refresh_token' })
  return redeemCode(sessions, context, { client, code, state, redirect_uri })
}
