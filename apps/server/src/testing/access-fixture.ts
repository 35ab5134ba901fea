import assert from 'node:assert/strict'
import { cp, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ApiProblem } from '@custodia/client'
import {
  isProposed,
  type MigrationRun,
  type Page,
  type Permission,
  type ProposalAnswer,
  type RoleInput,
  type Total,
  type TransferConfigInput,
} from '@custodia/contract'
import { ulid } from 'ulid'
import type { AppContext } from '../app-context.ts'
import { carryOutMigration } from '../migrations/engine.ts'
import { dropFolder } from '../migrations/folder.ts'
import { startRun } from '../migrations/start.ts'
import { findRun, listResults } from '../migrations/store.ts'
import { DEMO_CAST } from '../ports/identity/people.ts'
import { cookieHalves, cookiesFor } from '../sessions/cookies.ts'
import { openSession, type SessionOwner } from './alert-fixture.ts'
import { Browser, type Person, personAt } from './browser.ts'
import { ingestFixture } from './ingest-fixture.ts'
import { demoPhone } from './phones.ts'
import { type ServerParts, testServer, type TestServer } from './server.ts'
import { storePayload } from './stored-payload.ts'
import type { Sql } from './test-context.ts'

export { type Person, signIn } from './browser.ts'

/**
 * A demo person with a session opened without pages, at a twentieth of the work of `signIn`. `status` replaces the
 * provider's answer about them.
 */
export async function openPerson(
  { ctx, url }: Pick<TestServer, 'ctx' | 'url'>,
  client: string,
  user_reference: string,
  status: Partial<Pick<SessionOwner, 'roles' | 'groups'>> = {},
): Promise<Person> {
  const known = DEMO_CAST.find((each) => each.client === client && each.user_reference === user_reference)
  if (!known) throw new Error(`the demo has no ${user_reference} of ${client}`)
  const session_id = ulid()
  const id_token = await openSession(ctx, { ...known, ...status, session_id })
  const browser = new Browser(url)
  const halves = cookieHalves(await ctx.keys.namedSecret('session-cookies'))
  browser.cookies.set(cookiesFor(ctx.config.publicUrl).sessionName(session_id), {
    value: halves.of(session_id, 0),
    host: new URL(url).hostname,
    path: '/',
    attributes: '',
  })
  return personAt(browser, url, client, id_token)
}

/** Calls of roles, as a person makes them. */
export const save = (
  person: Person,
  role_reference: string,
  body: RoleInput,
  query: { confirm_lockout?: boolean } = {},
  how: { if_match?: string; if_none_match?: boolean } = {},
) => person.api.saveRole({ params: { role_reference }, query, body }, how)
export const review = (person: Person, role_reference: string, body: RoleInput) =>
  person.api.reviewRole({ params: { role_reference }, body })
export const read = (person: Person, role_reference: string) =>
  person.api.readRole({ params: { role_reference } })
export const remove = (person: Person, role_reference: string, how: { if_match?: string } = {}) =>
  person.api.deleteRole({ params: { role_reference } }, how)

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

/** Body of a transfer config for messages by SFTP. */
export const transferInput = (
  params: Partial<Extract<TransferConfigInput['params'], { target_type: 'SFTP' }>> = {},
  more: Partial<TransferConfigInput> = {},
): TransferConfigInput => ({
  transfer_type: 'Payload',
  payload_types: ['SMS'],
  schedule: null,
  pgp_key: null,
  transfer_file_format: 'Uncompressed',
  params: {
    target_type: 'SFTP',
    server: '127.0.0.1',
    port: 22,
    username: 'archive',
    root_directory: '/in',
    host_key: null,
    ...params,
  },
  is_active: true,
  ...more,
})

/** One permission that allows these actions. */
export const allow = (...actions_matching: string[]): Permission => ({ actions_matching })

/** The rows of a page. */
export async function getRows<Row>(answer: Promise<Page<Row> | Total>): Promise<Row[]> {
  const page = await answer
  assert.ok('data' in page)
  return page.data
}

/** The rows of all pages of a list, in order. */
export async function everyRow<Row>(
  ask: (paging: { last_key?: string }) => Promise<Page<Row> | Total>,
): Promise<Row[]> {
  const rows: Row[] = []
  for (let paging: { last_key?: string } = {}; ;) {
    const page = await ask(paging)
    assert.ok('data' in page)
    rows.push(...page.data)
    if (!page.last_key) return rows
    paging = { last_key: page.last_key }
  }
}

/** The problem with which a call was refused; fails when it was not. */
export async function getProblem(call: Promise<unknown>): Promise<ApiProblem> {
  const error = await call.then(
    () => assert.fail('the call was not refused'),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof ApiProblem, String(error))
  return error
}

/** Checks that a call was refused with this problem, at this path: `assert.rejects(call, problem('not_found'))`. */
export const problem =
  (code: string, path?: string) =>
  (error: unknown): true => {
    assert.ok(error instanceof ApiProblem, String(error))
    assert.equal(error.code, code)
    if (path !== undefined) assert.equal(error.faults[0]?.path, path)
    return true
  }

/** Code of the problem with which a call was refused. */
export const getCode = async (call: Promise<unknown>): Promise<string | undefined> =>
  (await getProblem(call)).code

/** The result of a call that acted at once; fails if it was proposed instead. */
export async function assertDone<T>(call: Promise<T>): Promise<Exclude<T, ProposalAnswer>> {
  const answer = await call
  if (isProposed(answer)) throw new Error('it was proposed, not done')
  return answer as Exclude<T, ProposalAnswer>
}

/** The files that docs/migration.md shows. */
export const EXAMPLE = fileURLToPath(new URL('../../../../docs/migration-example', import.meta.url))

/** An account that moves from its legacy platform, with a drop folder. */
export async function migrationFixture(parts: Partial<Pick<AppContext, 'scanner'>> = {}) {
  const fixture = await ingestFixture(parts)
  const account = { client: 'acme', client_id: fixture.accounts.acme.client_id }
  const folder = dropFolder(fixture.ctx.config.dataDir, account.client)
  /** Runs are carried out by the tests themselves, everything else as in the fixture below. */
  const jobs: AppContext['jobs'] = {
    ...fixture.ctx.jobs,
    send: async (tx, kind, ...inputs) => {
      if (!kind.name.startsWith('migrations.')) await fixture.ctx.jobs.send(tx, kind, ...inputs)
    },
  }
  const ctx = { ...fixture.ctx, jobs }
  return {
    fixture,
    ctx,
    account,
    folder,
    sql: fixture.sql,
    close: () => fixture.close(),
    async drop(files: Readonly<Record<string, string | Buffer>>): Promise<void> {
      for (const [name, content] of Object.entries(files)) {
        await mkdir(dirname(join(folder, name)), { recursive: true })
        await writeFile(join(folder, name), content)
      }
    },
    dropExample: () => cp(EXAMPLE, folder, { recursive: true }),
    start: (options: { is_dry_run?: boolean; retry_of?: string } = {}): Promise<string> =>
      ctx.db.write(account.client_id, (tx) =>
        startRun(ctx, tx, account.client, { now: ctx.now(), by: 'alice', is_dry_run: false, ...options }),
      ),
    carryOut: (migration_reference: string, signal = new AbortController().signal) =>
      carryOutMigration(ctx, { ...account, migration_reference }, signal),
    async run(options: { is_dry_run?: boolean; retry_of?: string } = {}): Promise<MigrationRun> {
      const reference = await this.start(options)
      await this.carryOut(reference)
      return this.read(reference)
    },
    async read(reference: string): Promise<MigrationRun> {
      const run = await ctx.db.read(account.client_id, (q) => findRun(q, reference))
      if (!run) throw new Error('no such run')
      return run
    },
    results: (migration_reference: string) =>
      ctx.db.read(account.client_id, (q) => listResults(q, { migration_reference }, 0, 1_000_000)),
  }
}

/** Everything of recordings, and one's own profile. */
export const PLAYS = [allow('payloads:*', 'profile:read')]

/** The demo's server with a recording of these bytes, and carol, whose role `Player` lets her play it. */
export async function playerFixture(bytes: Buffer) {
  const fixture = await accessFixture()
  await using made = new AsyncDisposableStack()
  made.defer(fixture.close)
  const payload_reference = await storePayload(fixture.server.ctx, { client: 'acme', group: 'North', bytes })
  await fixture.giveRole('Player', PLAYS)
  const carol = await fixture.personWith(['Player'])
  made.move()
  return {
    ...fixture,
    payload_reference,
    carol,
    /** Gets an address that plays the recording. */
    async getAddress({ api }: Pick<Person, 'api'>): Promise<string> {
      const answer = await api.readPayloadData({ params: { payload_reference }, query: { action: 'play' } })
      assert.equal(answer.status, 'Ok')
      return new URL(answer.s3_url ?? '').pathname
    },
  }
}

/** Phones of Harriet in North and of João in South, and for each group a role `<group> desk` with these actions. */
export async function reportsFixture(actions_matching: string[]) {
  const fixture = await accessFixture()
  const { ctx, url } = fixture.server
  const open = (name: string, more: object = {}) => demoPhone(ctx.config.dataDir, url, name, more)
  const [harriet, joao] = [await open('Harriet'), await open('João')]
  const { device_reference: reference } = await harriet.authenticate()
  const { device_reference: ofJoao } = await joao.authenticate()
  for (const group of ['North', 'South'])
    await fixture.giveRole(`${group} desk`, [{ actions_matching, conditions: [{ names_matching: [group] }] }])
  return { ...fixture, open, harriet, joao, reference, ofJoao, now: ctx.now() }
}
export type ReportsFixture = Awaited<ReturnType<typeof reportsFixture>>
