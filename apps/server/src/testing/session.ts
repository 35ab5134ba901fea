import { createHash } from 'node:crypto'
import { TERMS_VERSION } from '@custodia/contract'
import type { AppContext } from '../app-context.ts'
import { signingKey } from '../ports/identity/signing-keys.ts'
import { issuerOf } from '../identity-providers/store.ts'
import { idTokens } from '../sessions/id-tokens.ts'

/** Somebody whose session is made without the identity provider. */
export interface SessionOwner {
  client: string
  user_reference: string
  roles: readonly string[]
  /** The group that the provider says the person belongs to. */
  user_group?: string
  /** Groups to which the provider confines the person. */
  groups?: readonly string[] | null
  /** The session's id; absent: `test <client> <user>`. */
  session_id?: string
  /** The address with which the provider vouches for the person, and from where they sign in. */
  email?: string
  ip?: string
  /** When the token was issued, in epoch seconds; absent: now. */
  issued_at?: number
}

const SESSION_SECONDS = 36_000
const sessionOf = ({ client, user_reference }: SessionOwner): string => `test ${client} ${user_reference}`

/** Opens a session of somebody who has accepted the terms, and gives its id token. */
export async function openSession(ctx: AppContext, who: SessionOwner): Promise<string> {
  const { owner } = ctx.db
  const now = ctx.now()
  const { client, user_reference } = who
  const { rows } = await owner.query<{ client_id: number; oidc_issuer: string | null }>(
    'select client_id, oidc_issuer from clients where client = $1',
    [client],
  )
  const { client_id, oidc_issuer = null } = rows[0] ?? {}
  if (client_id === undefined) throw new Error(`no client ${client}`)
  const { session_id = sessionOf(who) } = who
  await owner.query(
    `insert into portal_sessions (session_id, client_id, user_reference, roles, user_group, groups, refresh_hash, rotated_at,
       checked_at, created_at, expires_at, email, ip, issuer)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $8, $8, $9, $10, $11, $12)`,
    [
      session_id,
      client_id,
      user_reference,
      who.roles,
      who.user_group ?? null,
      who.groups ?? null,
      createHash('sha256').update(session_id).digest(),
      now,
      now + SESSION_SECONDS,
      who.email ?? null,
      who.ip ?? '127.0.0.1',
      issuerOf(ctx, { oidc_issuer }),
    ],
  )
  await owner.query('insert into terms_acceptances values ($1, $2, $3, $4) on conflict do nothing', [
    client_id,
    user_reference,
    TERMS_VERSION,
    now,
  ])
  return renewToken(ctx, who, client_id)
}

/** Gives a fresh id token of a session that is open. */
export async function renewToken(ctx: AppContext, who: SessionOwner, client_id: number): Promise<string> {
  const now = ctx.now()
  const { client, user_reference, session_id = sessionOf(who) } = who
  const tokens = idTokens(await signingKey(ctx.db, ctx.keys, 'portal', now), ctx.config.publicUrl)
  return tokens.issue({ user_reference, client, client_id, session_id }, who.issued_at ?? now)
}
