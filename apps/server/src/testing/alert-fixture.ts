import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { ApiProblem, type Client, makeClient } from '@custodia/client'
import { TERMS_VERSION } from '@custodia/contract'
import { type AlertEvent, raiseAlert } from '../alerts/raise.ts'
import type { AppContext } from '../app-context.ts'
import { getIssuer } from '../identity-providers/store.ts'
import { signingKey } from '../ports/identity/signing-keys.ts'
import { idTokens } from '../sessions/tokens.ts'
import { testServer } from './server.ts'

/** A person whose session is made without the identity provider. */
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
  /** The address that the provider verified, and the network address of the sign-in. */
  email?: string
  ip?: string
  /** When the token was issued, in epoch seconds; absent: now. */
  issued_at?: number
}

const SESSION_SECONDS = 36_000
const getSession = ({ client, user_reference }: SessionOwner): string => `test ${client} ${user_reference}`

/** Opens a session of a person who has accepted the terms, and resolves to its id token. */
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
  const { session_id = getSession(who) } = who
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
      getIssuer(ctx, { oidc_issuer }),
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
  const { client, user_reference, session_id = getSession(who) } = who
  const tokens = idTokens(await signingKey(ctx.db, ctx.keys, 'portal', now), ctx.config.publicUrl)
  return tokens.issue({ user_reference, client, client_id, session_id }, who.issued_at ?? now)
}

const NOTHING = { ops_read: false, ops_write: false, sec_read: false, sec_write: false }

export type AlertQuery = NonNullable<Parameters<Client['listAlerts']>[0]['query']>
export type NamedClient = Client & { name: string }

/** A server with people of chosen roles, and alerts on demand. */
export async function alertFixture(env: Record<string, string> = {}) {
  await using made = new AsyncDisposableStack()
  const server = await testServer(env)
  made.defer(() => server.close())
  const client = (name: string) => ids.get(name) ?? 0
  async function role(
    role_reference: string,
    actions: string[],
    alert_permissions: object,
    names?: string[],
  ) {
    const conditions = names && [{ names_matching: names }]
    const document = {
      role_reference,
      permissions: [{ actions_matching: [...actions, 'profile:*'], ...(conditions ? { conditions } : {}) }],
      payload_types: [],
      cidr_ranges: [],
      alert_permissions,
      is_alertable: false,
      is_system: false,
    }
    await server.sql('insert into roles values ($1, $2, $3, 1, $4)', [
      client('acme'),
      role_reference,
      document,
      'test',
    ])
    await server.sql('update clients set access_epoch = access_epoch + 1 where client = $1', ['acme'])
  }
  let people = 0
  async function person(role_name: string, of = 'acme', groups?: string[]): Promise<NamedClient> {
    const user_reference = `user ${people++}`
    const roles = [role_name]
    const token = await openSession(server.ctx, {
      client: of,
      user_reference,
      roles,
      email: `${user_reference.replace(' ', '.')}@${of}.example`,
      ...(groups ? { groups } : {}),
    })
    const api = makeClient({ baseUrl: server.url, client: () => of, credentials: async () => ({ token }) })
    return Object.assign(api, { name: user_reference })
  }
  /** Raises an alert; its reference, the provider's when it is for both. */
  async function raise(alert_key: string, change: Partial<AlertEvent> = {}, of = 'acme'): Promise<string> {
    await server.ctx.db.write(client(of), (tx) =>
      raiseAlert(tx, {
        alert_scopes: ['sec'],
        alert_type: 'PayloadAlert',
        alert_key,
        text: 'notification',
        values: { message: `about ${alert_key}` },
        alert_severity: 'Medium',
        now: server.ctx.now(),
        ...change,
      }),
    )
    const [row] = await server.sql<{ alert_reference: string }>(
      'select alert_reference from alerts where alert_key = $1 and client_id = $2 order by alert_target',
      [alert_key, client(of)],
    )
    return row?.alert_reference ?? ''
  }
  const keys = async (api: Client, query: AlertQuery = {}) => {
    const answer = await api.listAlerts({ query })
    assert.ok('data' in answer)
    return answer.data.map(({ alert_key }) => alert_key)
  }

  const ids = new Map<string, number>()
  const groups = new Map<string, number>()
  for (const row of await server.sql<{ client: string; client_id: number }>(
    'select client, client_id from clients',
  ))
    ids.set(row.client, row.client_id)
  for (const row of await server.sql<{ group_reference: string; group_id: number }>(
    `select group_reference, group_id from groups join clients using (client_id) where client = 'acme'`,
  ))
    groups.set(row.group_reference, row.group_id)
  await role('North sec', ['alerts:*', 'alerts.*'], { ...NOTHING, sec_read: true }, ['North'])
  await role('Ops clerk', ['alerts:*', 'alerts.*'], { ...NOTHING, ops_read: true, ops_write: true })
  await role('Blind', ['alerts:*', 'alerts.*'], NOTHING)
  const all = made.move()
  return {
    server,
    owner: server.sql,
    person,
    role,
    raise,
    keys,
    client,
    /** Id of a group of acme. */
    group: (name: string): number => groups.get(name) ?? 0,
    close: () => all.disposeAsync(),
  }
}
export type AlertFixture = Awaited<ReturnType<typeof alertFixture>>

/** Whether a call was refused with this problem. */
export const code = (expected: string) => (error: unknown) =>
  error instanceof ApiProblem && error.code === expected
/** What became of each reference. */
export const only = async (alerts: Promise<{ alerts: { status: string }[] }>) =>
  (await alerts).alerts.map(({ status }) => status)
