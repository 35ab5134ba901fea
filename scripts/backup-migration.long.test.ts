/** Backup and restore of an archive with migrations: accepted imports return, and an interrupted run ends after the restore. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmod, cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { MigrationRun } from '@custodia/contract'
import { dropFolder } from '../apps/server/src/migrations/folder.ts'
import { EXAMPLE, type Person, signIn } from '../apps/server/src/testing/access-fixture.ts'
import { type ServerProcess, serverProcess } from '../tools/rigs/server-process.ts'
import { ROOT } from './run.ts'

const shell = promisify(execFile)
/** Messages of the run that is active during the backup. */
const ROWS = 800

describe('a backup during a migration', () => {
  let top: string
  let server: ServerProcess
  let alice: Person
  /** The accepted run and the active one. */
  let accepted: MigrationRun
  let going: string
  let time: string
  const at = (...path: string[]) => join(top, ...path)
  before(async () => {
    top = await mkdtemp(join(tmpdir(), 'custodia-backup-'))
    await chmod(top, 0o711)
    server = await serverProcess({ DEMO: 'true' }, at('data'))
    await start()
  })
  after(async () => {
    await server?.kill({ database: true })
    await rm(top, { recursive: true, force: true, maxRetries: 5 })
  })

  async function start(): Promise<void> {
    await server.start()
    alice = await signIn(server.url, 'acme', 'alice')
  }
  const run = (name: string, ...args: string[]) =>
    shell(join(ROOT, 'bin/custodia'), [name, ...args], {
      cwd: ROOT,
      env: { ...process.env, CUSTODIA_DATA: at('data') },
    })
  const restore = () => run('restore', at('backup', time), at('data'), `--keys=${at('vault', time)}`)
  /** Files of the active run. */
  async function drop(): Promise<void> {
    const rows = Array.from(
      { length: ROWS },
      (_, n) => `N${n},SMS,legacy-phone-1,2024-01-01T00:00:00Z,I,t,+44${n},Hello ${n}\n`,
    )
    await mkdir(dropFolder(at('data'), 'acme'), { recursive: true })
    await writeFile(
      join(dropFolder(at('data'), 'acme'), 'payloads.csv'),
      `LegacyPayloadReference,PayloadType,DeviceReference,PayloadTime,Direction,ThreadId,Parties,Text\n${rows.join('')}`,
    )
  }
  const read = (migration_reference: string) => alice.api.readMigration({ params: { migration_reference } })
  async function until(
    migration_reference: string,
    isSo: (run: MigrationRun) => boolean,
  ): Promise<MigrationRun> {
    for (let tries = 0; tries < 3000; tries++) {
      const found = await read(migration_reference)
      if (isSo(found)) return found
      await sleep(40)
    }
    throw new Error('it took too long')
  }
  const isOver = ({ migrated_at }: MigrationRun) => migrated_at !== null
  /** Result of each row of a run, in row order. */
  async function results(migration_reference: string) {
    const found = []
    for (let last_key: string | undefined; ;) {
      const page = await alice.api.listMigrationResults({
        params: { migration_reference },
        query: { limit: 100, ...(last_key && { last_key }) },
      })
      found.push(...page.data)
      last_key = page.last_key ?? undefined
      if (!last_key) return found
    }
  }
  async function play(payload_reference: string): Promise<Buffer> {
    const { data } = await alice.api.readData({
      query: { action: 'play', payload_references: [payload_reference] },
    })
    const answer = await alice.fetch(data[0]?.s3_url ?? '')
    assert.equal(answer.status, 200, JSON.stringify(data))
    return Buffer.from(await answer.arrayBuffer())
  }
  /** The accepted run returns with its approver, and its recordings decrypt. */
  async function assertAccepted(): Promise<void> {
    const { sources_erase_at: _, ...run } = await read(accepted.migration_reference)
    const { sources_erase_at: __, ...before } = accepted
    assert.deepEqual(run, before)
    assert.equal(run.signed_off_by, 'alice')
    const found = await results(run.migration_reference)
    assert.equal(found.length, 13)
    const photo = found.find(({ item }) => item === 'L-2002')
    assert.ok((await play(photo?.payload_reference ?? '')).length > 0)
  }
  /** Each message exists once with its text. */
  async function assertWhole(): Promise<void> {
    const { total } = (await alice.api.listPayloads({ query: { service: 'messages', type: 'total' } })) as {
      total: number
    }
    // The example has an SMS and an MMS.
    assert.equal(total, ROWS + 2)
    const { stdout } = await run('verify')
    assert.ok(!/FAILED|finding/i.test(stdout), stdout)
  }

  it('is made while a run is in progress', async () => {
    await cp(EXAMPLE, dropFolder(at('data'), 'acme'), { recursive: true })
    const first = await alice.api.createMigration({ body: { is_dry_run: false } })
    const params = { migration_reference: first.migration_reference }
    await until(first.migration_reference, isOver)
    for (let isReady = false; !isReady; await sleep(100)) {
      const { sample, is_ready } = await alice.api.readMigrationSignOff({ params })
      isReady = is_ready
      for (const { payload_reference, is_opened, must_play, is_played } of sample) {
        if (!is_opened) await alice.api.readPayload({ params: { payload_reference } })
        if (must_play && !is_played) await play(payload_reference)
      }
    }
    await alice.api.signMigration({ params, body: {} })
    accepted = await read(first.migration_reference)
    await rm(dropFolder(at('data'), 'acme'), { recursive: true })
    await drop()
    going = (await alice.api.createMigration({ body: { is_dry_run: false } })).migration_reference
    await until(going, ({ total_payloads }) => total_payloads >= 64)
    await server.kill({ database: false })
    await run('backup', at('backup'), `--keys=${at('vault')}`)
    time =
      (await readdir(at('backup')))
        .filter((name) => /^\d/.test(name))
        .toSorted()
        .at(-1) ?? ''
    await start()
    assert.equal((await until(going, isOver)).new_payloads, ROWS)
    await server.kill({ database: true })
  })

  it('resumes the restored run and imports each row once when its files still exist', async () => {
    for (const name of ['postgres', 'objects', 'keys']) await rm(at('data', name), { recursive: true })
    await restore()
    await start()
    const begun = await read(going)
    assert.ok(begun.total_payloads < ROWS, 'the backup was made in the middle of the run')
    const done = await until(going, isOver)
    assert.deepEqual([done.migration_state, done.new_payloads, done.total_payloads], ['Migrated', ROWS, ROWS])
    const found = await results(going)
    assert.deepEqual(
      found.map(({ item, result_type }) => `${item} ${result_type}`),
      Array.from({ length: ROWS }, (_, n) => `N${n} PayloadCreated`),
    )
    await assertAccepted()
    await assertWhole()
    await server.kill({ database: true })
  })

  it('ends the restored run when its files are gone, and a repeat imports the rest', async () => {
    await rm(at('data'), { recursive: true })
    await restore()
    await start()
    const broken = await until(going, isOver)
    assert.deepEqual(
      [broken.migration_state, broken.error_message],
      ['PartialFail', 'payloads.csv does not exist'],
    )
    assert.ok(broken.new_payloads > 0 && broken.new_payloads < ROWS)
    await assertAccepted()
    await drop()
    const again = await alice.api.createMigration({ body: { is_dry_run: false } })
    const done = await until(again.migration_reference, isOver)
    assert.deepEqual([done.migration_state, done.new_payloads], ['Migrated', ROWS - broken.new_payloads])
    assert.equal((await read(going)).settled_by, again.migration_reference)
    await assertWhole()
  })
})
