/** The queue's own connections fall silent: they neither answer nor end. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import * as z from 'zod/mini'
import { openDatabase } from '../ports/database/pool.ts'
import { testServer, type TestServer } from '../testing/server.ts'
import { type SilentProxy, silentProxy } from '../testing/silent-proxy.ts'
import { until } from '../testing/until.ts'
import { jobKind } from './kind.ts'
import { openQueue, type Queue } from './queue.ts'

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
