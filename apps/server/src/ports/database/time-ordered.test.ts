import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { testDatabase } from '../../testing/database.ts'
import type { Queryable } from './lease.ts'
import { openDatabase } from './pool.ts'
import { readByTime, type TimeKey, type TimeOrdered, type WantedRows } from './time-ordered.ts'

const ENTRIES = 40_000
const GROUPS = 200

const LIST: TimeOrdered = { table: 'entries', time: 'at', id: 'id', id_type: 'bigint', columns: 'r.id' }

const database = await testDatabase()
const db = await openDatabase({ connection: database.connection, appName: 'newest first test', max: 1 })
// One row a second, of all groups in turn; uneven: the first group has half of them; lopsided: all but
// one of a hundred.
await db.owner.query(`
  create table entries (client_id int not null, id bigint not null, at bigint not null, group_id int not null, uneven_id int not null,
    lopsided_id int not null);
  insert into entries select 1, g, g, g % ${GROUPS} + 1, case when g % 2 = 0 then 1 else g / 2 % ${GROUPS} + 1 end,
    case when g % 100 > 0 then 1 else g / 100 % ${GROUPS} + 1 end
    from generate_series(1, ${ENTRIES}) g;
  create index on entries (client_id, group_id, at desc, id desc);
  create index on entries (client_id, uneven_id, at desc, id desc);
  create index on entries (client_id, lopsided_id, at desc, id desc);
  analyze entries;
  grant select on entries to custodia_app`)

describe('reading by time', () => {
  after(async () => {
    await db?.close()
    await database?.drop()
  })

  const wanted = (conditions: WantedRows['conditions'], column = 'group_id'): WantedRows => ({
    from: 0,
    to: ENTRIES + 1,
    walked: { column, cast: 'int', values: Array.from({ length: GROUPS }, (_, i) => i + 1) },
    conditions,
  })
  const read = (of: WantedRows, limit: number, from?: TimeKey) =>
    db.read(1, (q: Queryable) => readByTime<{ id: number }>(q, LIST, of, limit, from))
  const pages = async (of: WantedRows, limit: number) => {
    const ids: number[] = []
    let from: TimeKey | undefined
    let count = 0
    do {
      const { rows, next } = await read(of, limit, from)
      ids.push(...rows.map(({ id }) => id))
      from = next
      count++
    } while (from && count < 100)
    return { ids, count }
  }
  const expected = (isWanted: (id: number) => boolean) =>
    Array.from({ length: ENTRIES }, (_, i) => ENTRIES - i).filter(isWanted)

  it('returns each row once and in order when one of many groups has the most rows', async () => {
    const { ids, count } = await pages(wanted([], 'uneven_id'), 10_000)
    assert.deepEqual(
      ids,
      expected(() => true),
    )
    assert.equal(count, 4)
  })

  it('returns the same rows oldest first, also of a period', async () => {
    for (const column of ['uneven_id', 'lopsided_id']) {
      const of = { ...wanted([() => 'r.id % 13 = 0'], column), from: 1000, to: 30_000, isOldestFirst: true }
      const { ids } = await pages(of, 700)
      const ofPeriod = expected((id) => id % 13 === 0 && id >= 1000 && id < 30_000)
      assert.deepEqual(ids, ofPeriod.toReversed())
    }
    const all = { ...wanted([]), walked: undefined, isOldestFirst: true }
    assert.deepEqual((await pages(all, 15_000)).ids, expected(() => true).toReversed())
  })

  it('finds rare rows across many groups in one request, however old they are', async () => {
    const { rows } = await read(wanted([() => 'r.id % 499 = 0']), 20)
    assert.deepEqual(
      rows.map(({ id }) => id),
      expected((id) => id % 499 === 0).slice(0, 20),
    )
    const rare = (id: number) => id % 4999 === 0
    assert.deepEqual((await pages(wanted([() => 'r.id % 4999 = 0']), 10)).ids, expected(rare))
  })

  it('finds all rare rows when one group has nearly all entries', async () => {
    const rare = (id: number) => id % 4999 === 0
    const { rows } = await read(wanted([() => 'r.id % 4999 = 0'], 'lopsided_id'), 5)
    assert.deepEqual(
      rows.map(({ id }) => id),
      expected(rare).slice(0, 5),
    )
    for (const column of ['lopsided_id', 'uneven_id'])
      assert.deepEqual((await pages(wanted([() => 'r.id % 4999 = 0'], column), 3)).ids, expected(rare))
  })
})
