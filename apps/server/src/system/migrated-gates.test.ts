/**
 * Retention deletes migrated payloads only once their run is accepted, apps have confirmed them and transfers
 * delivered them.
 */
import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, makeClient } from '@custodia/client'
import { dropFolder } from '../migrations/folder.ts'
import { carryOut } from '../retention/engine.ts'
import { assertDone, openPerson, type Person, transferInput } from '../testing/access-fixture.ts'
import { opensslAvailable, testIssuer, type TestIssuer } from '../testing/issuer.ts'
import { requirePart } from '../testing/require-part.ts'
import { testServer, type TestServer } from '../testing/server.ts'
import { type SftpServer, sshdAvailable, startSshd } from '../testing/sshd.ts'

const DAY = 86_400
const NEVER = new AbortController().signal
const parts = sshdAvailable() ? requirePart('openssl', opensslAvailable()) : requirePart('sshd', false)

describe('retention of migrated payloads', parts, () => {
  let server: TestServer
  let issuer: TestIssuer
  let sftp: SftpServer
  let alice: Person
  let archive: Client
  let client_id: number
  /** Runs of the migration: the first imports A, B and C, the second D. */
  const runs: string[] = []
  /** References of recordings, by what the legacy platform called them. */
  const known = new Map<string, string>()

  before(async () => {
    issuer = await testIssuer()
    sftp = await startSshd()
    server = await testServer(
      { EGRESS_ALLOW: `${issuer.issuer},sftp://127.0.0.1:${sftp.port}` },
      { hasWorker: true },
    )
    client_id = await server.getId('acme')
    // The demo's policy has legal minimums of years.
    await server.sql(
      `begin; set local session_replication_role = replica; delete from retention_policies; commit`,
    )
    alice = await openPerson(server, 'acme', 'alice')
    archive = await app('Archive')
    for (const config of ['bank', 'mirror', 'other'])
      await assertDone(
        alice.api.createTransferConfig({
          params: { transfer_config_reference: config },
          body: transferInput(
            {
              port: sftp.port,
              username: sftp.username,
              root_directory: join(sftp.folder, config),
              host_key: sftp.host_key,
            },
            { sftp_private_key: sftp.private_key },
          ),
        }),
      )
    await migrated('A', 'B', 'C')
    await migrated('D')
    await policy()
    // A transfer covers payloads that were processed before its own second.
    await sleep(1100)
  })
  after(async () => {
    await server?.close()
    await sftp?.stop()
    await issuer?.close()
  })

  async function app(app_reference: string): Promise<Client> {
    const { issuer: iss, jwks_uri } = issuer
    const aud = `audience ${app_reference}`
    await assertDone(
      alice.api.createClientApp({
        params: { app_reference },
        body: {
          oidc_config: { issuer: iss, audience: aud, jwks_uri },
          group: null,
          roles: ['Receipt App'],
          cidr_ranges: [],
        },
      }),
    )
    const now = server.ctx.now()
    const token = await issuer.sign({ iss, aud, iat: now, exp: now + 3600 })
    return makeClient({ baseUrl: server.url, client: () => 'acme', credentials: async () => ({ token }) })
  }

  async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
    for (let tries = 0; !(await isSo()); tries++) {
      assert.ok(tries < 600, `it took too long until ${what}`)
      await sleep(100)
    }
  }

  /** Imports these messages with a run of the migration, and waits until they are processed. */
  async function migrated(...names: string[]): Promise<void> {
    const folder = dropFolder(server.ctx.config.dataDir, 'acme')
    await mkdir(folder, { recursive: true })
    const rows = names.map((name) => `${name},SMS,old-phone,2024-01-01T00:00:00Z,I,t,+441,Hello ${name}\n`)
    await writeFile(join(folder, 'users.csv'), 'UserReference,FirstName\nold-ann,Ann\n')
    await writeFile(join(folder, 'devices.csv'), 'DeviceReference,UserReference\nold-phone,old-ann\n')
    await writeFile(
      join(folder, 'payloads.csv'),
      `LegacyPayloadReference,PayloadType,DeviceReference,PayloadTime,Direction,ThreadId,Parties,Text\n${rows.join('')}`,
    )
    const { migration_reference } = await alice.api.createMigration({ body: { is_dry_run: false } })
    const params = { migration_reference }
    await until(
      'it is imported',
      async () => (await alice.api.readMigration({ params })).migrated_at !== null,
    )
    assert.equal((await alice.api.readMigration({ params })).migration_state, 'Migrated')
    runs.push(migration_reference)
    const page = await alice.api.listMigrationResults({ params, query: { kinds: ['Payload'] } })
    for (const { item, payload_reference } of page.data) known.set(item, payload_reference ?? '')
    await until('it is processed', async () => {
      const found = await Promise.all(names.map((name) => read(name)))
      return found.every(({ payload_state }) => payload_state === 'Processed')
    })
  }

  /** Deletes a payload one day after both transfers, once the app has confirmed it. */
  const policy = () =>
    assertDone(
      alice.api.saveRetention({
        body: {
          entries: [
            {
              entity_type: 'Payload',
              payload_type: 'SMS',
              delete_after_days: 1,
              retention_timestamp: 'transferred_at',
              required_receipts: ['Archive'],
              required_transfers: ['bank', 'mirror'],
            },
          ],
          applies_to_kept: true,
        },
      }),
    )
  const getReference = (name: string) => known.get(name) ?? ''
  const read = (name: string) => alice.api.readPayload({ params: { payload_reference: getReference(name) } })
  const blocks = async (name: string) => (await read(name)).retention?.blocked_by

  /** Carries retention out as on another day; which of ours are deleted. */
  async function deleted(): Promise<string[]> {
    await server.sql('update retention_positions set began_at = 0, ended_at = 0')
    await carryOut(server.ctx, { client_id, client: 'acme' }, NEVER)
    const rows = await server.sql<{ payload_reference: string }>(
      'select payload_reference from payloads where is_legacy and state = 9',
    )
    const gone = new Set(rows.map(({ payload_reference }) => payload_reference))
    return [...known].flatMap(([name, reference]) => (gone.has(reference) ? [name] : [])).toSorted()
  }
  /** Runs a transfer to its end, or what of one failed again; says which run it was. */
  async function transfer(config: string, again?: string): Promise<string> {
    const { transfer_id } =
      again === undefined
        ? await alice.api.runTransferConfig({ params: { transfer_config_reference: config } })
        : await alice.api.runTransfer({ params: { transfer_id: again } })
    const params = { transfer_id }
    await until('it is transferred', async () =>
      ['Succeeded', 'PartialFail', 'Failed'].includes(
        (await alice.api.readTransfer({ params })).transfer_state,
      ),
    )
    return transfer_id
  }
  /** When a config delivered each of ours first. */
  async function deliveries(config: string): Promise<Record<string, number>> {
    const rows = await server.sql<{ payload_reference: string; at: number }>(
      `select payload_reference, transferred_at::int as at from transfer_items join payloads using (client_id, payload_id)
       where transfer_config_reference = $1 and transferred_at is not null`,
      [config],
    )
    const found = new Map(rows.map(({ payload_reference, at }) => [payload_reference, at]))
    return Object.fromEntries(
      [...known].flatMap(([name, reference]) => {
        const at = found.get(reference)
        return at === undefined ? [] : [[name, at] as const]
      }),
    )
  }
  /** As if everything had been delivered so many seconds earlier. */
  const longAgo = (seconds: number) =>
    server.sql(
      `begin; set local session_replication_role = replica;
       update transfer_items set transferred_at = transferred_at - ${seconds} where transferred_at is not null; commit`,
    )
  async function sign(run: number): Promise<void> {
    const params = { migration_reference: runs[run] ?? '' }
    const { sample } = await alice.api.readMigrationSignOff({ params })
    for (const { payload_reference } of sample) await alice.api.readPayload({ params: { payload_reference } })
    await alice.api.signMigration({ params, body: {} })
  }
  /** The object of a recording is elsewhere until it is given back. */
  async function lost(name: string): Promise<() => Promise<unknown>> {
    const rows = await server.sql<{ object_key: string }>(
      `select object_key from payload_objects join payloads using (client_id, payload_id) where payload_reference = $1 and kind = 'original'`,
      [getReference(name)],
    )
    const key = rows[0]?.object_key
    await server.sql(`update payload_objects set object_key = 'nowhere/at/all' where object_key = $1`, [key])
    return () =>
      server.sql(`update payload_objects set object_key = $1 where object_key = 'nowhere/at/all'`, [key])
  }
  let kept: () => Promise<unknown> = async () => undefined
  let run = ''

  it('waits at first for the sign-off, the receipt and both transfers', async () => {
    assert.deepEqual(await deleted(), [])
    for (const name of ['A', 'B', 'C', 'D'])
      assert.deepEqual((await blocks(name))?.toSorted(), [
        'basis_missing',
        'receipts_missing',
        'sign_off_missing',
        'transfers_missing',
      ])
  })

  it('opens each gate only by its own condition', async () => {
    await sign(0)
    assert.deepEqual((await blocks('A'))?.toSorted(), [
      'basis_missing',
      'receipts_missing',
      'transfers_missing',
    ])
    assert.ok((await blocks('D'))?.includes('sign_off_missing'), 'the other run is accepted by itself')
    // A person is no app, and another config none of those that are waited for.
    await alice.api.confirmReceipts({ body: { payload_references: [getReference('A')] } })
    await transfer('other')
    assert.equal(Object.keys(await deliveries('other')).length, 4)
    assert.deepEqual((await blocks('A'))?.toSorted(), [
      'basis_missing',
      'receipts_missing',
      'transfers_missing',
    ])
    assert.equal((await read('A')).transferred_at, null)
    const { receipts } = await archive.confirmReceipts({
      body: { payload_references: ['A', 'B', 'D'].map(getReference) },
    })
    assert.deepEqual(
      receipts.map(({ status }) => status),
      ['Ok', 'Ok', 'Ok'],
    )
    assert.deepEqual((await blocks('A'))?.toSorted(), ['basis_missing', 'transfers_missing'])
    kept = await lost('B')
    run = await transfer('bank')
    assert.deepEqual(Object.keys(await deliveries('bank')), ['A', 'C', 'D'])
    assert.deepEqual(await blocks('A'), ['transfers_missing'], 'one of two')
    assert.deepEqual(await deleted(), [])
  })

  it('counts from the later first delivery of both transfers, which repeats do not move', async () => {
    const first = await deliveries('bank')
    assert.equal((await read('A')).transferred_at, first['A'])
    await sleep(1100)
    const other = await transfer('mirror')
    const newest = await deliveries('mirror')
    assert.ok((newest['A'] ?? 0) > (first['A'] ?? 0))
    const result = await read('A')
    assert.equal(result.transferred_at, newest['A'])
    assert.deepEqual(
      [result.retention?.delete_at, result.retention?.blocked_by],
      [(newest['A'] ?? 0) + DAY, []],
    )
    await sleep(1100)
    await kept()
    await transfer('bank', run)
    await transfer('mirror', other)
    const repeated = await deliveries('bank')
    assert.ok((repeated['B'] ?? 0) > (newest['A'] ?? 0), 'what failed is there by the repeat')
    assert.deepEqual({ ...repeated, B: 0 }, { ...first, B: 0 })
    // Everything once more, as kinds that are added have it gathered from the beginning.
    await server.sql('update transfer_configs set gathered_to = null')
    await transfer('bank')
    await transfer('mirror')
    assert.equal((await read('A')).transferred_at, newest['A'])
    assert.deepEqual(await deliveries('bank'), repeated)
  })

  it('deletes a payload at its due second by the clock of the database, and not earlier', async () => {
    const at = (await read('A')).retention?.delete_at ?? 0
    const clock = async () => {
      const [row] = await server.sql<{ now: number }>(
        'select floor(extract(epoch from clock_timestamp()))::int as now',
      )
      return row?.now ?? 0
    }
    await longAgo(at - (await clock()) - 600)
    assert.deepEqual(await deleted(), [], 'ten minutes to go')
    const [bank, mirror] = [await deliveries('bank'), await deliveries('mirror')]
    const due = Math.max(bank['A'] ?? 0, mirror['A'] ?? 0) + DAY
    const wait = due - (await clock()) - 3
    await longAgo(wait)
    const goes = due - wait
    await until('it is deleted', async () => {
      const gone = await deleted()
      assert.ok(gone.length === 0 || (await clock()) >= goes, 'it went early')
      return gone.includes('A')
    })
    const [row] = await server.sql<{ at: number }>(
      `select max(h.at)::int as at from payload_history h join payloads using (client_id, payload_id) where payload_reference = $1 and to_state = 9`,
      [getReference('A')],
    )
    assert.ok((row?.at ?? 0) >= goes, `${row?.at} is before ${goes}`)
  })

  it('keeps payloads that still lack a receipt or a sign-off', async () => {
    await longAgo(DAY)
    assert.deepEqual(await deleted(), ['A', 'B'])
    assert.deepEqual(await blocks('C'), ['receipts_missing'])
    assert.deepEqual(await blocks('D'), ['sign_off_missing'])
    await archive.confirmReceipts({ body: { payload_references: [getReference('C')] } })
    assert.deepEqual(await deleted(), ['A', 'B', 'C'])
    await sign(1)
    assert.deepEqual(await deleted(), ['A', 'B', 'C', 'D'])
  })
})
