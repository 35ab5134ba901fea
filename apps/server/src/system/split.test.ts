/** Two processes that serve requests and two that work on jobs, on one database and one folder, as real processes. */
import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { ApiProblem, makeClient } from '@custodia/client'
import type { PayloadType } from '@custodia/contract'
import pg from 'pg'
import { signIn } from '../testing/access-fixture.ts'
import { demoPhone, mediaFile, getMessage, readEnrolments, getRecording } from '../testing/phones.ts'
import { startInstallation } from '../testing/test-context.ts'
import { until } from '../testing/waits.ts'

/** Seconds for which phones wait until everything comes to rest, also after a worker was killed in the middle; far more than it takes. */
const PATIENCE = 300
const PHONES = ['Harriet', 'Imran', 'Molly', 'Oliver']
const PER_DEVICE = 10
/** Reviewers who write at once, and how much of it is answered before the process is killed. */
const WRITERS = 4
const ANSWERED = 24

const installation = await startInstallation(['api', 'api', 'worker', 'worker'])
const owner = new pg.Pool({ connectionString: installation.connection, max: 2 })

describe('two API processes and two workers on one database', () => {
  after(async () => {
    await owner?.end()
    await installation?.stop()
  })
  const query = async <Row>(text: string, values: unknown[] = []): Promise<Row[]> =>
    (await owner.query(text, values)).rows as Row[]
  const [FIRST, SECOND] = [0, 1]
  const url = (of: number) => installation.urls[of] ?? ''

  it('start together on an empty database without conflicts', async () => {
    assert.deepEqual(
      installation.processes.map(({ daemon }) => daemon.running()),
      [true, true, true, true],
    )
    // On a busy machine a poll of the queue may wait too long for a connection, which is no conflict.
    const isConflict = (line: string) =>
      /"level":"(?:error|fatal)"/.test(line) && !line.includes('database: unavailable: timeout')
    assert.deepEqual(
      installation.processes.flatMap(({ daemon }) => daemon.output().split('\n').filter(isConflict)),
      [],
    )
    const keys = await query<{ client: string; count: number }>(
      'select client, count(*)::int from clients join client_keys using (client_id) group by client order by client',
    )
    assert.deepEqual(keys, [
      { client: 'acme', count: 1 },
      { client: 'admin', count: 1 },
      { client: 'globex', count: 1 },
    ])
    const keks = await readdir(join(installation.dataDir, 'keys', 'device'))
    assert.equal(keks.length, 3, 'no key pair was made in vain')
    assert.equal((await readEnrolments(installation.dataDir)).length, 2)
  })

  it('report their health, each at its own address', async () => {
    for (const [i, address] of installation.addresses.entries()) {
      assert.equal((await fetch(`${address}/health`)).status, 200)
      const ready = await fetch(`${address}/readyz`)
      const { parts } = (await ready.json()) as { parts: Record<string, string> }
      assert.deepEqual([ready.status, parts['database'], parts['objects']], [200, 'ok', 'ok'])
      const metrics = await (await fetch(`${address}/metrics`)).text()
      assert.match(metrics, /^custodia_part_up\{part="keys"\} 1$/m)
      // A worker has nothing else to say.
      const portal = await fetch(`${address}/openapi.json`)
      assert.equal(portal.status, installation.processes[i]?.service === 'worker' ? 404 : 200)
    }
  })

  it('accept each other’s tokens and refuse them right after a sign-out', async () => {
    const alice = await signIn(url(FIRST), 'acme', 'alice')
    const atSecond = makeClient({
      baseUrl: url(SECOND),
      client: () => 'acme',
      credentials: async () => ({ token: alice.id_token }),
    })
    assert.equal((await atSecond.readProfile({})).user_reference, 'alice')
    await atSecond.signOut({})
    await assert.rejects(alice.api.readProfile({}), ended)
    await assert.rejects(atSecond.readProfile({}), ended)
  })

  it('process every payload once although one worker is killed', async () => {
    const media = await mediaFile('formats/amr-wb.amr')
    const kinds: [PayloadType, Buffer | undefined][] = [
      ['SMS', getMessage('Sold')],
      ['Call', media],
      ['RCS', getMessage('Bought')],
      ['AbortedCall', undefined],
      ['Photo', await mediaFile('formats/photo.jpg')],
    ]
    let requests = 0
    const balanced: typeof fetch = (address, init) => {
      const target = new URL(String(address))
      return fetch(new URL(target.pathname + target.search, url(requests++ % 2)), init)
    }
    const phones = await Promise.all(
      PHONES.map(async (name, i) => {
        const phone = await demoPhone(installation.dataDir, url(i % 2), name, { fetch: balanced })
        for (let n = 0; n < PER_DEVICE; n++) {
          const [type, data] = kinds[n % kinds.length] ?? ['AbortedCall', undefined]
          await phone.record(getRecording(type, data).recording)
        }
        return phone
      }),
    )
    const workers = installation.processes.filter(({ service }) => service === 'worker')
    const [other, victim] = workers.map(({ daemon }) => daemon)
    // Frozen while idle, so that the killed process has all running work.
    process.kill(other?.pid ?? 0, 'SIGSTOP')
    const syncs = Promise.all(phones.map((phone) => phone.sync({ patience: PATIENCE })))
    await killAtWork(victim?.pid ?? 0)
    process.kill(other?.pid ?? 0, 'SIGCONT')
    const reports = await syncs
    assert.deepEqual(
      reports,
      PHONES.map(() => ({ freed: PER_DEVICE, waiting: 0, refused: 0 })),
    )
    assert.equal(victim?.running(), false)

    await until('all to be finished', unfinished, (count) => count === 0, { seconds: PATIENCE })
    const states = await query(
      `select s.name, count(*)::int from payloads p join payload_states s on s.code = p.state group by s.name order by s.name`,
    )
    const dataless = PHONES.length * (PER_DEVICE / kinds.length)
    const total = PHONES.length * PER_DEVICE
    assert.deepEqual(states, [
      { name: 'NotRecorded', count: dataless },
      { name: 'Processed', count: total - dataless },
    ])
    const objects = await query<{ kind: string; count: number }>(
      `select kind, count(*)::int from payload_objects group by kind, payload_id having count(*) > 1`,
    )
    assert.deepEqual(objects, [], 'nothing was made twice')
    const [counted] = await query<{ sum: number }>(
      `select sum(total)::int from payload_counts where grain = 'm' and type = 0 and group_id = 0`,
    )
    assert.equal(counted?.sum, total)
  })

  it('keep acknowledged marks and comments with their audit entries when a server process is killed', async () => {
    const [first = '', second = ''] = installation.urls
    const phone = await demoPhone(installation.dataDir, second, 'Harriet')
    const { payload_reference, recording } = getRecording('AbortedCall')
    await phone.record(recording)
    await phone.sync({ patience: 0 })
    const params = { payload_reference }
    const bob = await signIn(first, 'acme', 'bob')
    const { id_token } = await signIn(first, 'acme', 'alice')
    const alice = makeClient({
      baseUrl: second,
      client: () => 'acme',
      credentials: async () => ({ token: id_token }),
    })
    const answered: { id: string; stated: string }[] = []
    const victim = installation.processes[0]?.daemon
    let count = 0
    const write = async () => {
      for (;;) {
        const stated = `said ${++count}`
        if (count % 2 === 0) {
          const { mark_id } = await bob.api.addMark({ params, body: { mark: 'flagged', note: stated } })
          answered.push({ id: mark_id, stated })
        } else {
          const { comment_id } = await bob.api.addComment({ params, body: { message: stated } })
          answered.push({ id: comment_id, stated })
        }
        if (answered.length === ANSWERED) process.kill(victim?.pid ?? 0, 'SIGKILL')
      }
    }
    const ends = await Promise.allSettled(Array.from({ length: WRITERS }, write))
    assert.ok(ends.every(({ status }) => status === 'rejected'))
    assert.ok(answered.length >= ANSWERED)

    const { marks } = await alice.listMarks({ params })
    // And lists find it as marked, by its last mark.
    const flagged = await alice.listPayloads({ query: { service: 'calls', mark: 'flagged' } })
    assert.ok(flagged.data.some((row) => row.payload_reference === payload_reference))
    const comments = await alice.listCommentsOfPayload({ params, query: { limit: 200 } })
    const kept = new Map([
      ...marks.map(({ mark_id, note }) => [mark_id, note] as const),
      ...comments.data.map(({ comment_id, comment_body }) => [comment_id, comment_body] as const),
    ])
    for (const { id, stated } of answered) assert.equal(kept.get(id), stated)
    // Unanswered writes have their audit entries as well, and are counted.
    const rows = await query(
      `select (select count(*)::int from payload_marks) as marks,
         (select sum(count)::int from review_days where act = 'flagged') as counted,
         (select count(*)::int from payload_audit where action = 'payloads.marks:create') as audited,
         (select count(*)::int from portal_activities where action = 'payloads.marks:create' and is_allowed) as logged`,
    )
    const total = marks.length
    assert.deepEqual(rows, [{ marks: total, counted: total, audited: total, logged: total }])
  })

  /** Kills a worker that has a payload in its hands, the only one at work, and ends its leases. It is frozen first. */
  async function killAtWork(pid: number): Promise<void> {
    await until(
      'the worker to be at work',
      async () => {
        if ((await activeJobs()).length === 0) return false
        process.kill(pid, 'SIGSTOP')
        if ((await activeJobs()).length > 0) return true
        process.kill(pid, 'SIGCONT')
        return false
      },
      Boolean,
      { everyMs: 5 },
    )
    process.kill(pid, 'SIGKILL')
    assert.ok((await unfinished()) > 0, 'the kill came too late to matter')
    // As if the time of its leases had passed.
    await query('update client_tasks set due_at = 0 where attempts > 0')
  }

  const activeJobs = async () =>
    (
      await query<{ id: string }>(
        `select task_id || '/' || fence as id from client_tasks
         where kind = 'payloads.process' and attempts > 0 and due_at > extract(epoch from now())`,
      )
    ).map(({ id }) => id)

  async function unfinished(): Promise<number> {
    const [row] = await query<{ count: number }>('select count(*)::int from payload_work')
    return row?.count ?? 0
  }
})

const ended = (error: unknown): boolean => error instanceof ApiProblem && error.status === 401
