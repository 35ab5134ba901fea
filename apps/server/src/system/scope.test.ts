import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import {
  type Condition,
  type Contacts,
  type DataExport,
  type Mark,
  MARKS,
  PAYLOAD_TYPES,
  type PayloadType,
  type Permission,
  SERVICES,
  serviceOf,
  SUGGESTIONS,
} from '@custodia/contract'
import { WORD_RULES } from '@custodia/domain'
import { oracleAllows, type FixtureGroup, type FixtureRole } from '@custodia/domain/oracle'
import {
  createFixture,
  type Fixture,
  FIXTURE_NUMBERS,
  FIXTURE_PEOPLE,
  FIXTURE_START,
} from '../testing/list-fixture.ts'
import { seeded } from '../testing/require-part.ts'
import { newId } from '../http/new-id.ts'
import { sealFirst } from '../payloads/comment-body.ts'
import { insertMark } from '../payloads/marks/store.ts'
import { notePayloadAudit } from '../payloads/store.ts'
import { wordKeyContext } from '../ports/keys/contexts.ts'
import { periodOf, wordKeys } from '../payloads/word-keys.ts'
import { wantWordIndex } from '../payloads/word-store.ts'
import { beginIndex, writeWords } from '../payloads/words/index-store.ts'
import { testServer, type TestServer } from '../testing/server.ts'
import { openSession } from '../testing/alert-fixture.ts'

const PEOPLE = 24
const PAYLOADS = 150
const SEED = Number(process.env.SCOPE_SEED ?? (process.env.CI ? 1 : Date.now() % 1_000_000))
const NO_ALERTS = { ops_read: true, ops_write: false, sec_read: false, sec_write: false }

interface Person {
  name: string
  token: string
  roles: FixtureRole[]
  confined: string[] | undefined
}

/**
 * Random roles over a random account: lists, totals, single reads and linked items must show exactly what the naive
 * oracle allows, payload by payload and group by group.
 */
describe(`the access scope of a user (SCOPE_SEED=${SEED})`, () => {
  let server: TestServer
  let fixture: Fixture
  let groups: FixtureGroup[]
  const people: Person[] = []
  const random = seeded(SEED)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const some = <T>(list: readonly T[]): T[] => list.filter(() => random() < 0.4)

  before(async () => {
    server = await testServer({ RATE_PORTAL: 'off' })
    const { db } = server.ctx
    fixture = await createFixture(db, 'random', 6)
    await fixture.add(PAYLOADS, random)
    groups = []
    for (const { group_id, group_reference } of fixture.groups) {
      const tags = some(['region', 'desk']).map((key) => ({ key, value: pick(['North', 'South']) }))
      for (const { key, value } of tags)
        await db.owner.query('insert into group_tags values ($1, $2, $3, $4)', [
          fixture.client_id,
          group_id,
          key,
          value,
        ])
      groups.push({ group_id, group_reference, tags })
      await db.owner.query(
        `insert into alerts (client_id, alert_reference, alert_scope, alert_type, alert_subject, alert_key, alert_message, alert_severity,
           first_occurrence, last_occurrence, group_id)
         values ($1, $2, 'ops', 'DeviceAlert', 'x', $2, 'x', 'Low', 1, 1, $3)`,
        [fixture.client_id, `01J000000000000000000000A${groups.length}`, group_id],
      )
      await db.owner.query(
        `insert into device_activities (log_id, client_id, device_ip, device_reference, activity_time, group_reference, group_id, action,
           is_allowed, parameters, request_id) values ($1, $2, '::1', 'phone', 1, $3, $4, 'x', true, '{}', 'x')`,
        [`log ${groups.length}`, fixture.client_id, group_reference, group_id],
      )
    }
    await db.owner.query(
      `insert into capture_gaps (client_id, device_user_id, group_id, service, reason, from_at)
       select client_id, device_user_id, group_id, 'calls', 'no_phone', 1 from device_users where client_id = $1`,
      [fixture.client_id],
    )
    await db.owner.query(
      `insert into device_commands (client_id, command_reference, device_id, group_id, command, params, raised_by, sent_at)
       select client_id, '01J000000000000000000' || lpad(device_id::text, 5, '0'), device_id, group_id, 'sync_data', '{}', 'x', 1
       from devices where client_id = $1`,
      [fixture.client_id],
    )
    await db.owner.query(
      `insert into device_logs (client_id, device_id, log_id, log_datetime, group_id, log_class, log_level, local_timezone, log_message, received_at)
       select client_id, device_id, repeat('l', 32), 1, group_id, 'x', 'INFO', 'UTC', 'x', 1 from devices where client_id = $1`,
      [fixture.client_id],
    )
    await db.owner.query(
      `with key as (insert into gps_keys (client_id, device_id, day, created_at)
         select client_id, device_id, 0, 1 from devices where client_id = $1 returning *),
       point as (insert into gps_points (client_id, device_id, gps_reference, timestamp, group_id, key_id, sealed, received_at)
         select client_id, device_id, repeat('g', 26), 1, d.group_id, key_id, '', 1 from key join devices d using (client_id, device_id) returning *)
       insert into gps_latest (client_id, device_id, group_id, timestamp, row_id)
         select client_id, device_id, group_id, timestamp, row_id from point`,
      [fixture.client_id],
    )
    await db.owner.query(
      `insert into telemetry (client_id, device_id, telemetry_id, telemetry_time, group_id, facts, has_applications, report_key_id, iv, sealed_meta,
         checksum, received_at)
       select client_id, device_id, repeat('t', 32), 1, group_id, '{"os_version":"16","model":"m","app_version":"4"}', false, 0, '', '', '', 1
       from devices where client_id = $1`,
      [fixture.client_id],
    )
    await db.owner.query(
      `insert into telemetry_latest (client_id, device_id, at, row_id, telemetry_id, telemetry_time, group_id, facts, received_at)
       select client_id, device_id, 1, row_id, telemetry_id, 1, group_id, facts, 1 from telemetry where client_id = $1`,
      [fixture.client_id],
    )
    for (let i = 0; i < PEOPLE; i++) people.push(await makePerson(`person ${i}`))
  })
  after(() => server?.close())

  async function makePerson(name: string): Promise<Person> {
    const roles = Array.from({ length: 1 + Math.floor(random() * 2) }, (_, i) => randomRole(`${name} ${i}`))
    const confined = random() < 0.25 ? some(groups.map((group) => group.group_reference)) : undefined
    return openFor(name, roles, confined)
  }

  async function openFor(name: string, roles: FixtureRole[], confined?: string[]): Promise<Person> {
    for (const role of roles) {
      await server.sql(`insert into roles values ($1, $2, $3, 0, 'test')`, [
        fixture.client_id,
        role.role_reference,
        { ...role, alert_permissions: NO_ALERTS, is_alertable: false, is_system: false },
      ])
    }
    await server.sql('update clients set access_epoch = access_epoch + 1 where client_id = $1', [
      fixture.client_id,
    ])
    const token = await openSession(server.ctx, {
      client: 'random',
      user_reference: name,
      roles: roles.map((role) => role.role_reference),
      ...(confined ? { groups: confined } : {}),
    })
    return { name, token, roles, confined }
  }

  /** A permission for groups of these names; none: for all. */
  const within = (action: string, ...names_matching: string[]): Permission => ({
    actions_matching: [action],
    is_denied: false,
    ...(names_matching.length > 0 ? { conditions: [{ names_matching }] } : {}),
  })
  const withRights = (name: string, ...permissions: Permission[]) =>
    openFor(name, [{ role_reference: name, permissions, payload_types: [], cidr_ranges: [] }])

  function randomRole(role_reference: string): FixtureRole {
    const permissions: Permission[] = Array.from({ length: 1 + Math.floor(random() * 3) }, (_, i) => ({
      actions_matching: [pick(['*', 'payloads*', 'payloads:list', '*:list', '*:read', 'dashboard:read'])],
      is_denied: i > 0 && random() < 0.3,
      ...(random() < 0.6
        ? { conditions: Array.from({ length: 1 + Math.floor(random() * 2) }, condition) }
        : {}),
    }))
    return {
      role_reference,
      permissions,
      payload_types: random() < 0.5 ? [] : some(PAYLOAD_TYPES),
      cidr_ranges: [],
    }
  }

  function condition(): Condition {
    const by = pick(['name', 'key', 'value', 'both'])
    return {
      ...(by === 'name' ? { names_matching: [pick(['Group "?"', 'Group "1"', '*2*', '*'])] } : {}),
      ...(by === 'key' || by === 'both' ? { keys_matching: [pick(['region', 'desk', '*'])] } : {}),
      ...(by === 'value' || by === 'both' ? { values_matching: [pick(['North', 'So*'])] } : {}),
      ...(random() < 0.3 ? { is_denied: true } : {}),
    }
  }

  const allows = (
    person: Person,
    action: string,
    place: FixtureGroup | 'nothing' | null,
    type?: PayloadType,
  ) =>
    oracleAllows(
      { groups, roles: person.roles, account_ranges: [], ip: '127.0.0.1', group_references: person.confined },
      action,
      place,
      type,
    )
  /** Payloads that are not destroyed; destroyed ones accept no additions. */
  const undestroyed = () => fixture.payloads.filter(({ payload_state }) => payload_state !== 'Destroyed')
  const groupOf = (group_id: number) => groups.find((group) => group.group_id === group_id) ?? null
  const visible = (person: Person, action: string) =>
    fixture.payloads.filter(({ group_id, payload_type }) =>
      allows(person, action, groupOf(group_id), payload_type),
    )

  async function get(person: Person, url: string) {
    const answer = await server.app.inject({ url, headers: { authorization: `Bearer ${person.token}` } })
    return {
      status: answer.statusCode,
      body: answer.json() as { data?: Record<string, unknown>[]; last_key?: string; total?: number },
    }
  }
  /** All rows of a list, page by page; undefined when the list as a whole is refused. */
  async function rows(person: Person, path: string): Promise<Record<string, unknown>[] | undefined> {
    const all: Record<string, unknown>[] = []
    for (let last_key: string | undefined; ;) {
      const join = path.includes('?') ? '&' : '?'
      const page = await get(
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
  const sorted = (list: readonly unknown[]) => list.map(String).toSorted()

  it('applies to payload lists, page by page, and to their totals', async () => {
    let seen = 0
    for (const person of people) {
      for (const service of SERVICES) {
        const shown = await rows(person, `/client/v1/api/payloads?client=random&service=${service}`)
        const expected = visible(person, 'payloads:list')
          .filter(
            ({ payload_type, payload_state }) =>
              serviceOf(payload_type) === service &&
              payload_state !== 'Deleted' &&
              payload_state !== 'Destroyed',
          )
          .map((payload) => payload.payload_reference)
        if (shown === undefined) {
          assert.equal(visible(person, 'payloads:list').length, 0, `${person.name} is refused a list`)
          continue
        }
        assert.deepEqual(
          sorted(shown.map((row) => row.payload_reference)),
          sorted(expected),
          `${person.name} ${service}`,
        )
        const total = await get(person, `/client/v1/api/payloads?client=random&service=${service}&type=total`)
        assert.equal(total.body.total, expected.length, `${person.name} ${service} total`)
        seen += expected.length
      }
    }
    assert.ok(seen > PAYLOADS, `only ${seen} rows were compared`)
  })

  const isListed = ({ payload_state }: { payload_state: string }) =>
    payload_state !== 'Deleted' && payload_state !== 'Destroyed'
  const byService = (payloads: readonly { payload_type: PayloadType }[]) =>
    Object.fromEntries(
      SERVICES.map((service) => [
        service,
        payloads.filter(({ payload_type }) => serviceOf(payload_type) === service).length,
      ]),
    )
  /** What the command menu asks: how much each list has, in one call. */
  async function compareTotals(
    person: Person,
    filter: Record<string, string>,
    expected: readonly { payload_type: PayloadType }[],
  ): Promise<void> {
    const query = new URLSearchParams({ client: 'random', most: '1000' })
    for (const [i, service] of SERVICES.entries())
      for (const [name, value] of Object.entries({ ...filter, service }))
        query.set(`filters[${i}][${name}]`, value)
    const { status, body } = await get(person, `/client/v1/api/payloads/totals?${query}`)
    assert.equal(status, 200, JSON.stringify(body))
    const { totals } = body as unknown as { totals: { total: number }[] }
    assert.deepEqual(
      Object.fromEntries(SERVICES.map((service, i) => [service, totals[i]?.total])),
      byService(expected),
      `${person.name} ${JSON.stringify(filter)}`,
    )
  }

  it('applies to lists of a time range and of a conversation', async () => {
    const wire = (seconds: number) => {
      const iso = new Date(seconds * 1000).toISOString()
      return `${iso.slice(0, 10)}-${iso.slice(11, 19).replaceAll(':', '')}`
    }
    let seen = 0
    for (const person of people) {
      const listed = visible(person, 'payloads:list').filter(isListed)
      if (visible(person, 'payloads:list').length === 0) continue
      const day = FIXTURE_START + Math.floor(random() * 60) * 86_400
      const [from, to] = [day + 4 * 3600, day + 86_400 + 13 * 3600]
      const within = listed.filter(({ payload_time }) => payload_time >= from && payload_time < to)
      await compareTotals(person, { from: wire(from), to: wire(to) }, within)
      const thread = listed.filter(({ thread_id }) => thread_id === '1')
      const shown = await rows(person, '/client/v1/api/payloads?client=random&service=messages&thread_id=1')
      assert.deepEqual(
        sorted((shown ?? []).map((row) => row.payload_reference)),
        sorted(thread.map(({ payload_reference }) => payload_reference)),
        person.name,
      )
      seen += within.length + thread.length
    }
    assert.ok(seen > 20, `only ${seen} payloads were compared`)
  })

  it('applies to the counts, services and contacts of a phone number', async () => {
    // However it is written it is one number.
    const same = ['+44 7700 900123', '07700900123']
    let seen = 0
    for (const person of people) {
      for (const number of FIXTURE_NUMBERS) {
        const path = `/client/v1/api/contacts?client=random&number=${encodeURIComponent(number)}`
        const { status, body } = await get(person, path)
        const all = visible(person, 'payloads:list')
        if (status === 403) {
          assert.equal(all.length, 0, `${person.name} is refused a number`)
          continue
        }
        const meant = same.includes(number) ? same : [number]
        const having = all.filter((each) => isListed(each) && each.numbers.some((one) => meant.includes(one)))
        const result = body as unknown as Contacts
        const totals = (services: Contacts['services']) => {
          assert.ok(services.every(({ total, is_capped }) => total > 0 && !is_capped))
          return {
            ...byService([]),
            ...Object.fromEntries(services.map(({ service, total }) => [service, total])),
          }
        }
        assert.deepEqual(totals(result.services), byService(having), `${person.name} ${number}`)
        const users = Map.groupBy(
          having.filter((each) => each.device_user_reference !== null),
          (each) => each.device_user_reference,
        )
        assert.deepEqual(result.people_total, { total: users.size })
        assert.deepEqual(
          sorted(
            result.people.map((each) => JSON.stringify([each.device_user_reference, totals(each.services)])),
          ),
          sorted([...users].map(([user, theirs]) => JSON.stringify([user, byService(theirs)]))),
          `${person.name} ${number}`,
        )
        // Its links lead to lists of as many.
        const [first] = result.people
        if (first !== undefined && seen % 5 === 0)
          await compareTotals(
            person,
            { ...result.filter, device_user_reference: first.device_user_reference },
            users.get(first.device_user_reference) ?? [],
          )
        await (seen % 5 === 0 ? compareTotals(person, { ...result.filter }, having) : undefined)
        seen += having.length
      }
    }
    assert.ok(seen > 100, `only ${seen} payloads were counted`)
  })

  it('applies to searches and their suggestions', async () => {
    let suggested = 0
    const plain = (text: string) =>
      text
        .normalize('NFKD')
        .replace(/[\u0300-\u036f]/g, '')
        .toLowerCase()
    for (const person of people) {
      for (const search of ['joa', 'MELO', '0123', 'person', '441']) {
        const begins = (name: string) =>
          plain(name)
            .split(/[ ,’-]+/)
            .some((word) => word.startsWith(search.toLowerCase()))
        const ends = (number: string) =>
          /^\+?[\d ]+[\d-]*$/.test(number) &&
          (search === '441' ? number === '+441' : number.replace(/\D/g, '').endsWith(search))
        const found = visible(person, 'payloads:list').flatMap((payload) => {
          const { payload_state, numbers, names, device_user_reference: user } = payload
          if (payload_state === 'Deleted' || payload_state === 'Destroyed') return []
          const parties = numbers.map((number, i) => ({ number, name: names[i] ?? '' }))
          const held = user === null ? '' : `${FIXTURE_PEOPLE[Number(user.slice(7))] ?? ''} ${user}`
          const keys = [
            ...parties.flatMap(({ number, name }) =>
              begins(name) || ends(number) ? [JSON.stringify([name || null, number])] : [],
            ),
            ...(begins(held) ? [JSON.stringify(user)] : []),
          ]
          return keys.length > 0 ? [{ ...payload, keys }] : []
        })
        const query = `client=random&search=${encodeURIComponent(search)}`
        const shown = await rows(person, `/client/v1/api/payloads?${query}`)
        const answer = await get(person, `/client/v1/api/suggestions?${query}`)
        assert.equal(answer.status, shown === undefined ? 403 : 200)
        if (shown === undefined) continue
        assert.deepEqual(
          sorted(shown.map((row) => row.payload_reference)),
          sorted(found.map((payload) => payload.payload_reference)),
          `${person.name} ${search}`,
        )
        await compareTotals(person, { search }, found)
        const allowed = new Set(found.flatMap(({ keys }) => keys))
        const given = (answer.body.data ?? []).map((each) =>
          JSON.stringify(
            each.kind === 'person' ? each.device_user_reference : [each.contact_name, each.phone_number],
          ),
        )
        assert.equal(given.length, Math.min(allowed.size, SUGGESTIONS), `${person.name} ${search}`)
        for (const each of given) assert.ok(allowed.has(each), `${person.name} must not see ${each}`)
        suggested += given.length
      }
    }
    assert.ok(suggested > 50, `only ${suggested} suggestions were compared`)
  })

  it('applies to suggested references', async () => {
    let suggested = 0
    for (const person of people.slice(0, 12)) {
      const shown = visible(person, 'payloads:list').filter(
        ({ payload_state }) => payload_state !== 'Deleted' && payload_state !== 'Destroyed',
      )
      for (const { payload_reference } of fixture.payloads.slice(0, 30)) {
        const { status, body } = await get(
          person,
          `/client/v1/api/suggestions?client=random&search=${payload_reference}`,
        )
        const isShown = shown.some((payload) => payload.payload_reference === payload_reference)
        if (status === 403) assert.equal(shown.length, 0)
        else
          assert.deepEqual(
            (body.data ?? []).map((each) => each.payload_reference),
            isShown ? [payload_reference] : [],
          )
        suggested += isShown ? 1 : 0
      }
    }
    assert.ok(suggested > 20, `only ${suggested} references were compared`)
  })

  it('applies to single payload reads', async () => {
    for (const person of people.slice(0, 12)) {
      const allowed = new Set(visible(person, 'payloads:read').map((payload) => payload.payload_reference))
      for (const { payload_reference } of fixture.payloads.slice(0, 40)) {
        const { status } = await get(person, `/client/v1/api/payloads/${payload_reference}?client=random`)
        assert.equal(
          status === 200,
          allowed.has(payload_reference),
          `${person.name} ${payload_reference} ${status}`,
        )
      }
    }
  })

  for (const [path, action, key] of [
    ['/admin/v1/api/random/groups', 'groups:list', 'group_reference'],
    ['/admin/v1/api/random/device_activities', 'device_activities:list', 'group'],
    ['/admin/v1/api/random/alerts', 'alerts:list', 'group'],
    ['/admin/v1/api/random/devices', 'devices:list', 'group'],
    ['/admin/v1/api/random/users', 'users:list', 'group'],
    ['/admin/v1/api/random/commands', 'commands:list', 'group'],
    ['/admin/v1/api/random/capture_gaps', 'capture_gaps:list', 'group'],
    ['/client/v1/api/device_logs?client=random', 'device_logs:list', 'group'],
    ['/client/v1/api/gps?client=random', 'gps:list', 'group'],
    ['/admin/v1/api/random/telemetry', 'telemetry:list', 'group'],
    ['/admin/v1/api/random/telemetry?latest=true', 'telemetry:list', 'group'],
  ] as const) {
    it(`applies to ${path}`, async () => {
      for (const person of people) {
        const shown = await rows(person, path)
        const expected = groups.filter((group) => allows(person, action, group))
        if (shown === undefined) {
          assert.equal(expected.length, 0, `${person.name} is refused a list`)
          continue
        }
        // Alerts do not name their group: their references count it.
        const names =
          key === 'group' && path.endsWith('alerts')
            ? shown.map((row) => groups[Number(String(row.alert_reference).at(-1)) - 1]?.group_reference)
            : shown.map((row) => row[key])
        assert.deepEqual(
          sorted(names.filter((name) => name !== null && name !== undefined)),
          sorted(expected.map((group) => group.group_reference)),
          person.name,
        )
      }
    })
  }

  it('applies to metrics and their sums', async () => {
    for (const person of people) {
      const shown = await rows(person, '/admin/v1/api/random/metrics/Summary')
      const expected = new Map<string, number>()
      for (const { payload_state, device_reference, device_user_reference, group, payload_type } of visible(
        person,
        'metrics:list',
      )) {
        if (payload_state === 'Deleted' || payload_state === 'Destroyed') continue
        const key = JSON.stringify([device_reference, device_user_reference, group, payload_type])
        expected.set(key, (expected.get(key) ?? 0) + 1)
      }
      if (shown === undefined) {
        assert.equal(expected.size, 0, `${person.name} is refused a list`)
        continue
      }
      const result = shown.map((row) => [
        JSON.stringify([row.device_reference, row.device_user_reference, row.group, row.payload_type]),
        row.count,
      ])
      assert.deepEqual(result.map(String).toSorted(), [...expected].map(String).toSorted(), person.name)
      const all = [...expected.values()].reduce((sum, n) => sum + n, 0)
      for (const subject of ['periods', 'devices', 'users', 'groups']) {
        const counted = (await rows(person, `/admin/v1/api/random/metrics/Monthly/${subject}`)) ?? []
        const sum = counted.reduce((each, row) => each + Number(row.count), 0)
        assert.equal(sum, all, `${person.name} ${subject}`)
      }
    }
  })

  it('applies to comments, their total and the comments of each payload', async () => {
    for (const { payload_reference } of undestroyed()) {
      const version = { comment_id: newId(), comment_version: 1, by: 'other reviewer' }
      const place = { client: 'random', payload_reference, ...version }
      const { wrapped_key, sealed_body } = await sealFirst(server.ctx, place, `on ${payload_reference}`)
      await server.sql(
        `with raised as (
           insert into payload_comments (client_id, comment_id, payload_id, group_id, type, raised_at, raised_by, wrapped_key)
           select client_id, $4, payload_id, group_id, type, 1700000000, 'other reviewer', $2 from payloads where payload_reference = $1
           returning client_id)
         insert into payload_comment_versions (client_id, comment_id, comment_version, sealed_body, updated_at, updated_by)
         select client_id, $4, 1, $3, 1700000000, 'other reviewer' from raised`,
        [payload_reference, wrapped_key, sealed_body, place.comment_id],
      )
    }
    let seen = 0
    for (const person of people) {
      const shown = await rows(person, '/client/v1/api/comments?client=random')
      const expected = visible(person, 'comments:list').filter(
        ({ payload_state }) => payload_state !== 'Destroyed',
      )
      assert.deepEqual(
        sorted((shown ?? []).map((row) => row.comment_body)),
        sorted(expected.map(({ payload_reference }) => `on ${payload_reference}`)),
        person.name,
      )
      const total = await get(person, '/client/v1/api/comments?client=random&type=total')
      if (shown) assert.equal(total.body.total, expected.length, person.name)
      const readable = new Set(
        visible(person, 'payloads.comments:list').map(({ payload_reference }) => payload_reference),
      )
      for (const { payload_reference, payload_state } of fixture.payloads.slice(0, 12)) {
        const path = `/client/v1/api/payloads/${payload_reference}/comments?client=random`
        const isRead = readable.has(payload_reference) && payload_state !== 'Destroyed'
        assert.equal((await rows(person, path))?.length ?? 0, isRead ? 1 : 0, `${person.name} ${path}`)
      }
      seen += expected.length
    }
    assert.ok(seen > PAYLOADS, `only ${seen} comments were compared`)
  })

  it('applies to word searches in messages and notes', async () => {
    const { db, keys } = server.ctx
    const wrapped_key = await keys.wrap(randomBytes(32), wordKeyContext('random'))
    const words = await wordKeys(server.ctx, 'random', wrapped_key)
    const isMessage = (type: PayloadType) => serviceOf(type) === 'messages'
    const items = fixture.payloads.map(({ payload_id, payload_time, payload_type }) => {
      const period = periodOf(payload_time)
      const tokens = [words.token(isMessage(payload_type) ? 'text' : 'note', period, 'everywhere')]
      return { payload_id, comment_id: '', asked: 1, period, tokens, places: [] }
    })
    await db.write(fixture.client_id, async (tx) => {
      await wantWordIndex(tx, true)
      await beginIndex(tx, wrapped_key, WORD_RULES)
      // These payloads have no texts to index.
      await tx.query(
        'update content_indexes set payloads_before = null, comments_before = null where client_id = $1',
        [fixture.client_id],
      )
      await writeWords(tx, wrapped_key, items)
    })
    let seen = 0
    for (const person of people) {
      const may = (action: string) => new Set(visible(person, action))
      const [searched, listed, played, read] = [
        may('payloads:search'),
        may('payloads:list'),
        may('payloads:play'),
        may('payloads:read'),
      ]
      const expected = fixture.payloads.filter(
        (payload) =>
          searched.has(payload) &&
          listed.has(payload) &&
          (isMessage(payload.payload_type) ? played : read).has(payload) &&
          payload.payload_state !== 'Deleted' &&
          payload.payload_state !== 'Destroyed',
      )
      const shown: unknown[] = []
      for (let last_key = '', isOver = false; !isOver;) {
        const answer = await server.app.inject({
          method: 'POST',
          url: `/client/v1/api/payloads/search?client=random&limit=40${last_key && `&last_key=${encodeURIComponent(last_key)}`}`,
          headers: { authorization: `Bearer ${person.token}` },
          payload: { words: 'everywhere' },
        })
        if (answer.statusCode === 403) break
        assert.equal(answer.statusCode, 200, answer.body)
        const page = answer.json<{ data: { payload_reference: string }[]; last_key?: string }>()
        shown.push(...page.data.map(({ payload_reference }) => payload_reference))
        last_key = page.last_key ?? ''
        isOver = last_key === ''
      }
      assert.deepEqual(
        sorted(shown),
        sorted(expected.map(({ payload_reference }) => payload_reference)),
        person.name,
      )
      seen += expected.length
    }
    assert.ok(seen > 0, 'no person finds anything')
  })

  it('applies to filters by mark and playback, and to their totals', async () => {
    const isCall = ({ payload_type }: Fixture['payloads'][number]) => serviceOf(payload_type) === 'calls'
    const list = within('payloads:list')
    const readers = [
      // The random rights may leave no difference between two rights.
      await withRights('all', within('payloads*')),
      await withRights(
        'some',
        list,
        within('payloads.marks:list', '*0*', '*2*'),
        within('payloads.audit:read', '*0*', '*1*'),
      ),
      await withRights('none', list),
      await withRights('marks', list, within('payloads.marks:list')),
      ...people.filter((person) => visible(person, 'payloads:list').some(isCall)).slice(0, 4),
    ]
    const reviewers = ['all', 'some', 'none', 'other reviewer']
    const marked = new Map<string, { mark: Mark; by: string }[]>()
    const heard = new Map<string, Set<string>>()
    let acts = 0
    await server.ctx.db.write(fixture.client_id, async (tx) => {
      for (const { payload_id, payload_reference } of undestroyed())
        for (const by of reviewers) {
          if (random() < 0.25) {
            const entry = { at: 1, log_id: `heard ${++acts}`, portal_user: by, action: 'payloads:play' }
            await notePayloadAudit(tx, [payload_id], entry)
            heard.set(payload_reference, (heard.get(payload_reference) ?? new Set()).add(by))
          }
          if (random() < 0.25) {
            const mark = pick(MARKS)
            // One after the other, as time would have it.
            const mark_id = `01J${String(++acts).padStart(23, '0')}`
            const new_mark = { mark_id, mark, reason: null, marked_at: 1, marked_by: by }
            await insertMark(tx, { payload_id }, { ...new_mark, sealed_note: null, wrapped_key: null })
            marked.set(payload_reference, [...(marked.get(payload_reference) ?? []), { mark, by }])
          }
        }
    })
    type Filter = (payload: Fixture['payloads'][number], me: string) => boolean
    const markOf = ({ payload_reference }: Fixture['payloads'][number], by?: string) =>
      (marked.get(payload_reference) ?? []).findLast((each) => by === undefined || each.by === by)?.mark
    const heardBy = ({ payload_reference }: Fixture['payloads'][number], me: string) => {
      const by = heard.get(payload_reference)
      return by === undefined ? 'none' : by.has(me) ? 'me' : 'others'
    }
    const asked: [query: string, needs: string[], filter: Filter][] = [
      ...['none', ...MARKS].flatMap((mark): typeof asked => [
        [`mark=${mark}`, ['payloads.marks:list'], (each) => (markOf(each) ?? 'none') === mark],
        [
          `mark=${mark}&marked_by_me=true`,
          ['payloads.marks:list'],
          (each, me) => (markOf(each, me) ?? 'none') === mark,
        ],
      ]),
      ...['me', 'others', 'none'].map((by): (typeof asked)[number] => [
        `heard=${by}`,
        ['payloads.audit:read'],
        (each, me) => heardBy(each, me) === by,
      ]),
      [
        'mark=none&heard=none',
        ['payloads.marks:list', 'payloads.audit:read'],
        (each) => markOf(each) === undefined && !heard.has(each.payload_reference),
      ],
    ]
    let [seen, result] = [0, 0]
    for (const person of readers) {
      const may = (action: string) => new Set(visible(person, action))
      const listed = visible(person, 'payloads:list').filter(
        (each) => isCall(each) && each.payload_state !== 'Deleted' && each.payload_state !== 'Destroyed',
      )
      const [knowsMarks, knowsHeard] = [may('payloads.marks:list'), may('payloads.audit:read')]
      for (const [query, needs, filter] of asked) {
        const path = `/client/v1/api/payloads?client=random&service=calls&${query}`
        const shown = await rows(person, `${path}&include[]=mark&include[]=heard&limit=200`)
        assert.ok(shown, `${person.name} is refused a list`)
        const known = needs.map((need) => (need === 'payloads.marks:list' ? knowsMarks : knowsHeard))
        const expected = listed.filter(
          (each) => known.every((within) => within.has(each)) && filter(each, person.name),
        )
        assert.deepEqual(
          sorted(shown.map((row) => row.payload_reference)),
          sorted(expected.map((each) => each.payload_reference)),
          `${person.name} ${query}`,
        )
        const total = await get(person, `${path}&type=total`)
        assert.equal(total.body.total, expected.length, `${person.name} ${query} total`)
        for (const each of expected) {
          const row: Record<string, unknown> | undefined = shown.find(
            ({ payload_reference }) => payload_reference === each.payload_reference,
          )
          const stated: unknown[] = [row?.mark, row?.heard]
          const is = [
            knowsMarks.has(each) ? markOf(each) : undefined,
            knowsHeard.has(each) ? heardBy(each, person.name) : undefined,
          ]
          assert.deepEqual(stated, is, `${person.name} ${each.payload_reference}`)
          result += stated.filter((each) => each !== undefined).length
        }
        seen += expected.length
      }
    }
    assert.ok(seen > 0, 'no person finds anything')
    if (process.env.CI) assert.ok(result > PAYLOADS, `only ${result} words were compared`)
  })

  it('applies to the messages of a conversation', async () => {
    const conversations = new Map(
      fixture.payloads.flatMap(({ device_reference, thread_id }) =>
        thread_id === undefined
          ? []
          : [[`${device_reference} ${thread_id}`, { device_reference, thread_id }] as const],
      ),
    )
    let seen = 0
    for (const person of people) {
      const expected = visible(person, 'devices.sms:read').filter(
        ({ payload_state }) => payload_state !== 'Deleted' && payload_state !== 'Destroyed',
      )
      for (const { device_reference, thread_id } of [...conversations.values()].slice(0, 12)) {
        const path = `devices/${encodeURIComponent(device_reference)}/sms/${encodeURIComponent(thread_id)}`
        const within = expected.filter(
          (each) => each.device_reference === device_reference && each.thread_id === thread_id,
        )
        const day = pick(fixture.payloads).payload_time
        const at = `${new Date(day * 1000).toISOString().slice(0, 10)}-${new Date(day * 1000).toISOString().slice(11, 19).replaceAll(':', '')}`
        for (const [query, holds] of [
          ['', () => true],
          [`&order=oldest&from=${at}`, (time: number) => time >= day],
          [`&to=${at}`, (time: number) => time < day],
        ] as const) {
          const shown = (await rows(person, `/client/v1/api/${path}?client=random${query}`)) ?? []
          assert.deepEqual(
            sorted(shown.map((row) => row.payload_reference)),
            sorted(within.filter((each) => holds(each.payload_time)).map((each) => each.payload_reference)),
            `${person.name} ${path} ${query}`,
          )
          const times = shown.map((row) => Number(row.payload_time))
          assert.deepEqual(
            times,
            times.toSorted((a, b) => (query.includes('oldest') ? a - b : b - a)),
          )
        }
        seen += within.length
      }
    }
    assert.ok(seen > 20, `only ${seen} messages were compared`)
  })

  it('applies to the conversation summaries of devices', async () => {
    let seen = 0
    for (const person of people) {
      const expected = visible(person, 'devices.sms:list').filter(
        ({ payload_state }) => payload_state !== 'Deleted' && payload_state !== 'Destroyed',
      )
      for (const device_reference of new Set(fixture.payloads.map((payload) => payload.device_reference))) {
        const path = `/client/v1/api/devices/${encodeURIComponent(device_reference)}/sms?client=random`
        const threads = Map.groupBy(
          expected.filter(
            (each) => each.device_reference === device_reference && each.thread_id !== undefined,
          ),
          ({ thread_id }) => thread_id,
        )
        const summaries = [...threads].map(([thread_id, messages]) => {
          const last = messages
            .toSorted((a, b) => a.payload_time - b.payload_time || a.payload_id - b.payload_id)
            .at(-1)
          return JSON.stringify({
            thread_id,
            message_count: messages.length,
            message_types: [...new Set(messages.map(({ payload_type }) => payload_type))].toSorted(),
            last_message_at: last?.payload_time,
            last_payload_reference: last?.payload_reference,
            numbers: last?.numbers,
          })
        })
        const shown = await rows(person, `${path}&limit=2`)
        const result = (shown ?? []).map(({ parties, party_count, message_types, ...row }) => {
          const numbers = (parties as { phone_number: string }[]).map(({ phone_number }) => phone_number)
          assert.equal(party_count, numbers.length)
          return JSON.stringify({
            thread_id: row.thread_id,
            message_count: row.message_count,
            message_types: (message_types as string[]).toSorted(),
            last_message_at: row.last_message_at,
            last_payload_reference: row.last_payload_reference,
            numbers,
          })
        })
        assert.deepEqual(sorted(result), sorted(summaries), `${person.name} ${path}`)
        const times = (shown ?? []).map((row) => Number(row.last_message_at))
        assert.deepEqual(
          times,
          times.toSorted((a, b) => b - a),
        )
        const total = await get(person, `${path}&type=total`)
        if (total.status === 200) assert.equal(total.body.total, summaries.length)
        seen += summaries.length
      }
    }
    assert.ok(seen > 20, `only ${seen} conversations were compared`)
  })

  it('applies to exports: the plan and the contents of each part', async () => {
    let [seen, refused] = [0, 0]
    const reading = [within('payloads:list'), within('payloads:download')]
    const takers = [
      await withRights('takes all', within('payloads:*')),
      await withRights('takes some', ...reading, within('payloads:export', '*1*', '*2*')),
    ]
    for (const person of [...takers, ...people]) {
      const expected = visible(person, 'payloads:list').filter(
        (each) => isListed(each) && serviceOf(each.payload_type) === 'calls',
      )
      const [mayExport, mayDownload] = ['payloads:export', 'payloads:download'].map(
        (action) => new Set(visible(person, action).map(({ payload_reference }) => payload_reference)),
      )
      const headers = { authorization: `Bearer ${person.token}` }
      const made = await server.app.inject({
        method: 'POST',
        url: '/client/v1/api/exports?client=random&service=calls',
        headers,
        payload: { part_megabytes: 1 },
      })
      if (made.statusCode === 403) {
        assert.equal(visible(person, 'payloads:export').length, 0, `${person.name} is refused an export`)
        continue
      }
      assert.equal(made.statusCode, 200, made.body)
      const { export_id, items, parts } = made.json() as DataExport
      assert.equal(items, expected.length, person.name)
      const planned: unknown[] = []
      for (const { part } of parts) {
        const { status, body } = await get(
          person,
          `/client/v1/api/exports/${export_id}/parts/${part}?client=random`,
        )
        assert.equal(status, 200, JSON.stringify(body))
        for (const { payload_reference, status: result } of body.data ?? []) {
          planned.push(payload_reference)
          const reference = String(payload_reference)
          const isWithin = mayExport?.has(reference) && mayDownload?.has(reference)
          assert.equal(
            !String(result).endsWith('NotAuthorised'),
            isWithin,
            `${person.name} ${reference} ${result}`,
          )
          if (!isWithin) refused++
        }
      }
      assert.deepEqual(
        sorted(planned),
        sorted(expected.map(({ payload_reference }) => payload_reference)),
        person.name,
      )
      seen += expected.length
    }
    assert.ok(seen > 20, `only ${seen} payloads were compared`)
    assert.ok(refused > 0, 'no person was refused anything')
  })

  it('applies to the dashboard counts', async () => {
    for (const person of people) {
      const { status, body } = await get(person, '/admin/v1/api/random/dashboard')
      if (status === 403) continue
      const within = groups.filter((group) => allows(person, 'dashboard:read', group)).length
      const { devices, device_users } = body as unknown as {
        devices: Record<string, number>
        device_users: Record<string, number>
      }
      const sum = (counts: Record<string, number>) => Object.values(counts).reduce((a, b) => a + b, 0)
      assert.deepEqual([sum(devices), sum(device_users)], [within, within], person.name)
    }
  })
})
