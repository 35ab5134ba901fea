import assert from 'node:assert/strict'
import { ApiProblem } from '@custodia/client'
import { isProposed, type Permission, type Proposed, type RoleInput } from '@custodia/contract'
import { openPerson, type Person } from './person.ts'
import { type ServerParts, testServer, type TestServer } from './server.ts'
import type { Sql } from './test-context.ts'

export interface AccessFixture {
  server: TestServer
  alice: Person
  gina: Person
  /** A session of carol of acme with other roles and, if given, confined to groups. */
  personWith(roles: readonly string[], groups?: readonly string[] | null): Promise<Person>
  /** Stores a role of acme without rights checks. */
  giveRole(
    role_reference: string,
    permissions: readonly Permission[],
    more?: Partial<RoleInput>,
  ): Promise<void>
  sql: Sql
  /** Messages of the unread security alerts of acme. */
  newAlerts(): Promise<string[]>
  close(): Promise<void>
}

/** The demo's server, with people whose rights the test chooses. `env` adds settings. */
export async function accessFixture(
  env: Record<string, string> = {},
  parts: ServerParts = {},
): Promise<AccessFixture> {
  await using made = new AsyncDisposableStack()
  const server = await testServer(env, parts)
  made.defer(() => server.close())
  const alice = await openPerson(server, 'acme', 'alice')
  const gina = await openPerson(server, 'globex', 'gina')
  const all = made.move()
  return {
    server,
    alice,
    gina,
    personWith: (roles, groups = null) => openPerson(server, 'acme', 'carol', { roles, groups }),
    async giveRole(role_reference, permissions, more = {}) {
      const role = { role_reference, ...roleInput(permissions, more), is_system: false }
      await server.sql(
        `insert into roles select client_id, $1, $2, 0, 'test' from clients where client = 'acme'
         on conflict (client_id, role_reference) do update set document = excluded.document`,
        [role_reference, role],
      )
      await server.sql(`update clients set access_epoch = access_epoch + 1 where client = 'acme'`)
    },
    sql: server.sql,
    async newAlerts() {
      const rows = await server.sql<{ alert_severity: string; occurrences: { message: string }[] }>(
        `delete from alerts where alert_scope = 'sec' returning alert_severity, occurrences`,
      )
      return rows.flatMap(({ alert_severity, occurrences }) =>
        occurrences.map(({ message }) => `${alert_severity}: ${message}`),
      )
    },
    close: () => all.disposeAsync(),
  }
}

/** Body of a role; without more it has no alert permissions and no restriction. */
export const roleInput = (permissions: readonly Permission[], more: Partial<RoleInput> = {}): RoleInput => ({
  permissions: [...permissions],
  payload_types: [],
  cidr_ranges: [],
  alert_permissions: { ops_read: false, ops_write: false, sec_read: false, sec_write: false },
  is_alertable: false,
  ...more,
})

/** One permission that allows these actions. */
export const allow = (...actions_matching: string[]): Permission => ({ actions_matching })

/** The problem with which a call was refused; fails when it was not. */
export async function problemOf(call: Promise<unknown>): Promise<ApiProblem> {
  const error = await call.then(
    () => assert.fail('the call was not refused'),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof ApiProblem, String(error))
  return error
}

/** Code of the problem with which a call was refused. */
export const codeOf = async (call: Promise<unknown>): Promise<string | undefined> =>
  (await problemOf(call)).code

/** The result of a call that acted at once; fails if it was proposed instead. */
export async function doneOf<T>(call: Promise<T>): Promise<Exclude<T, Proposed>> {
  const answer = await call
  if (isProposed(answer)) throw new Error('it was proposed, not done')
  return answer as Exclude<T, Proposed>
}
