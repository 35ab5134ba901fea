import assert from 'node:assert/strict'
import {
  type Condition,
  MATTER_ACTIONS,
  PAYLOAD_TYPES,
  type PayloadType,
  type Permission,
  SERVICES,
  getService,
} from '@custodia/contract'
import { oracleAllows, type FixtureGroup, type FixtureRole } from '@custodia/domain/oracle'
import { newId } from '../../http/new-id.ts'
import { openSession } from '../../testing/alert-fixture.ts'
import { createFixture, type Fixture } from '../../testing/list-fixture.ts'
import { seeded } from '../../testing/require-part.ts'
import { testServer, type TestServer } from '../../testing/server.ts'

const PEOPLE = 12
const PAYLOADS = 100
/** Chooses the account: in CI one in which a device of a reader who is limited to legal matters changed its group. */
export const SEED = Number(process.env.SCOPE_SEED ?? (process.env.CI ? 184_319 : Date.now() % 1_000_000))
const NO_ALERTS = { ops_read: true, ops_write: false, sec_read: false, sec_write: false }

export interface Person {
  name: string
  token: string
  roles: FixtureRole[]
  confined: string[] | undefined
  /** The device users to whose recordings legal matters limit the person; undefined: not limited. */
  held?: ReadonlySet<string> | undefined
}

/** A permission for groups of these names; none: for all. */
export const within = (action: string, ...names_matching: string[]): Permission => ({
  actions_matching: [action],
  is_denied: false,
  ...(names_matching.length > 0 ? { conditions: [{ names_matching }] } : {}),
})

/** Whether lists show a payload. */
export const isListed = ({ payload_state }: { payload_state: string }) =>
  payload_state !== 'Deleted' && payload_state !== 'Destroyed'
/** How many payloads each service has. */
export const byService = (payloads: readonly { payload_type: PayloadType }[]) =>
  Object.fromEntries(
    SERVICES.map((service) => [
      service,
      payloads.filter(({ payload_type }) => getService(payload_type) === service).length,
    ]),
  )

/** As texts, in order. */
export const sorted = (list: readonly unknown[]) => list.map(String).toSorted()

/** An account of random payloads, and people with random roles over it. */
export class RandomAccount {
  declare server: TestServer
  declare fixture: Fixture
  readonly groups: FixtureGroup[] = []
  readonly people: Person[] = []
  readonly random = seeded(SEED)

  async open(): Promise<void> {
    this.server = await testServer({ RATE_PORTAL: 'off' })
    const { db } = this.server.ctx
    this.fixture = await createFixture(db, 'random', 6)
    await this.fixture.add(PAYLOADS, this.random)
    for (const { group_id, group_reference } of this.fixture.groups) {
      const tags = this.some(['region', 'desk']).map((key) => ({ key, value: this.pick(['North', 'South']) }))
      for (const { key, value } of tags)
        await db.owner.query('insert into group_tags values ($1, $2, $3, $4)', [
          this.fixture.client_id,
          group_id,
          key,
          value,
        ])
      this.groups.push({ group_id, group_reference, tags })
      await db.owner.query(
        `insert into alerts (client_id, alert_reference, alert_scope, alert_type, alert_subject, alert_key, alert_message, alert_severity,
           first_occurrence, last_occurrence, group_id)
         values ($1, $2, 'ops', 'DeviceAlert', 'x', $2, 'x', 'Low', 1, 1, $3)`,
        [this.fixture.client_id, `01J000000000000000000000A${this.groups.length}`, group_id],
      )
      await db.owner.query(
        `insert into device_activities (log_id, client_id, device_ip, device_reference, activity_time, group_reference, group_id, action,
           is_allowed, parameters, request_id) values ($1, $2, '::1', 'phone', 1, $3, $4, 'x', true, '{}', 'x')`,
        [`log ${this.groups.length}`, this.fixture.client_id, group_reference, group_id],
      )
    }
    await addReports(db.owner, this.fixture.client_id)
    for (let i = 0; i < PEOPLE; i++) {
      const person = await this.#makePerson(`person ${i}`)
      // Each third person is limited to legal matters.
      this.people.push(i % 3 === 0 ? await this.limit(person) : person)
    }
  }

  close(): Promise<void> | undefined {
    return this.server?.close()
  }

  pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.random() * list.length)] as T
  }

  some<T>(list: readonly T[]): T[] {
    return list.filter(() => this.random() < 0.4)
  }

  async #makePerson(name: string): Promise<Person> {
    const roles = Array.from({ length: 1 + Math.floor(this.random() * 2) }, (_, i) =>
      this.#randomRole(`${name} ${i}`),
    )
    const confined =
      this.random() < 0.25 ? this.some(this.groups.map((group) => group.group_reference)) : undefined
    return this.#openFor(name, roles, confined)
  }

  async #openFor(name: string, roles: FixtureRole[], confined?: string[]): Promise<Person> {
    for (const role of roles) {
      await this.server.sql(`insert into roles values ($1, $2, $3, 0, 'test')`, [
        this.fixture.client_id,
        role.role_reference,
        { ...role, alert_permissions: NO_ALERTS, is_alertable: false, is_system: false },
      ])
    }
    await this.server.sql('update clients set access_epoch = access_epoch + 1 where client_id = $1', [
      this.fixture.client_id,
    ])
    const token = await openSession(this.server.ctx, {
      client: 'random',
      user_reference: name,
      roles: roles.map((role) => role.role_reference),
      ...(confined ? { groups: confined } : {}),
    })
    return { name, token, roles, confined }
  }

  /** The same person, limited to two legal matters that hold some device users. */
  async limit(person: Person): Promise<Person> {
    const [one, two] = [0, 1].map(() => newId())
    const { client_id } = this.fixture
    await this.server.sql(
      `insert into legal_matters (client_id, matter_id, name, opened_at, opened_by, updated_at, updated_by)
       select $1, id, id, 1, 'test', 1, 'test' from unnest($2::text[]) id`,
      [client_id, [one, two]],
    )
    await this.server.sql(
      `insert into role_assignments (client_id, user_reference, roles, ends_at, matters) values ($1, $2, '[{}]', 9000000000, $3)`,
      [client_id, person.name, [one, two]],
    )
    const held = new Set(
      this.some([
        ...new Set(this.fixture.payloads.flatMap(({ device_user_reference }) => device_user_reference ?? [])),
      ]),
    )
    await this.server.sql(
      `with h as (insert into legal_holds (client_id, target_type, target, device_user_id, is_active, created_at, updated_at, updated_by, is_own)
         select client_id, 'DeviceUser', device_user_reference, device_user_id, true, 1, 1, 'test', false from device_users
         where client_id = $1 and device_user_reference = any($2) on conflict do nothing)
       insert into legal_matter_people (client_id, matter_id, target_type, target, added_at, added_by)
         select $1, (array[$3, $4])[1 + place % 2], 'DeviceUser', target, 1, 'test' from unnest($2::text[]) with ordinality u (target, place)`,
      [client_id, [...held], one, two],
    )
    return { ...person, held }
  }

  /** A person with one role of these permissions. */
  withRights(name: string, ...permissions: Permission[]): Promise<Person> {
    return this.#openFor(name, [{ role_reference: name, permissions, payload_types: [], cidr_ranges: [] }])
  }

  #randomRole(role_reference: string): FixtureRole {
    const permissions: Permission[] = Array.from({ length: 1 + Math.floor(this.random() * 3) }, (_, i) => ({
      actions_matching: [
        this.pick(['*', 'payloads*', 'payloads:list', '*:list', '*:read', 'dashboard:read']),
      ],
      is_denied: i > 0 && this.random() < 0.3,
      ...(this.random() < 0.6
        ? { conditions: Array.from({ length: 1 + Math.floor(this.random() * 2) }, () => this.#condition()) }
        : {}),
    }))
    return {
      role_reference,
      permissions,
      payload_types: this.random() < 0.5 ? [] : this.some(PAYLOAD_TYPES),
      cidr_ranges: [],
    }
  }

  #condition(): Condition {
    const by = this.pick(['name', 'key', 'value', 'both'])
    return {
      ...(by === 'name' ? { names_matching: [this.pick(['Group "?"', 'Group "1"', '*2*', '*'])] } : {}),
      ...(by === 'key' || by === 'both' ? { keys_matching: [this.pick(['region', 'desk', '*'])] } : {}),
      ...(by === 'value' || by === 'both' ? { values_matching: [this.pick(['North', 'So*'])] } : {}),
      ...(this.random() < 0.3 ? { is_denied: true } : {}),
    }
  }

  /** What the oracle says. */
  allows(
    person: Person,
    action: string,
    place: FixtureGroup | 'nothing' | null,
    type?: PayloadType,
  ): boolean {
    const { roles, confined: group_references, held } = person
    if (held && !MATTER_ACTIONS.has(action)) return false
    const scope = { groups: this.groups, roles, account_ranges: [], ip: '127.0.0.1', group_references }
    return oracleAllows(scope, action, place, type)
  }

  /** Payloads that are not destroyed; destroyed ones accept no additions. */
  undestroyed() {
    return this.fixture.payloads.filter(({ payload_state }) => payload_state !== 'Destroyed')
  }

  /** The payloads that a person may do this with. */
  visible(person: Person, action: string) {
    const getGroup = (group_id: number) => this.groups.find((group) => group.group_id === group_id) ?? null
    return this.fixture.payloads.filter(
      ({ group_id, payload_type, device_user_reference }) =>
        (!person.held || person.held.has(device_user_reference ?? '')) &&
        this.allows(person, action, getGroup(group_id), payload_type),
    )
  }

  async get(person: Person, url: string) {
    const answer = await this.server.app.inject({ url, headers: { authorization: `Bearer ${person.token}` } })
    return {
      status: answer.statusCode,
      body: answer.json() as { data?: Record<string, unknown>[]; last_key?: string; total?: number },
    }
  }

  /** All rows of a list, page by page; undefined when the list as a whole is refused. */
  async rows(person: Person, path: string): Promise<Record<string, unknown>[] | undefined> {
    const all: Record<string, unknown>[] = []
    for (let last_key: string | undefined; ;) {
      const join = path.includes('?') ? '&' : '?'
      const page = await this.get(
        person,
        `${path}${join}${path.includes('limit=') ? '' : 'limit=40'}${last_key ? `&last_key=${encodeURIComponent(last_key)}` : ''}`,
      )
      if (page.status === 403) return undefined
      // A conversation without a message in reach does not exist.
      if (page.status === 404) return []
      assert.equal(page.status, 200, JSON.stringify(page.body))
      all.push(...(page.body.data ?? []))
      last_key = page.body.last_key
      if (last_key === undefined) return all
    }
  }

  /** What the command menu asks: how much each list has, in one call. */
  async compareTotals(
    person: Person,
    filter: Record<string, string>,
    expected: readonly { payload_type: PayloadType }[],
  ): Promise<void> {
    const query = new URLSearchParams({ client: 'random', most: '1000' })
    for (const [i, service] of SERVICES.entries())
      for (const [name, value] of Object.entries({ ...filter, service }))
        query.set(`filters[${i}][${name}]`, value)
    const { status, body } = await this.get(person, `/client/v1/api/payloads/totals?${query}`)
    assert.equal(status, 200, JSON.stringify(body))
    const { totals } = body as unknown as { totals: { total: number }[] }
    assert.deepEqual(
      Object.fromEntries(SERVICES.map((service, i) => [service, totals[i]?.total])),
      byService(expected),
      `${person.name} ${JSON.stringify(filter)}`,
    )
  }
}

/** A report of each kind for every device. */
async function addReports(owner: TestServer['ctx']['db']['owner'], client_id: number): Promise<void> {
  await owner.query(
    `insert into capture_gaps (client_id, device_user_id, group_id, service, reason, from_at)
     select client_id, device_user_id, group_id, 'calls', 'no_device', 1 from device_users where client_id = $1`,
    [client_id],
  )
  await owner.query(
    `insert into device_commands (client_id, command_reference, device_id, group_id, command, params, raised_by, sent_at)
     select client_id, '01J000000000000000000' || lpad(device_id::text, 5, '0'), device_id, group_id, 'sync_data', '{}', 'x', 1
     from devices where client_id = $1`,
    [client_id],
  )
  await owner.query(
    `insert into device_logs (client_id, device_id, log_id, log_datetime, group_id, log_class, log_level, local_timezone, log_message, received_at)
     select client_id, device_id, repeat('l', 32), 1, group_id, 'x', 'INFO', 'UTC', 'x', 1 from devices where client_id = $1`,
    [client_id],
  )
  await owner.query(
    `with key as (insert into gps_keys (client_id, device_id, day, created_at)
       select client_id, device_id, 0, 1 from devices where client_id = $1 returning *),
     point as (insert into gps_points (client_id, device_id, gps_reference, timestamp, group_id, key_id, sealed, received_at)
       select client_id, device_id, repeat('g', 26), 1, d.group_id, key_id, '', 1 from key join devices d using (client_id, device_id) returning *)
     insert into gps_latest (client_id, device_id, group_id, timestamp, row_id)
       select client_id, device_id, group_id, timestamp, row_id from point`,
    [client_id],
  )
  await owner.query(
    `with f as (insert into telemetry_facts (client_id, facts_id, month, facts)
       values ($1, 0, 0, '{"os_version":"16","model":"m","app_version":"4"}'))
     insert into telemetry (client_id, device_id, telemetry_id, telemetry_time, group_id, facts_id, has_applications, report_key_id, iv, sealed_meta,
       checksum, received_at)
     select client_id, device_id, repeat('t', 32), 1, group_id, 0, false, 0, '', '', '', 1 from devices where client_id = $1`,
    [client_id],
  )
  await owner.query(
    `insert into telemetry_latest (client_id, device_id, at, row_id, telemetry_id, telemetry_time, group_id, facts, received_at)
     select client_id, device_id, 1, row_id, telemetry_id, 1, group_id, facts, 1 from telemetry join telemetry_facts using (client_id, facts_id)
     where client_id = $1`,
    [client_id],
  )
}
