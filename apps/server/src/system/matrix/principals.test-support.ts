import { SYSTEM_ROLES } from '@custodia/domain'
import { issueToken } from '../../devices/access-token.ts'
import { openSession, renewToken, type SessionOwner } from '../../testing/alert-fixture.ts'
import type { TestIssuer } from '../../testing/issuer.ts'
import type { TestServer } from '../../testing/server.ts'
import { APPROVALS } from './references.test-support.ts'

/** A calling person, app or device, with its `Authorization` header, if any. */
export interface Principal {
  name: string
  authorization(): Promise<string | undefined>
}

/** Seconds before a token is renewed: half of its life. */
const RENEWED_AFTER = 150

const ALL = [{ actions_matching: ['*'] }]
/** Roles of acme that only principals hold. */
const ROLES = {
  'Matrix Other Group': {
    permissions: [
      { actions_matching: ['*'], conditions: [{ names_matching: ['Foreign'] }] },
      { actions_matching: ['profile:*'] },
    ],
  },
  'Matrix Reader': {
    permissions: [
      { actions_matching: ['*:read', '*:list', 'profile:*'] },
      { actions_matching: ['*'], conditions: [{ names_matching: ['Foreign'] }] },
    ],
  },
  'Matrix Other Type': { permissions: ALL, payload_types: ['Photo'] },
  // Configures transfers, but may not download their payloads.
  'Matrix Transfers': {
    permissions: [{ actions_matching: ['profile:*', 'transfer_configs:*', 'transfers:*'] }],
  },
  'Matrix Other Network': { permissions: ALL, cidr_ranges: ['203.0.113.0/24'] },
} as const

/** All principals of the matrix, signed in where possible. */
export async function principals({ ctx }: TestServer, issuer: TestIssuer): Promise<Principal[]> {
  const { owner } = ctx.db
  const now = ctx.now()
  const clients = new Map(
    (
      await owner.query<{ client: string; client_id: number }>('select client, client_id from clients')
    ).rows.map((row) => [row.client, row.client_id]),
  )
  const getId = (client: string): number => clients.get(client) ?? 0
  for (const [role_reference, rules] of Object.entries(ROLES)) {
    await owner.query(`insert into roles values ($1, $2, $3, 0, 'test')`, [
      getId('acme'),
      role_reference,
      {
        role_reference,
        payload_types: [],
        cidr_ranges: [],
        alert_permissions: { ops_read: true, ops_write: true, sec_read: true, sec_write: true },
        is_alertable: false,
        is_system: false,
        ...rules,
      },
    ])
  }
  await owner.query(
    `insert into client_apps (client_id, app_reference, issuer, audience, jwks_uri, group_id, roles, updated_at, updated_by)
     values ($1, 'matrix', $2, 'custodia-matrix', $3, null, '{Receipt App}', 0, 'matrix')`,
    [getId('acme'), issuer.issuer, issuer.jwks_uri],
  )

  // This matter holds no recording.
  await owner.query(
    `insert into role_assignments (client_id, user_reference, roles, ends_at, matters) values ($1, 'limited', '[{"role": "Auditor", "assigned_at": 1, "assigned_by": "test"}]', 9000000000, '{none}')`,
    [getId('acme')],
  )

  const sending = (name: string, authorization?: string): Principal => ({
    name,
    authorization: async () => authorization,
  })
  /** The token of a session, renewed before it expires: a slow machine needs longer than a token lives. */
  const session = async (client: string, user_reference: string, roles: readonly string[]) => {
    const who: SessionOwner = { client, user_reference, roles }
    let [token, issued_at] = [await openSession(ctx, who), now]
    return async () => {
      if (ctx.now() - issued_at > RENEWED_AFTER)
        [token, issued_at] = [await renewToken(ctx, who, getId(client)), ctx.now()]
      return token
    }
  }
  const person = async (name: string, client: string, user_reference: string, roles: readonly string[]) => {
    const token = await session(client, user_reference, roles)
    return { name, authorization: async () => `Bearer ${await token()}` }
  }
  const everything = SYSTEM_ROLES.map(({ role_reference }) => role_reference)
  const staff = await session('admin', 'erin', ['Provider Support'])
  const support = (state: keyof typeof APPROVALS): Principal => ({
    name: `support ${state}`,
    authorization: async () => `Support ${APPROVALS[state]}:${await staff()}`,
  })
  const late = { client: 'acme', user_reference: 'late', roles: everything, issued_at: now - 3600 }
  const claims = { iss: issuer.issuer, aud: 'custodia-matrix', sub: 'archive', iat: now, exp: now + 36_000 }
  const { rows } = await owner.query<{ device_id: number }>(
    `select device_id from devices where device_reference = 'matrix phone calling'`,
  )
  const device = await ctx.db.write(getId('acme'), (tx) => issueToken(tx, rows[0]?.device_id ?? 0, now))
  return [
    sending('anonymous'),
    sending('garbage', 'Bearer garbage.of.tokens'),
    sending('expired', `Bearer ${await openSession(ctx, late)}`),
    await person('no role', 'acme', 'none', []),
    await person('read-only', 'acme', 'auditor', ['Auditor']),
    await person('other group', 'acme', 'other group', ['Matrix Other Group']),
    await person('acts elsewhere', 'acme', 'reader', ['Matrix Reader']),
    await person('other type', 'acme', 'other type', ['Matrix Other Type']),
    await person('other client', 'globex', 'stranger', everything),
    await person('outside CIDR', 'acme', 'far', ['Matrix Other Network']),
    await person('transfers alone', 'acme', 'transfers alone', ['Matrix Transfers']),
    await person('administrator', 'acme', 'root', everything),
    await person('legal matter', 'acme', 'limited', everything),
    support('approved'),
    support('administrator'),
    support('pending'),
    support('expired'),
    sending('client app', `Bearer ${await issuer.sign(claims)}`),
    sending('device', `Bearer ${device}`),
    await person('provider', 'admin', 'root', ['Provider Administrator']),
  ]
}
