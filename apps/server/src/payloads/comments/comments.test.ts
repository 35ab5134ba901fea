import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ApiProblem } from '@custodia/client'
import { COMMENT_LIMIT, type CommentDuration } from '@custodia/contract'
import { openPerson, type Person, problem } from '../../testing/access-fixture.ts'
import { testServer, type TestServer } from '../../testing/server.ts'
import { storePayload } from '../../testing/stored-payload.ts'

const SAID = 'The trader names a price before the mandate was there.'

describe('comments', () => {
  let server: TestServer
  /** Compliance manager of all groups. */
  let alice: Person
  /** Compliance reviewer of North. */
  let bob: Person
  let call: string
  before(async () => {
    server = await testServer()
    alice = await openPerson(server, 'acme', 'alice')
    bob = await openPerson(server, 'acme', 'bob')
  })
  after(() => server?.close())

  const store = (more: Partial<Parameters<typeof storePayload>[1]> = {}) =>
    storePayload(server.ctx, { client: 'acme', group: 'North', document: { duration: 60 }, ...more })
  const add = (by: Person, payload_reference: string, message: string, comment_duration?: CommentDuration) =>
    by.api.addComment({
      params: { payload_reference },
      body: { message, ...(comment_duration && { comment_duration }) },
    })
  const listed = async (by: Person, payload_reference: string, show: 'open' | 'closed' | 'all' = 'open') => {
    return (await by.api.listCommentsOfPayload({ params: { payload_reference }, query: { show } })).data
  }
  before(async () => {
    call = await store()
  })

  it('can refer to a moment, a part or the whole recording, and are listed for all readers', async () => {
    const whole = await add(bob, call, SAID)
    assert.deepEqual(
      [whole.raised_by, whole.comment_version, whole.comment_body, whole.comment_duration, whole.is_closed],
      ['bob', 1, SAID, null, false],
    )
    const moment = await add(bob, call, 'Here.', { start_time: 12.3456, duration: 0 })
    assert.deepEqual(moment.comment_duration, { start_time: 12.346, duration: 0 })
    const part = await add(alice, call, 'From here\r\non', { start_time: 30, duration: 30 })
    assert.equal(part.comment_body, 'From here\non')
    const ids = (await listed(alice, call)).map(({ comment_id }) => comment_id)
    assert.deepEqual(ids.toSorted(), [whole, moment, part].map(({ comment_id }) => comment_id).toSorted())
    assert.deepEqual(
      (await listed(bob, call)).map(({ comment_id }) => comment_id),
      ids,
    )
  })

  it('must lie within the recording, and have no time on a photo', async () => {
    await add(bob, call, 'The end', { start_time: 60, duration: 0 })
    for (const part of [
      { start_time: 60.001, duration: 0 },
      { start_time: 30, duration: 30.001 },
    ])
      await assert.rejects(add(bob, call, 'Beyond', part), (error: unknown) => {
        assert.ok(error instanceof ApiProblem)
        assert.deepEqual(
          error.faults.map(({ path, code, values }) => [path, code, values]),
          [['comment_duration', 'beyond_recording', { limit: 60 }]],
        )
        return true
      })
    const photo = await store({ payload_type: 'Photo', document: {} })
    await add(bob, photo, 'A photo has no time, and can be commented on')
    await assert.rejects(add(bob, photo, 'x', { start_time: 0, duration: 0 }), problem('invalid_input'))
  })

  it('have a length limit, and reject empty and invalid text', async () => {
    const longest = '🙂'.repeat(COMMENT_LIMIT)
    assert.equal((await add(bob, call, longest)).comment_body, longest)
    for (const message of ['', `${longest}x`, 'nul \u0000', 'half \ud800'])
      await assert.rejects(add(bob, call, message), problem('invalid_input'))
  })

  it('get a new version with each change, and none when nothing changes', async () => {
    const { comment_id } = await add(bob, call, 'First', { start_time: 1, duration: 2 })
    const params = { payload_reference: call, comment_id }
    const put = (by: Person, body: Parameters<typeof by.api.updateComment>[0]['body']) =>
      by.api.updateComment({ params, body })
    assert.equal((await put(bob, {})).comment_version, 1)
    assert.equal((await put(bob, { message: 'First' })).comment_version, 1)
    const second = await put(bob, { message: 'Second' })
    assert.deepEqual([second.comment_version, second.comment_duration], [2, { start_time: 1, duration: 2 }])
    assert.equal((await put(bob, { comment_duration: null })).comment_duration, null)
  })

  it('are edited by their author only, and every reader reads all their versions', async () => {
    const { comment_id } = await add(bob, call, 'As Bob says')
    const params = { payload_reference: call, comment_id }
    await assert.rejects(
      alice.api.updateComment({ params, body: { message: 'As Alice would have it' } }),
      problem('not_permitted'),
    )
    await bob.api.updateComment({ params, body: { message: 'As Bob says now' } })
    const readText = async (by: Person) => {
      const versions = await by.api.listCommentVersions({ params })
      return versions.data.map(({ comment_body, updated_by }) => [comment_body, updated_by])
    }
    const all = [
      ['As Bob says now', 'bob'],
      ['As Bob says', 'bob'],
    ]
    assert.deepEqual(await readText(alice), all)
    assert.deepEqual(await readText(bob), all)
    await bob.api.closeComment({ params })
    assert.deepEqual(await readText(alice), all)
    await assert.rejects(readText(bob), problem('not_found'))
  })

  it('take replies while they are open, and are closed by others with a reason only', async () => {
    const { comment_id } = await add(bob, call, 'Mentions a price')
    const params = { payload_reference: call, comment_id }
    const reply = (payload_reference: string) =>
      alice.api.addComment({
        params: { payload_reference },
        body: { message: 'After the mandate', in_reply_to: comment_id },
      })
    const replied = await reply(call)
    assert.deepEqual([replied.raised_by, replied.in_reply_to], ['alice', comment_id])
    await assert.rejects(reply(await store()), problem('not_found'))
    await assert.rejects(alice.api.closeComment({ params }), problem('invalid_input'))
    await alice.api.closeComment({ params, query: { reason: 'Answered below' } })
    await assert.rejects(reply(call), problem('wrong_state'))
    const closed = (await listed(alice, call, 'closed')).find((each) => each.comment_id === comment_id)
    assert.deepEqual([closed?.closed_by, closed?.closed_reason], ['alice', 'Answered below'])
  })

  it('reject the second of two concurrent edits with 412', async () => {
    const raised = await add(bob, call, 'To be edited')
    const url = `${server.url}/client/v1/api/payloads/${call}/comments/${raised.comment_id}?client=acme`
    const put = (by: Person, message: string) =>
      fetch(url, {
        method: 'PUT',
        headers: {
          authorization: `Bearer ${by.id_token}`,
          'content-type': 'application/json',
          'if-match': '"1"',
        },
        body: JSON.stringify({ message }),
      })
    const both = await Promise.all([put(bob, 'In one tab'), put(bob, 'In another')])
    assert.deepEqual(both.map(({ status }) => status).toSorted(), [200, 412])
    const won = both.find(({ status }) => status === 200)
    assert.ok(won)
    assert.equal(won.headers.get('etag'), '"2"')
    const { comment_body } = (await won.json()) as { comment_body: string }
    const now = (await listed(bob, call)).find(({ comment_id }) => comment_id === raised.comment_id)
    assert.equal(now?.comment_body, comment_body)
  })

  it('cannot be edited once closed, and then appear only in the closed list', async () => {
    const { comment_id } = await add(bob, call, 'Wrong recording')
    const params = { payload_reference: call, comment_id }
    await assert.rejects(bob.api.closeComment({ params }, { if_match: '7' }), problem('changed_meanwhile'))
    await assert.rejects(bob.api.closeComment({ params }, { if_none_match: true }), problem('already_exists'))
    await bob.api.closeComment({ params })
    await assert.rejects(bob.api.closeComment({ params }), problem('wrong_state'))
    await assert.rejects(bob.api.updateComment({ params, body: { message: 'x' } }), problem('wrong_state'))
    const isThere = (comments: { comment_id: string }[]) =>
      comments.some((each) => each.comment_id === comment_id)
    assert.equal(isThere(await listed(bob, call)), false)
    await assert.rejects(listed(bob, call, 'closed'), problem('not_permitted'))
    assert.equal(isThere(await listed(alice, call, 'open')), false)
    assert.equal(isThere(await listed(alice, call, 'all')), true)
    const [closed] = (await listed(alice, call, 'closed')).filter((each) => each.comment_id === comment_id)
    assert.deepEqual([closed?.is_closed, closed?.closed_by], [true, 'bob'])
  })

  it('are listed across payloads by author, group, type and time', async () => {
    const south = await store({ group: 'South', payload_type: 'SMS' })
    await add(alice, south, 'In South')
    const ask = async (by: Person, query: Parameters<typeof by.api.listComments>[0]['query']) => {
      const page = await by.api.listComments({ query })
      assert.ok('data' in page)
      const total = await by.api.listComments({ query: { ...query, type: 'total' } })
      if (page.last_key === undefined) assert.deepEqual(total, { total: page.data.length })
      return page
    }
    const all = (await ask(alice, {})).data
    assert.ok(all.some(({ payload_reference }) => payload_reference === south))
    const ofBob = (await ask(bob, {})).data
    assert.deepEqual(
      ofBob,
      all.filter(({ group }) => group === 'North'),
    )
    const first = await ask(bob, { limit: 2 })
    assert.ok('data' in first)
    const next = await ask(bob, { limit: 2, last_key: first.last_key })
    assert.deepEqual([...first.data, ...next.data], ofBob.slice(0, 4))
    const count = async (query: Parameters<typeof ask>[1]) => (await ask(alice, query)).data.length
    assert.equal(await count({ groups: ['South'] }), 1)
    assert.equal(await count({ payload_types: ['SMS'] }), 1)
    assert.equal(await count({ authors: ['bob'] }), all.filter(({ raised_by }) => raised_by === 'bob').length)
    assert.equal(await count({ to: '2020-01-01' }), 0)
    assert.equal(await count({ from: '2020-01-01' }), all.length)
    await assert.rejects(ask(bob, { show: 'all' }), problem('not_permitted'))
  })

  it('are stored sealed: their text is not in the database, the log or the audit', async () => {
    const secret = 'Zwiebelkuchen'
    const { comment_id } = await add(bob, call, secret)
    const params = { payload_reference: call, comment_id }
    await bob.api.updateComment({ params, body: { message: `${secret} again` } })
    await assert.rejects(
      bob.api.updateComment({ params, body: { message: `${secret}${'x'.repeat(COMMENT_LIMIT)}` } }),
    )
    await bob.api.closeComment({ params, query: { reason: `${secret} again` } })
    const tables = await server.sql(
      `select relname as name from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace and not relispartition`,
    )
    for (const { name } of tables) {
      const [found] = await server.sql(
        `select count(*)::int as count from ${String(name)} t where to_jsonb(t)::text ilike '%${secret}%'
           or to_jsonb(t)::text like '%${Buffer.from(secret).toString('hex')}%'`,
      )
      assert.equal(found?.count, 0, String(name))
    }
    const audit = await alice.api.readPayloadAudit({ params: { payload_reference: call } })
    const acts = audit.records.map(({ action }) => action)
    assert.ok(acts.includes('payloads.comments:create') && acts.includes('payloads.comments:update'))
  })

  it('return no text when they cannot be opened, and raise an alert', async () => {
    const payload_reference = await store()
    await add(bob, payload_reference, 'Whole')
    const { comment_id } = await add(bob, payload_reference, 'To be damaged')
    await server.sql(
      `update payload_comment_versions set sealed_body = set_byte(sealed_body, 19, get_byte(sealed_body, 19) # 1) where comment_id = $1`,
      [comment_id],
    )
    assert.deepEqual(
      (await listed(bob, payload_reference)).map(({ comment_body }) => comment_body).toSorted(),
      ['Whole', null],
    )
    const [alert] = await server.sql('select alert_severity from alerts where alert_key = $1', [
      `damaged ${payload_reference}`,
    ])
    assert.equal(alert?.alert_severity, 'High')
  })

  it('are returned in pages of at most a million bytes, without gaps', async () => {
    const payload_reference = await store()
    const raised: string[] = []
    for (let i = 0; i < 27; i++)
      raised.push((await add(bob, payload_reference, '🙂'.repeat(COMMENT_LIMIT))).comment_id)
    const params = { payload_reference }
    const first = await bob.api.listCommentsOfPayload({ params, query: { limit: 200 } })
    assert.equal(first.data.length, 24)
    const next = await bob.api.listCommentsOfPayload({
      params,
      query: { limit: 200, last_key: first.last_key },
    })
    assert.equal(next.last_key, undefined)
    const all = [...first.data, ...next.data].map(({ comment_id }) => comment_id)
    assert.deepEqual(all.toSorted(), raised.toSorted())
  })
})
