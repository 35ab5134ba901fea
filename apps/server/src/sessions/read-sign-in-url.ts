import { randomBytes } from 'node:crypto'
import type { Locale } from '@custodia/contract'
import * as z from 'zod/mini'
import { Problem } from '../http/problem.ts'
import type { Context } from '../http/context.ts'
import { pageLocale } from '../ports/identity/page-texts.ts'
import { ProviderUnavailable } from '../ports/identity/port.ts'
import { returnAddress } from '../ports/identity/return-address.ts'
import { readCookies } from './cookies.ts'
import { SEALED, type SessionServices } from './session-services.ts'
import { findClient } from '../clients/store.ts'

/** Seconds within which a sign-in must be completed. */
const SIGN_IN_SECONDS = 600

/** A pending sign-in, sealed in a cookie, so that only the browser that began it can complete it. */
export const PendingSignIn = z.object({
  client: z.string(),
  issuer: z.string(),
  redirect_uri: z.string(),
  state: z.string(),
  nonce: z.string(),
  code_verifier: z.string(),
})
export type PendingSignIn = z.output<typeof PendingSignIn>

const secret = (): string => randomBytes(32).toString('base64url')

/** Begins a sign-in to `client`; sets the cookie that completes it. Problems: not_found, account_suspended, unavailable. */
export async function readSignInUrl(
  services: SessionServices,
  context: Context,
  reference: string,
  { local_port, login_hint }: { local_port?: number | undefined; login_hint?: string | undefined },
): Promise<{ url: string }> {
  const { ctx, cookies, seal } = services
  const client = await findClient(ctx.db, reference)
  if (!client) throw new Problem('not_found', { detail: 'no such client' })
  if (client.suspended_at !== null) throw new Problem('account_suspended')
  const provider = await services.providers(client)
  const pending: PendingSignIn = {
    client: client.client,
    issuer: provider.issuer,
    redirect_uri: returnAddress(ctx.config.publicUrl, local_port),
    state: secret(),
    nonce: secret(),
    code_verifier: secret(),
  }
  const url = await provider
    .signInUrl({ ...pending, locale: localeOf(context), login_hint })
    .catch((error: unknown) => unavailable(services, error))
  const sealed = await seal.seal(SEALED.sign_in, pending, context.now + SIGN_IN_SECONDS)
  void context.reply.header(
    'set-cookie',
    cookies.setSignIn(pending.state, client.client, sealed, SIGN_IN_SECONDS),
  )
  return { url }
}

/** The language from the portal's cookie, else from the browser's headers. */
function localeOf({ request }: Context): Locale {
  return pageLocale(readCookies(request.headers.cookie).get('locale'), request.headers['accept-language'])
}

/** The problem for an unreachable provider; the log has the reason. Rethrows other errors. */
export function unavailable(services: SessionServices, error: unknown): never {
  if (!(error instanceof ProviderUnavailable)) throw error
  services.ctx.log.warn({ err: error }, 'the identity provider is unavailable')
  throw new Problem('unavailable', { detail: error.message })
}
