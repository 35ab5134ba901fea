import { SYSTEM_ROLES } from '@custodia/domain'
import type { TestIssuer } from '../../testing/issuer.ts'
import { issueToken } from '../../devices/access-token.ts'
import type { TestServer } from '../../testing/server.ts'
import { openSession } from '../../testing/session.ts'
import { APPROVALS } from './targets.test-support.ts'

/** Somebody, or something, that calls: what it sends as `Authorization`, if anything. */
export interface Principal {
  name: string
  authorization: string | undefined
}

const ALL = [{ actions_matching: ['*'] }]
/** Roles of acme that only principals hold. */
const ROLES = {
  'Matrix Other Group': {
    permissions: [
      { actions_matching: ['*'], conditions: [{ names_matching: ['Foreign'] }] },
      { actions_matching: ['profile:*'] },
    ],
  },
  'Matrix Other Type': { permissions: ALL, payload_types: ['Photo'] },
  'Matrix Other Network': { permissions: ALL, cidr_ranges: ['203.0.113.0/24'] },
} as const

/** Everybody of the matrix, signed in where they can be. */
export async function principals({ house }: TestServer, issuer: TestIssuer): Promise<Principal[]> {
  const { owner } = house.db
  const now = house.now()
  const clients = new Map(
    (
      await owner.query<{ client: string; client_id: number }>('select client, client_id from clients')
    ).rows.map((row) => [row.client, row.client_id]),
  )
  const idOf = (client: string): number => clients.get(client) ?? 0
  for (const [role_reference, rules] of Object.entries(ROLES)) {
    await owner.query(`insert into roles values ($1, $2, $3, 0, 'test')`, [
      idOf('acme'),
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
    [idOf('acme'), issuer.issuer, issuer.jwks_uri],
  )

  const session = (client: string, user_reference: string, roles: readonly string[], issued_at = now) =>
    openSession(house, { client, user_reference, roles, issued_at })
  const bearer = (token: string) => `Bearer ${token}`
  const everything = SYSTEM_ROLES.map(({ role_reference }) => role_reference)
  const staff = await session('admin', 'erin', ['Provider Support'])
  const support = (state: keyof typeof APPROVALS) => `Support ${APPROVALS[state]}:${staff}`
  const { rows } = await owner.query<{ device_id: number }>(
    `select device_id from devices where device_reference = 'matrix phone calling'`,
  )
  const device = await house.db.write(idOf('acme'), (tx) => issueToken(tx, rows[0]?.device_id ?? 0, now))
  return [
    { name: 'nobody', authorization: undefined },
    { name: 'garbage', authorization: 'Bearer garbage.of.tokens' },
    { name: 'expired', authorization: bearer(await session('acme', 'late', everything, now - 3600)) },
    { name: 'no role', authorization: bearer(await session('acme', 'none', [])) },
    { name: 'read-only', authorization: bearer(await session('acme', 'auditor', ['Auditor'])) },
    {
      name: 'other group',
      authorization: bearer(await session('acme', 'other group', ['Matrix Other Group'])),
    },
    { name: 'other type', authorization: bearer(await session('acme', 'other type', ['Matrix Other Type'])) },
    { name: 'other client', authorization: bearer(await session('globex', 'stranger', everything)) },
    { name: 'outside CIDR', authorization: bearer(await session('acme', 'far', ['Matrix Other Network'])) },
    { name: 'administrator', authorization: bearer(await session('acme', 'root', everything)) },
    { name: 'support approved', authorization: support('approved') },
    { name: 'support administrator', authorization: support('administrator') },
    { name: 'support pending', authorization: support('pending') },
    { name: 'support expired', authorization: support('expired') },
    {
      name: 'client app',
      authorization: bearer(
        await issuer.sign({
          iss: issuer.issuer,
          aud: 'custodia-matrix',
          sub: 'archive',
          iat: now,
          exp: now + 3600,
        }),
      ),
    },
    { name: 'device', authorization: bearer(device) },
    { name: 'provider', authorization: bearer(await session('admin', 'root', ['Provider Administrator'])) },
  ]
}
