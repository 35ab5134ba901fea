import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  type Condition,
  PAYLOAD_TYPES,
  type PayloadType,
  type Permission,
  SERVICES,
  serviceOf,
  SUGGESTIONS,
} from '@custodia/contract'
import { oracleAllows, type WorldGroup, type WorldRole } from '@custodia/domain/oracle'
import { makeWorld, type World, WORLD_PEOPLE } from '../testing/list-world.ts'
import { seeded } from '../testing/seeded.ts'
import { newId } from '../http/new-id.ts'
import { sealFirst } from '../payloads/comments/body.ts'
import { testServer, type TestServer } from '../testing/server.ts'
import { openSession } from '../testing/session.ts'

const PEOPLE = 24
const PAYLOADS = 150
const SEED = Number(process.env.SCOPE_SEED ?? (process.env.CI ? 1 : Date.now() % 1_000_000))
const NO_ALERTS = { ops_read: true, ops_write: false, sec_read: false, sec_write: false }

interface Person {
  name: string
  token: string
  roles: WorldRole[]
  confined: string[] | undefined
}

/**
 * Random roles over a random account: what lists, totals, single reads and linked items show must be exactly what the naive
 * oracle allows, payload by payload and group by group.
 */
describe(`what the server shows is what the oracle allows (SCOPE_SEED=${SEED})`, () => {
  let server: TestServer
  let world: World
  let groups: WorldGroup[]
  const people: Person[] = []
  const random = seeded(SEED)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const some = <T>(list: readonly T[]): T[] => list.filter(() => random() < 0.4)

  before(async () => {
    server = await testServer({ RATE_PORTAL: 'off' })
    const { db } = server.house
    world = await makeWorld(db, 'random', 6)
    await world.add(PAYLOADS, random)
    groups = []
    for (const { group_id, group_reference } of world.groups) {
      const tags = some(['region', 'desk']).map((key) => ({ key, value: pick(['North', 'South']) }))
      for (const { key, value } of tags)
        await db.owner.query('insert into group_tags values ($1, $2, $3, $4)', [
          world.client_id,
          group_id,
          key,
          value,
        ])
      groups.push({ group_id, group_reference, tags })
      await db.owner.query(
        `insert into alerts (client_id, alert_reference, alert_scope, alert_type, alert_subject, alert_key, alert_message, alert_severity,
           first_occurrence, last_occurrence, group_id)
         values ($1, $2, 'ops', 'DeviceAlert', 'x', $2, 'x', 'Low', 1, 1, $3)`,
        [world.client_id, `01J000000000000000000000A${groups.length}`, group_id],
      )
      await db.owner.query(
        `insert into device_activities (log_id, client_id, device_ip, device_reference, activity_time, group_reference, group_id, action,
           is_allowed, parameters, request_id) values ($1, $2, '::1', 'phone', 1, $3, $4, 'x', true, '{}', 'x')`,
        [`log ${groups.length}`, world.client_id, group_reference, group_id],
      )
    }
    await db.owner.query(
      `insert into device_commands (client_id, command_reference, device_id, group_id, command, params, raised_by, sent_at)
       select client_id, '01J000000000000000000' || lpad(device_id::text, 5, '0'), device_id, group_id, 'sync_data', '{}', 'x', 1
       from devices where client_id = $1`,
      [world.client_id],
    )
    await db.owner.query(
      `insert into device_logs (client_id, device_id, log_id, log_datetime, group_id, log_class, log_level, local_timezone, log_message, received_at)
       select client_id, device_id, repeat('l', 32), 1, group_id, 'x', 'INFO', 'UTC', 'x', 1 from devices where client_id = $1`,
      [world.client_id],
    )
    for (let i = 0; i < PEOPLE; i++) people.push(await makePerson(`person ${i}`))
  })
  after(() => server?.close())

  async function makePerson(name: string): Promise<Person> {
    const roles = Array.from({ length: 1 + Math.floor(random() * 2) }, (_, i) => randomRole(`${name} ${i}`))
    for (const role of roles) {
      await server.sql(`insert into roles values ($1, $2, $3, 0, 'test')`, [
        world.client_id,
        role.role_reference,
        { ...role, alert_permissions: NO_ALERTS, is_alertable: false, is_system: false },
      ])
    }
    const confined = random() < 0.25 ? some(groups.map((group) => group.group_reference)) : undefined
    await server.sql('update clients set access_epoch = access_epoch + 1 where client_id = $1', [
      world.client_id,
    ])
    const token = await openSession(server.house, {
      client: 'random',
      user_reference: name,
      roles: roles.map((role) => role.role_reference),
      ...(confined ? { groups: confined } : {}),
    })
    return { name, token, roles, confined }
  }

  function randomRole(role_reference: string): WorldRole {
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

  const allows = (person: Person, action: string, place: WorldGroup | 'nothing' | null, type?: PayloadType) =>
    oracleAllows(
      { groups, roles: person.roles, account_ranges: [], ip: '127.0.0.1', group_references: person.confined },
      action,
      place,
      type,
    )
  const groupOf = (group_id: number) => groups.find((group) => group.group_id === group_id) ?? null
  const visible = (person: Person, action: string) =>
    world.payloads.filter(({ group_id, payload_type }) =>
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

  it('in payload lists, page by page, and in their totals', async () => {
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

  it('in searches and in what they suggest', async () => {
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
          const held = user === null ? '' : `${WORLD_PEOPLE[Number(user.slice(7))] ?? ''} ${user}`
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
        const allowed = new Set(found.flatMap(({ keys }) => keys))
        const given = (answer.body.data ?? []).map((each) =>
          JSON.stringify(
            each.kind === 'person' ? each.device_user_reference : [each.contact_name, each.phone_number],
          ),
        )
        assert.equal(given.length, Math.min(allowed.size, SUGGESTIONS), `${person.name} ${search}`)
        for (const each of given) assert.ok(allowed.has(each), `${person.name} must not be told ${each}`)
        suggested += given.length
      }
    }
    assert.ok(suggested > 50, `only ${suggested} suggestions were compared`)
  })

  it('suggests references that lists show, and no others', async () => {
    let suggested = 0
    for (const person of people.slice(0, 12)) {
      const shown = visible(person, 'payloads:list').filter(
        ({ payload_state }) => payload_state !== 'Deleted' && payload_state !== 'Destroyed',
      )
      for (const { payload_reference } of world.payloads.slice(0, 30)) {
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

  it('in single reads', async () => {
    for (const person of people.slice(0, 12)) {
      const allowed = new Set(visible(person, 'payloads:read').map((payload) => payload.payload_reference))
      for (const { payload_reference } of world.payloads.slice(0, 40)) {
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
    ['/client/v1/api/device_logs?client=random', 'device_logs:list', 'group'],
  ] as const) {
    it(`in ${path}`, async () => {
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

  it('in comments: their list, their total, and those of each payload', async () => {
    for (const { payload_reference } of world.payloads) {
      const place = { client: 'random', payload_reference, comment_id: newId(), comment_version: 1 }
      const { wrapped_key, sealed_body } = await sealFirst(server.house, place, `on ${payload_reference}`)
      await server.sql(
        `with raised as (
           insert into payload_comments (client_id, comment_id, payload_id, group_id, type, raised_at, raised_by, wrapped_key)
           select client_id, $4, payload_id, group_id, type, 1700000000, 'somebody', $2 from payloads where payload_reference = $1
           returning client_id)
         insert into payload_comment_versions (client_id, comment_id, comment_version, sealed_body, updated_at, updated_by)
         select client_id, $4, 1, $3, 1700000000, 'somebody' from raised`,
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
      for (const { payload_reference, payload_state } of world.payloads.slice(0, 12)) {
        const path = `/client/v1/api/payloads/${payload_reference}/comments?client=random`
        const isRead = readable.has(payload_reference) && payload_state !== 'Destroyed'
        assert.equal((await rows(person, path))?.length ?? 0, isRead ? 1 : 0, `${person.name} ${path}`)
      }
      seen += expected.length
    }
    assert.ok(seen > PAYLOADS, `only ${seen} comments were compared`)
  })

  it('in conversations, message by message', async () => {
    const conversations = new Map(
      world.payloads.flatMap(({ device_reference, thread_id }) =>
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
        const day = pick(world.payloads).payload_time
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

  it('in the conversations of phones: what they hold, which message was last, and with whom', async () => {
    let seen = 0
    for (const person of people) {
      const expected = visible(person, 'devices.sms:list').filter(
        ({ payload_state }) => payload_state !== 'Deleted' && payload_state !== 'Destroyed',
      )
      for (const device_reference of new Set(world.payloads.map((payload) => payload.device_reference))) {
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
        const told = (shown ?? []).map(({ parties, party_count, message_types, ...row }) => {
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
        assert.deepEqual(sorted(told), sorted(summaries), `${person.name} ${path}`)
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

  it('in the dashboard’s counts', async () => {
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
