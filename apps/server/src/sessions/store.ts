import type { GivenRole } from '@custodia/contract'
import type { PortalUser } from '../http/context.ts'
import { Batcher } from '../ports/database/batcher.ts'
import type { GlobalTx, Queryable, Tx } from '../ports/database/lease.ts'
import type { Database } from '../ports/database/pool.ts'

/** What a person is in a client, as the session keeps it. */
export interface Membership {
  user_reference: string
  roles: string[]
  user_group: string | null
  /** Groups to which the person is confined; null: not confined. */
  groups: string[] | null
  /** The address that the provider verified. */
  email: string | null
  /** What the provider calls the person. */
  display_name: string | null
  /** Why they have each of their roles. */
  role_sources: GivenRole[]
  /** End of temporary access, and of the session; null: none. */
  ends_at: number | null
}

/** By what a person is known: the subject of an identity provider. */
export interface PersonIdentity {
  issuer: string
  subject: string
}

/** A person as an identity provider identifies them. */
export interface ProviderPerson extends PersonIdentity {
  /** What the provider calls them. */
  name: string
}

/** The reference of a person who has signed in before, or undefined. */
export function findReference(
  q: Queryable,
  { issuer, subject }: Pick<ProviderPerson, 'issuer' | 'subject'>,
): Promise<string | undefined> {
  return q.value<string>(
    'select user_reference from portal_people where client_id = $1 and issuer = $2 and subject = $3',
    [q.client_id, issuer, subject],
  )
}

/**
 * The permanent reference of a person: the provider's name for them. If another issuer or subject has that reference,
 * a number is appended, because records identify people by reference.
 */
export async function ensureReference(
  db: Database,
  client_id: number,
  { issuer, subject, name }: ProviderPerson,
  now: number,
): Promise<string> {
  const find = (q: Queryable) => findReference(q, { issuer, subject })
  const known = await db.read(client_id, find)
  if (known !== undefined) return known
  for (let number = 1; ; number++) {
    const user_reference = number === 1 ? name : `${name} (${number})`
    const found = await db.write(client_id, async (tx) => {
      await tx.query(
        `insert into portal_people (client_id, user_reference, issuer, subject, created_at) values ($1, $2, $3, $4, $5)
         on conflict do nothing`,
        [client_id, user_reference, issuer, subject, now],
      )
      return find(tx)
    })
    if (found !== undefined) return found
  }
}

/** The identity of a person of the tenant; undefined for a reference that no person has. */
export function findIdentity(q: Queryable, user_reference: string): Promise<PersonIdentity | undefined> {
  return q.row<PersonIdentity>(
    'select issuer, subject from portal_people where client_id = $1 and user_reference = $2',
    [q.client_id, user_reference],
  )
}

/** A session that is about to be refreshed. */
export interface StoredSession {
  session_id: string
  client_id: number
  client: string
  user_reference: string
  provider_tokens: string | null
  checked_at: number
  expires_at: number
}

/** What every request must know of its session, in one row. */
export interface LiveSession extends Omit<Membership, 'email' | 'display_name' | 'role_sources' | 'ends_at'> {
  /** The provider through which the person signed in, as people are known by it; null: not known. */
  issuer: string | null
  client: string
  client_name: string
  is_provider: boolean
  access_epoch: number
  expires_at: number
  ended_at: number | null
  terms_accepted_at: number | null
  /** Since when the client is suspended; null: it is not. */
  suspended_at: number | null
  /** Legal matters to whose recordings the person is limited; null: not limited. */
  matters: string[] | null
}

/** Writes a new session, checked at the provider this very moment. */
export async function insertSession(
  tx: GlobalTx,
  session: Membership & {
    session_id: string
    client_id: number
    refresh_hash: Buffer
    provider_tokens: string
    /** The provider through which the person signs in, as people are known by it. */
    issuer: string
    expires_at: number
    /** From where the person signs in. */
    ip: string
  },
  now: number,
): Promise<void> {
  await tx.query(
    `insert into portal_sessions (session_id, client_id, user_reference, roles, user_group, groups, refresh_hash,
       provider_tokens, expires_at, rotated_at, checked_at, created_at, email, ip, issuer, display_name, role_sources)
     values ($1, $2, $3, $4, $5, $6, $7, $8, least($9, $16::bigint), $10, $10, $10, $11, $12, $13, $14, $15)`,
    [
      session.session_id,
      session.client_id,
      session.user_reference,
      session.roles,
      session.user_group,
      session.groups,
      session.refresh_hash,
      session.provider_tokens,
      session.expires_at,
      now,
      session.email,
      session.ip,
      session.issuer,
      session.display_name,
      JSON.stringify(session.role_sources),
      session.ends_at,
    ],
  )
}

/** The session of a refresh handle that has neither ended nor expired. */
export function findByHandle(
  db: Database,
  refresh_hash: Buffer,
  now: number,
): Promise<StoredSession | undefined> {
  return db.global((q) =>
    q.row<StoredSession>(
      `select s.session_id, s.client_id, c.client, s.user_reference, s.provider_tokens, s.checked_at, s.expires_at
       from portal_sessions s join clients c using (client_id)
       where s.refresh_hash = $1 and s.ended_at is null and s.expires_at > $2`,
      [refresh_hash, now],
    ),
  )
}

/** The sealed provider tokens of a session; null: none. */
export async function findProviderTokens(db: Database, session_id: string): Promise<string | null> {
  const { rows } = await db.global((q) =>
    q.query<Pick<StoredSession, 'provider_tokens'>>(
      'select provider_tokens from portal_sessions where session_id = $1',
      [session_id],
    ),
  )
  return rows[0]?.provider_tokens ?? null
}

const LIVE_SESSIONS = `
  select s.session_id, c.client, c.client_name, c.is_provider, c.access_epoch, c.suspended_at, s.user_reference, s.roles, s.user_group, s.groups, s.issuer,
    s.expires_at, s.ended_at, t.accepted_at as terms_accepted_at, a.matters
  from portal_sessions s join clients c using (client_id)
  left join role_assignments a on a.client_id = s.client_id and a.user_reference = s.user_reference
  left join terms_acceptances t
    on t.client_id = s.client_id and t.user_reference = s.user_reference and t.version = $3
  where s.session_id = any($1) and s.client_id = $2`

/** Most sessions that one statement reads. */
const MAX_SESSIONS = 64

/**
 * Reads sessions of tokens, ended or not, with their client's epoch and their person's acceptance of these terms. Requests
 * that wait at the same time share a statement.
 */
export const liveSessions = (db: Database, terms_version: string): Batcher<string, LiveSession | undefined> =>
  new Batcher<string, LiveSession | undefined>({
    most: MAX_SESSIONS,
    async run(client_id, session_ids) {
      const { rows } = await db.read(client_id, (q) =>
        q.query<LiveSession & { session_id: string }>(LIVE_SESSIONS, [
          [...new Set(session_ids)],
          client_id,
          terms_version,
        ]),
      )
      const found = new Map(rows.map((row) => [row.session_id, row]))
      return session_ids.map((session_id) => found.get(session_id))
    },
  })

/** Locks the session for a rotation; undefined when it has ended or expired meanwhile. */
export function lockRotation(
  tx: GlobalTx,
  session_id: string,
  now: number,
): Promise<{ rotation: number; rotated_at: number } | undefined> {
  return tx.row<{ rotation: number; rotated_at: number }>(
    `select rotation, rotated_at from portal_sessions
     where session_id = $1 and ended_at is null and expires_at > $2 for update`,
    [session_id, now],
  )
}

export async function writeRotation(
  tx: GlobalTx,
  session_id: string,
  rotation: number,
  now: number,
): Promise<void> {
  await tx.query('update portal_sessions set rotation = $2, rotated_at = $3 where session_id = $1', [
    session_id,
    rotation,
    now,
  ])
}

/** Claims the check that is due since `checked_at`; false if another process has it. */
export async function claimCheck(
  db: Database,
  session_id: string,
  checked_at: number,
  now: number,
): Promise<boolean> {
  const { rowCount } = await db.globalWrite((tx) =>
    tx.query('update portal_sessions set checked_at = $3 where session_id = $1 and checked_at = $2', [
      session_id,
      checked_at,
      now,
    ]),
  )
  return rowCount === 1
}

/** Stores the provider's latest claims about the person. */
export async function renewSession(
  tx: Tx,
  session_id: string,
  membership: Membership,
  provider_tokens: string,
): Promise<void> {
  await tx.query(
    `update portal_sessions set roles = $2, user_group = $3, groups = $4, provider_tokens = $5, email = $6,
       display_name = $7, role_sources = $8, expires_at = least(expires_at, $9::bigint)
     where session_id = $1`,
    [
      session_id,
      membership.roles,
      membership.user_group,
      membership.groups,
      provider_tokens,
      membership.email,
      membership.display_name,
      JSON.stringify(membership.role_sources),
      membership.ends_at,
    ],
  )
}

/** When the person was last here before this session began; null: never, as far as it is remembered. */
export async function readLastVisit(
  q: Queryable,
  { client_id, user_reference, session_id }: Pick<PortalUser, 'client_id' | 'user_reference' | 'session_id'>,
): Promise<number | null> {
  return (
    (await q.value<number | null>(
      `select max(least(coalesce(o.ended_at, o.rotated_at), s.created_at)) as last_visit_at
     from portal_sessions s join portal_sessions o on o.client_id = s.client_id and o.user_reference = s.user_reference
     where s.session_id = $3 and s.client_id = $1 and s.user_reference = $2 and o.session_id < s.session_id`,
      [client_id, user_reference, session_id],
    )) ?? null
  )
}

/** The claims of a person's last sign-in, and of later checks at the provider. */
export interface LastSignIn {
  created_at: number
  roles: string[]
  groups: string[] | null
  email: string | null
  /** Legal matters to whose recordings the person is limited; null: not limited. */
  matters: string[] | null
  /** From where; empty: that was not kept, and is in no network. */
  ip: string
}

/** The last sign-in of a person, without roles after temporary access; undefined: none that is remembered. */
export function findLastSignIn(
  q: Queryable,
  user_reference: string,
  now: number,
): Promise<LastSignIn | undefined> {
  return q.row<LastSignIn>(
    `select s.created_at, case when a.ends_at <= $3 then '{}' else s.roles end as roles, s.groups, s.email, a.matters,
       coalesce(s.ip, '') as ip
     from portal_sessions s left join role_assignments a using (client_id, user_reference)
     where s.client_id = $1 and s.user_reference = $2 order by s.created_at desc, s.session_id desc limit 1`,
    [q.client_id, user_reference, now],
  )
}

interface EndedSession {
  session_id: string
  provider_tokens: string | null
}

/** Ends one session. Its tokens stop with the next request. */
export function endSession(
  tx: GlobalTx,
  session_id: string,
  reason: EndReason,
  now: number,
): Promise<EndedSession[]> {
  return tx.rows<EndedSession>(
    `update portal_sessions set ended_at = $2, end_reason = $3 where session_id = $1 and ended_at is null
     returning session_id, provider_tokens`,
    [session_id, now, reason],
  )
}

/** Ends all sessions of a person. */
export function endSessionsOf(tx: Tx, user_reference: string, now: number): Promise<EndedSession[]> {
  return tx.rows<EndedSession>(
    `update portal_sessions set ended_at = $3, end_reason = 'signed_out_everywhere'
     where client_id = $1 and user_reference = $2 and ended_at is null returning session_id, provider_tokens`,
    [tx.client_id, user_reference, now],
  )
}

/** Ends all sessions of the tenant's client. */
export async function endSessionsOfClient(tx: Tx, reason: 'client_suspended', now: number): Promise<void> {
  await tx.query(
    'update portal_sessions set ended_at = $2, end_reason = $3 where client_id = $1 and ended_at is null',
    [tx.client_id, now, reason],
  )
}

export type EndReason = 'signed_out' | 'cookie_reused' | 'provider_refused'

/** Seconds for which a provider's tokens are kept after their session. */
const VERIFIED = 30 * 86_400

/** Deletes provider tokens of sessions that ended long ago. Retention decides about the sessions themselves. */
export async function forgetProviderTokens(db: Database, now: number): Promise<void> {
  await db.globalWrite((tx) =>
    tx.query(
      'update portal_sessions set provider_tokens = null where expires_at < $1 and provider_tokens is not null',
      [now - VERIFIED],
    ),
  )
}

/** Notes that a person accepted a version of the terms; the first time counts. */
export async function insertAcceptance(
  tx: Tx,
  user_reference: string,
  version: string,
  now: number,
): Promise<void> {
  await tx.query('insert into terms_acceptances values ($1, $2, $3, $4) on conflict do nothing', [
    tx.client_id,
    user_reference,
    version,
    now,
  ])
}
