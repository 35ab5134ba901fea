import assert from 'node:assert/strict'
import { ApiProblem, type Client, makeClient } from '@custodia/client'
import { openSession } from './session.ts'
import { testServer } from './server.ts'
import { type AlertEvent, raiseAlert } from '../alerts/raise.ts'

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
        alert_targets: ['client'],
        alert_key_type: 'Scoped',
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
    /** Id of a client. */
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
