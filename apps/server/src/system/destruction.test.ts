import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { RetentionRule } from '@custodia/domain'
import { destroyPayloads, noteDestroyed } from '../destruction/destroy.ts'
import { finishDestructions } from '../destruction/finish.ts'
import { finishDestruction } from '../destruction/jobs.ts'
import { findUnfinished } from '../destruction/ledger-store.ts'
import { replayLedger } from '../destruction/replay.ts'
import { setHold } from '../legal-holds/routes.ts'
import { deletePayloads } from '../payloads/store.ts'
import type { Tx } from '../ports/database/lease.ts'
import { dekContext } from '../ports/keys/contexts.ts'
import { KeyUnknown } from '../ports/keys/port.ts'
import { readClock } from '../retention/engine-store.ts'
import { accessFixture, getCode } from '../testing/access-fixture.ts'
import { storePayload } from '../testing/stored-payload.ts'
import { until } from '../testing/waits.ts'

const NEVER = new AbortController().signal
const NAME = 'zebulon'
const NUMBER = '4915199988877'
const TEXT = 'quetzalcoatl'
const RULE: RetentionRule = {
  payload_type: 'Call',
  destroy_after_days: 1,
  retention_timestamp: 'payload_time',
  required_receipts: ['archive'],
  required_transfers: [],
}

/** Tables that keep rows of destroyed payloads, and the kept columns. All others must have none. */
const KEPT: Record<string, string> = {
  payloads: 'the tombstone',
  payload_envelopes: 'digests, by which a phone is answered',
  payload_objects: 'digests, without key',
  payload_changes: 'when it changed',
  payload_removed: 'its place in the list of destroyed payloads',
  payload_history: 'its states',
  payload_audit: 'who did what to it',
  payload_reassignments: 'in which groups it was filed',
  payload_sequence: 'its number among those of its device',
  payload_receipts: 'of apps; those of people go',
  payload_copies: 'which message it was again',
  message_firsts: 'which message it was, by digest',
  destruction_ledger: 'the ledger',
  destruction_ends: 'that it was finished',
  destruction_intents: 'what is to be removed outside, until it is',
  retention_positions: 'how far a sweep came, in any state',
}

const fixture = await accessFixture()
after(() => fixture.close())
const client = { client_id: await fixture.server.getId('acme'), client: 'acme' }

describe('the destruction of payloads', () => {
  const getId = async (reference: string) => {
    const [row] = await fixture.sql<{ id: number }>(
      'select payload_id::int as id from payloads where payload_reference = $1',
      [reference],
    )
    return row?.id ?? 0
  }
  const getState = async (id: number) => {
    const [row] = await fixture.sql<{ state: number }>('select state from payloads where payload_id = $1', [
      id,
    ])
    return row?.state
  }
  const inTx = <T>(run: (tx: Tx) => Promise<T>) => fixture.server.ctx.db.write(client.client_id, run)
  const remove = (ids: number[]) =>
    inTx(async (tx) => deletePayloads(tx, ids, { now: await readClock(tx), by: 'test' }))
  const destroy = (
    ids: number[],
    run_id = 'run',
    ledger: Parameters<typeof noteDestroyed>[1] | null = fixture.server.ctx.keys.ledger,
  ) =>
    inTx(async (tx) => {
      const taken = await destroyPayloads(tx, ids, {
        now: await readClock(tx),
        by: 'test',
        run_id,
        causes: new Map(
          ids.map((id) => [
            id,
            { policy_version: 3, rule: RULE, receipts: ['archive', 'risk'], transfers: [] },
          ]),
        ),
      })
      if (ledger) await noteDestroyed(tx, ledger, client.client, taken)
      return taken
    })
  /** A recording with everything that may hang on one, its keys in slots. */
  async function whole(): Promise<{ id: number; reference: string; objects: string[]; key: Buffer }> {
    const { ctx } = fixture.server
    const reference = await storePayload(ctx, {
      client: 'acme',
      group: 'North',
      bytes: Buffer.from(TEXT),
      text: TEXT,
      document: { thread_id: NAME, parties: [NAME] },
      meta: { name: NAME },
    })
    const id = await getId(reference)
    const key = await ctx.keys.put(Buffer.alloc(32, 9), dekContext('acme', reference))
    const stray = `acme/${reference}/original-0`
    await ctx.objects.put(
      stray,
      (async function* () {
        yield Buffer.from(TEXT)
      })(),
    )
    await fixture.sql(
      `update payload_objects set wrapped_dek = $2, details = '{"codec": "${NAME}"}' where payload_id = $1 and kind = 'original'`,
      [id, key],
    )
    await fixture.sql(
      `update payload_documents set all_numbers = '${NUMBER}', second_party_numbers = '${NUMBER}',
         search_text = ' ${NAME} example#${NUMBER}$' where payload_id = ${id}`,
    )
    const place = 'p.client_id, p.service, p.payload_time, p.payload_id'
    const from = `from payloads p where p.payload_id = ${id}`
    for (const statement of [
      `insert into search_words select p.client_id, w ${from.replace('payloads p', `payloads p, unnest(array['${NAME}', 'example']) w`)} on conflict do nothing`,
      `insert into search_numbers select p.client_id, reverse('${NUMBER}'), hashtextextended('${NUMBER}', 0) ${from} on conflict do nothing`,
      `insert into payload_words (client_id, service, payload_time, payload_id, word_hash, group_id, type) select ${place}, hashtextextended('${NAME}', 0), group_id, type ${from}`,
      `insert into payload_numbers (client_id, service, payload_time, payload_id, number_hash, group_id, type, is_second)
         select ${place}, hashtextextended('${NUMBER}', 0), group_id, type, true ${from}`,
      `insert into payload_comments (client_id, comment_id, payload_id, group_id, type, raised_at, raised_by, wrapped_key)
         select client_id, 'c' || payload_id, payload_id, group_id, type, 1, '${NAME}', '\\x00' ${from}`,
      `insert into payload_comment_versions (client_id, comment_id, comment_version, sealed_body, updated_at, updated_by)
         select client_id, 'c' || payload_id, 1, '${TEXT}', 1, '${NAME}' ${from}`,
      `insert into comment_words (client_id, token, group_id, comment_id) select client_id, 7, group_id, 'c' || payload_id ${from}`,
      `insert into content_words (client_id, service, payload_time, payload_id, token, group_id, period, type) select ${place}, 7, group_id, 0, type ${from}`,
      `insert into content_indexed select client_id, payload_id, '', 1 ${from}`,
      `insert into content_work select client_id, payload_id, '', 1 ${from}`,
      `insert into payload_marks (client_id, mark_id, payload_id, mark, marked_at, marked_by, sealed_note, wrapped_key)
         select client_id, 'm' || payload_id, payload_id, 'flagged', 1, '${NAME}', '${TEXT}', '\\x00' ${from}`,
      `insert into payload_receipts (client_id, payload_id, client_app_user, confirmed_at, is_person)
         select client_id, payload_id, x, 1, x <> 'archive' ${from.replace('payloads p', `payloads p, unnest(array['archive', '${NAME}']) x`)}`,
      `insert into payload_plays (client_id, payload_id, person, parts, first_at, last_at) select client_id, payload_id, 'bob', '{[0,50)}', 1, 1 ${from}`,
      `insert into payload_playheads select client_id, payload_id, '${NAME}', 5, 1 ${from}`,
      `insert into data_addresses (address_id, client_id, payload_id, kind, action, portal_user, expires_at)
         select 'a' || payload_id, client_id, payload_id, 'original', 'payloads:play', '${NAME}', 1 ${from}`,
    ])
      await fixture.sql(statement)
    const rows = await fixture.sql<{ object_key: string }>(
      'select object_key from payload_objects where payload_id = $1',
      [id],
    )
    return { id, reference, objects: [stray, ...rows.map(({ object_key }) => object_key)], key }
  }
  /** A recording like another one, of a person who is held. */
  async function heldLike(id: number): Promise<{ id: number; reference: string }> {
    const [row] = await fixture.sql<{ id: number; reference: string; target: string }>(
      `with u as (
         insert into device_users (client_id, device_user_reference, group_id, updated_at, updated_by)
         select client_id, 'held', group_id, 0, 'test' from payloads where payload_id = $1
         returning device_user_id, device_user_reference)
       insert into payloads (client_id, payload_reference, service, type, state, payload_time, group_id, device_id, device_user_id,
         announced_at, uploaded_at, processed_at, updated_at)
       select client_id, lpad('held', 26, '0'), service, type, state, payload_time, group_id, device_id, u.device_user_id, announced_at,
         uploaded_at, processed_at, updated_at from payloads, u where payload_id = $1
       returning payload_id::int as id, payload_reference as reference, 'held' as target`,
      [id],
    )
    assert.ok(row)
    await inTx((tx) =>
      setHold(tx, { target_type: 'DeviceUser', target: row.target }, { by: 'alice', reason: undefined }),
    )
    return row
  }
  /** Tables that contain a text. */
  async function tablesWith(needle: string): Promise<string[]> {
    const tables = await fixture.sql<{ name: string }>(
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`,
    )
    const found: string[] = []
    for (const { name } of tables) {
      const [row] = await fixture.sql<{ n: number }>(
        `select count(*)::int as n from "${name}" t where t::text ilike $1 or t::text ilike $2`,
        [`%${needle}%`, `%${Buffer.from(needle).toString('hex')}%`],
      )
      if (row?.n) found.push(name)
    }
    return found
  }

  it('lets no comment or mark be added while it is under way', async () => {
    const { id, reference } = await whole()
    await remove([id])
    const params = { payload_reference: reference }
    const { api } = fixture.alice
    const calls = await inTx(async (tx) => {
      const cause = { policy_version: 3, rule: RULE, receipts: [], transfers: [] }
      const act = { now: await readClock(tx), by: 'test', run_id: 'run', causes: new Map([[id, cause]]) }
      const taken = await destroyPayloads(tx, [id], act)
      const begun = Promise.all([
        getCode(api.addComment({ params, body: { message: TEXT } })),
        getCode(api.addMark({ params, body: { mark: 'flagged', note: TEXT } })),
        api.markPayloads({ body: { mark: 'flagged', payload_references: [reference] } }),
      ])
      await until(
        'three calls that wait',
        () =>
          fixture.sql(
            `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
          ),
        ({ length }) => length === 3,
      )
      await noteDestroyed(tx, fixture.server.ctx.keys.ledger, client.client, taken)
      return { begun }
    })
    const [comment, mark, { data }] = await calls.begun
    assert.deepEqual([comment, mark, data[0]?.status], ['not_found', 'not_found', 'NoMatchingRecord'])
    assert.deepEqual(await tablesWith(TEXT), [])
  })

  it('leaves a tombstone and a ledger line and removes all other data of the payload', async () => {
    const { id, reference } = await whole()
    for (const needle of [NAME, TEXT, NUMBER])
      assert.notDeepEqual(await tablesWith(needle), [], `${needle} is there before`)
    await remove([id])
    assert.equal((await destroy([id])).length, 1)
    assert.equal(await getState(id), 10)
    for (const needle of [NAME, TEXT, NUMBER, [...NUMBER].toReversed().join('')])
      assert.deepEqual(await tablesWith(needle), [], needle)
    const tables = await fixture.sql<{ name: string }>(
      `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'payload_id' and not a.attisdropped
       where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' order by 1`,
    )
    for (const { name } of tables) {
      const [row] = await fixture.sql<{ n: number }>(
        `select count(*)::int as n from "${name}" where payload_id = $1`,
        [id],
      )
      assert.ok(row?.n === 0 || name in KEPT, `${name} keeps rows of what is destroyed`)
    }
    const [line] = await fixture.sql<Record<string, unknown>>(
      'select * from destruction_ledger where payload_id = $1',
      [id],
    )
    assert.deepEqual(
      [
        line?.['payload_reference'],
        line?.['policy_version'],
        line?.['rule'],
        line?.['gates'],
        line?.['keys'],
      ],
      [reference, 3, RULE, { receipts: ['archive'], transfers: [] }, 2],
    )
    assert.deepEqual(
      (line?.['digests'] as { kind: string }[] | undefined)?.map(({ kind }) => kind),
      ['original', 'text'],
    )
    const [history] = await fixture.sql<{ steps: number[]; restored_at: unknown }>(
      `select array_agg(to_state order by to_state) as steps, (select restored_at from payloads where payload_id = $1)
       from payload_history where payload_id = $1`,
      [id],
    )
    assert.deepEqual([history?.steps, history?.restored_at], [[9, 10], null])
    const result = JSON.stringify(
      await fixture.alice.api.readPayload({ params: { payload_reference: reference } }),
    )
    assert.match(result, /"payload_state":"Destroyed"/u)
    assert.doesNotMatch(result, new RegExp([NAME, TEXT, NUMBER].join('|'), 'iu'))
    assert.equal((await destroy([id])).length, 0, 'once')
  })

  it('is impossible without a ledger entry, and ledger entries cannot be changed', async () => {
    const reference = await storePayload(fixture.server.ctx, { client: 'acme', group: 'North' })
    const id = await getId(reference)
    assert.deepEqual(await destroy([id]), [], 'what is not deleted stays')
    await remove([id])
    await assert.rejects(fixture.sql(`update payloads set state = 10 where payload_id = ${id}`), /ledger/u)
    await inTx((tx) => tx.query('select erase_payloads($1)', [[id]]))
    const [row] = await fixture.sql<{ n: number }>(
      `select count(*)::int as n from payload_documents where payload_id = ${id}`,
    )
    assert.equal(row?.n, 1, 'nothing is forgotten of what is not destroyed')
    assert.equal((await destroy([id])).length, 1)
    for (const statement of [
      'update destruction_ledger set destroyed_at = 1',
      'delete from destruction_ledger',
      'truncate destruction_ledger cascade',
    ])
      await assert.rejects(fixture.sql(statement), /destructions are history/u)
    await assert.rejects(
      fixture.sql(
        `insert into payload_documents (payload_id, client_id, list_doc) values (${id}, ${client.client_id}, '{}')`,
      ),
      /destroyed payload gets nothing/u,
    )
  })

  it('skips payloads without a cause and payloads that fail the recheck under lock', async () => {
    const reference = await storePayload(fixture.server.ctx, { client: 'acme', group: 'North' })
    const id = await getId(reference)
    await remove([id])
    const doing = { now: 1, by: 'test', run_id: 'run' }
    const cause = { policy_version: 1, rule: RULE, receipts: [], transfers: [] }
    assert.deepEqual(await inTx((tx) => destroyPayloads(tx, [id], { ...doing, causes: new Map() })), [])
    const still = async () => new Set<number>()
    assert.deepEqual(
      await inTx((tx) => destroyPayloads(tx, [id], { ...doing, causes: new Map([[id, cause]]) }, still)),
      [],
    )
    assert.equal(await getState(id), 9)
  })

  it('removes keys and objects after the commit, resumes after any interruption and records it once', async () => {
    const { ctx } = fixture.server
    const { id, reference, objects, key } = await whole()
    await remove([id])
    const refuses = { append: () => Promise.reject(new Error('no room')) }
    await assert.rejects(destroy([id], 'run', refuses), /no room/u)
    await assert.rejects(destroy([id], 'run', null), /not in the ledger in the keystore/u)
    assert.equal(await getState(id), 9, 'what is not noted is not destroyed')
    await destroy([id])
    const ends = async () =>
      fixture.sql<{ objects: number }>('select objects from destruction_ends where payload_id = $1', [id])
    /** As if the process had been killed there. */
    const killedAt = (point: 'forget' | 'delete' | 'write') => ({
      db:
        point === 'write'
          ? { ...ctx.db, read: ctx.db.read.bind(ctx.db), write: () => Promise.reject(new Error('killed')) }
          : ctx.db,
      keys:
        point === 'forget' ? { ...ctx.keys, forget: () => Promise.reject(new Error('killed')) } : ctx.keys,
      objects:
        point === 'delete'
          ? {
              ...ctx.objects,
              list: ctx.objects.list.bind(ctx.objects),
              delete: () => Promise.reject(new Error('killed')),
            }
          : ctx.objects,
    })
    const getPresent = async () =>
      (await Promise.all(objects.map((each) => ctx.objects.head(each)))).filter(Boolean)
    const run = (point: 'forget' | 'delete' | 'write') =>
      assert.rejects(finishDestructions(killedAt(point) as never, client, NEVER), AggregateError)
    await run('forget')
    assert.equal((await ctx.keys.unwrap(key, dekContext('acme', reference))).length, 32)
    await run('delete')
    await assert.rejects(ctx.keys.unwrap(key, dekContext('acme', reference)), KeyUnknown)
    assert.equal((await getPresent()).length, objects.length)
    await run('write')
    assert.deepEqual([(await getPresent()).length, (await ends()).length], [0, 0])
    assert.ok((await finishDestructions(ctx, client, NEVER)) > 0)
    assert.equal((await ends()).length, 1)
    assert.equal(await finishDestructions(ctx, client, NEVER), 0)
    const [left] = await fixture.sql<{ n: number }>('select count(*)::int as n from destruction_intents')
    assert.equal(left?.n, 0)
  })

  it('raises an alert while it is not finished for 15 minutes, and shows how many are not', async () => {
    const { ctx } = fixture.server
    const { id } = await whole()
    await remove([id])
    await destroy([id])
    await fixture.sql('update destruction_intents set since = since - 901')
    const broken = { ...ctx.objects, delete: () => Promise.reject(new Error('away')) }
    const alerts = () =>
      fixture.sql<{ alert_state: string }>(
        `select distinct alert_state from alerts where alert_key = 'destruction_unfinished'`,
      )
    await assert.rejects(
      finishDestruction.run({ ...ctx, objects: broken as never }, {}, NEVER),
      AggregateError,
    )
    assert.deepEqual(await alerts(), [{ alert_state: 'Triggered' }])
    assert.equal((await ctx.db.read(client.client_id, findUnfinished)).count, 1)
    await finishDestruction.run(ctx, {}, NEVER)
    assert.deepEqual(await alerts(), [{ alert_state: 'Cleared' }])
    assert.deepEqual(await ctx.db.read(client.client_id, findUnfinished), { count: 0, since: null })
  })

  it('is repeated from the ledger files when the database lacks it, once processing has ended', async () => {
    const { ctx } = fixture.server
    const { ledger } = ctx.keys
    const getLine = async (id: number) => {
      const [row] = await fixture.sql<{ line: object }>(
        "select to_jsonb(l) - 'xid' as line from destruction_ledger l where payload_id = $1",
        [id],
      )
      return { ...row?.line, client: 'acme' }
    }
    const { id: former } = await whole()
    await remove([former])
    await destroy([former], 'recorded')
    await finishDestructions(ctx, client, NEVER)
    assert.equal((await replayLedger(ctx)).destroyed, 0)
    const moves = await whole()
    const rests = await heldLike(moves.id)
    // 3 Scanning, 5 Processed.
    const put = (state: number) =>
      fixture.sql(
        `set session_replication_role = replica; update payloads set state = ${state} where payload_id = ${moves.id}; reset session_replication_role`,
      )
    await put(3)
    await ctx.keys.forget([moves.key])
    const lost = await whole()
    await fixture.sql(
      `set session_replication_role = replica; update payloads set device_user_id = (select device_user_id from device_users
         where device_user_reference = 'held') where payload_id = ${lost.id}; reset session_replication_role`,
    )
    await ctx.keys.forget([lost.key])
    const line = await getLine(former)
    const mark = await ledger.append(
      [rests.reference, lost.reference, moves.reference, 'never came'].map((payload_reference) =>
        JSON.stringify({ ...line, payload_reference }),
      ),
    )
    const replayed = await replayLedger(ctx)
    assert.equal(replayed.destroyed, 1, 'a hold keeps nothing whose keys are gone')
    assert.deepEqual([replayed.waiting, replayed.kept, replayed.unknown], [1, 1, 1])
    assert.deepEqual([await getState(lost.id), await getState(moves.id)], [10, 3])
    assert.equal((await replayLedger(ctx)).destroyed, 0, 'it waits')
    await put(5)
    assert.equal((await replayLedger(ctx)).destroyed, 1)
    assert.equal(await getState(moves.id), 10)
    await fixture.sql(
      'set session_replication_role = replica; delete from legal_hold_events; delete from legal_holds; reset session_replication_role',
    )
    assert.deepEqual(
      [(await replayLedger(ctx)).destroyed, await getState(rests.id)],
      [0, 5],
      'it can be opened',
    )
    await fixture.sql(
      `insert into payload_objects (client_id, payload_id, kind, object_key, wrapped_dek, sealed_size, size, content_type, checksum, details, created_at)
       select client_id, $1, kind, object_key || '-rests', $2, sealed_size, size, content_type, checksum, details, created_at
       from payload_objects where payload_id = $3 limit 1`,
      [rests.id, moves.key, moves.id],
    )
    assert.equal((await replayLedger(ctx)).destroyed, 1)
    const [known] = await fixture.sql<{ bytes: number }>(
      'select bytes::int from destruction_files where file = $1',
      [mark.file],
    )
    assert.equal(known?.bytes, mark.bytes, 'nothing is left to be looked at')
    const again = await getLine(rests.id)
    assert.deepEqual(
      { ...again, payload_id: 0, payload_reference: '', replayed_at: null },
      { ...line, payload_id: 0, payload_reference: '' },
    )
    assert.equal(await finishDestructions(ctx, client, NEVER), 3)
  })

  it('is not repeated from a line whose commit failed, because retention may be paused or the policy longer since', async () => {
    const { ctx } = fixture.server
    const { id: former } = await whole()
    await remove([former])
    await destroy([former], 'committed')
    await finishDestructions(ctx, client, NEVER)
    const [row] = await fixture.sql<{ line: object }>(
      "select to_jsonb(l) - 'xid' as line from destruction_ledger l where payload_id = $1",
      [former],
    )
    const { id, key, reference } = await whole()
    await ctx.keys.ledger.append([
      JSON.stringify({ ...row?.line, client: 'acme', payload_reference: reference }),
    ])
    const { destroyed, kept } = await replayLedger(ctx)
    assert.deepEqual([destroyed, kept, await getState(id)], [0, 1, 5])
    assert.equal((await ctx.keys.unwrap(key, dekContext('acme', reference))).length, 32)
  })
})
