/** A real streaming replica: two Debian PostgreSQL servers, of which the second replays when it is let. */
import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Queryable } from '../ports/database/lease.ts'
import { openDatabase, type Database } from '../ports/database/pool.ts'
import { countWrite } from '../ports/database/replica.ts'
import { allow, getCode, openPerson, remove, roleInput, save } from '../testing/access-fixture.ts'
import { demoPhone, getMessage, getRecording } from '../testing/phones.ts'
import { requirePart } from '../testing/require-part.ts'
import { testServer, type TestServer } from '../testing/server.ts'
import { debianPostgres, startStreamingPair, type StreamingPair } from '../testing/streaming-pair.ts'
import { until } from '../testing/waits.ts'

/** Others' writes may be as late as the test likes, unless it is about that. */
const ANY_TIME = 3_600_000

describe('reads from a streaming replica', requirePart('PostgreSQL', debianPostgres() !== undefined), () => {
  let pair: StreamingPair
  let server: TestServer
  /** Two processes next to the server. */
  let db: Database
  let other: Database
  let A: number
  let B: number
  const open = (more: { replica?: string; mostStale?: number } = {}) =>
    openDatabase({
      connection: pair.primary,
      replica: pair.replica,
      appName: 'replica test',
      max: 2,
      mostStale: ANY_TIME,
      ...more,
    })
  before(async () => {
    pair = await startStreamingPair()
    server = await testServer({ DATABASE_URL: pair.primary, DATABASE_REPLICA_URL: pair.replica })
    db = await open()
    other = await open()
    await db.owner.query(
      `insert into clients (client, client_name, account_key, created_at) values ('a', 'A', '', 0), ('b', 'B', '', 0)`,
    )
    const { rows } = await db.owner.query<{ id: number }>(
      `select client_id as id from clients where client in ('a', 'b') order by client`,
    )
    ;[A, B] = rows.map(({ id }) => id) as [number, number]
    await pair.caughtUp()
  })
  after(async () => {
    await db?.close()
    await other?.close()
    await server?.close()
    pair?.stop()
  })
  const pause = () => pair.atReplica('select pg_wal_replay_pause()')
  const resume = () => pair.atReplica('select pg_wal_replay_resume()')
  afterEach(async () => {
    await resume()
    await pair.caughtUp()
  })

  const where = async (q: Queryable) =>
    (await q.query<{ replica: boolean }>('select pg_is_in_recovery() as replica')).rows[0]?.replica
      ? 'replica'
      : 'primary'
  const groups = async (q: Queryable) =>
    (await q.query<{ name: string }>('select group_reference as name from groups order by 1')).rows.map(
      ({ name }) => name,
    )
  const addGroup = (at: Database, client_id: number, name: string, isPerson: boolean) =>
    at.write(client_id, async (tx) => {
      await tx.query(
        `insert into groups (client_id, group_reference, updated_at, updated_by) values ($1, $2, 0, '')`,
        [client_id, name],
      )
      if (isPerson) await countWrite(tx)
    })
  const usesReplica = (at: Database, client_id = A) =>
    until(
      'the replica to be used',
      () => at.readFromReplica(client_id, where),
      (found) => found === 'replica',
    )

  it('are answered by the replica within the tenant', async () => {
    await addGroup(db, B, 'of b', true)
    await usesReplica(db)
    assert.deepEqual(await db.readFromReplica(A, groups), [])
    assert.equal(await db.read(A, where), 'primary')
  })

  it('show recent writes of the client’s users in every process', async () => {
    await usesReplica(db)
    await usesReplica(other)
    assert.equal(await db.replicaLag(), 0)
    await pause()
    assert.equal(await other.readFromReplica(A, where), 'replica', 'nothing new, so it may answer')
    await addGroup(db, A, 'new', true)
    await until(
      'the replica to be behind',
      () => db.replicaLag(),
      (lag) => Number(lag) > 0,
    )
    assert.deepEqual(await db.readFromReplica(A, groups), ['new'])
    assert.deepEqual(await other.readFromReplica(A, groups), ['new'])
    assert.equal(await other.readFromReplica(B, where), 'primary', 'a replica that is behind is left alone')
  })

  it('wait briefly for a replica that is about to catch up', async () => {
    await usesReplica(db)
    await pause()
    await addGroup(db, A, 'soon', true)
    const read = db.readFromReplica(A, async (q) => [await where(q), (await groups(q)).includes('soon')])
    await resume()
    const [, sees] = await read
    assert.equal(sees, true)
  })

  it('show writes of others within the allowed delay', async () => {
    const strict = await open({ mostStale: 0 })
    try {
      await usesReplica(strict)
      await usesReplica(db)
      await pause()
      await addGroup(db, A, 'by a worker', false)
      assert.equal((await strict.readFromReplica(A, groups)).includes('by a worker'), true)
      assert.equal(await db.readFromReplica(A, where), 'replica')
    } finally {
      await strict.close()
    }
  })

  it('check the primary before they report missing data', async () => {
    await usesReplica(db)
    await pause()
    await addGroup(db, A, 'unseen', false)
    const found = await db.readFromReplica(A, async (q) => {
      if (!(await groups(q)).includes('unseen')) throw new Error('not found')
      return where(q)
    })
    assert.equal(found, 'primary')
  })

  it('go to the primary while the replica is down and return afterwards', async () => {
    await usesReplica(db)
    pair.stopReplica()
    try {
      assert.equal(await db.readFromReplica(A, where), 'primary')
      assert.equal(await db.readFromReplica(A, where), 'primary')
      const metrics = await (await fetch(`${server.url}/metrics`)).text()
      assert.match(metrics, /^custodia_replica_lag_seconds \+Inf$/m)
    } finally {
      pair.startReplica()
    }
    await usesReplica(db)
  })

  it('count as behind while the replica is cut off from the primary', async () => {
    const [found] = await pair.atReplica<{ primary_conninfo: string }>('show primary_conninfo')
    const receiveFrom = async (conninfo: string) => {
      await pair.atReplica(`alter system set primary_conninfo = '${conninfo.replaceAll(`'`, `''`)}'`)
      await pair.atReplica('select pg_reload_conf()')
    }
    await receiveFrom('')
    try {
      await until(
        'the replica to be behind',
        () => db.replicaLag(),
        (lag) => Number(lag) > 0,
      )
    } finally {
      await receiveFrom(found?.primary_conninfo ?? '')
    }
  })

  it('go to the primary when the configured replica does not replicate it', async () => {
    const wrong = await open({ replica: pair.primary })
    try {
      assert.equal(await wrong.readFromReplica(A, where), 'primary')
    } finally {
      await wrong.close()
    }
  })

  it('show saved data and refuse revoked access while the replica is paused', async () => {
    const alice = await openPerson(server, 'acme', 'alice')
    const bob = await openPerson(server, 'acme', 'bob')
    const listed = async () => {
      const answer = await alice.api.listGroups({})
      return answer.data.map(({ group_reference }) => group_reference)
    }
    const put = (group_reference: string) =>
      alice.api.saveGroup({ params: { group_reference }, body: { tags: [] } })
    const hugo = await openPerson(server, 'acme', 'hugo')
    await save(alice, 'Desk Reviewer', roleInput([allow('payloads:list')]))
    await hugo.api.listPayloads({ query: { service: 'calls' } })
    await pair.caughtUp()
    await pause()
    for (const name of ['First', 'Second']) {
      await put(name)
      assert.ok((await listed()).includes(name))
    }
    await bob.api.listPayloads({ query: { service: 'calls' } })
    await remove(alice, 'Desk Reviewer')
    assert.equal(await getCode(hugo.api.listPayloads({ query: { service: 'calls' } })), 'not_permitted')
    await bob.api.signOut({})
    assert.equal(await getCode(bob.api.listPayloads({ query: { service: 'calls' } })), 'session_ended')
  })
})

const DEVICES = ['Harriet', 'Imran']
/** Milliseconds in which devices go on while the standby is away. */
const WITHOUT_STANDBY = 2000

test(
  'a synchronous standby has every acknowledged upload after the primary is lost',
  requirePart('PostgreSQL', debianPostgres() !== undefined),
  async (t) => {
    const pair = await startStreamingPair({ isSynchronous: true })
    t.after(() => pair.stop())
    const server = await testServer({ DATABASE_URL: pair.primary })
    t.after(() => server.close())
    const acknowledged: string[] = []
    let isLost = false
    const devices = DEVICES.map(async (name) => {
      const device = await demoPhone(server.ctx.config.dataDir, server.url, name, {
        onEvent: ({ type, payload_reference }) => {
          if (type === 'uploaded' && payload_reference) acknowledged.push(payload_reference)
        },
        // What is under way when the primary is lost gets no answer.
        fetch: (address, init) => fetch(address, { ...init, signal: AbortSignal.timeout(5000) }),
        retry: { tries: 1, firstPauseMs: 10, longestPauseMs: 10 },
      })
      for (let n = 0; !isLost; n++) {
        await device.record(getRecording('SMS', getMessage(`Message ${n}`)).recording)
        await device.sync({ patience: 0 }).catch(() => undefined)
      }
    })
    await until('uploads', () => acknowledged.length >= 20)

    pair.stopReplica()
    await pause(WITHOUT_STANDBY)
    pair.killPrimary()
    isLost = true
    await Promise.all(devices)
    pair.startReplica()
    pair.promoteReplica()

    const rows = await pair.atReplica<{ payload_reference: string }>(
      `select payload_reference from payloads p join payload_states s on s.code = p.state where s.name = 'Uploaded'`,
    )
    const kept = new Set(rows.map(({ payload_reference }) => payload_reference))
    assert.deepEqual(
      acknowledged.filter((reference) => !kept.has(reference)),
      [],
    )
  },
)
