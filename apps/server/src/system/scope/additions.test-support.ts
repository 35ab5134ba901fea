import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { it } from 'node:test'
import { type Mark, MARKS, type PayloadType, getService } from '@custodia/contract'
import { WORD_RULES } from '@custodia/domain'
import { newId } from '../../http/new-id.ts'
import { sealFirst } from '../../payloads/comment-body.ts'
import { insertMarks } from '../../payloads/marks/store.ts'
import { getPeriod, wantWordIndex, wordKeys } from '../../payloads/word-store.ts'
import { beginIndex, writeWords } from '../../payloads/words/index-store.ts'
import { wordKeyContext } from '../../ports/keys/contexts.ts'
import { hear } from '../../testing/heard.ts'
import { type Fixture } from '../../testing/list-fixture.ts'
import { type RandomAccount, sorted, within } from './account.test-support.ts'

/** Comments, words, marks and playback. */
export function additions(account: RandomAccount): void {
  it('applies to comments, their total and the comments of each payload', async () => {
    for (const { payload_reference } of account.undestroyed()) {
      const version = { comment_id: newId(), comment_version: 1, by: 'other reviewer' }
      const place = { client: 'random', payload_reference, ...version }
      const { wrapped_key, sealed_body } = await sealFirst(
        account.server.ctx,
        place,
        `on ${payload_reference}`,
      )
      await account.server.sql(
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
    for (const person of account.people) {
      const shown = await account.rows(person, '/client/v1/api/comments?client=random')
      const expected = account
        .visible(person, 'comments:list')
        .filter(({ payload_state }) => payload_state !== 'Destroyed')
      assert.deepEqual(
        sorted((shown ?? []).map((row) => row.comment_body)),
        sorted(expected.map(({ payload_reference }) => `on ${payload_reference}`)),
        person.name,
      )
      const total = await account.get(person, '/client/v1/api/comments?client=random&type=total')
      if (shown) assert.equal(total.body.total, expected.length, person.name)
      const readable = new Set(
        account.visible(person, 'payloads.comments:list').map(({ payload_reference }) => payload_reference),
      )
      for (const { payload_reference, payload_state } of account.fixture.payloads.slice(0, 12)) {
        const path = `/client/v1/api/payloads/${payload_reference}/comments?client=random`
        const isRead = readable.has(payload_reference) && payload_state !== 'Destroyed'
        assert.equal(
          (await account.rows(person, path))?.length ?? 0,
          isRead ? 1 : 0,
          `${person.name} ${path}`,
        )
      }
      seen += expected.length
    }
    assert.ok(seen > 0, `only ${seen} comments were compared`)
  })

  it('applies to word searches in messages and notes', async () => {
    const { db, keys } = account.server.ctx
    const wrapped_key = await keys.wrap(randomBytes(32), wordKeyContext('random'))
    const words = await wordKeys(account.server.ctx, 'random', wrapped_key)
    const isMessage = (type: PayloadType) => getService(type) === 'messages'
    const places = [{ bucket: words.getBucket('everywhere'), tag: words.getTag('everywhere') }]
    const items: Parameters<typeof writeWords>[1][number][] = account.fixture.payloads.map(
      ({ payload_id, payload_time, payload_type }) => {
        const period = getPeriod(payload_time)
        const tokens = [words.token(isMessage(payload_type) ? 'text' : 'note', period, 'everywhere')]
        return { payload_id, comment_id: '', asked: 1, period, tokens, places }
      },
    )
    const { rows: comments } = await db.owner.query<{ payload_id: number; comment_id: string }>(
      'select payload_id, comment_id from payload_comments where client_id = $1',
      [account.fixture.client_id],
    )
    const { payload_time } = account.fixture.payloads[0] ?? { payload_time: 0 }
    for (const comment of comments) {
      const period = getPeriod(payload_time)
      items.push({
        ...comment,
        comment_version: 1,
        asked: 1,
        period,
        tokens: [words.token('comment', period, 'everywhere')],
        places,
      })
    }
    await db.write(account.fixture.client_id, async (tx) => {
      await wantWordIndex(tx, true)
      await beginIndex(tx, wrapped_key, WORD_RULES)
      // These payloads have no texts to index.
      await tx.query(
        'update content_indexes set payloads_before = null, comments_before = null where client_id = $1',
        [account.fixture.client_id],
      )
      await writeWords(tx, items)
    })
    let seen = 0
    for (const person of account.people) {
      const may = (action: string) => new Set(account.visible(person, action))
      const [searched, listed, played, read] = [
        may('payloads:search'),
        may('payloads:list'),
        may('payloads:play'),
        may('payloads:read'),
      ]
      const expected = account.fixture.payloads.filter(
        (payload) =>
          searched.has(payload) &&
          listed.has(payload) &&
          (isMessage(payload.payload_type) ? played : read).has(payload) &&
          payload.payload_state !== 'Deleted' &&
          payload.payload_state !== 'Destroyed',
      )
      const shown: unknown[] = []
      for (let last_key = '', isOver = false; !isOver;) {
        const answer = await account.server.app.inject({
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
      const found = await account.server.app.inject({
        method: 'POST',
        url: '/client/v1/api/comments/search?client=random&limit=200',
        headers: { authorization: `Bearer ${person.token}` },
        payload: { words: 'everywhere' },
      })
      const about = found.json<{ data?: { payload_reference: string }[] }>().data ?? []
      assert.deepEqual(
        sorted(about.map(({ payload_reference }) => payload_reference)),
        sorted(
          account
            .visible(person, 'comments:list')
            .filter(({ payload_state }) => payload_state !== 'Destroyed')
            .map(({ payload_reference }) => payload_reference),
        ),
        `comments of ${person.name}`,
      )
    }
    assert.ok(seen > 0, 'no person finds anything')
  })

  it('applies to filters by mark and playback, and to their totals', async () => {
    const isCall = ({ payload_type }: Fixture['payloads'][number]) => getService(payload_type) === 'calls'
    const list = within('payloads:list')
    const readers = [
      // The random rights may leave no difference between two rights.
      await account.withRights('all', within('payloads*')),
      await account.withRights(
        'some',
        list,
        within('payloads.marks:list', '*0*', '*2*'),
        within('payloads.audit:read', '*0*', '*1*'),
      ),
      await account.withRights('none', list),
      await account.withRights('marks', list, within('payloads.marks:list')),
      ...account.people.filter((person) => account.visible(person, 'payloads:list').some(isCall)).slice(0, 4),
    ]
    const reviewers = ['all', 'some', 'none', 'other reviewer']
    const marked = new Map<string, { mark: Mark; by: string }[]>()
    const heard = new Map<string, Set<string>>()
    let acts = 0
    await account.server.ctx.db.write(account.fixture.client_id, async (tx) => {
      for (const { payload_id, payload_reference } of account.undestroyed())
        for (const by of reviewers) {
          if (account.random() < 0.25) {
            await hear(tx, payload_id, by)
            heard.set(payload_reference, (heard.get(payload_reference) ?? new Set()).add(by))
          }
          if (account.random() < 0.25) {
            const mark = account.pick(MARKS)
            // One after the other, as time would have it.
            const mark_id = `01J${String(++acts).padStart(23, '0')}`
            const new_mark = { mark_id, mark, reason: null, marked_at: 1, marked_by: by }
            await insertMarks(tx, [{ payload_id, ...new_mark, sealed_note: null, wrapped_key: null }])
            marked.set(payload_reference, [...(marked.get(payload_reference) ?? []), { mark, by }])
          }
        }
    })
    type Filter = (payload: Fixture['payloads'][number], me: string) => boolean
    const getMark = ({ payload_reference }: Fixture['payloads'][number], by?: string) =>
      (marked.get(payload_reference) ?? []).findLast((each) => by === undefined || each.by === by)?.mark
    const heardBy = ({ payload_reference }: Fixture['payloads'][number], me: string) => {
      const by = heard.get(payload_reference)
      return by === undefined ? 'none' : by.has(me) ? 'me' : 'others'
    }
    const asked: [query: string, needs: string[], filter: Filter][] = [
      ...['none', ...MARKS].flatMap((mark): typeof asked => [
        [`mark=${mark}`, ['payloads.marks:list'], (each) => (getMark(each) ?? 'none') === mark],
        [
          `mark=${mark}&marked_by_me=true`,
          ['payloads.marks:list'],
          (each, me) => (getMark(each, me) ?? 'none') === mark,
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
        (each) => getMark(each) === undefined && !heard.has(each.payload_reference),
      ],
    ]
    let [seen, result] = [0, 0]
    for (const person of readers) {
      const may = (action: string) => new Set(account.visible(person, action))
      const listed = account
        .visible(person, 'payloads:list')
        .filter(
          (each) => isCall(each) && each.payload_state !== 'Deleted' && each.payload_state !== 'Destroyed',
        )
      const [knowsMarks, knowsHeard] = [may('payloads.marks:list'), may('payloads.audit:read')]
      for (const [query, needs, filter] of asked) {
        const path = `/client/v1/api/payloads?client=random&service=calls&${query}`
        const shown = await account.rows(person, `${path}&include[]=mark&include[]=heard&limit=200`)
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
        const total = await account.get(person, `${path}&type=total`)
        assert.equal(total.body.total, expected.length, `${person.name} ${query} total`)
        for (const each of expected) {
          const row: Record<string, unknown> | undefined = shown.find(
            ({ payload_reference }) => payload_reference === each.payload_reference,
          )
          const stated: unknown[] = [row?.mark, row?.heard]
          const is = [
            knowsMarks.has(each) ? getMark(each) : undefined,
            knowsHeard.has(each) ? heardBy(each, person.name) : undefined,
          ]
          assert.deepEqual(stated, is, `${person.name} ${each.payload_reference}`)
          result += stated.filter((each) => each !== undefined).length
        }
        seen += expected.length
      }
    }
    assert.ok(seen > 0, 'no person finds anything')
    if (process.env.CI) assert.ok(result > 0, `only ${result} words were compared`)
  })
}
