import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, afterEach, before, describe, it, test } from 'node:test'
import * as z from 'zod/mini'
import { openDatabase } from '../ports/database/pool.ts'
import { testDatabase } from '../testing/database.ts'
import { ingestFixture, type IngestFixture } from '../testing/ingest-fixture.ts'
import { testServer, type TestServer } from '../testing/server.ts'
import { type SilentProxy, silentProxy } from '../testing/silent-peers.ts'
import { NOTIFY_WORKER, until } from '../testing/waits.ts'
import { type FairKind, FairWorkers } from './fair-workers.ts'
import { MovedTo } from './fair.ts'
import { jobKind } from './kind.ts'
import { openQueue, type Queue } from './queue.ts'
import {
  addTasks,
  delayTask,
  endTasks,
  LEASE,
  moveTask,
  prolongTasks,
  takeTasks,
  type Task,
} from './store.ts'

const NOW = 1_000_000

describe('the fair task queue', () => {
  let fixture: IngestFixture
  let acme = 0
  let globex = 0
  before(async () => {
    fixture = await ingestFixture()
    acme = fixture.accounts.acme.client_id
    globex = fixture.accounts.globex.client_id
  })
  after(() => fixture.close())
  afterEach(async () => {
    await fixture.sql('truncate client_tasks, client_shares')
  })

  const add = (client_id: number, key: string, cost = 1, lane = 'test') =>
    fixture.ctx.db.globalWrite((tx) =>
      addTasks(tx, [{ kind: 'test', lane, client_id, key, input: { client_id, key }, cost, now: NOW }]),
    )
  const take = (most: number, now = NOW) => takeTasks(fixture.ctx.db, 'test', { most }, now)
  const getKeys = (tasks: Task[]) => tasks.map(({ input }) => (input as { key: string }).key)

  it('serves a client with few tasks at once, however many tasks another client has queued', async () => {
    for (let i = 0; i < 300; i++) await add(acme, `a${i}`)
    assert.equal((await take(100)).length, 100)
    await add(globex, 'g0')
    await add(globex, 'g1')
    assert.deepEqual(getKeys(await take(3)).toSorted(), ['a100', 'g0', 'g1'])
  })

  it('shares work by cost instead of count, and gives no credit for idle time', async () => {
    for (let i = 0; i < 40; i++) await add(acme, `a${i}`, 10)
    await take(20)
    for (let i = 0; i < 40; i++) await add(globex, `g${i}`, 1)
    const next = getKeys(await take(22))
    const ofAcme = next.filter((key) => key.startsWith('a')).length
    assert.ok(ofAcme >= 2 && ofAcme <= 3, `${ofAcme} of 22`)
  })

  it('leases each task to one worker, and an expired lease passes to the next worker', async () => {
    for (let i = 0; i < 20; i++) await add(acme, `a${i}`)
    const taken = (await Promise.all([take(5), take(5), take(5), take(5)])).flat()
    assert.equal(new Set(taken.map(({ task_id }) => task_id)).size, 20)
    assert.deepEqual(await take(5), [])
    const [kept, ...dead] = taken
    assert.ok(kept)
    assert.equal(await prolongTasks(fixture.ctx.db, [kept], NOW + LEASE - 1), 1)
    const again = await take(30, NOW + LEASE)
    assert.equal(again.length, 19)
    assert.ok(again.every(({ attempts }) => attempts === 2))
    assert.equal(await prolongTasks(fixture.ctx.db, dead, NOW + LEASE), 0)
    await endTasks(fixture.ctx.db, dead)
    assert.equal((await fixture.sql('select from client_tasks')).length, 20)
    await endTasks(fixture.ctx.db, [...again, kept])
    assert.deepEqual(await fixture.sql('select from client_tasks'), [])
  })

  it('repeats a task that is added again while it runs, and can delay or move it', async () => {
    await add(acme, 'a')
    const first = await take(1)
    await add(acme, 'a')
    await endTasks(fixture.ctx.db, first)
    const second = await take(1)
    assert.deepEqual(getKeys(second), ['a'])
    await delayTask(fixture.ctx.db, second[0] as Task, NOW + 5)
    assert.deepEqual(await take(1, NOW + 4), [])
    const third = await take(1, NOW + 5)
    await moveTask(fixture.ctx.db, third[0] as Task, { lane: 'other', cost: 9 }, NOW)
    assert.deepEqual(await fixture.sql('select lane, cost, attempts from client_tasks'), [
      { lane: 'other', cost: 9, attempts: 1 },
    ])
  })

  it('retries failed tasks, moves them to another lane or marks them dead, without failing others', async () => {
    const ran: string[] = []
    const dead: string[] = []
    const kind = jobKind({
      name: 'test.fair',
      input: z.object({ client_id: z.int(), what: z.string() }),
      key: ({ what }) => what,
      retries: 1,
      fair: {
        lanes: { short: { batch: 10, workers: 1 }, long: { batch: 1, workers: 1 } },
        client: ({ client_id }) => client_id,
        place: () => ({ lane: 'short', cost: 1 }),
      },
      async run(_ctx, { what }) {
        ran.push(what)
        if (what === 'moves' && ran.filter((each) => each === what).length === 1)
          throw new MovedTo({ lane: 'long', cost: 50 })
        if (what === 'fails once' && ran.filter((each) => each === what).length === 1) throw new Error('once')
        if (what === 'fails') throw new Error('always')
      },
      dead: async (_ctx, { what }) => void dead.push(what),
    })
    const queue: Queue = await openQueue(fixture.ctx.db, [kind], () => undefined)
    try {
      await queue.work({ ...fixture.ctx, now: () => Math.floor(Date.now() / 1000) }, [kind])
      await fixture.ctx.db.globalWrite(async (tx) => {
        for (const what of ['works', 'moves', 'fails once', 'fails'])
          await queue.send(tx, kind, { client_id: acme, what })
        // Its workers crashed so often that the queue does not try it again.
        await queue.send(tx, kind, { client_id: globex, what: 'kills' })
        await tx.query(`update client_tasks set attempts = 2 where key = 'kills'`)
      })
      await until(
        'an empty queue',
        () => fixture.sql('select from client_tasks'),
        ({ length }) => length === 0,
        { seconds: 60 },
      )
    } finally {
      await queue.stop()
    }
    assert.deepEqual(ran.toSorted(), [
      'fails',
      'fails',
      'fails once',
      'fails once',
      'moves',
      'moves',
      'works',
    ])
    assert.deepEqual(dead.toSorted(), ['fails', 'kills'])
  })

  it('aborts running tasks when the stop timeout ends, and releases them unchanged', async () => {
    const begun = Promise.withResolvers<void>()
    const kind = jobKind({
      name: 'test',
      input: z.object({}),
      fair: {
        lanes: { test: { batch: 1, workers: 1 } },
        client: () => acme,
        place: () => ({ lane: 'test', cost: 1 }),
      },
      run: async (_ctx, _input, signal) => {
        begun.resolve()
        await once(signal, 'abort')
        throw signal.reason
      },
    })
    await add(acme, 'endless')
    const ctx = { ...fixture.ctx, now: () => NOW }
    const workers = new FairWorkers({ ctx, db: ctx.db }, [kind as FairKind], () => 0)
    await begun.promise
    await workers.stop(1)
    const left = await fixture.sql('select due_at::int, attempts from client_tasks')
    assert.deepEqual(left, [{ due_at: NOW, attempts: 0 }])
  })

  it('a job that finally fails raises an alert for the provider', async () => {
    const provider = await fixture.sql<{ client_id: number }>(
      `insert into clients (client, client_name, is_provider, account_key, created_at) values ('admin', 'Provider', true, '', 0)
       returning client_id`,
    )
    const failing = jobKind({
      name: 'test.fails',
      input: z.object({}),
      retries: 0,
      run: () => Promise.reject(new Error('on purpose')),
    })
    const queue = await openQueue(fixture.ctx.db, [failing], () => undefined)
    try {
      await queue.work(fixture.ctx, [failing])
      await fixture.ctx.db.globalWrite((tx) => queue.send(tx, failing, {}))
      const raised = async () => {
        await fixture.sql(`select ${NOTIFY_WORKER}`, [`${failing.name}.dead`])
        return fixture.sql<Record<string, unknown>>('select * from alerts')
      }
      const [alert] = await until('the alert', raised, (found) => found.length > 0)
      assert.deepEqual(
        [alert?.client_id, alert?.alert_target, alert?.alert_type, alert?.alert_key],
        [provider[0]?.client_id, 'admin', 'LambdaAlert', 'job test.fails'],
      )
    } finally {
      await queue.stop()
    }
  })
})

test('processes that start together on an empty database all open the job queue', async () => {
  const database = await testDatabase()
  const kind = jobKind({ name: 'test.first', input: z.object({}), run: () => Promise.resolve() })
  try {
    // A schema that is made stays uncommitted for a while, so that the others meet it.
    await database.db.owner.query(`
      drop schema if exists pgboss cascade;
      create function linger() returns event_trigger language plpgsql as $$ begin perform pg_sleep(0.3); end $$;
      create event trigger linger on ddl_command_end when tag in ('CREATE SCHEMA') execute function linger()`)
    const opened = await Promise.allSettled(
      Array.from({ length: 4 }, () => openQueue(database.db, [kind], () => undefined)),
    )
    for (const each of opened) if (each.status === 'fulfilled') await each.value.stop()
    assert.deepEqual(
      opened.flatMap((each) => (each.status === 'rejected' ? [String(each.reason)] : [])),
      [],
    )
  } finally {
    await database.drop()
  }
})

/** The queue's own connections fall silent: they neither answer nor end. */

/** Seconds after which a worker must be at work again. */
const BACK_WITHIN = 60

describe('a worker whose database stops responding', () => {
  let server: TestServer
  let proxy: SilentProxy
  let queue: Queue
  const closers: (() => Promise<void>)[] = []
  const done: number[] = []
  const kind = jobKind({
    name: 'test.silence',
    input: z.object({ n: z.number() }),
    run: async (ctx, { n }) => {
      await ctx.db.global((q) => q.query('select 1'))
      done.push(n)
    },
  })
  before(async () => {
    server = await testServer({ DEMO: 'false' })
    proxy = await silentProxy(server.ctx.db.connection)
    const db = await openDatabase({ connection: proxy.connection, appName: 'silence worker', max: 2 })
    closers.push(() => db.close())
    queue = await openQueue(db, [kind], () => undefined)
    closers.push(() => queue.stop())
    await queue.work({ ...server.ctx, db }, [kind])
  })
  after(async () => {
    for (const close of closers.toReversed()) await close()
    await proxy?.stop()
    await server?.close()
  })
  const send = (n: number) => server.ctx.db.globalWrite((tx) => queue.send(tx, kind, { n }))

  it('commits with synchronous_commit on, whatever the server default is', async () => {
    // The tests' server acknowledges commits that are not on disk yet.
    const { owner } = server.ctx.db
    await owner.query(`
      create table levels (level text);
      create function note_level() returns trigger language plpgsql security definer as $$ begin
        insert into public.levels values (current_setting('synchronous_commit')); return null; end $$;
      create trigger levels after update on pgboss.job_common for each row execute function note_level()`)
    await send(0)
    const levels = await until(
      'the job to be taken and done',
      async () => (await owner.query<{ level: string }>('select level from levels')).rows,
      (rows) => rows.length >= 2,
    )
    assert.deepEqual([...new Set(levels.map(({ level }) => level))], ['on'])
    await owner.query('drop trigger levels on pgboss.job_common')
    // The same server processes jobs concurrently.
    await until('this job, too', () => done.includes(0))
    done.length = 0
  })

  it('resumes work without a restart', async () => {
    await send(1)
    await until('the first job', () => done.includes(1), Boolean)
    proxy.hush('existing')
    await send(2)
    await until('the job behind the silence', () => done.includes(2), Boolean, { seconds: BACK_WITHIN })
    assert.deepEqual([...new Set(done)], [1, 2])
  })
})
