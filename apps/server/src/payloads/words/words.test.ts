import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { RESERVED_GROUP } from '@custodia/contract'
import type { Tx } from '../../ports/database/lease.ts'
import { getCode, openPerson, type Person, getProblem } from '../../testing/access-fixture.ts'
import { indexAllWords } from '../../testing/index-words.ts'
import { testServer } from '../../testing/server.ts'
import { storePayload } from '../../testing/stored-payload.ts'
import { moveState } from '../state-store.ts'
import { reassignBatch } from '../store.ts'
import { noteTexts } from '../word-store.ts'
import { forgetUnused } from './index-words.ts'

/** A word that is no name and occurs in no other text of the demo. */
const SECRET = 'Zugzwang'
/** Another, of messages that were processed at several times. */
const NEW = 'Fianchetto'

describe('content search', async () => {
  const ids: Record<string, string> = {}

  const message = (group: string, text: string, payload_time = server.ctx.now()) =>
    storePayload(server.ctx, { client: 'acme', group, payload_type: 'SMS', text, payload_time })
  const note = (group: string, payload_type: 'Interview' | 'Photo', payload_notes: string) =>
    storePayload(server.ctx, { client: 'acme', group, payload_type, meta: { payload_notes } })

  const server = await testServer()
  /** Compliance manager of all groups, compliance reviewer of North, compliance reviewer of another client. */
  const alice = await openPerson(server, 'acme', 'alice')
  const bob = await openPerson(server, 'acme', 'bob')
  const gina = await openPerson(server, 'globex', 'gina', {
    roles: ['Compliance Manager', 'Account Administrator'],
  })
  ids.north = await message('North', `Lunch? ${SECRET} at Café São João, +44 7700 900123 😀`)
  ids.south = await message('South', `the ${SECRET} was agreed`)
  ids.note = await note('South', 'Interview', `Falou de AÇÃO e ${SECRET.toUpperCase()}`)
  ids.photo = await note('North', 'Photo', 'The acao was agreed in Cafe Sao Paulo')
  ids.file = await storePayload(server.ctx, {
    client: 'acme',
    group: 'North',
    payload_type: 'MMS',
    text: 'Some wombats',
    file_name: 'Wombats and numbats.pdf',
  })
  ids.call = await storePayload(server.ctx, { client: 'acme', group: 'North' })
  /** The time from which new messages were processed, before and after. */
  const processed_at = server.ctx.now()
  for (const [group, ago] of [
    ['North', 1000],
    ['North', 500],
    ['South', 400],
    ['North', -3600],
  ] as const)
    await message(group, `a ${NEW}`, processed_at - ago)
  after(() => server.close())

  const found = async (by: Person, words: string, more: object = {}) =>
    (await page(by, words, more)).data
      .map(({ payload_reference }) => Object.keys(ids).find((name) => ids[name] === payload_reference))
      .toSorted()
  const page = async (by: Person, words: string, more: object = {}) => {
    return by.api.searchPayloads({ query: more, body: { words } })
  }
  const total = async (by: Person, words: string, more: object = {}) => {
    const { seen_until: _, ...counts } = await look(by, words, more)
    return counts
  }
  /** As a portal that repeats the count on its own. */
  const look = async (by: Person, words: string, more: object = {}) => {
    const query = { ...more, type: 'total' } as const
    return by.api.searchPayloads({ query, body: { words } }, { is_refresh: true })
  }
  const snippets = async (by: Person, words: string, names = Object.keys(ids)) => {
    const payload_references = names.flatMap((name) => ids[name] ?? [])
    const { data } = await by.api.readSnippets({ body: { words, payload_references } })
    return Object.fromEntries(
      data.flatMap(({ payload_reference, passage }) =>
        passage ? [[names.find((name) => ids[name] === payload_reference), passage.text]] : [],
      ),
    )
  }
  const foundComments = async (
    by: Person,
    words: string,
    show: 'open' | 'closed' = 'open',
    more: object = {},
  ) => {
    const answer = await by.api.searchComments({ query: { show, ...more }, body: { words } })
    return answer.data.map(({ comment_id }) => comment_id)
  }
  const set = async (content_search: boolean) => {
    const admin = await openPerson(server, 'acme', 'carol', { roles: ['Account Administrator'] })
    const { user_group, role, cidr_ranges } = await admin.api.readAccountDefaults({})
    return admin.api.saveAccountDefaults({ body: { user_group, role, cidr_ranges, content_search } })
  }
  const index = async (client = 'acme') => indexAllWords(server.ctx, await server.getId(client), client)

  it('is refused until the account enables it, and finds nothing of another client', async () => {
    await set(false)
    await index()
    assert.equal(await getCode(found(bob, SECRET)), 'content_search_off')
    assert.equal(await getCode(foundComments(bob, SECRET)), 'content_search_off')
    await set(true)
    await index()
    assert.equal((await page(bob, SECRET)).is_complete, true)
    await server.sql(`insert into content_indexes (client_id, is_wanted) select client_id, true from clients where client = 'globex'
      on conflict do nothing`)
    await index('globex')
    assert.deepEqual((await page(gina, SECRET)).data, [])
  })

  it('exports, marks and holds all that it finds, and nothing else', async () => {
    const made = await alice.api.createExport({ body: { words: SECRET } })
    assert.equal(made.items, (await found(alice, SECRET)).length)
    const none = await alice.api.createExport({ body: { words: `${SECRET} ${SECRET}x` } })
    assert.equal(none.items, 0)
    const body = { words: SECRET, all: true as const }
    const { data } = await alice.api.markPayloads({ body: { ...body, mark: 'reviewed' } })
    const marked = data.map(({ payload_reference }) => payload_reference)
    assert.deepEqual(marked.toSorted(), [ids.north, ids.note, ids.south].toSorted())
    const { matter_id } = await alice.api.openLegalMatter({ body: { name: 'Openings' } })
    const held = await alice.api.holdMatterRecordings({ params: { matter_id }, body })
    assert.deepEqual(held, { data: [], without_user: 3, is_cut: false })
    const { rows } = await server.ctx.db.owner.query<{ parameters: string }>(
      `select parameters from portal_activities
       where action in ('payloads:export', 'payloads.marks:create', 'account.legal_matters:update')`,
    )
    assert.ok(!rows.some(({ parameters }) => parameters.includes(SECRET)), 'the audit log hides the words')
  })

  it('finds messages and notes that the user may read, and no others', async () => {
    assert.deepEqual(await found(alice, SECRET), ['north', 'note', 'south'])
    assert.deepEqual(await found(bob, SECRET), ['north'])
    assert.deepEqual(await found(alice, SECRET, { service: 'messages' }), ['north', 'south'])
    assert.deepEqual(await found(alice, SECRET, { groups: ['South'] }), ['note', 'south'])
    assert.deepEqual(await found(bob, SECRET, { groups: ['South'] }), [])
  })

  it('counts by type what the user may read, whatever type is selected', async () => {
    assert.deepEqual(await total(alice, SECRET), {
      total: 3,
      by_type: { SMS: 2, Interview: 1 },
      is_complete: true,
    })
    assert.deepEqual(await total(bob, SECRET), { total: 1, by_type: { SMS: 1 }, is_complete: true })
    const interviews = await total(alice, SECRET, { payload_types: ['Interview'] })
    assert.deepEqual(interviews, { total: 1, by_type: { SMS: 2, Interview: 1 }, is_complete: true })
    assert.deepEqual(await total(bob, SECRET, { groups: ['South'] }), {
      total: 0,
      by_type: {},
      is_complete: true,
    })
  })

  it('counts what is new since the last look, once it is indexed, and records a count that changed', async () => {
    const since = processed_at - 600
    const { seen_until = 0 } = await look(bob, NEW)
    assert.ok(seen_until >= processed_at - 60)
    const entries = async () =>
      (await server.sql(`select from portal_activities where action = 'payloads:search'`)).length
    const before = await entries()
    const one = await look(bob, NEW, { processed_from: since })
    assert.equal(one.total, 1, 'neither the hidden message nor one that may not be indexed yet')
    await look(bob, NEW, { processed_from: since })
    assert.equal((await entries()) - before, 1, 'the same count again leaves no entry')
    assert.equal(one.seen_until, processed_at - 499)
    assert.equal((await look(bob, NEW, { processed_from: one.seen_until })).total, 0)
    const seen = (await page(bob, NEW, { processed_from: since })).data.map((row) => row.payload_reference)
    const other = await look(alice, NEW, { processed_from: since, except: seen })
    assert.equal(other.total, 1, 'a result that the user has seen counts no more')
    assert.equal(
      (await page(bob, NEW, { processed_from: since, processed_to: processed_at - 499 })).data.length,
      1,
    )
    assert.equal((await look(alice, NEW, { processed_from: since })).total, 2)
  })

  it('narrows a search by number, person and own mark', async () => {
    const [row] = (await page(bob, SECRET)).data
    assert.ok(row)
    const { payload_reference, device_user_reference } = row
    assert.deepEqual(await found(bob, SECRET, { mark: 'flagged', marked_by_me: true }), [])
    await bob.api.addMark({ params: { payload_reference }, body: { mark: 'flagged' } })
    assert.deepEqual(await found(bob, SECRET, { mark: 'flagged', marked_by_me: true }), ['north'])
    assert.deepEqual(await found(alice, SECRET, { mark: 'flagged', marked_by_me: true }), [])
    assert.deepEqual(await found(alice, SECRET, { number: '+15550000000' }), [])
    if (device_user_reference !== null)
      assert.deepEqual(await found(bob, SECRET, { device_user_reference }), ['north'])
  })

  it('shows the passage of a result to its readers only, and records who read it', async () => {
    assert.deepEqual(await snippets(bob, SECRET), {
      north: `Lunch? ${SECRET} at Café São João, +44 7700 900123 😀`,
    })
    assert.deepEqual(Object.keys(await snippets(alice, `${SECRET} acao`)).toSorted(), [
      'north',
      'note',
      'photo',
      'south',
    ])
    assert.deepEqual(await snippets(alice, 'nowhere'), {})
    assert.deepEqual(await snippets(gina, SECRET), {})
    const read = await server.sql<{ portal_user: string; payload_reference: string }>(
      `select a.portal_user, p.payload_reference from payload_audit a join payloads p using (payload_id)
       where a.action = 'payloads.snippets:read' and a.portal_user = 'bob'`,
    )
    assert.deepEqual(read, [{ portal_user: 'bob', payload_reference: ids.north }])
  })

  it('ignores case and accents, requires all words, and supports quoted phrases', async () => {
    assert.deepEqual(await found(alice, 'ação'), ['note', 'photo'])
    assert.deepEqual(await found(alice, 'CAFE sao'), ['north', 'photo'])
    assert.deepEqual(await found(alice, 'cafe joao'), ['north'])
    assert.deepEqual(await found(alice, '"was agreed"'), ['photo', 'south'])
    assert.deepEqual(await found(alice, '"agreed was"'), [])
    assert.deepEqual(await found(alice, '"agreed in cafe" acao'), ['photo'])
    assert.deepEqual(await found(alice, 'zugz*'), ['north', 'note', 'south'])
    assert.deepEqual(await found(bob, 'zugz* lunch'), ['north'])
    assert.deepEqual(await found(alice, '07700 900-123'), ['north'])
    assert.deepEqual(await found(alice, '😀'), ['north'])
    assert.deepEqual(await found(alice, 'nowhere'), [])
    for (const words of ['wombats', 'numbats', 'some numbats', 'numb*', '"and numbats"'])
      assert.deepEqual(await found(alice, words), ['file'], words)
  })

  it('rejects stop words, short or repeated prefixes, and too many words', async () => {
    const getFault = async (words: string) => (await getProblem(found(alice, words))).faults[0]?.code
    assert.deepEqual(
      await Promise.all(['the', '…', 'zu*', 'abc* def*', 'aa bb cc dd ee ff gg hh ii'].map(getFault)),
      ['words_missing', 'words_missing', 'prefix_short', 'prefix_several', 'words_many'],
    )
  })

  it('lets no reader who is limited to legal matters learn what words other recordings have', async () => {
    const { matter_id } = await alice.api.openLegalMatter({ body: { name: 'Words' } })
    const limited = await openPerson(server, 'acme', 'hugo', { roles: ['Compliance Manager'] })
    await server.sql(
      `insert into role_assignments (client_id, user_reference, roles, ends_at, matters)
       select client_id, 'hugo', '[{"role": "Compliance Manager", "assigned_at": 0, "assigned_by": "test"}]', $1, $2
       from clients where client = 'acme'`,
      [server.ctx.now() + 86_400, [matter_id]],
    )
    for (const words of ['zugz*', 'missing*'])
      for (const search of [found, foundComments]) {
        const { faults } = await getProblem(search(limited, words))
        assert.equal(faults[0]?.code, 'prefix_limited', words)
      }
    assert.deepEqual(await found(limited, SECRET), [])
  })

  it('requires the permission to read or play the matching content', async () => {
    const roles = async (...names: string[]) => openPerson(server, 'acme', 'carol', { roles: names })
    assert.equal(await getCode(found(await roles('Auditor'), SECRET)), 'not_permitted')
    const only = (...actions_matching: string[]) => ({
      permissions: [{ actions_matching }],
      payload_types: [],
      cidr_ranges: [],
      is_alertable: false,
      is_system: false,
      alert_permissions: { ops_read: false, ops_write: false, sec_read: false, sec_write: false },
    })
    for (const [name, ...actions] of [
      ['Searcher', 'payloads:search', 'payloads:list'],
      ['Note Reader', 'payloads:search', 'payloads:list', 'payloads:read', 'payloads.snippets:read'],
    ] as const)
      await server.sql(
        `insert into roles select client_id, $1, $2, 0, 'test' from clients where client = 'acme'`,
        [name, { role_reference: name, ...only(...actions) }],
      )
    await server.sql(`update clients set access_epoch = access_epoch + 1 where client = 'acme'`)
    const searcher = await roles('Searcher')
    assert.ok((await searcher.api.readProfile({})).actions.includes('payloads:search'))
    assert.deepEqual(await found(searcher, SECRET), [])
    assert.equal(await getCode(snippets(searcher, SECRET)), 'not_permitted')
    assert.deepEqual(await found(await roles('Note Reader'), SECRET), ['note'])
    assert.deepEqual(await snippets(await roles('Note Reader'), SECRET), { note: `Falou de AÇÃO e ZUGZWANG` })
  })

  it('finds the last version of comments, and closed comments only in the closed list', async () => {
    const params = { payload_reference: ids.call ?? '' }
    const { comment_id } = await bob.api.addComment({ params, body: { message: `About the ${SECRET} here` } })
    await index()
    assert.deepEqual(await foundComments(bob, SECRET), [comment_id])
    assert.deepEqual(await foundComments(alice, '"zugzwang here"'), [comment_id])
    const narrowed = (more: object) => foundComments(bob, SECRET, 'open', more)
    assert.deepEqual(await narrowed({ search: params.payload_reference, mark: 'none' }), [comment_id])
    for (const other of [{ search: ids.north }, { mark: 'flagged' }, { number: '+15550000000' }])
      assert.deepEqual(await narrowed(other), [])
    const query = { type: 'total', mark: 'none' } as const
    const counted = { total: 1, is_complete: true }
    assert.deepEqual(await bob.api.searchComments({ query, body: { words: SECRET } }), counted)
    assert.deepEqual(await bob.api.searchComments({ query, body: { words: '"zugzwang at"' } }), {
      ...counted,
      total: 0,
    })
    await bob.api.updateComment({ params: { ...params, comment_id }, body: { message: 'About an endgame' } })
    assert.deepEqual(await foundComments(bob, SECRET), [], 'before the job has seen it')
    await index()
    assert.deepEqual(await foundComments(bob, 'endg*'), [comment_id])
    await bob.api.closeComment({ params: { ...params, comment_id } })
    assert.deepEqual(await foundComments(bob, 'endgame'), [])
    assert.deepEqual(await foundComments(alice, 'endgame', 'closed'), [comment_id])
  })

  it('stores no words in plain text in the database or the audit log', async () => {
    const tables = await server.sql<{ name: string }>(
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`,
    )
    for (const { name } of tables) {
      const rows = await server.sql(
        `select from ${name} t where lower(t::text) like '%zugzwang%' or lower(t::text) like '%endgame%' limit 1`,
      )
      assert.equal(rows.length, 0, name)
    }
    const [entry] = await server.sql<{ parameters: string }>(
      `select parameters::text from portal_activities where action = 'payloads:search' limit 1`,
    )
    assert.match(entry?.parameters ?? '', /"words": ?"…"/)
  })

  it('follows a payload that is deleted or restored, and removes the words of a destroyed one', async () => {
    const client_id = await server.getId('acme')
    const [row] = await server.sql<{ payload_id: number }>(
      'select payload_id from payloads where payload_reference = $1',
      [ids.north],
    )
    const payload_id = row?.payload_id ?? 0
    await server.sql('alter table payloads disable trigger payload_transition')
    await server.sql('alter table payloads disable trigger payload_ledger')
    const move = (to: 'Deleted' | 'Processed' | 'Destroyed', from: 'Deleted' | 'Processed') =>
      server.ctx.db.write(client_id, (tx) =>
        moveState(tx, { payload_id, from: [from], to, now: server.ctx.now(), by: 'test' }),
      )
    await move('Deleted', 'Processed')
    assert.deepEqual(await found(bob, SECRET), [])
    assert.deepEqual(await snippets(bob, SECRET), {}, 'a deleted message shows no passage')
    assert.deepEqual(await found(bob, SECRET, { states: ['Deleted'] }), ['north'])
    await move('Processed', 'Deleted')
    assert.deepEqual(await found(bob, SECRET), ['north'])
    await move('Deleted', 'Processed')
    const client = { client: 'acme', client_id: await server.getId('acme') }
    const words = async () => {
      const all = { from: String(-(2n ** 63n)), until: String(2n ** 63n - 1n) }
      await forgetUnused(server.ctx, client, all, AbortSignal.timeout(60_000))
      const [row] = await server.sql<{ n: number; m: number }>(
        `select (select count(*)::int from content_vocabulary where client_id = $1) as n,
           (select count(*)::int from content_vocabulary_groups where client_id = $1) as m`,
        [client.client_id],
      )
      return row ?? assert.fail()
    }
    const before = await words()
    await move('Destroyed', 'Deleted')
    const after = await words()
    assert.ok(after.n < before.n && after.m < before.m, 'words of its own go')
    assert.deepEqual(await words(), after)
    assert.deepEqual(await found(alice, `${SECRET.slice(0, 5)}*`), ['note', 'south'])
    const left = await server.sql('select from content_words where payload_id = $1', [payload_id])
    assert.equal(left.length, 0)
  })

  it('finds beginnings of words in the group into which a payload was filed, and not before', async () => {
    ids.waiting = await message(RESERVED_GROUP, 'Quokkas and')
    const [stored] = await server.sql<{ payload_id: number; device_id: number; client_id: number }>(
      'select payload_id, device_id, client_id from payloads where payload_reference = $1',
      [ids.waiting],
    )
    assert.ok(stored)
    const { payload_id, device_id, client_id } = stored
    const write = <T>(work: (tx: Tx) => Promise<T>) => server.ctx.db.write(client_id, work)
    await write((tx) => noteTexts(tx, [payload_id], server.ctx.now()))
    const params = { payload_reference: ids.waiting }
    const { comment_id } = await alice.api.addComment({ params, body: { message: 'Wombats too' } })
    await index()
    assert.deepEqual(await found(alice, 'quok*'), ['waiting'])
    assert.deepEqual([await found(bob, 'quok*'), await foundComments(bob, 'womb*')], [[], []])
    await server.sql(
      `insert into device_history (client_id, device_id, from_at, group_id)
       select client_id, $2, 0, group_id from groups where client_id = $1 and group_reference = 'North'`,
      [client_id, device_id],
    )
    const filing = { device_id, requested_by: 'alice' }
    await write((tx) => reassignBatch(tx, filing, { most: 10, now: server.ctx.now() }))
    await index()
    assert.deepEqual(
      [await found(bob, 'quok*'), await foundComments(bob, 'womb*')],
      [['waiting'], [comment_id]],
    )
    assert.deepEqual(await foundComments(bob, 'wombats'), [comment_id])
  })

  it('erases its index when it is disabled, and rebuilds it when enabled again', async () => {
    const { version, content_index } = await set(true)
    assert.deepEqual(content_index, { state: 'ready', indexed: content_index.indexed })
    assert.ok((content_index.indexed ?? 0) >= 4)
    const saved = await set(false)
    assert.deepEqual([saved.content_search, saved.content_index], [false, { state: 'erasing', indexed: 0 }])
    assert.notEqual(saved.version, version)
    assert.equal(await getCode(found(alice, SECRET)), 'content_search_off')
    await index()
    const client_id = await server.getId('acme')
    for (const table of [
      'content_words',
      'comment_words',
      'content_indexed',
      'content_vocabulary',
      'content_vocabulary_groups',
      'content_work',
    ])
      assert.equal(
        (await server.sql(`select from ${table} where client_id = $1`, [client_id])).length,
        0,
        table,
      )
    assert.equal((await set(true)).content_index.state, 'building')
    await index()
    assert.deepEqual(await found(alice, SECRET), ['note', 'south'])
  })
})
