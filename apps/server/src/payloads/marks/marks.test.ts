import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { Mark } from '@custodia/contract'
import { openPerson, type Person, problem } from '../../testing/access-fixture.ts'
import { hear } from '../../testing/heard.ts'
import { testServer } from '../../testing/server.ts'
import { storePayload } from '../../testing/stored-payload.ts'
import { deletePayloads, restorePayloads } from '../deletion-store.ts'
import { countsSql } from '../state-store.ts'

const server = await testServer()
after(() => server.close())
/** Compliance manager of all groups. */
const alice = await openPerson(server, 'acme', 'alice')
/** Compliance reviewer of North. */
const bob = await openPerson(server, 'acme', 'bob')
const [row] = await server.sql(`select client_id from clients where client = 'acme'`)
const client_id = Number(row?.client_id)
await server.sql(`update portal_sessions set display_name = 'Alice Ames' where user_reference = 'alice'`)
await alice.api.saveReviewSettings({
  body: { reasons: ['Wrong price'], min_share: 50, requires_share: false },
})

describe('review marks', () => {
  const store = (more: Partial<Parameters<typeof storePayload>[1]> = {}) =>
    storePayload(server.ctx, { client: 'acme', group: 'North', ...more })
  const mark = (
    by: Person,
    payload_reference: string,
    mark: Mark,
    more: { reason?: string; note?: string } = {},
  ) => by.api.addMark({ params: { payload_reference }, body: { mark, ...more } })
  const read = (by: Person, payload_reference: string) => by.api.listMarks({ params: { payload_reference } })
  const getId = async (payload_reference: string) => {
    const [row] = await server.sql('select payload_id from payloads where payload_reference = $1', [
      payload_reference,
    ])
    return Number(row?.payload_id)
  }
  const hears = async (person: string, payload_reference: string) => {
    const id = await getId(payload_reference)
    await server.ctx.db.write(client_id, (tx) => hear(tx, id, person, { at: server.ctx.now() }))
  }
  const listed = async (by: Person, query: Parameters<typeof by.api.listPayloads>[0]['query']) => {
    const asked = { ...query, include: ['mark' as const, 'heard' as const], limit: 200 }
    const page = await by.api.listPayloads({ query: asked })
    assert.ok('data' in page)
    const total = await by.api.listPayloads({ query: { ...asked, type: 'total' } })
    return { refs: page.data.map((row) => row.payload_reference), rows: page.data, total }
  }

  it('keep their author, by name where it is known, and time, and the last one counts for every reader', async () => {
    const call = await store()
    await mark(bob, call, 'flagged', { reason: 'Wrong price', note: 'Look at 0:12' })
    await mark(alice, call, 'reviewed')
    for (const person of [alice, bob]) {
      const { marks } = await read(person, call)
      assert.deepEqual(
        marks.map((each) => [each.mark, each.marked_by, each.marked_by_name, each.reason, each.note]),
        [
          ['reviewed', 'alice', 'Alice Ames', null, null],
          ['flagged', 'bob', 'Bob Singh', 'Wrong price', 'Look at 0:12'],
        ],
      )
    }
    await assert.rejects(mark(bob, call, 'flagged', { reason: 'Made up' }), problem('invalid_input'))
    const audit = await alice.api.readPayloadAudit({ params: { payload_reference: call } })
    const created = audit.records.filter(({ action }) => action === 'payloads.marks:create')
    assert.deepEqual(created.map(({ detail }) => detail).toSorted(), ['flagged', 'reviewed'])
  })

  it('filter lists by mark, missing mark and own marks, only for permitted users', async () => {
    const [a, b, c] = [await store(), await store(), await store()]
    await mark(bob, a, 'flagged')
    await mark(alice, a, 'reviewed')
    await mark(alice, b, 'flagged')
    const has = async (query: Parameters<typeof listed>[1], by = bob) => {
      const { refs } = await listed(by, query)
      return [a, b, c].map((each) => refs.includes(each))
    }
    assert.deepEqual(await has({ mark: 'flagged' }), [false, true, false])
    assert.deepEqual(await has({ mark: 'flagged', marked_by_me: true }), [true, false, false])
    assert.deepEqual(await has({ mark: 'reviewed' }), [true, false, false])
    assert.deepEqual(await has({ mark: 'none' }), [false, false, true])
    const { rows } = await listed(bob, {})
    assert.equal(rows.find((row) => row.payload_reference === a)?.mark, 'reviewed')
    const auditor = await openPerson(server, 'acme', 'bob')
    await server.sql(`update portal_sessions set roles = '{Auditor}' where session_id = $1`, [
      JSON.parse(Buffer.from(auditor.id_token.split('.')[1] ?? '', 'base64url').toString()).sid,
    ])
    const seen = await listed(auditor, {})
    assert.equal(
      seen.rows.some((row) => row.mark !== undefined),
      false,
    )
    assert.deepEqual((await listed(auditor, { mark: 'flagged' })).refs, [])
    await assert.rejects(read(auditor, a), problem('not_permitted'))
  })

  it('update the counts of unreviewed and unplayed payloads, also after delete and restore', async () => {
    const rest = async (query: Parameters<typeof listed>[1]) => {
      const { refs, total } = await listed(bob, query)
      assert.deepEqual(total, { total: refs.length }, JSON.stringify(query))
      return refs.length
    }
    const before = [
      await rest({ mark: 'none', service: 'videos' }),
      await rest({ heard: 'none', service: 'videos' }),
    ]
    assert.deepEqual(before, [0, 0])
    const videos = []
    for (let i = 0; i < 3; i++) videos.push(await store({ payload_type: 'Video' }))
    // Payloads that the test stores are in no counter yet.
    await server.sql(
      `insert into payload_counts ${countsSql('select *, 1 as n from payloads where service = 5')}`,
    )
    const [first = '', second = ''] = videos
    await mark(bob, first, 'reviewed')
    await hears('bob', first)
    await hears('alice', second)
    await hears('alice', second)
    assert.equal(await rest({ mark: 'none', service: 'videos' }), 2)
    assert.equal(await rest({ heard: 'none', service: 'videos' }), 1)
    assert.deepEqual((await listed(bob, { heard: 'me', service: 'videos' })).refs, [first])
    assert.deepEqual((await listed(bob, { heard: 'others', service: 'videos' })).refs, [second])
    assert.deepEqual([(await read(bob, first)).heard, (await read(bob, second)).heard], ['me', 'others'])
    assert.deepEqual(
      (await read(bob, second)).listeners.map(({ heard_by, parts }) => [heard_by, parts]),
      [['alice', [{ from: 0, to: 10 }]]],
    )
    const act = async (work: typeof deletePayloads) => {
      const ids = [await getId(first)]
      await server.ctx.db.write(client_id, (tx) => work(tx, ids, { now: server.ctx.now(), by: 'retention' }))
    }
    await act(deletePayloads)
    assert.equal(await rest({ mark: 'none', service: 'videos' }), 2)
    assert.deepEqual((await listed(bob, { mark: 'reviewed', service: 'videos' })).refs, [])
    await act(restorePayloads)
    assert.deepEqual((await listed(bob, { mark: 'reviewed', service: 'videos' })).refs, [first])
    assert.deepEqual((await listed(bob, { heard: 'me', service: 'videos' })).refs, [first])
    assert.equal(await rest({ heard: 'none', service: 'videos' }), 1)
  })

  it('are rebuilt together with plays when their list rows are lost', async () => {
    const [call, other] = [
      await store({ payload_type: 'Interview' }),
      await store({ payload_type: 'Interview' }),
    ]
    await mark(bob, call, 'flagged')
    await mark(alice, call, 'reviewed')
    await mark(bob, other, 'flagged')
    await hears('bob', call)
    await hears('alice', other)
    const found = async () => {
      const queries = [
        ...(['none', 'flagged', 'reviewed'] as const).map((each) => ({ mark: each })),
        { mark: 'flagged' as const, marked_by_me: true },
        ...(['me', 'others', 'none'] as const).map((each) => ({ heard: each })),
      ]
      const lists = []
      for (const query of queries) {
        const { refs, total } = await listed(bob, { ...query, service: 'interviews' })
        lists.push([query, refs, total])
      }
      return lists
    }
    const before = await found()
    await server.ctx.db.write(client_id, async (tx) => {
      for (const table of ['payload_opened', 'payload_marked']) await tx.query(`delete from ${table}`)
    })
    assert.notDeepEqual(await found(), before)
    await server.ctx.db.write(client_id, (tx) => tx.query('select rebuild_review($1, null)', [client_id]))
    assert.deepEqual(await found(), before)
  })

  it('can be taken back by their author, stay in the history, and no longer count', async () => {
    const call = await store({ payload_type: 'Interview' })
    const first = await mark(alice, call, 'flagged')
    const { mark_id } = await mark(bob, call, 'reviewed')
    const before = (await alice.api.countReviews({})).weeks.find(({ person }) => person === 'bob')
    const withdraw = (by: Person, ...mark_ids: string[]) => by.api.withdrawMarks({ body: { mark_ids } })
    const missing = [{ mark_id, status: 'NoMatchingRecord' }]
    assert.deepEqual((await withdraw(alice, mark_id)).data, missing)
    assert.deepEqual((await withdraw(bob, mark_id)).data, [
      {
        mark_id,
        status: 'Ok',
        payload_reference: call,
        mark: 'flagged',
        marked_by: 'alice',
        marked_by_name: 'Alice Ames',
      },
    ])
    assert.deepEqual((await withdraw(bob, mark_id)).data, missing)
    const { marks } = await read(bob, call)
    assert.deepEqual(
      marks.map(({ marked_by, withdrawn_at }) => [marked_by, withdrawn_at !== null]),
      [
        ['bob', true],
        ['alice', false],
      ],
    )
    const { review } = await bob.api.readPayload({ params: { payload_reference: call } })
    assert.deepEqual([review?.mark, review?.marked_by], ['flagged', 'alice'])
    assert.ok((await listed(bob, { mark: 'flagged', service: 'interviews' })).refs.includes(call))
    const after = (await alice.api.countReviews({})).weeks.find(({ person }) => person === 'bob')
    assert.equal(after?.reviewed, (before?.reviewed ?? 0) - 1)
    await withdraw(alice, first.mark_id)
    assert.ok((await listed(bob, { mark: 'none', service: 'interviews' })).refs.includes(call))
    const escalated = await mark(bob, call, 'escalated')
    await withdraw(bob, escalated.mark_id)
    const [alert] = await server.sql('select alert_state from alerts where alert_key = $1', [
      `escalated ${call}`,
    ])
    assert.equal(alert?.alert_state, 'Cleared')
    const audit = await alice.api.readPayloadAudit({ params: { payload_reference: call } })
    const withdrawn = audit.records.filter(({ action }) => action === 'payloads.marks:withdraw')
    assert.deepEqual(withdrawn.map(({ detail }) => detail).toSorted(), ['escalated', 'flagged', 'reviewed'])
    // A mark counts in the group of its time.
    const moved = await store({ payload_type: 'Interview' })
    const flagged = await mark(alice, moved, 'flagged')
    const inGroups = () =>
      server.sql(
        `select group_id, sum(count)::int as count from review_days where person = 'alice' and act = 'flagged' group by 1 order by 1`,
      )
    const marked = await inGroups()
    await server.sql(
      `with p as (select * from payloads where payload_reference = $1)
       insert into payload_reassignments (client_id, payload_id, at, from_group, to_group, by)
       select client_id, payload_id, $2, group_id, (select max(group_id) from groups g where g.client_id = p.client_id), 'x' from p`,
      [moved, flagged.marked_at + 1],
    )
    await server.sql(
      `update payloads p set group_id = r.to_group from payload_reassignments r where r.payload_id = p.payload_id and p.payload_reference = $1`,
      [moved],
    )
    await withdraw(alice, flagged.mark_id)
    const total = (rows: typeof marked) => rows.reduce((sum, { count }) => sum + Number(count), 0)
    assert.equal(total(await inGroups()), total(marked) - 1)
  })

  it('keep what their author had heard, and need the share that the account requires', async () => {
    const bytes = Buffer.from('sound')
    const long = { bytes, document: { duration: 40 } }
    const [heard, barely, photo] = [
      await store(long),
      await store(long),
      await store({ payload_type: 'Photo', bytes }),
    ]
    const play = async (reference: string, to: number) => {
      const id = await getId(reference)
      await server.ctx.db.write(client_id, (tx) =>
        hear(tx, id, 'bob', { at: server.ctx.now(), parts: [{ from: 0, to }] }),
      )
    }
    await play(heard, 20)
    await play(barely, 3)
    const coverage = async () =>
      (await alice.api.countReviews({})).weeks.find(({ person }) => person === 'bob')?.too_little
    const before = (await coverage()) ?? 0
    const made = await mark(bob, barely, 'reviewed')
    assert.deepEqual([made.heard_seconds, made.length], [3, 40])
    assert.equal(await coverage(), before + 1)

    const settings = { reasons: ['Wrong price'], min_share: 50, requires_share: true }
    await alice.api.saveReviewSettings({ body: settings })
    await assert.rejects(mark(bob, barely, 'reviewed'), problem('too_little_heard'))
    await mark(bob, barely, 'flagged')
    const missing = '01K00000000000000000000000'
    const south = await store({ group: 'South' })
    const payload_references = [heard, barely, photo, south, missing]
    const { data } = await bob.api.markPayloads({ body: { mark: 'reviewed', payload_references } })
    assert.deepEqual(
      data.map(({ status, mark_id }) => [status, mark_id !== undefined]),
      [
        ['Ok', true],
        ['TooLittleHeard', false],
        ['Ok', true],
        ['NoMatchingRecord', false],
        ['NoMatchingRecord', false],
      ],
    )
    const { version, updated_by } = await alice.api.readReviewSettings({})
    assert.equal(updated_by, 'alice')
    const body = { ...settings, requires_share: false }
    await alice.api.saveReviewSettings({ body }, { if_match: version })
    await assert.rejects(
      alice.api.saveReviewSettings({ body }, { if_match: version }),
      problem('changed_meanwhile'),
    )
    await mark(bob, barely, 'reviewed')
    await assert.rejects(
      alice.api.saveReviewSettings({ body }, { if_none_match: true }),
      problem('already_exists'),
    )
    await server.sql('delete from review_settings')
    const first = await alice.api.readReviewSettings({})
    const saves = await Promise.allSettled(
      Array.from({ length: 8 }, (_, i) =>
        alice.api.saveReviewSettings({ body: { ...body, min_share: i + 1 } }, { if_match: first.version }),
      ),
    )
    assert.equal(saves.filter(({ status }) => status === 'fulfilled').length, 1, 'first saves overwrite none')
  })

  it('by filter mark what the reviewer may mark, as single calls would', async () => {
    const day = 1_500_000_000
    const [first, second, south, own] = [
      await store({ payload_time: day }),
      await store({ payload_time: day + 1 }),
      await store({ payload_time: day + 2, group: 'South' }),
      await store({ payload_time: day + 3 }),
    ]
    await store({ payload_time: day + 9 })
    await server.sql(
      `with u as (insert into device_users (client_id, device_user_reference, group_id, updated_at, updated_by)
         select client_id, 'bob', group_id, 0, 'test' from payloads where payload_reference = $1 returning device_user_id)
       update payloads set device_user_id = u.device_user_id from u where payload_reference = $1`,
      [own],
    )
    const query = { from: '2017-07-14-024000', to: '2017-07-14-024009', service: 'calls' as const }
    const all = (mark: Mark) => bob.api.markPayloads({ query, body: { mark, all: true } })
    const { data, is_cut } = await all('flagged')
    assert.deepEqual(
      data.map(({ payload_reference, status }) => [payload_reference, status]),
      [
        [own, 'OwnRecording'],
        [second, 'Ok'],
        [first, 'Ok'],
      ],
    )
    assert.equal(is_cut, false)
    // What was not marked has a name; the reader may not have its row.
    assert.deepEqual(
      data.map(({ seen }) => seen?.payload_time),
      [day + 3, undefined, undefined],
    )
    assert.deepEqual((await listed(alice, { ...query, mark: 'none' })).refs, [own, south])
    for (const payload_reference of [first, second]) {
      const { marks } = await read(alice, payload_reference)
      assert.deepEqual(
        marks.map(({ mark, marked_by, heard_seconds }) => [mark, marked_by, heard_seconds]),
        [['flagged', 'bob', 0]],
      )
      const { records } = await alice.api.readPayloadAudit({ params: { payload_reference } })
      assert.deepEqual(
        records.map(({ action, portal_user }) => [action, portal_user]),
        [['payloads.marks:create', 'bob']],
      )
    }
    // Each escalation raises an alert.
    await assert.rejects(all('escalated'), problem('invalid_input'))
  })

  it('escalations keep an alert open until a user with permission decides them', async () => {
    const call = await store()
    await server.sql(
      `with holder as (
         insert into device_users (client_id, device_user_reference, first_name, surname, group_id, updated_at, updated_by)
         select client_id, 'E7', 'Harriet', 'Cole', group_id, 0, 'test' from payloads where payload_reference = $1 returning device_user_id)
       update payloads set device_user_id = holder.device_user_id from holder where payload_reference = $1`,
      [call],
    )
    await server.sql(`update portal_sessions set display_name = 'Bob Singh' where user_reference = 'bob'`)
    const { mark_id } = await mark(bob, call, 'escalated', { note: 'Please decide' })
    const found = await alice.api.listAlerts({ query: { search: call } })
    assert.deepEqual(
      found.data[0]?.related_entities.map(({ entity_type, entity_name }) => [entity_type, entity_name]),
      [
        ['Payload', 'Harriet Cole'],
        ['PortalUser', 'Bob Singh'],
      ],
    )
    const alert = async () => {
      const [row] = await server.sql('select alert_state, alert_scope from alerts where alert_key = $1', [
        `escalated ${call}`,
      ])
      return [row?.alert_scope, row?.alert_state]
    }
    assert.deepEqual(await alert(), ['ops', 'Triggered'])
    const decide = (by: Person) =>
      by.api.decideMark({ params: { payload_reference: call, mark_id }, body: { result: 'No breach' } })
    await assert.rejects(decide(bob), problem('not_permitted'))
    const decided = await decide(alice)
    assert.deepEqual(
      [decided.result, decided.note, decided.decided_by],
      ['No breach', 'Please decide', 'alice'],
    )
    await assert.rejects(decide(alice), problem('wrong_state'))
    assert.deepEqual(await alert(), ['ops', 'Cleared'])
  })

  it('cannot be set by the user of the device, matched by e-mail address', async () => {
    const call = await store()
    assert.equal((await read(bob, call)).own, 'unknown')
    await server.sql(
      `update payloads set device_user_id = (select device_user_id from device_users u where u.client_id = payloads.client_id order by 1 limit 1)
       where payload_reference = $1`,
      [call],
    )
    const holder = (email: string | null) =>
      server.sql(
        `update device_users set email = $2 where device_user_id = (select device_user_id from payloads where payload_reference = $1)`,
        [call, email],
      )
    await holder(null)
    assert.equal((await read(bob, call)).own, 'unknown')
    await server.sql(`update portal_sessions set email = 'bob@acme.example' where user_reference = 'bob'`)
    await holder('else@acme.example')
    assert.equal((await read(bob, call)).own, 'not_own')
    await mark(bob, call, 'reviewed')
    await holder('Bob@acme.example')
    assert.equal((await read(bob, call)).own, 'own')
    const { review } = await bob.api.readPayload({ params: { payload_reference: call } })
    assert.equal(review?.own, 'own')
    await assert.rejects(mark(bob, call, 'reviewed'), problem('own_recording'))
  })

  it('cannot be set or decided by a user named like the device user, in any letter case', async () => {
    const call = await store()
    await server.sql(
      `with holder as (
         insert into device_users (client_id, device_user_reference, group_id, updated_at, updated_by)
         select client_id, 'ALICE', group_id, 0, 'test' from payloads where payload_reference = $1 returning device_user_id)
       update payloads set device_user_id = holder.device_user_id from holder where payload_reference = $1`,
      [call],
    )
    assert.equal((await read(alice, call)).own, 'own')
    for (const each of ['reviewed', 'flagged', 'escalated'] as const)
      await assert.rejects(mark(alice, call, each), problem('own_recording'))
    const { mark_id } = await mark(bob, call, 'escalated')
    const decision = { params: { payload_reference: call, mark_id }, body: { result: 'Nothing' } }
    await assert.rejects(alice.api.decideMark(decision), problem('own_recording'))
    assert.deepEqual(
      (await read(bob, call)).marks.map(({ marked_by, decided_at }) => [marked_by, decided_at]),
      [['bob', null]],
    )
    const other = await openPerson(server, 'acme', 'carol', { roles: ['Compliance Manager'] })
    assert.equal((await other.api.decideMark(decision)).decided_by, 'carol')
  })

  it('return 404 outside the group, are stored sealed, and are counted per week, user and group', async () => {
    const south = await store({ group: 'South' })
    await assert.rejects(mark(bob, south, 'reviewed'), problem('not_found'))
    await assert.rejects(read(bob, south), problem('not_found'))
    const secret = 'Zwetschgendatschi'
    await mark(alice, south, 'flagged', { note: secret })
    for (const { name } of await server.sql(
      `select relname as name from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace and not relispartition`,
    )) {
      const [found] = await server.sql(
        `select count(*)::int as count from ${String(name)} t where to_jsonb(t)::text ilike '%${secret}%'
           or to_jsonb(t)::text like '%${Buffer.from(secret).toString('hex')}%'`,
      )
      assert.equal(found?.count, 0, String(name))
    }
    const { weeks } = await alice.api.countReviews({})
    const [row] = weeks.filter(({ person, group }) => person === 'alice' && group === 'South')
    assert.deepEqual([row?.flagged, row?.reviewed, row?.heard], [1, 0, 0])
    assert.equal(new Date((row?.week ?? 0) * 1000).getUTCDay(), 1)
    await assert.rejects(bob.api.countReviews({}), problem('not_permitted'))
  })
})
