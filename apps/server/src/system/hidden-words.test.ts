import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { PayloadQuery } from '@custodia/contract'
import type { Access } from '@custodia/domain'
import type { AppContext } from '../app-context.ts'
import { SERVICE_CODES, STATE_CODES, TYPE_CODES } from '../payload-records/codes.ts'
import { findComments } from '../payloads/comments/list-store.ts'
import { resolveCommentWords } from '../payloads/comments/list.ts'
import { getDirection, resolveFilter } from '../payloads/lists/store/filter.ts'
import { firstPlace, readListPage } from '../payloads/lists/store/page.ts'
import type { Scope } from '../payloads/lists/store/scope.ts'
import { rarestFirst } from '../payloads/lists/store/words-rarest.ts'
import { COMMENTS, resolveWords } from '../payloads/lists/store/words.ts'
import { getKind, startOfPeriod, type WordKeys, wordKeys } from '../payloads/word-store.ts'
import type { Queryable } from '../ports/database/lease.ts'
import { testDatabase } from '../testing/database.ts'
import { accessTo, createFixture } from '../testing/list-fixture.ts'
import { noting } from '../testing/noted-statements.ts'
import { seeded } from '../testing/require-part.ts'

const database = await testDatabase()
after(() => database.drop())
const fixture = await createFixture(database.db, 'acme', 12)
await fixture.add(60, seeded(3))

/** Blocks that all statements of some work read together. */
async function blocksFor(work: (q: Queryable) => Promise<unknown>): Promise<number> {
  const statements: string[] = []
  await database.db.read(fixture.client_id, (q) => work(noting(q, statements, true)))
  return statements.reduce((sum, each) => sum + Number(/^blocks (\d+)/.exec(each)?.[1] ?? 0), 0)
}

/** Hidden words, and entries of one of them, of each of which a look-up would read many. */
const MANY = 20_000

describe('words and people of hidden groups', () => {
  const key = Buffer.alloc(32, 7)
  const keys = { unwrap: async () => Buffer.from(key) } as unknown as AppContext['keys']
  const period = 300
  let words: WordKeys
  let place = 0
  let others: number[] = []
  before(async () => {
    const { owner } = database.db
    words = await wordKeys({ keys }, 'hidden words', key)
    ;[place = 0, ...others] = fixture.groups.map(({ group_id }) => group_id)
    await owner.query(
      `insert into content_indexes (client_id, is_wanted, wrapped_key) values ($1, true, $2)`,
      [fixture.client_id, key],
    )
    await owner.query('insert into content_periods select $1, unnest($2::smallint[]), $3', [
      fixture.client_id,
      [COMMENTS, SERVICE_CODES.messages],
      period,
    ])
    // Sealed by another key, so an attempt to open one fails.
    await owner.query(
      `with made as (
         insert into content_vocabulary (client_id, bucket, tag, sealed_word) select $1, $2, n, '' from generate_series(1, ${MANY}) n returning tag)
       insert into content_vocabulary_groups (client_id, bucket, group_id, tag) select $1, $2, $3, tag from made`,
      [fixture.client_id, words.getBucket('hidden', getKind(TYPE_CODES.SMS, false)), place],
    )
    const enter = (word: string, group: number) =>
      owner.query(
        'insert into content_vocabulary_groups (client_id, bucket, group_id, tag) values ($1, $2, $3, $4)',
        [fixture.client_id, words.getBucket(word), group, words.getTag(word)],
      )
    for (const word of ['hidden', 'shared']) await enter(word, place)
    for (const word of ['shared', 'alone', 'other']) await enter(word, others[0] ?? 0)
    await owner.query(
      `insert into comment_words (client_id, token, group_id, comment_id)
       select $1, unnest($2::bigint[]), $3, 'hidden ' || n from generate_series(1, ${MANY}) n`,
      [fixture.client_id, ['hidden', 'shared'].map((word) => words.token('comment', period, word)), place],
    )
    // As many comments in the groups that are seen, without words.
    for (const [name, groups] of [
      ['hidden', [place]],
      ['seen', others],
    ] as const)
      await owner.query(
        `insert into payload_comments (client_id, comment_id, payload_id, group_id, type, raised_at, raised_by)
         select client_id, $3 || n, payload_id, group_id, type, n, 'x' from (
           select * from payloads where client_id = $1 and group_id = any($2) and state < 9 limit 1) p cross join generate_series(1, ${MANY}) n`,
        [fixture.client_id, groups, `${name} `],
      )
    await owner.query(
      'vacuum analyze content_vocabulary, content_vocabulary_groups, comment_words, payload_comments',
    )
  })

  it('cost a search by the beginning of a word nothing, and do not make it too wide', async () => {
    let scope: Scope = [{ service: SERVICE_CODES.messages, types: null, groups: others }]
    const look = (typed: string) =>
      blocksFor(async (q) => {
        const { terms } = await resolveWords({ keys }, q, { client: 'acme', typed, scope, isLimited: false })
        assert.deepEqual(terms[0]?.words, [])
      })
    const missing = await look('missing*')
    assert.ok(missing > 0)
    const hidden = await look('hidden*')
    assert.ok(hidden <= missing + 5, `${hidden} and ${missing} blocks`)
    for (const groups of [null, [place]]) {
      scope = [{ service: SERVICE_CODES.messages, types: [TYPE_CODES.SMS], groups }]
      await assert.rejects(look('hidden*'))
      for (const [service, types] of [
        [SERVICE_CODES.messages, [TYPE_CODES.MMS, TYPE_CODES.RCS]],
        [SERVICE_CODES.photos, null],
        [COMMENTS, null],
      ] as const) {
        scope = [{ service, types, groups }]
        const blocks = [await look('missing*'), await look('hidden*')] as const
        assert.ok(blocks[1] <= blocks[0] + 5, `${blocks} blocks of other types`)
      }
    }
  })

  it('are left out before any list is read', async () => {
    const look = async (typed: string, groups: number[]) => {
      const scope = [{ service: SERVICE_CODES.messages, types: null, groups }]
      const resolved = await database.db.read(fixture.client_id, (q) =>
        resolveWords({ keys }, q, { client: 'acme', typed, scope, isLimited: false }),
      )
      return resolved.scope.flatMap((part) => part.groups)
    }
    assert.deepEqual(await look('hidden', [place, ...others]), [place])
    assert.deepEqual(await look('hidden', others), [])
    assert.deepEqual(await look('shared other', [place, ...others]), others.slice(0, 1))
    assert.deepEqual(await look('missing', others), [])
  })

  it('cost nothing where a visible text of the same month has the word too', async () => {
    const { owner } = database.db
    const at = startOfPeriod(period) + 86_400
    const getTokens = (...typed: string[]) => typed.map((word) => words.token('text', period, word))
    const enter = (which: string[], group: number | undefined, from: number, count: number) =>
      owner.query(
        `with p as (
           insert into payloads (client_id, payload_reference, service, type, state, payload_time, group_id, device_id, device_user_id, announced_at, updated_at)
           select client_id, 'in month ' || $4::text || $3::text || n, service, type, ${STATE_CODES.Processed}, $4::bigint + n, $3::int, device_id, device_user_id, announced_at, updated_at
           from (select * from payloads where client_id = $1 and service = ${SERVICE_CODES.messages} limit 1) x cross join generate_series(1, $5::int) n returning *)
         insert into content_words (token, payload_time, payload_id, client_id, group_id, service, period, type)
         select unnest($2::bigint[]), payload_time, payload_id, client_id, group_id, service, ${period}, type from p`,
        [fixture.client_id, which, group, from, count],
      )
    await enter(getTokens('shared', 'alone', 'other'), others[0], at, 3)
    await enter(getTokens('shared'), place, at + 1000, MANY / 4)
    await owner.query('vacuum analyze payloads, content_words')
    const search = (typed: string) =>
      blocksFor(async (q) => {
        const access = accessTo([{ types: 'all', groups: others, groupless: false }]) as unknown as Access
        const filter = await resolveFilter(
          q,
          access,
          'payloads:list',
          PayloadQuery.parse({ service: 'messages' }),
        )
        assert.ok(filter)
        const resolved = await resolveWords({ keys }, q, {
          client: 'acme',
          typed,
          scope: filter.scope,
          isLimited: false,
        })
        const ordered = await rarestFirst(
          q,
          resolved,
          resolved.scope,
          getDirection(filter),
          firstPlace(filter),
        )
        const found = { ...filter, scope: resolved.scope, words: ordered }
        const { places } = await readListPage(q, found, 20, undefined)
        assert.equal(places.length, 3)
      })
    for (const more of ['', ' other']) {
      const alone = await search(`alone${more}`)
      const shared = await search(`shared${more}`)
      assert.ok(shared <= alone + 10, `${shared} and ${alone} blocks`)
    }
  })

  it('cost a list of the payloads of a person nothing', async () => {
    const { owner } = database.db
    await owner.query(
      `with u as (
         insert into device_users (client_id, device_user_reference, group_id, services, expected_device_count, updated_at, updated_by)
         values ($1, 'hidden person', $2, '{}', 1, 1, 'x') returning *)
       insert into payloads (client_id, payload_reference, service, type, state, payload_time, group_id, device_id, device_user_id, announced_at, updated_at)
       select client_id, 'of hidden person ' || n, service, type, ${STATE_CODES.Processed}, payload_time, u.group_id, device_id, u.device_user_id, announced_at, x.updated_at
       from (select * from payloads where client_id = $1 and service = ${SERVICE_CODES.messages} limit 1) x join u using (client_id) cross join generate_series(1, 2000) n`,
      [fixture.client_id, place],
    )
    await owner.query('vacuum analyze payloads')
    const access = accessTo([{ types: 'all', groups: others, groupless: false }]) as unknown as Access
    const look = (device_user_reference: string) =>
      blocksFor(async (q) => {
        const query = PayloadQuery.parse({ service: 'messages', device_user_reference })
        const filter = await resolveFilter(q, access, 'users.payloads:list', query)
        const { places } = filter ? await readListPage(q, filter, 20, undefined) : { places: [] }
        assert.deepEqual(places, [])
      })
    const missing = await look('missing')
    const hidden = await look('hidden person')
    assert.ok(hidden <= missing + 15, `${hidden} and ${missing} blocks`)
  })

  it('cost a search of comments nothing', async () => {
    const lanes = [{ types: 'all' as const, groups: others }]
    const look = (typed: string) =>
      blocksFor(async (q) => {
        const { tokens, lanes: seen } = await resolveCommentWords(
          { keys },
          q,
          { client: 'acme', access: { matters: undefined } },
          typed,
          lanes,
        )
        const found = await findComments(q, { lanes: seen, show: 'all', words: tokens }, undefined, 20)
        assert.deepEqual(found, [])
      })
    const missing = await look('missing')
    assert.ok(missing > 0)
    const hidden = await look('hidden')
    assert.ok(hidden <= missing + 5, `${hidden} and ${missing} blocks`)
    // A visible text has the word, and only hidden comments.
    const alone = await look('alone')
    const shared = await look('shared')
    assert.ok(shared <= alone + 5, `${shared} and ${alone} blocks`)
    // The word is elsewhere in this month: entries of hidden groups are not read for it either.
    const token = words.token('comment', period, 'hidden')
    const filter = { lanes, show: 'all' as const, words: [[token]] }
    const partly = await blocksFor((q) => findComments(q, filter, undefined, 20))
    assert.ok(partly <= missing + 30, `${partly} and ${missing} blocks`)
  })
})
