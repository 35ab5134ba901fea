import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { HOLD_GRACE_SECONDS } from '@custodia/domain'
import { getHoldPeriods } from '../held-records/store.ts'
import { accessFixture, allow, assertDone, type Person, problem } from '../testing/access-fixture.ts'
import { storePayload } from '../testing/stored-payload.ts'

const REASON = 'Investigation 7 of the regulator'
/** A period without matters. */
const UNSET = { set_for: null, released_with: null, release_confirmed_by: null }

const fixture = await accessFixture()
after(() => fixture.close())
/** Compliance manager. */
const alice = fixture.alice
const client_id = await fixture.server.getId('acme')

describe('legal holds', () => {
  let made = 0
  /** Creates a device user with a device and a payload. */
  async function person(): Promise<{ target: string; payload_reference: string; payload_id: number }> {
    const target = `held person ${++made}`
    const payload_reference = await storePayload(fixture.server.ctx, { client: 'acme', group: 'North' })
    const [row] = await fixture.sql<{ payload_id: number }>(
      `with u as (
         insert into device_users (client_id, device_user_reference, first_name, surname, group_id, updated_at, updated_by)
         select client_id, $1, 'Ada', 'Byron', group_id, 0, 'test' from groups where client_id = $2 and group_reference = 'North' returning device_user_id)
       update payloads set device_user_id = u.device_user_id from u where payload_reference = $3 returning payload_id::int`,
      [target, client_id, payload_reference],
    )
    return { target, payload_reference, payload_id: row?.payload_id ?? 0 }
  }
  const of = (target: string, target_type: 'DeviceUser' | 'PortalUser' = 'DeviceUser') => ({
    params: { target_type, target },
  })
  const release = (target: string, reason = REASON, by = alice) =>
    assertDone(by.api.releaseLegalHold({ ...of(target), query: { reason } }))
  const events = (target: string) =>
    fixture.sql<{ act: string; by: string }>(
      'select act, by from legal_hold_events where target = $1 order by event_id',
      [target],
    )

  it('are placed once, even if requested twice, and report what they protect', async () => {
    const { target } = await person()
    const first = await alice.api.setLegalHold({ ...of(target), body: { reason: REASON } })
    assert.deepEqual(
      { ...first, created_at: 0, updated_at: 0 },
      {
        client: 'acme',
        target,
        target_type: 'DeviceUser',
        target_name: 'Ada Byron',
        is_active: true,
        created_at: 0,
        updated_at: 0,
        updated_by: 'alice',
        updated_by_name: 'Alice Carter',
        keeps_until: null,
        matters: [],
        protected: 1,
        already_destroyed: 0,
        is_capped: false,
      },
    )
    const again = await alice.api.setLegalHold({ ...of(target), body: { target, target_type: 'DeviceUser' } })
    assert.deepEqual(again, first)
    assert.deepEqual(await events(target), [{ act: 'set', by: 'alice' }])
  })

  it('keep their history: each release has a reason, and a hold may be placed again', async () => {
    const { target } = await person()
    await alice.api.setLegalHold(of(target))
    const released = await release(target)
    assert.equal(released.is_active, false)
    assert.equal(released.keeps_until, released.updated_at + HOLD_GRACE_SECONDS)
    assert.equal(released.protected, 1, 'it protects for seven more days')
    await assert.rejects(release(target), problem('not_found'))
    await alice.api.setLegalHold({ ...of(target), body: { reason: 'Once more' } })
    const { periods, ...hold } = await alice.api.readLegalHold(of(target))
    assert.equal(hold.is_active, true)
    assert.equal(hold.created_at, periods[1]?.from)
    assert.deepEqual(
      periods.map(({ from, to, ...result }) => ({ ...result, ends: to !== null && to >= from })),
      [
        {
          set_by: 'alice',
          set_by_name: 'Alice Carter',
          set_reason: 'Once more',
          ...UNSET,
          released_by: null,
          release_reason: null,
          ends: false,
        },
        {
          set_by: 'alice',
          set_by_name: 'Alice Carter',
          set_reason: null,
          ...UNSET,
          released_by: 'alice',
          released_by_name: 'Alice Carter',
          release_reason: REASON,
          ends: true,
        },
      ],
    )
  })

  it('take a release reason of 3 to 500 characters in one line, or none', async () => {
    const { target } = await person()
    await alice.api.setLegalHold(of(target))
    for (const reason of ['no', 'x'.repeat(501), ' because', 'two\nlines', ''])
      await assert.rejects(
        release(target, reason),
        problem('invalid_input', 'reason'),
        JSON.stringify(reason),
      )
    assert.equal((await release(target, 'x'.repeat(500))).is_active, false)
    await alice.api.setLegalHold({ ...of(target), body: { reason: 'abc' } })
    assert.equal((await assertDone(alice.api.releaseLegalHold({ ...of(target) }))).is_active, false)
    const { periods } = await alice.api.readLegalHold(of(target))
    assert.deepEqual([periods[0]?.released_by, periods[0]?.release_reason], ['alice', null])
  })

  it('accept existing and deleted device users, and portal users that never existed', async () => {
    const { target, payload_id } = await person()
    await fixture.sql('update device_users set deleted_at = 1 where device_user_reference = $1', [target])
    assert.equal((await alice.api.setLegalHold(of(target))).protected, 1)
    await assert.rejects(alice.api.setLegalHold(of('unknown')), problem('not_found'))
    await assert.rejects(alice.api.setLegalHold(of('x'.repeat(61))), problem('not_found'))
    const stranger = await alice.api.setLegalHold(of('never@here.example', 'PortalUser'))
    assert.deepEqual([stranger.is_active, stranger.protected], [true, 0])
    await assert.rejects(
      alice.api.setLegalHold(of('erin (support)', 'PortalUser')),
      problem('invalid_input', 'target'),
    )
    // A comment of a held portal user keeps the whole payload.
    await fixture.sql(
      `insert into payload_comments (client_id, comment_id, payload_id, group_id, type, raised_at, raised_by)
       select client_id, 'held ' || payload_id, payload_id, group_id, type, 1, 'never@here.example' from payloads where payload_id = $1`,
      [payload_id],
    )
    assert.equal((await alice.api.readLegalHold(of('never@here.example', 'PortalUser'))).protected, 1)
  })

  it('reject other target types, and a body that contradicts the path', async () => {
    const { target } = await person()
    for (const type of ['Group', 'PhoneNumber', 'deviceuser'])
      await assert.rejects(
        alice.api.setLegalHold({ params: { target_type: type as 'DeviceUser', target } }),
        problem('invalid_input', 'target_type'),
      )
    await assert.rejects(
      alice.api.setLegalHold({ ...of(target), body: { target: 'another one' } }),
      problem('invalid_input', 'target'),
    )
    await assert.rejects(
      alice.api.setLegalHold({ ...of(target), body: { target_type: 'PortalUser' } }),
      problem('invalid_input', 'target_type'),
    )
    await assert.rejects(alice.api.setLegalHold(of('no', 'PortalUser')), problem('invalid_input', 'target'))
    assert.deepEqual(await events(target), [])
  })

  it('keep their reason out of the audit log, and sealed in the database', async () => {
    const { target } = await person()
    const secret = 'The whistle was blown by Zoe'
    await alice.api.setLegalHold({ ...of(target), body: { reason: secret } })
    await release(target, secret)
    await assert.rejects(release(target, `x${'y'.repeat(600)}${secret}`), problem('invalid_input'))
    const entries = await fixture.sql<{ action: string; parameters: string }>(
      `select action, parameters::text from portal_activities where parameters::text like '%' || $1 || '%'`,
      [target],
    )
    assert.ok(entries.length >= 3)
    for (const { parameters } of entries) assert.equal(parameters.includes('Zoe'), false, parameters)
    assert.ok(
      entries.some(
        ({ action, parameters }) => action === 'account.legal_holds:delete' && parameters.includes('…'),
      ),
    )
    const [stored] = await fixture.sql<{ n: number }>(
      `select count(*)::int as n from legal_hold_reasons where position($1::bytea in sealed_reason) > 0`,
      [Buffer.from('Zoe')],
    )
    assert.equal(stored?.n, 0)
  })

  it('cannot be changed or deleted in the database, even by the table owner', async () => {
    const { target } = await person()
    await alice.api.setLegalHold(of(target))
    for (const statement of [
      `update legal_hold_events set at = 0 where target = '${target}'`,
      `delete from legal_hold_events where target = '${target}'`,
      `delete from legal_holds where target = '${target}'`,
      'delete from legal_hold_reasons',
      'truncate legal_holds cascade',
    ])
      await assert.rejects(fixture.sql(statement), /legal holds are history/, statement)
    const { db } = fixture.server.ctx
    for (const statement of [
      'update legal_hold_events set at = 0',
      'delete from legal_holds',
      'update legal_holds set created_at = 0',
      'update legal_hold_reasons set sealed_reason = null',
    ])
      await assert.rejects(
        db.write(client_id, (tx) => tx.query(statement)),
        /permission denied/,
        statement,
      )
  })

  it('are listed by target type, state and name, page by page', async () => {
    const people = [await person(), await person(), await person()]
    for (const { target } of people) await alice.api.setLegalHold(of(target))
    const [first, , last] = people
    await release(first?.target ?? '')
    await alice.api.setLegalHold(of('listed@portal.example', 'PortalUser'))
    const all = async (query: object) => {
      const found: string[] = []
      for (let last_key: string | undefined, more = true; more;) {
        const page = await alice.api.listLegalHolds({
          query: { ...query, limit: 2, ...(last_key ? { last_key } : {}) },
        })
        found.push(...page.data.map(({ target }) => target))
        last_key = page.last_key
        more = last_key !== undefined
      }
      assert.equal(new Set(found).size, found.length)
      const total = await alice.api.listLegalHolds({ query: { ...query, type: 'total' } })
      assert.deepEqual(total, { total: found.length })
      return found
    }
    assert.ok((await all({ is_active: false })).includes(first?.target ?? ''))
    assert.ok(!(await all({ is_active: true })).includes(first?.target ?? ''))
    assert.ok((await all({ target_type: 'PortalUser' })).includes('listed@portal.example'))
    assert.ok(!(await all({ target_type: 'DeviceUser' })).includes('listed@portal.example'))
    assert.deepEqual(await all({ search: (last?.target ?? '').toUpperCase() }), [last?.target])
  })

  it('appear on payloads, device users and devices only to users who may see holds', async () => {
    const { target, payload_reference } = await person()
    const free = await storePayload(fixture.server.ctx, { client: 'acme', group: 'North' })
    const device_reference = `phone ${free}`
    await alice.api.setLegalHold(of(target))
    const reviewer = await fixture.personWith(['Compliance Reviewer'])
    const rows = async (by: Person, query: object) => {
      const page = await by.api.listPayloads({ query: { ...query, limit: 200, include: ['held'] } })
      return new Map(page.data.map((row) => [row.payload_reference, row.is_held]))
    }
    const shown = await rows(alice, {})
    assert.deepEqual([shown.get(payload_reference), shown.get(free)], [true, false])
    assert.deepEqual([...(await rows(alice, { is_held: 'true' })).keys()].includes(payload_reference), true)
    assert.equal((await rows(alice, { is_held: 'true' })).has(free), false)
    assert.equal((await rows(alice, { is_held: 'false' })).has(payload_reference), false)
    assert.equal((await rows(alice, { is_held: 'false' })).has(free), true)
    assert.equal((await rows(reviewer, {})).get(payload_reference), undefined)
    for (const is_held of ['true', 'false']) assert.equal((await rows(reviewer, { is_held })).size, 0)
    assert.equal((await alice.api.readPayload({ params: { payload_reference } })).is_held, true)

    const people = async (by: Person, query: object) => {
      const page = await by.api.listDeviceUsers({ query: { ...query, limit: 200 } })
      const found = page.data.filter((user) => user.device_user_reference === target)
      return found.map((user) => user.is_held)
    }
    assert.deepEqual(await people(alice, {}), [true])
    assert.deepEqual(await people(alice, { is_held: 'true' }), [true])
    assert.deepEqual(await people(alice, { is_held: 'false' }), [])
    assert.deepEqual(await people(reviewer, {}), [undefined])
    assert.deepEqual(await people(reviewer, { is_held: 'true' }), [])

    // A former holder of the device is on hold.
    await fixture.sql(
      `insert into device_history (client_id, device_id, from_at, to_at, device_user_id, group_id)
       select d.client_id, d.device_id, 0, 9, u.device_user_id, d.group_id from devices d, device_users u
       where d.device_reference = $1 and u.device_user_reference = $2`,
      [device_reference, target],
    )
    const phones = async (by: Person, query: object) => {
      const page = await by.api.listDevices({ query: { ...query, search: device_reference.toLowerCase() } })
      return page.data.map((device) => device.is_held)
    }
    assert.deepEqual(await phones(alice, {}), [true])
    assert.deepEqual(await phones(alice, { is_held: 'false' }), [])
    assert.deepEqual(await phones(reviewer, { is_held: 'true' }), [])
    assert.equal((await alice.api.readDevice({ params: { device_reference } })).is_held, true)
  })

  it('count payloads of the types that the reader sees, which references are suggested of too', async () => {
    const { target, payload_reference } = await person()
    await alice.api.setLegalHold(of(target))
    const { matter_id } = await alice.api.openLegalMatter({ body: { name: 'Of one type' } })
    await alice.api.holdMatterPeople({
      params: { matter_id },
      body: { people: [{ target, target_type: 'DeviceUser' }] },
    })
    // More hidden references with the same beginning than one look at the index used to read.
    const beginning = `${payload_reference.slice(0, 10)}`
    await fixture.sql(
      `insert into payloads (client_id, payload_reference, service, type, state, payload_time, group_id, device_id, announced_at, updated_at)
       select client_id, $2 || '!' || n, service, 4, state, payload_time, group_id, device_id, 0, 0
       from payloads cross join generate_series(1, 300) n where payload_reference = $1`,
      [payload_reference, beginning],
    )
    for (const [type, count] of [
      ['Call', 1],
      ['Photo', 0],
    ] as const) {
      await fixture.giveRole('Of one type', [allow('*')], { payload_types: [type] })
      const { api } = await fixture.personWith(['Of one type'])
      const { data: holds } = await api.listLegalHolds({ query: { search: target } })
      const { data: people } = await api.listMatterPeople({ params: { matter_id } })
      const hold = await api.readLegalHold(of(target))
      const counts = [...holds, ...people, hold, await api.setLegalHold(of(target))]
      assert.deepEqual(
        counts.map((each) => each.protected),
        [count, count, count, count],
        type,
      )
      const { data } = await api.suggestPayloads({ query: { search: beginning } })
      assert.equal(data.filter(({ kind }) => kind === 'payload').length, count, type)
      assert.equal((await api.readAccountDefaults({})).content_index.indexed, null)
    }
    assert.equal((await alice.api.readLegalHold(of(target))).protected, 1)
  })

  it('protect what the person’s device recorded while it was assigned to them', async () => {
    const { target, payload_id } = await person()
    const other = await person()
    // The payload is assigned to another user, but the held user had the device at that time.
    await fixture.sql(
      `insert into device_history (client_id, device_id, from_at, to_at, device_user_id, group_id)
       select p.client_id, p.device_id, x.from_at, x.to_at, u.device_user_id, p.group_id from payloads p
       cross join lateral (values ($2, p.payload_time - 100, p.payload_time), ($3, p.payload_time + 1, null)) x (reference, from_at, to_at)
       join device_users u on u.client_id = p.client_id and u.device_user_reference = x.reference where p.payload_id = $1`,
      [other.payload_id, target, other.target],
    )
    const hold = await alice.api.setLegalHold(of(target))
    assert.equal(hold.protected, 2)
    const periods = await fixture.server.ctx.db.read(client_id, (q) =>
      getHoldPeriods(q, [payload_id, other.payload_id]),
    )
    assert.deepEqual(
      [...periods.values()].map((each) => each.map(({ until }) => until)),
      [[null], [null]],
    )
    const { released } = { released: await release(target) }
    const after = await fixture.server.ctx.db.read(client_id, (q) => getHoldPeriods(q, [other.payload_id]))
    assert.deepEqual(after.get(other.payload_id), [{ from: hold.created_at, until: released.updated_at }])
  })
})
