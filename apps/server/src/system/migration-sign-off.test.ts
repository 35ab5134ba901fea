/** What a run imported is accepted by name, after its sample was opened and played; until then retention leaves it alone. */
import assert from 'node:assert/strict'
import { cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type MigrationRun, SIGN_OFF_SAMPLE } from '@custodia/contract'
import { dropFolder } from '../migrations/folder.ts'
import { carryOut } from '../retention/engine.ts'
import { countStaying } from '../retention/preview-store.ts'
import { EXAMPLE, openPerson, type Person, problem } from '../testing/access-fixture.ts'
import { testServer, type TestServer } from '../testing/server.ts'
const RULE = {
  delete_after_days: 0,
  destroy_after_days: 0,
  retention_timestamp: 'payload_time' as const,
  required_receipts: [],
  required_transfers: [],
}

describe('the sign-off of a migration run', () => {
  let server: TestServer
  let root: Person
  let carol: Person
  let client_id: number
  let run: MigrationRun
  const NEVER = new AbortController().signal
  const retain = () => carryOut(server.ctx, { client_id, client: 'acme' }, NEVER)
  const stored = (state: string) =>
    server.sql<{ payload_reference: string; payload_id: number }>(
      `select payload_reference, payload_id from payloads p join payload_states s on s.code = p.state
       where is_legacy and p.client_id = $1 and s.name = $2`,
      [client_id, state],
    )
  const until = async (isSo: () => Promise<boolean>) => {
    for (let tries = 0; !(await isSo()); tries++) {
      assert.ok(tries < 300, 'it took too long')
      await sleep(100)
    }
  }
  async function carriedOut(): Promise<MigrationRun> {
    const { migration_reference } = await root.api.createMigration({ body: { is_dry_run: false } })
    const params = { migration_reference }
    await until(async () => (await root.api.readMigration({ params })).migrated_at !== null)
    return root.api.readMigration({ params })
  }
  const open = (by: Person, payload_reference: string) =>
    by.api.readPayload({ params: { payload_reference } })
  async function play(by: Person, payload_reference: string) {
    const { data } = await by.api.readData({
      query: { action: 'play', payload_references: [payload_reference] },
    })
    const answer = await by.fetch(data[0]?.s3_url ?? '')
    assert.equal(answer.status, 200, JSON.stringify(data))
    await answer.arrayBuffer()
  }
  const params = () => ({ migration_reference: run.migration_reference })

  before(async () => {
    server = await testServer({}, { hasWorker: true })
    client_id = await server.getId('acme')
    root = await openPerson(server, 'acme', 'alice')
    carol = await openPerson(server, 'acme', 'ines')
    await cp(EXAMPLE, dropFolder(server.ctx.config.dataDir, 'acme'), { recursive: true })
    run = await carriedOut()
    await until(async () => (await stored('Uploaded')).length + (await stored('Scanning')).length === 0)
  })
  after(() => server?.close())

  it('compares the files with their verified results', async () => {
    const found = await root.api.readMigrationSignOff({ params: params() })
    assert.deepEqual(
      found.files.map(({ filename, rows, results, imported, errors }) => [
        filename,
        rows,
        results,
        imported,
        errors,
      ]),
      [
        ['devices.csv', 2, 2, 2, 0],
        ['groups.csv', 1, 1, 1, 0],
        ['payloads-2.ndjson', 2, 2, 2, 0],
        ['payloads.csv', 6, 6, 6, 0],
        ['users.csv', 2, 2, 2, 0],
      ],
    )
    assert.equal(
      found.types.reduce((sum, { rows }) => sum + rows, 0),
      8,
    )
    for (const { rows, imported, verified, awaited, differing } of found.types)
      assert.deepEqual([imported, verified, awaited, differing], [rows, rows, 0, 0])
    assert.equal(found.sample.length, Math.min(8, SIGN_OFF_SAMPLE))
    assert.equal(found.differences, 0)
    assert.equal(found.is_ready, false)
    assert.deepEqual(
      (await root.api.readMigrationSignOff({ params: params() })).sample,
      found.sample,
      'drawn once',
    )
  })

  it('requires the signing user to open and play the sample', async () => {
    await assert.rejects(root.api.signMigration({ params: params(), body: {} }), problem('wrong_state'))
    const { sample } = await root.api.readMigrationSignOff({ params: params() })
    const played = sample.filter(({ must_play }) => must_play)
    assert.ok(played.length > 0)
    for (const { payload_reference } of sample) await open(root, payload_reference)
    await assert.rejects(root.api.signMigration({ params: params(), body: {} }), problem('wrong_state'))
    // Playback by another user does not count for the one who accepts.
    for (const { payload_reference } of played) await play(carol, payload_reference)
    const seen = await root.api.readMigrationSignOff({ params: params() })
    assert.deepEqual(
      seen.sample.map(({ is_opened, is_played }) => [is_opened, is_played]),
      sample.map(() => [true, false]),
    )
    assert.equal(seen.is_ready, false)
    await assert.rejects(root.api.signMigration({ params: params(), body: {} }), problem('wrong_state'))
  })

  it('blocks retention until it is given', async () => {
    await server.sql(
      `insert into retention_policies select $1, max(policy_version) + 1, $2, '[]', true, null, max(at) + 1, 'alice' from retention_policies where client_id = $1`,
      [client_id, JSON.stringify([{ entity_type: 'Payload', payload_type: 'Call', ...RULE }])],
    )
    const calls = await server.sql<{ payload_id: number }>(
      `select payload_id from payloads p join payload_types t on t.code = p.type where is_legacy and client_id = $1 and t.name = 'Call'`,
      [client_id],
    )
    assert.ok(calls.length > 1)
    await retain()
    assert.equal((await stored('Deleted')).length + (await stored('Destroyed')).length, 0)
    const [call] = await server.sql<{ payload_reference: string }>(
      'select payload_reference from payloads where payload_id = $1',
      [calls[0]?.payload_id],
    )
    const { retention } = await open(carol, call?.payload_reference ?? '')
    assert.ok(retention?.blocked_by.includes('sign_off_missing'))
    const status = {
      spans: [{ from: null, until: null, rule: { payload_type: 'Call' as const, ...RULE } }],
      minimums: [],
    }
    const staying = () =>
      server.ctx.db.read(client_id, (q) => countStaying(q, status as never, server.ctx.now()))
    const reasons = (await staying()).filter(({ reason }) => reason === 'sign_off_missing')
    assert.deepEqual(
      reasons.map(({ count }) => count),
      [calls.length],
    )
    // The ledger rejects it, whichever role destroys.
    await assert.rejects(
      server.sql(
        `insert into destruction_ledger (client_id, payload_id, payload_reference, run_id, type, payload_time, announced_at, deleted_at, deleted_from,
           destroyed_at, destroyed_by, digests, policy_version, rule, gates, people_checked, holds_ended, keys)
         select client_id, payload_id, payload_reference, 'run', type, payload_time, announced_at, 1, state, 1, 'test', '[]', 1, '{}', '{}', 0, 0, 0
         from payloads where payload_id = $1`,
        [calls[0]?.payload_id],
      ),
      /waits for the sign-off of its migration/,
    )
  })

  it('is recorded once with name and audit entry, and unblocks retention', async () => {
    const { sample } = await root.api.readMigrationSignOff({ params: params() })
    for (const { payload_reference, must_play } of sample) if (must_play) await play(root, payload_reference)
    const ready = await root.api.readMigrationSignOff({ params: params() })
    assert.equal(ready.is_ready, true)
    const signed = await root.api.signMigration({ params: params(), body: { explanation: 'All there' } })
    assert.deepEqual(
      [signed.signed_off_by, signed.updated_by, signed.explanation],
      ['alice', 'alice', 'All there'],
    )
    assert.ok(signed.signed_off_at !== null)
    await assert.rejects(root.api.signMigration({ params: params(), body: {} }), problem('wrong_state'))
    const [entry] = await server.sql(
      `select user_reference from portal_activities where action = 'migrations:sign' and is_allowed and status_code = 200`,
    )
    assert.equal(entry?.user_reference, 'alice')
    await assert.rejects(
      server.sql(`update migration_runs set signed_off_by = 'mallory' where migration_reference = $1`, [
        run.migration_reference,
      ]),
    )
    await server.sql('update retention_positions set began_at = 0, ended_at = 0')
    await retain()
    assert.ok((await stored('Destroyed')).length > 1)
  })

  it('requires an explanation for differences and is impossible for a dry run', async () => {
    const folder = dropFolder(server.ctx.config.dataDir, 'acme')
    const head =
      'LegacyPayloadReference,PayloadType,DeviceReference,PayloadTime,Direction,ThreadId,Parties,Text\n'
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'manifest.json'), '{}')
    await writeFile(
      join(folder, 'payloads.csv'),
      `${head}N1,SMS,legacy-phone-1,2024-01-01T00:00:00Z,I,t,+441,Hello\nN2,SMS,unknown,2024-01-01T00:00:00Z,I,t,+441,Hello\n`,
    )
    const dry = await root.api.createMigration({ body: { is_dry_run: true } })
    await until(async () => (await root.api.readMigration({ params: dry })).migrated_at !== null)
    await assert.rejects(root.api.readMigrationSignOff({ params: dry }), problem('wrong_state'))
    run = await carriedOut()
    assert.equal(run.migration_state, 'PartialFail')
    await until(async () => (await stored('Uploaded')).length + (await stored('Scanning')).length === 0)
    const { sample, differences } = await root.api.readMigrationSignOff({ params: params() })
    assert.equal(differences, 1)
    for (const { payload_reference } of sample) await open(root, payload_reference)
    await assert.rejects(root.api.signMigration({ params: params(), body: {} }), problem('invalid_input'))
    const signed = await root.api.signMigration({
      params: params(),
      body: { explanation: 'N2 has no owner' },
    })
    assert.equal(signed.signed_off_by, 'alice')
  })

  it('counts data that differs from its source as a difference', async () => {
    await server.sql(
      `update migration_results set source_sha256 = repeat('0', 64) where migration_reference = $1 and payload_id is not null`,
      [run.migration_reference],
    )
    const { types, differences } = await root.api.readMigrationSignOff({ params: params() })
    assert.deepEqual([types.reduce((sum, { differing }) => sum + differing, 0), differences], [1, 2])
  })
})
