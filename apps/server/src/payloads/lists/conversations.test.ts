import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { Conversation } from '@custodia/contract'
import { openPerson, type Person } from '../../testing/access-fixture.ts'
import { testServer } from '../../testing/server.ts'
import { storePayload } from '../../testing/stored-payload.ts'
import { notePayloadAudit } from '../store.ts'

describe('conversations', async () => {
  /** Two conversations of one device, oldest message first; the last message of the first is in South. */
  const first: string[] = []
  const second: string[] = []
  const server = await testServer()
  /** Compliance manager of all groups. */
  const alice = await openPerson(server, 'acme', 'alice')
  /** Compliance reviewer of North. */
  const bob = await openPerson(server, 'acme', 'bob')
  const store = (group: string, thread_id: string, payload_time: number, name: string) =>
    storePayload(server.ctx, {
      client: 'acme',
      group,
      payload_type: 'SMS',
      payload_time,
      document: { thread_id, parties: [{ contact_name: name, phone_number: null }] },
      ...(first[0] !== undefined && { same_device_as: first[0] }),
    })
  first.push(await store('North', 'one', 1000, 'Ann'))
  first.push(await store('North', 'one', 2000, 'Ann'))
  second.push(await store('North', 'two', 3000, 'Ben'))
  first.push(await store('South', 'one', 4000, 'Ann'))
  after(() => server.close())

  type Query = Parameters<Person['api']['listConversations']>[0]['query']
  const list = async (by: Person, query: Query = {}): Promise<readonly Conversation[]> => {
    const rows: Conversation[] = []
    let last_key: string | undefined
    do {
      const page = await by.api.listConversations({ query: { limit: 1, ...query, last_key } })
      assert.ok('data' in page)
      rows.push(...page.data)
      last_key = page.last_key
    } while (last_key !== undefined)
    const total = await by.api.listConversations({ query: { ...query, type: 'total' } })
    assert.deepEqual(total, { total: rows.length })
    return rows
  }
  const shown = (rows: readonly Conversation[]) =>
    rows.map((row) => [
      row.last_payload_reference,
      row.message_count,
      row.unreviewed_count,
      row.unopened_count,
    ])
  const markThread = (by: Person, payload_reference: string, replaces_mark?: true) =>
    by.api.markConversations({
      body: { mark: 'reviewed', payload_references: [payload_reference], replaces_mark },
    })
  const opens = async (person: string, references: readonly string[]) => {
    const rows = await server.sql<{ payload_id: number; client_id: number }>(
      'select payload_id, client_id from payloads where payload_reference = any($1)',
      [references],
    )
    const entry = { at: server.ctx.now(), log_id: 'test', portal_user: person, action: 'devices.sms:read' }
    await server.ctx.db.write(Number(rows[0]?.client_id), (tx) =>
      notePayloadAudit(
        tx,
        rows.map((row) => Number(row.payload_id)),
        entry,
      ),
    )
  }

  it('are listed by their last visible message, and a hidden message leaves no trace', async () => {
    assert.deepEqual(shown(await list(alice)), [
      [first[2], 3, 3, 3],
      [second[0], 1, 1, 1],
    ])
    assert.deepEqual(shown(await list(bob)), [
      [second[0], 1, 1, 1],
      [first[1], 2, 2, 2],
    ])
    assert.deepEqual(shown(await list(bob, { groups: ['South'] })), [])
    assert.deepEqual(shown(await list(alice, { groups: ['South'] })), [[first[2], 1, 1, 1]])
    assert.deepEqual(shown(await list(bob, { from: '1970-01-01-004140', to: '1970-01-01-005820' })), [
      [second[0], 1, 1, 1],
    ])
    assert.deepEqual(
      (await list(alice)).map(({ parties }) => parties[0]?.contact_name),
      ['Ann', 'Ben'],
    )
  })

  it('are marked in one act: what the reviewer opened and may mark, and taken back in one', async () => {
    const none = {
      data: [{ payload_reference: first[1], status: 'Ok' }],
      marks: [],
      own_count: 0,
      is_cut: false,
    }
    assert.deepEqual(await markThread(bob, first[1] ?? ''), { ...none, unopened_count: 2 })
    await opens('bob', first.slice(0, 2))
    const { marks, unopened_count } = await markThread(bob, first[1] ?? '')
    assert.deepEqual(
      [marks.map(({ payload_reference }) => payload_reference), unopened_count],
      [[first[1], first[0]], 0],
    )
    assert.deepEqual(shown(await list(bob, { mark: 'none' })), [[second[0], 1, 1, 1]])
    assert.deepEqual(shown(await list(alice, { mark: 'none' })), [
      [first[2], 3, 1, 1],
      [second[0], 1, 1, 1],
    ])
    assert.deepEqual(await markThread(bob, first[2] ?? ''), {
      ...none,
      data: [{ payload_reference: first[2], status: 'NoMatchingRecord' }],
      unopened_count: 0,
    })
    const { data } = await bob.api.withdrawMarks({ body: { mark_ids: marks.map(({ mark_id }) => mark_id) } })
    assert.deepEqual(
      data.map(({ status }) => status),
      ['Ok', 'Ok'],
    )
    // A flag stays when the whole is reviewed, except that of the message whose page is open.
    await bob.api.addMark({ params: { payload_reference: first[0] ?? '' }, body: { mark: 'flagged' } })
    const marked = async (...asked: Parameters<typeof markThread>) =>
      (await markThread(...asked)).marks.map(({ payload_reference }) => payload_reference)
    assert.deepEqual(await marked(bob, first[0] ?? ''), [first[1]])
    assert.deepEqual(await marked(bob, first[0] ?? '', true), [first[0]])
  })

  it('are marked and held by a filter, as far as the reviewer sees them', async () => {
    await opens('bob', second)
    const all = await bob.api.markConversations({
      query: { mark: 'none' },
      body: { mark: 'reviewed', all: true },
    })
    assert.deepEqual(
      [all.marks.map(({ payload_reference }) => payload_reference), all.unopened_count, all.is_cut],
      [second, 0, false],
    )
    const { matter_id } = await alice.api.openLegalMatter({ body: { name: 'Conversations' } })
    const hold = (query: { number?: string }, body: { payload_references?: string[]; words?: string } = {}) =>
      alice.api.holdMatterRecordings({
        params: { matter_id },
        query,
        body: { ...body, ...(!body.payload_references && { all: true }), of_conversations: true },
      })
    assert.deepEqual(await hold({ number: '+1' }), { data: [], without_user: 0, is_cut: false })
    // The messages of these conversations have no device user.
    assert.deepEqual(await hold({}, { payload_references: [first[2] ?? ''] }), {
      data: [],
      without_user: 3,
      is_cut: false,
    })
    assert.deepEqual(await hold({}), { data: [], without_user: 4, is_cut: false })
    // A list of conversations has no search by words: to ignore the words would hold too much.
    await assert.rejects(hold({}, { words: 'loan' }), /^ApiProblem: words: /)
  })
})
