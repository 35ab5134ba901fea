import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { noteAccess, purgeAccessDays } from '../../access/note-access.ts'
import { getCode, getProblem, playerFixture } from '../../testing/access-fixture.ts'
import { storePayload } from '../../testing/stored-payload.ts'

const fixture = await playerFixture(Buffer.from('a recorded call'))
after(() => fixture.close())

interface LogRow {
  log_id: string
  user_reference: string
  user_ip: string
  browser: string | null
  roles: string[]
  action: string
  is_allowed: boolean
  denial_reason: string | null
  status_code: number
}

describe('the use of a data address', () => {
  async function address() {
    const path = await fixture.getAddress(fixture.carol)
    const [token = ''] = path.replace('/media/', '').split('.')
    const [id] = JSON.parse(Buffer.from(token, 'base64url').toString()) as [string]
    return { path, id }
  }
  const logged = (id: string) =>
    fixture.sql<LogRow>(
      `select log_id, user_reference, user_ip, browser, roles, action, is_allowed, denial_reason, status_code from portal_activities
       where parameters::jsonb ->> 'data_address' = $1 and parameters::jsonb ->> 'payload_reference' = $2 order by log_id`,
      [id, fixture.payload_reference],
    )
  const get = (path: string, headers: Record<string, string> = {}) =>
    fixture.server.app.inject({
      url: path,
      headers: { cookie: fixture.carol.cookie(), 'user-agent': 'Player 1', ...headers },
    })

  it('is audited with user, network and browser, once per address and network', async () => {
    const { path, id } = await address()
    assert.deepEqual(await logged(id), [], 'an address is no use yet')
    for (const range of ['bytes=0-3', 'bytes=4-7', 'bytes=8-'])
      assert.equal((await get(path, { range })).statusCode, 206)
    const [first, ...rest] = await logged(id)
    assert.deepEqual(rest, [])
    const { log_id, ...entry } = first ?? assert.fail('no entry')
    assert.deepEqual(entry, {
      user_reference: 'carol',
      user_ip: '127.0.0.1',
      browser: 'Player 1',
      roles: ['Player'],
      action: 'payloads:play',
      is_allowed: true,
      denial_reason: null,
      status_code: 206,
    })
    const there = { url: path, headers: { cookie: fixture.carol.cookie() }, remoteAddress: '192.0.2.7' }
    for (const _again of [1, 2]) assert.equal((await fixture.server.app.inject(there)).statusCode, 200)
    const both = await logged(id)
    assert.deepEqual(
      both.map(({ user_ip }) => user_ip),
      ['127.0.0.1', '192.0.2.7'],
    )
    const audit = await fixture.sql<{ log_id: string }>(
      `select log_id from payload_audit join payloads using (client_id, payload_id) where payload_reference = $1 order by log_id`,
      [fixture.payload_reference],
    )
    assert.deepEqual(
      audit.map((record) => record.log_id),
      both.map((record) => record.log_id),
    )
    assert.ok(both.some((record) => record.log_id === log_id))
  })

  it('creates one entry for parallel requests', async () => {
    const { path, id } = await address()
    const answers = await Promise.all(Array.from({ length: 8 }, () => get(path)))
    assert.ok(answers.every(({ statusCode }) => statusCode === 200))
    assert.equal((await logged(id)).length, 1)
  })

  it('returns no data when the entry cannot be written', async () => {
    const { path, id } = await address()
    for (const table of ['portal_activities', 'payload_audit']) {
      await fixture.sql(`revoke insert on ${table} from custodia_app`)
      try {
        const { statusCode, body } = await get(path)
        assert.ok(statusCode >= 500, String(statusCode))
        assert.doesNotMatch(body, /recorded call/)
      } finally {
        await fixture.sql(`grant insert on ${table} to custodia_app`)
      }
    }
    assert.deepEqual(await logged(id), [])
    assert.equal((await get(path)).statusCode, 200)
    assert.equal((await logged(id)).length, 1)
  })

  it('is audited with the reason when it is refused, unless the address is forged', async () => {
    const before = await fixture.sql('select log_id from portal_activities')
    const { path, id } = await address()
    assert.equal((await get(`${path.slice(0, -4)}AAAA`)).statusCode, 403)
    assert.equal((await get('/media/nonsense')).statusCode, 403)
    assert.equal((await fixture.sql('select log_id from portal_activities')).length, before.length + 1)
    const reasons = async () =>
      (await logged(id)).map(({ is_allowed, status_code, user_reference, denial_reason }) =>
        [is_allowed, status_code, user_reference, denial_reason].join(' '),
      )
    const refusal = (reason: string) => `false 403 carol ${reason}`
    const expected: string[] = []
    const refused = async (reason: string, headers?: Record<string, string>) => {
      // A second time within the minute makes no entry.
      for (const _again of [1, 2]) assert.equal((await get(path, headers)).statusCode, 403, reason)
      expected.push(refusal(reason))
      assert.deepEqual(await reasons(), expected)
    }
    await refused('address_expired: another session', { cookie: fixture.alice.cookie() })
    await fixture.sql(`update portal_sessions set roles = '{}' where user_reference = 'carol'`)
    await refused('not_permitted: GroupNotAuthorised')
    await fixture.sql(`update portal_sessions set ended_at = 1 where user_reference = 'carol'`)
    await refused('address_expired: its session has ended')
    await fixture.sql(
      `update portal_sessions set roles = '{Player}', ended_at = null where user_reference = 'carol'`,
    )
    const away = await fixture.server.app.inject({ url: path, remoteAddress: '192.0.2.7' })
    assert.equal(away.statusCode, 403)
    assert.equal((await logged(id)).at(-1)?.user_ip, '192.0.2.7', 'from where it was tried')
  })

  it('creates one entry for parallel refusals, and returns 5xx while it cannot be written', async () => {
    const { path, id } = await address()
    const headers = { cookie: fixture.alice.cookie() }
    const many = async () =>
      new Set(
        (await Promise.all(Array.from({ length: 60 }, () => get(path, headers)))).map((a) => a.statusCode),
      )
    await fixture.sql('revoke insert on portal_activities from custodia_app')
    try {
      for (const status of await many()) assert.ok(status >= 500, String(status))
    } finally {
      await fixture.sql('grant insert on portal_activities to custodia_app')
    }
    assert.deepEqual([...(await many())], [403])
    assert.deepEqual(
      (await logged(id)).map(({ denial_reason }) => denial_reason),
      ['address_expired: another session'],
    )
  })

  it('is audited when the address has expired', async (t) => {
    const { path, id } = await address()
    const late = Date.now() + 61_000
    t.mock.timers.enable({ apis: ['Date'], now: late })
    assert.equal((await get(path)).statusCode, 403)
    t.mock.timers.reset()
    assert.deepEqual(
      (await logged(id)).map(({ denial_reason }) => denial_reason),
      ['address_expired: expired'],
    )
  })
})

const DAY = 86_400
const EXPORT = 'profile.exports:create'
const DEFAULTS = { user_group: 'Unassigned', role: null, cidr_ranges: [] }

describe('mass access monitoring', () => {
  let references: string[]
  before(async () => {
    const more = async (text: string) =>
      storePayload(fixture.server.ctx, { client: 'acme', group: 'North', bytes: Buffer.from(text) })
    references = [fixture.payload_reference, await more('another call'), await more('a third call')]
  })
  beforeEach(async () => {
    await fixture.sql('delete from access_days')
    await fixture.sql('delete from payload_audit')
    await set({ play_limit: 1000, download_limit: 100, export_limit: 20, asks_reason: false, reasons: [] })
    await fixture.newAlerts()
  })

  const set = (settings: Record<string, unknown>) =>
    fixture.alice.api.saveAccountDefaults({ body: { ...DEFAULTS, ...settings } })
  const ask = (payload_reference: string, query: { action?: 'play' | 'download'; reason?: string }) =>
    fixture.carol.api.readPayloadData({ params: { payload_reference }, query })
  const getPath = (s3_url = '') => new URL(s3_url).pathname
  const get = async (path: string, headers: Record<string, string> = {}, remoteAddress = '127.0.0.1') => {
    const { statusCode } = await fixture.server.app.inject({
      url: path,
      remoteAddress,
      headers: { cookie: fixture.carol.cookie(), ...headers },
    })
    assert.ok(statusCode < 300, `${path}: ${statusCode}`)
  }
  const take = async (action: 'play' | 'download', reference = '') =>
    get(getPath((await ask(reference, { action })).s3_url))
  const counted = async () =>
    (
      await fixture.sql<{ stated: string }>(
        `select concat_ws(' ', person, act, count, is_reported) as stated from access_days order by 1`,
      )
    ).map(({ stated }) => stated)

  it('counts each recording once, whatever the number of ranges, addresses and networks', async () => {
    const [one = '', two = ''] = references
    const path = getPath((await ask(one, { action: 'play' })).s3_url)
    assert.deepEqual(await counted(), [], 'an address is no play yet')
    for (const range of ['bytes=0-3', 'bytes=4-7', 'bytes=8-']) await get(path, { range })
    await get(path, {}, '192.0.2.7')
    await take('play', one)
    assert.deepEqual(await counted(), ['carol payloads:play 1 f'])
    await take('play', two)
    await take('download', one)
    assert.deepEqual(await counted(), ['carol payloads:download 1 f', 'carol payloads:play 2 f'])
  })

  it('raises one High security alert per day at the account limit, linked to that day in the log', async () => {
    await set({ play_limit: 2 })
    const [one = '', two = '', three = ''] = references
    await take('play', one)
    assert.deepEqual(await fixture.newAlerts(), [], 'one less than the limit')
    await take('play', two)
    await take('play', three)
    const found = await fixture.alice.api.listAlerts({ query: { search: 'carol' } })
    const data = found.data
    const [listed, ...more] = data.filter(({ alert_key }) => alert_key.startsWith('mass '))
    assert.deepEqual([listed?.occurrence_count, more], [1, []], 'once for that day')
    assert.deepEqual([listed?.alert_severity, listed?.alert_scope], ['High', 'sec'])
    assert.match(listed?.alert_message ?? '', /^carol played 2 recordings in a day/)
    const date = new Date().toISOString().slice(0, 10)
    assert.equal(
      listed?.related_entities[0]?.page_link,
      `/dashboard/account/audit?users=carol&from=${date}&to=${date}&actions=payloads%3Aplay`,
    )
  })

  it('alerts at three times the busiest day of the month, ignoring days with an alert', async () => {
    const { client_id } = (
      await fixture.sql<{ client_id: number }>(`select client_id from clients where client = 'acme'`)
    )[0] ?? { client_id: 0 }
    await set({ export_limit: 2 })
    const today = 1_000 * DAY + 5
    const be = (times: number, at = today) =>
      fixture.server.ctx.db.write(client_id, async (tx) => {
        for (let i = 0; i < times; i++)
          await noteAccess(tx, { actor: 'carol', user_reference: 'carol', act: EXPORT, at })
      })
    const had = (days: number, count: number, is_reported: boolean) =>
      fixture.sql(`insert into access_days values ($1, 'carol', $2, $3, $4, $5)`, [
        client_id,
        EXPORT,
        (1_000 - days) * DAY,
        count,
        is_reported,
      ])
    await had(31, 100, false)
    await had(30, 2, false)
    await had(1, 50, true)
    await be(5)
    assert.deepEqual(await fixture.newAlerts(), [])
    await be(1)
    assert.equal((await fixture.newAlerts()).length, 1)
    await be(20)
    assert.deepEqual(await fixture.newAlerts(), [])
    await be(1, today + 2 * DAY)
    assert.deepEqual(await fixture.newAlerts(), [])
    await be(1, today + 2 * DAY)
    assert.equal((await fixture.newAlerts()).length, 1, 'the reported day does not raise the limit')
    await fixture.server.ctx.db.write(client_id, (tx) =>
      noteAccess(tx, { actor: 'carol', user_reference: 'carol', act: 'payloads:read', at: today }),
    )
    assert.ok(!(await counted()).some((each) => each.includes('payloads:read')))
  })

  it('always alerts at three times the limit, however slowly the use grew', async () => {
    await set({ export_limit: 2 })
    const [{ client_id } = { client_id: 0 }] = await fixture.sql<{ client_id: number }>(
      `select client_id from clients where client = 'acme'`,
    )
    const result: number[] = []
    for (const [day, times] of [1, 2, 5, 14].entries()) {
      await fixture.server.ctx.db.write(client_id, async (tx) => {
        for (let i = 0; i < times; i++) {
          const at = (1_000 + day) * DAY
          await noteAccess(tx, { actor: 'carol', user_reference: 'carol', act: EXPORT, at })
        }
      })
      result.push((await fixture.newAlerts()).length)
    }
    assert.deepEqual(result, [0, 0, 0, 1])
  })

  it('deletes daily counts that are older than a month', async () => {
    const today = Math.floor(Date.now() / 1000 / DAY)
    for (const days of [0, 29, 30, 32])
      await fixture.sql(
        `insert into access_days select client_id, 'carol', $1, $2, $3, false from clients where client = 'acme'`,
        [EXPORT, (today - days) * DAY, days + 1],
      )
    const { ctx } = fixture.server
    await purgeAccessDays.run({ ...ctx, now: () => today * DAY + 5 }, {}, AbortSignal.timeout(60_000))
    const kept = [1, 30, 31].map((count) => `carol ${EXPORT} ${count} f`)
    assert.deepEqual((await counted()).toSorted(), kept.toSorted())
  })

  it('requires a reason for downloads, archives and exports where the account demands one', async () => {
    const [one = '', two = ''] = references
    await set({ asks_reason: true })
    const profile = await fixture.carol.api.readProfile({})
    assert.deepEqual(profile.reasons, [])
    const { api } = fixture.carol
    const calls = (reason?: string) => [
      () => ask(one, { action: 'download', ...(reason !== undefined && { reason }) }),
      () =>
        api.readData({
          query: {
            payload_references: [one, two],
            action: 'download',
            ...(reason !== undefined && { reason }),
          },
        }),
      () =>
        api.readDataArchive({
          query: { payload_references: [one, two], ...(reason !== undefined && { reason }) },
        }),
      () =>
        api.noteExport({
          body: { list: 'listPayloads', format: 'csv', ...(reason !== undefined && { reason }) },
        }),
    ]
    for (const call of calls())
      assert.deepEqual([(await getProblem(call())).status, await getCode(call())], [400, 'reason_required'])
    for (const wrong of ['ab', '   ', ' because', 'x'.repeat(201), 'line\nbreak'])
      for (const call of calls(wrong)) assert.equal(await getCode(call()), 'invalid_input', wrong)
    for (const right of ['abc', 'x'.repeat(200)]) for (const call of calls(right)) await call()
    assert.equal((await ask(one, { action: 'play' })).status, 'Ok', 'playing needs none')

    const reason = 'Asked for by the regulator'
    await get(getPath((await ask(one, { reason })).s3_url))
    const logged = await fixture.sql<{ stated: string | null }>(
      `select parameters::jsonb ->> 'reason' as stated from portal_activities
       where action = 'payloads:download' and parameters::jsonb ->> 'data_address' is not null order by log_id desc limit 1`,
    )
    assert.deepEqual(logged, [{ stated: reason }], 'the use says why')
    const asked = await fixture.sql(
      `select from portal_activities where action = 'payloads:download' and $1 in (parameters::jsonb ->> 'reason', parameters::jsonb #>> '{query,reason}')`,
      [reason],
    )
    assert.equal(asked.length, 2, 'and so does the call')
    const [exported] = await fixture.sql<{ parameters: string }>(
      `select parameters from portal_activities where action = $1 and is_allowed order by log_id desc limit 1`,
      [EXPORT],
    )
    const { body } = JSON.parse(exported?.parameters ?? '{}') as { body: unknown }
    assert.deepEqual(body, { list: 'listPayloads', format: 'csv', reason: 'x'.repeat(200) })

    await set({ asks_reason: true, reasons: ['Court order', 'Audit'] })
    assert.deepEqual((await fixture.carol.api.readProfile({})).reasons, ['Court order', 'Audit'])
    for (const call of calls(reason)) assert.equal(await getCode(call()), 'reason_required')
    for (const call of calls('Audit')) await call()
    await set({ asks_reason: false })
    assert.equal((await fixture.carol.api.readProfile({})).reasons, null)
    for (const call of calls()) await call()
  })

  it('accepts exports only of lists that the user may read', async () => {
    const note = (list: string) => fixture.carol.api.noteExport({ body: { list, format: 'csv' } })
    assert.equal(await getCode(note('listRoles')), 'not_permitted')
    for (const wrong of ['constructor', 'announcePayloads', 'nothing'])
      assert.equal(await getCode(note(wrong)), 'invalid_input', wrong)
    assert.deepEqual(await note('listPayloads'), { list: 'listPayloads' })
    assert.deepEqual(await counted(), ['carol profile.exports:create 1 f'])
  })

  it('records the print of a recording in its own audit, only for readers of it', async () => {
    const print = (payload_reference: string) =>
      fixture.carol.api.noteExport({ body: { list: 'readPayload', format: 'print', payload_reference } })
    assert.equal(await getCode(print('01J9ZK3V5Q8Y7XH2M4N6P07F3K')), 'not_found')
    const { payload_reference } = fixture
    await print(payload_reference)
    const { records } = await fixture.alice.api.readPayloadAudit({ params: { payload_reference } })
    const printed = records.filter(({ action }) => action === EXPORT)
    assert.deepEqual(
      printed.map(({ portal_user, detail }) => [portal_user, detail]),
      [['carol', 'print']],
    )
  })

  it('accepts limits from 1 to 1,000,000', async () => {
    for (const wrong of [0, -1, 1.5, 1_000_001])
      assert.equal(await getCode(set({ play_limit: wrong })), 'invalid_input')
    assert.equal((await set({ play_limit: 1_000_000, download_limit: 1 })).download_limit, 1)
    assert.equal((await set({})).play_limit, 1_000_000, 'as it was')
    const many = Array.from({ length: 21 }, (_, i) => `Reason ${i}`)
    assert.equal(await getCode(set({ reasons: many })), 'invalid_input')
    assert.equal((await set({ reasons: many.slice(1) })).reasons.length, 20)
  })
})
