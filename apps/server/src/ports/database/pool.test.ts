import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { testDatabase } from '../../testing/database.ts'
import { type GlobalQueryable, type GlobalTx, preparedName, preparedNames, type Queryable } from './lease.ts'
import { openDatabase } from './pool.ts'
import { DatabaseProblem } from './problem.ts'

const database = await testDatabase()
// Two connections, so that tenants have to share them.
const db = await openDatabase({ connection: database.connection, appName: 'pool test', max: 2 })
await db.owner.query(`
  create table notes (client_id int not null, note int not null unique check (note > 0));
  alter table notes enable row level security;
  alter table notes force row level security;
  create policy tenant on notes using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
  grant select, insert, update, delete on notes to custodia_app;
  insert into notes values (1, 11), (1, 12), (2, 21), (3, 31)`)
after(async () => {
  await db?.close()
  await database?.drop()
})

function notes(q: GlobalQueryable): Promise<number[]> {
  return q.column<number>('select note from notes order by note', [])
}
const add = (clientId: number, note: number) => (tx: GlobalTx) =>
  tx.query('insert into notes values ($1, $2)', [clientId, note])
const isProblem = (kind: string, constraint: string | null) => (error: unknown) =>
  error instanceof DatabaseProblem && error.kind === kind && error.constraint === constraint

/** Writes and rolls back, so that every test finds the rows of `before`. */
const undo = new Error('undo')
const undone = (work: Promise<unknown>) => assert.rejects(work, undo)

test('forces synchronous_commit on in every session, even when the database turns it off', async () => {
  const name = new URL(database.connection).pathname.slice(1)
  await db.owner.query(`alter database ${name} set synchronous_commit = off`)
  const own = await openDatabase({ connection: database.connection, appName: 'durable test', max: 2 })
  try {
    const level = async (q: GlobalQueryable) =>
      (await q.query<{ level: string }>(`select current_setting('synchronous_commit') as level`)).rows[0]
        ?.level
    const levels = [
      await own.read(1, level),
      await own.write(1, level),
      await own.global(level),
      await own.globalWrite(level),
      await own.acrossClients(level),
      (await own.owner.query<{ level: string }>(`select current_setting('synchronous_commit') as level`))
        .rows[0]?.level,
    ]
    assert.deepEqual(
      levels,
      levels.map(() => 'on'),
    )
  } finally {
    await own.close()
    await db.owner.query(`alter database ${name} reset synchronous_commit`)
  }
})

test('shows a tenant only its own rows in reads and writes', async () => {
  assert.deepEqual(await db.read(1, notes), [11, 12])
  assert.deepEqual(await db.read(2, notes), [21])
  assert.deepEqual(await db.write(3, notes), [31])
})

test('returns no rows without a tenant', async () => {
  assert.deepEqual(await db.global(notes), [])
  assert.deepEqual(await db.globalWrite(notes), [])
})

test('exposes the tenant of a connection, and none on connections without a tenant', async () => {
  const readState = async ({ client_id }: Queryable) => client_id
  assert.deepEqual(
    [await db.read(1, readState), await db.readFromReplica(2, readState), await db.write(3, readState)],
    [1, 2, 3],
  )
  // @ts-expect-error: a connection of no tenant
  assert.equal(await db.global(readState), undefined)
  // @ts-expect-error: nor has one that writes any
  assert.equal(await db.globalWrite(readState), undefined)
  // @ts-expect-error: nor one that reads across clients
  assert.equal(await db.acrossClients(readState), undefined)
})

test('prevents inserting or changing rows of another tenant and moving rows to it', async () => {
  await assert.rejects(db.write(1, add(2, 99)), /row-level security/)
  await assert.rejects(db.globalWrite(add(1, 99)), /row-level security/)
  const changed = await db.write(1, (tx) =>
    tx.query('update notes set note = note + 100 where client_id = 2'),
  )
  assert.equal(changed.rowCount, 0)
  await assert.rejects(
    db.write(1, (tx) => tx.query('update notes set client_id = 2')),
    /row-level security/,
  )
})

test('rejects a client_id that is not a positive integer before it reaches the database', async () => {
  for (const bad of [0, -1, 1.5, Number.NaN, 2 ** 31]) await assert.rejects(db.write(bad, notes), RangeError)
})

test('shows no foreign rows in any interleaving of tenants, failures and transactions', async () => {
  const expected = new Map([
    [1, [11, 12]],
    [2, [21]],
    [3, [31]],
  ])
  const step = fc.record({
    client_id: fc.integer({ min: 1, max: 3 }),
    how: fc.constantFrom(
      'read',
      'write',
      'global',
      'read fails',
      'read throws',
      'write fails',
      'write throws',
    ),
    pause: fc.integer({ min: 0, max: 2 }),
  })
  const check = async (clientId: number, how: string, pause: number) => {
    const look = async (q: GlobalQueryable) => {
      assert.deepEqual(await notes(q), how === 'global' ? [] : expected.get(clientId))
      for (let i = 0; i < pause; i++) await q.query('select 1')
      assert.deepEqual(await notes(q), how === 'global' ? [] : expected.get(clientId))
      if (how.endsWith('throws')) throw undo
      if (how.endsWith('fails')) await q.query('select 1/0')
    }
    if (how === 'global') return db.global(look)
    const act = how.startsWith('read') ? db.read(clientId, look) : db.write(clientId, look)
    if (how.endsWith('throws')) return undone(act)
    if (how.endsWith('fails')) return assert.rejects(act, /division by zero/)
    return act
  }
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 12 }), async (steps) => {
      await Promise.all(steps.map(({ client_id, how, pause }) => check(client_id, how, pause)))
    }),
    { numRuns: 20 },
  )
})

test('gives the next free connection to a tenant that waits behind many calls of another', async () => {
  const order: number[] = []
  const call = (clientId: number) =>
    db.read(clientId, async (q) => {
      order.push(clientId)
      await q.query('select pg_sleep(0.01)')
    })
  await Promise.all([...Array.from({ length: 20 }, () => call(1)), call(2), call(3)])
  // Without turns, tenants 2 and 3 are called last. Statements of two connections may overtake each other by a few.
  assert.ok(order.indexOf(2) < 10 && order.indexOf(3) < 10, `calls began in the order ${order.join(' ')}`)
  assert.equal(db.figures().find(({ pool }) => pool === 'tenants')?.waiting, 0)
})

test('rolls back a write completely when it fails', async () => {
  await undone(
    db.write(1, async (tx) => {
      await add(1, 13)(tx)
      throw undo
    }),
  )
  assert.deepEqual(await db.read(1, notes), [11, 12])
})

test('rejects a write whose code ignored a failed statement', async () => {
  const work = db.write(1, async (tx) => {
    await add(1, 13)(tx)
    await add(1, 13)(tx).catch(() => undefined)
  })
  await assert.rejects(work, /nothing was written/)
  assert.deepEqual(await db.read(1, notes), [11, 12])
})

test('names the violated constraint but no value', async () => {
  await assert.rejects(db.write(1, add(1, 21)), isProblem('unique', 'notes_note_key'))
  await assert.rejects(db.write(1, add(1, -5)), isProblem('check', 'notes_note_check'))
  await assert.rejects(db.write(1, add(1, 21)), (error: Error) => !error.message.includes('21'))
})

test('runs the work again up to three times after a serialization failure', async () => {
  const fail = `do $$ begin raise exception using errcode = '40001'; end $$`
  let runs = 0
  const value = await db.write(1, async (tx) => {
    if (++runs < 3) await tx.query(fail)
    return 'done'
  })
  assert.deepEqual([value, runs], ['done', 3])
  runs = 0
  const hopeless = db.write(1, (tx) => (runs++, tx.query(fail)))
  await assert.rejects(hopeless, isProblem('serialization', null))
  assert.equal(runs, 4)
})

test('resolves a deadlock by running one transaction again', async () => {
  await db.owner.query(
    'create table locks (k int primary key); insert into locks values (1), (2); grant all on locks to custodia_app',
  )
  const both = Promise.withResolvers<void>()
  let waiting = 0
  const lock = (first: number, second: number) => async (tx: GlobalTx) => {
    await tx.query('select from locks where k = $1 for update', [first])
    if (++waiting === 2) both.resolve()
    await both.promise
    await tx.query('select from locks where k = $1 for update', [second])
  }
  await Promise.all([db.write(1, lock(1, 2)), db.write(2, lock(2, 1))])
  // The retried transaction may lock again before the other has woken, so they deadlock once more.
  assert.ok(waiting >= 3, `${waiting} times`)
})

test('rejects queries on a connection that was returned to the pool', async () => {
  const [kept, keptTx] = [await db.read(1, async (q) => q), await db.write(1, async (tx) => tx)]
  await assert.rejects(kept.query('select 1'), /given back/)
  await assert.rejects(keptTx.query('select 1'), /given back/)
})

test('runs concurrent statements of one lease one after another', async () => {
  const numbers = await db.read(1, (q) =>
    Promise.all([1, 2, 3].map((n) => q.query<{ n: number }>('select $1::int as n', [n]))),
  )
  assert.deepEqual(
    numbers.map(({ rows }) => rows[0]?.n),
    [1, 2, 3],
  )
})

test('discards a connection on which a read opened a transaction', async () => {
  const getPid = async (q: Queryable) =>
    (await q.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid
  const pid = await db.read(1, async (q) => {
    await q.query('begin')
    return getPid(q)
  })
  const later = await Promise.all([db.read(1, getPid), db.read(1, getPid)])
  assert.ok(!later.includes(pid))
})

test('reports a lost connection and works again with the next one', async () => {
  const kill = (q: Queryable) =>
    q.query('select pg_backend_pid() as pid').then(async ({ rows }) => {
      await db.owner.query('select pg_terminate_backend($1)', [(rows[0] as { pid: number }).pid])
      await q.query('select pg_sleep(1)')
    })
  await assert.rejects(db.read(1, kill), isProblem('unavailable', null))
  await assert.rejects(db.write(1, kill), isProblem('unavailable', null))
  assert.deepEqual(await db.read(1, notes), [11, 12])
})

test('returns numbers and dates exactly and rejects numbers that would be rounded', async () => {
  const { rows } = await db.read(1, (q) => q.query(`select 12345678901::int8 as n, date '2026-01-02' as d`))
  assert.deepEqual(rows, [{ n: 12345678901, d: '2026-01-02' }])
  await assert.rejects(
    db.read(1, (q) => q.query('select 9007199254740993::int8')),
    RangeError,
  )
})

test('prevents the application role from changing the schema', async () => {
  await assert.rejects(
    db.write(1, (tx) => tx.query('create table mine ()')),
    /permission denied/,
  )
  await assert.rejects(
    db.write(1, (tx) => tx.query('alter table notes disable row level security')),
    /must be owner/,
  )
})

test('delivers notifications again after a lost connection and reports the gap to listeners', async () => {
  const heard: (string | null)[] = []
  let wake = () => {}
  const end = await db.listen('news', (payload) => {
    heard.push(payload)
    wake()
  })
  const next = async (count: number) => {
    while (heard.length < count) await new Promise<void>((resolve) => (wake = resolve))
  }
  await db.write(1, (tx) => tx.query(`select pg_notify('news', 'one')`))
  await next(1)
  await db.owner.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'pool test listen'`,
  )
  await next(2)
  await db.globalWrite((tx) => tx.query(`select pg_notify('news', 'two')`))
  await next(3)
  assert.deepEqual(heard, ['one', null, 'two'])
  await end()
  await assert.rejects(
    db.listen('news; drop table notes', () => undefined),
    /not a channel name/,
  )
})

test('fails without a long wait for a database that does not exist', async () => {
  const url = new URL(database.connection)
  url.pathname = '/no_such_database'
  const started = performance.now()
  await assert.rejects(openDatabase({ connection: url.href, appName: 'test' }), /does not exist/)
  // Its lock timeout is 30 s.
  assert.ok(performance.now() - started < 25_000)
})

test('a table that grows from nothing soon has statistics', async () => {
  await db.owner.query(`
    create table grown (client_id int not null, name text not null);
    grant select, insert on grown to custodia_app`)
  const statistics = async () =>
    (await db.owner.query<{ n: number }>(`select count(*)::int as n from pg_stats where tablename = 'grown'`))
      .rows[0]?.n ?? 0
  assert.equal(await statistics(), 0)
  for (let i = 0; i < 1100 && !(i % 50 === 0 && (await statistics()) > 0); i++)
    await db.write(1, async (tx) => {
      await tx.query(`insert into grown select 1, x::text from generate_series(1, 20) x`)
      await tx.query('select pg_stat_force_next_flush()')
    })
  assert.equal(await statistics(), 2)
})

test('prepares texts with values that are used often, up to a limit, and none that is unprepared', async () => {
  const getName = preparedNames(2)
  const use = (text: string, times: number, ...more: [] | ['unprepared']) => {
    for (let i = 1; i < times; i++) getName(text, [i], ...more)
    return getName(text, [0], ...more)
  }
  assert.equal(use('rare', 4), undefined)
  const often = use('often', 5)
  assert.ok(often)
  assert.equal(getName('often', []), undefined)
  assert.equal(use('varied', 6, 'unprepared'), undefined)
  // Only the last texts are counted.
  for (const text of ['one', 'another']) getName(text, [0])
  assert.equal(use('rare', 4), undefined)
  assert.notEqual(use('second', 5), often)
  assert.equal(use('beyond', 6), undefined)
  assert.equal(getName('often', [0]), often)

  await db.read(1, async (q) => {
    const text = 'select $1::int as used_often'
    for (let i = 0; i < 5; i++) await q.query(text, [i])
    const rows = await q.rows<{ name: string }>(
      'select name from pg_prepared_statements where statement = $1',
      [text],
      'unprepared',
    )
    // Undefined when other files of the process have used up the limit.
    const name = preparedName(text, [0])
    assert.deepEqual(rows, name === undefined ? [] : [{ name }])
  })
})
