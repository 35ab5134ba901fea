import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { makeClient } from '@custodia/client'
import { openSession } from '../testing/alert-fixture.ts'
import { testServer } from '../testing/server.ts'
import { makeActivityPartitions } from './jobs.ts'

const DAY = 86_400

const server = await testServer()
after(() => server.close())
const now = server.ctx.now()
const client_id = await server.getId('acme')
const who = { client: 'acme', user_reference: 'alice', roles: ['Account Administrator'] }
const token = await openSession(server.ctx, who)
const alice = makeClient({ baseUrl: server.url, client: () => 'acme', credentials: async () => ({ token }) })

describe('partitions of the audit trails', () => {
  /** Writes as the application does. */
  const write = (log_id: string, activity_time: number, of = client_id) =>
    server.ctx.db.write(of, (tx) =>
      tx.query(
        `insert into portal_activities (log_id, client_id, user_reference, user_ip, activity_time, action, is_allowed, parameters, request_id)
         values ($1, $2, 'ann', '10.0.0.1', $3, 'payloads:list', true, '{}', 'r')`,
        [log_id, of, activity_time],
      ),
    )
  /** Writes an entry of a read, as the server does. */
  const append = (log_id: string, activity_time: number) =>
    server.ctx.audit.append({
      log_id,
      caller: {
        kind: 'portal',
        client_id,
        user_reference: 'ann',
        user_group: null,
        group_id: null,
        roles: [],
        is_client_app: false,
      },
      ip: '10.0.0.1',
      browser: undefined,
      activity_time,
      activity_end_time: activity_time,
      duration: 0,
      action: 'payloads:list',
      is_allowed: true,
      denial_reason: null,
      parameters: '{}',
      status_code: 200,
      request_id: 'r',
    })
  const getTable = async (log_id: string) =>
    (
      await server.sql<{ name: string }>(
        'select tableoid::regclass::text as name from portal_activities where log_id = $1',
        [log_id],
      )
    )[0]?.name
  const names = async () =>
    (
      await server.sql<{ name: string }>(
        `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'portal_activities'::regclass order by 1`,
      )
    ).map(({ name }) => name)
  const monthName = (time: number) =>
    `portal_activities_${new Date(time * 1000).toISOString().slice(0, 7).replace('-', '_')}`
  const deadlocks = async () =>
    (
      await server.sql<{ count: number }>(
        `select deadlocks::int as count from pg_stat_database where datname = current_database()`,
      )
    )[0]?.count
  const midOfMonth = (ahead: number) => {
    const today = new Date(now * 1000)
    return Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + ahead, 15) / 1000
  }
  const run = (at = now) =>
    makeActivityPartitions.run({ ...server.ctx, now: () => at }, {}, new AbortController().signal)
  const listed = async () => {
    const to = new Date((now + 400 * DAY) * 1000).toISOString().slice(0, 10)
    const page = await alice.listActivities({ query: { users: ['ann'], to } })
    return page.data.map(({ log_id }) => log_id)
  }

  it('are created ahead of time, once, and receive the entries of their month', async () => {
    await run()
    const made = await names()
    await run()
    assert.deepEqual(await names(), made)
    for (const ahead of [1, 2, 3]) assert.ok(made.includes(monthName(midOfMonth(ahead))))
    await write('next', midOfMonth(1))
    assert.equal(await getTable('next'), monthName(midOfMonth(1)))
    assert.deepEqual(await listed(), ['next'])
  })

  it('are created once by workers that start at the same time', async () => {
    const far = midOfMonth(40)
    await Promise.all(Array.from({ length: 8 }, () => run(far)))
    assert.ok((await names()).includes(monthName(far)))
  })

  it('are created without deadlock while writers insert into both logs in any order', async () => {
    const { db } = server.ctx
    const month = 60
    const at = midOfMonth(month)
    const insert = (table: string) =>
      `insert into ${table} (log_id, client_id, ${table.startsWith('portal') ? 'user_reference, user_ip' : 'device_ip, device_reference'},
         activity_time, action, is_allowed, parameters, request_id) values ($1, $2, 'x', 'x', $3, 'a', true, '{}', 'r')`
    const orders = [
      ['portal_activities', 'device_activities'],
      ['device_activities', 'portal_activities'],
    ]
    let isMade = false
    let failures = 0
    const writer = async (n: number) => {
      for (let i = 0; !isMade; i++)
        await db
          .write(client_id, async (tx) => {
            // Far away: these land in the default partitions, which the making has to lock.
            for (const table of orders[n % 2] ?? []) {
              await tx.query(insert(table), [`w${n}-${i}-${table}`, client_id, midOfMonth(200)])
              await pause(5)
            }
          })
          .catch(() => failures++)
    }
    const before = await deadlocks()
    const writers = [0, 1].map(writer)
    try {
      await Promise.all([run(at), run(midOfMonth(month + 1))])
    } finally {
      isMade = true
      await Promise.all(writers)
    }
    assert.ok((await names()).includes(monthName(at)))
    assert.equal(failures, 0)
    assert.equal(await deadlocks(), before)
    const { indexes } = (
      await server.sql<{ indexes: string[] }>(
        `select array_agg(distinct count) as indexes from (select indrelid, count(*)::text from pg_index
         join pg_inherits on inhrelid = indrelid where inhparent = 'portal_activities'::regclass group by indrelid) counted`,
      )
    )[0] ?? { indexes: [] }
    assert.equal(indexes.length, 1, 'each partition has the indexes of its log, once')
  })

  for (const [log_id, month, put] of [
    ['of a write', 80, write],
    // In a statement that is a transaction of its own.
    ['of a read', 81, append],
  ] as const)
    it(`lose no entry ${log_id} that waits for the default partition while they are created`, async () => {
      const at = midOfMonth(month)
      const held = await server.ctx.db.owner.connect()
      try {
        await held.query('begin')
        await held.query('lock table portal_activities_default in access exclusive mode')
        const written = put(log_id, at)
        // Until the entry has chosen its partition, and waits for it.
        for (;;) {
          const [waiting] = await server.sql(
            `select from pg_locks where not granted and relation = 'portal_activities_default'::regclass`,
          )
          if (waiting) break
          await pause(10)
        }
        await held.query('select make_month_partitions($1, $2, to_timestamp($3), 0)', [
          'portal_activities',
          'activity_time',
          at,
        ])
        await held.query('commit')
        await written
      } finally {
        held.release()
      }
      assert.equal(await getTable(log_id), monthName(at))
      await server.sql(`delete from portal_activities where log_id = '${log_id}'`)
    })

  it('leave existing entries in the default partition, where they stay readable', async () => {
    await write('far', midOfMonth(5))
    assert.equal(await getTable('far'), 'portal_activities_default')
    // A worker that comes too late for month five makes the others.
    await run(midOfMonth(4))
    const made = await names()
    assert.ok(
      !made.includes(monthName(midOfMonth(5))),
      'a month with entries in the default partition stays there',
    )
    assert.ok(made.includes(monthName(midOfMonth(6))))
    await write('farther', midOfMonth(6))
    assert.equal(await getTable('farther'), monthName(midOfMonth(6)))
    await write('far too', midOfMonth(5))
    assert.equal(await getTable('far too'), 'portal_activities_default')
    assert.deepEqual(await listed(), ['farther', 'far too', 'far', 'next'])
  })

  it('show a client only its own entries and cannot be read directly', async () => {
    const { db } = server.ctx
    await write('foreign', midOfMonth(1), await server.getId('globex'))
    const seen = await db.read(client_id, (q) =>
      q.query<{ log_id: string }>(`select log_id from portal_activities where user_reference = 'ann'`),
    )
    assert.ok(!seen.rows.some(({ log_id }) => log_id === 'foreign'))
    assert.equal(seen.rows.length, 4)
    for (const name of await names())
      await assert.rejects(
        db.read(client_id, (q) => q.query(`select from ${name}`)),
        /permission denied/,
      )
  })
})
