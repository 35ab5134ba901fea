/** Backup and restore as docs/operations.md tells the operator: its own commands are run, on a server that is then destroyed. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { appendFile, chmod, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { makeClient } from '@custodia/client'
import { removeFolder } from '../apps/server/src/testing/daemon.ts'
import { readConfig } from '../apps/server/src/config.ts'
import { issueCertificates } from '../apps/server/src/destruction/certificates/issue.ts'
import { destroyPayloads, noteDestroyed } from '../apps/server/src/destruction/destroy.ts'
import { finishDestructions } from '../apps/server/src/destruction/finish.ts'
import { endRun, openRun } from '../apps/server/src/destruction/run-store.ts'
import { openObjects } from '../apps/server/src/open-objects.ts'
import { deletePayloads } from '../apps/server/src/payloads/store.ts'
import { runningEmbedded, startEmbedded } from '../apps/server/src/ports/database/embedded.ts'
import { openDatabase } from '../apps/server/src/ports/database/pool.ts'
import { localFileKeys } from '../apps/server/src/ports/keys/local-file.ts'
import { type KeptPhoneDek, readPhoneDek } from '../apps/server/src/ports/keys/phone-dek.ts'
import { KeyUnknown } from '../apps/server/src/ports/keys/port.ts'
import { demoPhone, messageOf, recordingOf } from '../apps/server/src/testing/phones.ts'
import { signIn } from '../apps/server/src/testing/person.ts'
import { type ServerProcess, serverProcess } from './crash-test/server-process.ts'
import { ROOT } from './run.ts'
import { longOnly } from '../apps/server/src/testing/long.ts'

const shell = promisify(execFile)
const RULE = {
  entity_type: 'Payload',
  payload_type: 'SMS',
  destroy_after_days: 0,
  retention_timestamp: 'payload_time',
  required_receipts: [],
  required_transfers: [],
} as const

describe('backup and restore', () => {
  let top: string
  let server: ServerProcess
  const at = (...path: string[]) => join(top, ...path)
  before(async () => {
    top = await mkdtemp(join(tmpdir(), 'custodia-backup-'))
    await chmod(top, 0o711)
    server = await serverProcess({ DEMO: 'true', WAL_ARCHIVE: at('log') }, at('data'))
    await server.start()
  })
  after(async () => {
    await server?.kill({ database: true })
    await removeFolder(top)
  })

  /** The lines of the operator's manual that begin so, with its folders replaced by ours. */
  async function command(begin: string, time = ''): Promise<string> {
    const manual = await readFile(join(ROOT, 'docs/operations.md'), 'utf8')
    const line = manual.split('\n').find((each) => each.startsWith(begin))
    assert.ok(line, `the manual has no line ${begin}`)
    return line
      .replaceAll('<time>', time)
      .replaceAll('/backup', at('backup'))
      .replaceAll('/vault', at('vault'))
      .replaceAll(/(?<=[ =])data(?=[ /])/g, at('data'))
  }
  const run = async (line: string) =>
    (
      await shell('sh', ['-c', line], {
        cwd: ROOT,
        env: {
          ...process.env,
          CUSTODIA_DATA: at('data'),
          PATH: `${join(ROOT, 'bin')}:${process.env['PATH']}`,
        },
      })
    ).stdout
  /** The manual starts the server with this setting; ours gets it above. */
  const archive = () => at('log')
  const backups = async () =>
    (await readdir(at('backup', 'custodia'))).filter((name) => /^\d/.test(name)).toSorted()
  const text = (n: number) => `Message number ${n}`

  /** Sends messages and waits until the phone may free each. */
  async function send(from: number, to: number): Promise<void> {
    const phone = await demoPhone(at('data'), server.url, 'Harriet')
    for (let n = from; n < to; n++) await phone.record(recordingOf('SMS', messageOf(text(n))).recording)
    assert.deepEqual(await phone.sync({ patience: 60 }), { freed: to - from, waiting: 0, refused: 0 })
  }
  /** Texts of the conversation, opened with the keys that are there. */
  async function texts(): Promise<string[]> {
    const alice = await signIn(server.url, 'acme', 'alice')
    const calls = await alice.api.listPayloads({ query: { service: 'messages', limit: 100 } })
    assert.ok('data' in calls)
    const [device_reference = ''] = calls.data.map((each) => each.device_reference)
    const api = makeClient({
      baseUrl: server.url,
      client: () => 'acme',
      credentials: async () => ({ token: alice.id_token }),
    })
    const thread = await api.readThread({
      params: { device_reference, thread_id: 'thread-1' },
      query: { limit: 100 },
    })
    assert.ok('data' in thread)
    return thread.data.map((each) => each.text ?? '').toSorted()
  }
  /** Rows of the database that lies there, with no server on it. */
  async function payloads(): Promise<number> {
    const resting = await startEmbedded({ dataDir: at('data', 'postgres'), log: () => undefined })
    try {
      const db = await openDatabase({ connection: resting.url, appName: 'backup test' })
      const { rows } = await db.owner.query<{ count: number }>(
        'select count(*) from payloads where state = 5',
      )
      await db.close()
      return rows[0]?.count ?? 0
    } finally {
      await resting.stop()
    }
  }
  /** All keys but those of recordings, which are newer than any backup. */
  async function loseOldKeys(): Promise<void> {
    for (const name of await readdir(at('data', 'keys')))
      if (name !== 'slots') await rm(at('data', 'keys', name), { recursive: true })
  }
  const expected = (to: number) => Array.from({ length: to }, (_, n) => text(n)).toSorted()

  it('lose no acknowledged data with a base backup and the archived log', async () => {
    await send(0, 4)
    await run(await command('custodia backup'))
    await send(4, 8)
    await run(await command('custodia backup'))
    const [first = '', second = ''] = await backups()
    const { objects } = JSON.parse(await readFile(at('backup', 'custodia', second, 'manifest.json'), 'utf8'))
    assert.equal(objects.new, objects.count / 2, 'only what was new was copied')
    await writeFile(at('file'), 'where a folder should be')
    await assert.rejects(run(`custodia backup ${at('file')}`))
    const dave = await signIn(server.url, 'admin', 'dave')
    const told = await dave.api.listAlertsOfClients({ query: {} })
    assert.ok(JSON.stringify(told).includes('No backup was made'), JSON.stringify(told))
    await send(8, 12)
    await server.kill({ database: true })

    // The database's disk is lost; the archive holds what came after the older backup.
    await run(await command('mv data/postgres '))
    await rm(at('data', 'postgres.broken'), { recursive: true })
    const restore = (await command('custodia restore', first))
      .replace(/ --wal=\S+/, '')
      .replace(at('backup', 'log'), archive())
    await run(restore)
    await server.start()
    assert.deepEqual(await texts(), expected(12))
  })

  it('use the log of the damaged folder and restore everything into an empty folder', longOnly, async () => {
    await run(await command('custodia backup'))
    const time = (await backups()).at(-1)
    await send(12, 13)
    const until = new Date().toISOString()
    await send(13, 14)
    await server.kill({ database: true })
    await run(await command('mv data/postgres '))
    await rename(at('data', 'postgres.broken'), at('postgres.broken'))
    await loseOldKeys()
    const line = (await command('custodia restore', time))
      .replace(/ --archive=\S+/, '')
      .replace(at('data', 'postgres.broken'), at('postgres.broken'))
    // Back to a moment: what came after it is not there, and a moment that the log does not reach is refused.
    await assert.rejects(
      run(`${line} --until=2999-01-01T00:00:00Z`),
      /recovery ended before configured recovery target/,
    )
    assert.ok(!(await readdir(at('data'))).includes('postgres'))
    await run(`${line} --until=${until}`)
    assert.equal(await payloads(), 13)
    await loseOldKeys()
    await rm(at('data', 'postgres'), { recursive: true })
    await run(line)
    assert.equal(await payloads(), 14)
    await run(await command('custodia verify'))

    // Another machine, without the log that came since.
    await rm(at('data', 'objects'), { recursive: true })
    await rm(at('data', 'keys'), { recursive: true })
    await rm(at('data', 'postgres'), { recursive: true })
    await run(line.replace(/ --wal=\S+/, ''))
    await server.start()
    assert.deepEqual(await texts(), expected(12))
    await server.stop()
  })

  /** The certificates as an auditor fetches them, and what the command that verifies them says of each. */
  async function certificates(): Promise<{ text: string; said: string }[]> {
    const { api } = await signIn(server.url, 'acme', 'alice')
    const listed = await api.listCertificates({ query: {} })
    assert.ok('data' in listed)
    await writeFile(at('keys.json'), JSON.stringify(await api.readCertificateKeys({ query: {} })))
    const all = []
    for (const { certificate_reference } of listed.data) {
      const text = JSON.stringify(await api.readCertificate({ params: { certificate_reference } }))
      await writeFile(at('certificate.json'), text)
      const said = await run(`custodia certificate ${at('certificate.json')} --key=${at('keys.json')}`)
      all.push({ text, said })
    }
    return all
  }

  it('restore no destroyed payloads and keep their certificates', longOnly, async () => {
    await server.start()
    await run(await command('custodia backup'))
    const time = (await backups()).at(-1)
    const db = await openDatabase({
      connection: runningEmbedded(at('data', 'postgres')) ?? '',
      appName: 'backup test',
    })
    const config = readConfig({ CUSTODIA_DATA: at('data') })
    const keys = localFileKeys({ folder: at('data', 'keys') })
    const { rows } = await db.owner.query<
      KeptPhoneDek & { dek_key: Buffer; client_id: number; payload_id: number; payload_reference: string }
    >(
      'select client_id, payload_id, payload_reference, encrypted_dek, dek_key from payloads join payload_envelopes using (client_id, payload_id) order by payload_id desc limit 3',
    )
    const [{ client_id } = { client_id: 0 }] = rows
    const [late, ...ids] = rows.map(({ payload_id }) => payload_id).toSorted((a, b) => a - b)
    const acme = { client_id, client: 'acme' }
    const never = new AbortController().signal
    const parts = { db, keys, objects: openObjects(config, Buffer.alloc(0), () => 0) }
    const log = { warn: () => undefined }
    /** In a run of their own, to the last object. */
    async function destroy(payload_ids: readonly (number | undefined)[]): Promise<void> {
      const those = payload_ids.flatMap((id) => id ?? [])
      await db.write(client_id, async (tx) => {
        const doing = { now: Math.floor(Date.now() / 1000), by: 'test' }
        await deletePayloads(tx, those, doing)
        const causes = new Map(
          those.map((id) => [id, { policy_version: 1, rule: RULE, receipts: [], transfers: [] }]),
        )
        const run_id = await openRun(tx)
        const destroyed = await destroyPayloads(tx, those, { ...doing, run_id, causes })
        assert.equal(destroyed.length, payload_ids.length)
        await noteDestroyed(tx, keys.ledger, 'acme', destroyed)
        await endRun(tx, { longest: 0 })
      })
      await finishDestructions(parts, acme, never)
    }
    await destroy(ids)
    await issueCertificates({ ...parts, log }, acme, never)
    const certified = await certificates()
    assert.equal(certified.length, 1)
    const [{ text: ofTwo = '', said: verdict = '' } = {}] = certified
    const { run: run_id } = JSON.parse(ofTwo).certificate
    assert.match(verdict, /GOOD: .* 2 payloads destroyed/u)
    const kept = await texts()
    assert.equal(kept.length, 10)
    await run(await command('custodia verify'))

    // Destroyed, and the database is lost before it is certified.
    await destroy([late])
    await db.close()
    await server.kill({ database: true })
    await rm(at('data', 'postgres'), { recursive: true })
    const said = await run(
      (await command('custodia restore', time)).replaceAll(/ --(?:wal|archive)=\S+/g, ''),
    )
    assert.match(said, /3 payloads destroyed once more/u)
    await server.start()
    const left = await texts()
    assert.equal(left.length, kept.length - 1)
    const again = await openDatabase({
      connection: runningEmbedded(at('data', 'postgres')) ?? '',
      appName: 'backup test',
    })
    const { rows: gone } = await again.owner.query(
      `select state, run_id = '${run_id}' as is_certified, destroyed_by, replayed_at is not null as is_replayed, encrypted_dek, dek_key
       from payloads join destruction_ledger using (client_id, payload_id) join payload_envelopes using (client_id, payload_id) order by payload_id`,
    )
    const is = { state: 10, destroyed_by: 'test', is_replayed: true, encrypted_dek: '', dek_key: null }
    assert.deepEqual(
      gone,
      [false, true, true].map((is_certified) => ({ ...is, is_certified })),
    )
    for (const each of rows) await assert.rejects(readPhoneDek(keys, { ...each, client: 'acme' }), KeyUnknown)
    await finishDestructions({ ...parts, db: again }, acme, never)
    await issueCertificates({ ...parts, log, db: again }, acme, never)
    await again.close()
    // That of before comes back as it was; what had none is certified from the ledger, and the certificate says so.
    const since = await certificates()
    assert.deepEqual(
      since.filter(({ text }) => text === ofTwo),
      certified,
    )
    const [made, ...others] = since.filter(({ text }) => text !== ofTwo)
    assert.deepEqual(others, [])
    assert.match(made?.said ?? '', /GOOD: .* 1 payloads? destroyed/u)
    const { payloads: ofLate, part, parts: ofRun } = JSON.parse(made?.text ?? '').certificate
    assert.deepEqual([ofLate.length, part, ofRun], [1, 1, 1])
    assert.ok(ofLate[0].replayed_at >= ofLate[0].destroyed_at && !('released' in ofLate[0]))
    assert.ok(JSON.parse(ofTwo).certificate.payloads.every((each: object) => !('replayed_at' in each)))
    await run(await command('custodia verify'))

    // Another machine, and the same old database: the newest copy of the ledger has them, and the key that signed, which is newer than that database.
    await run(await command('custodia backup'))
    await server.kill({ database: true })
    for (const path of [at('data', 'postgres'), at('data', 'keys')]) await rm(path, { recursive: true })
    await run((await command('custodia restore', time)).replaceAll(/ --(?:wal|archive)=\S+/g, ''))
    // The archive still has log of the first restore, whose timeline has the same number.
    await server.start()
    assert.deepEqual(await certificates(), since)
    await run(await command('custodia verify'))
    const [aside = '', ...more] = await readdir(at('log', 'replaced'))
    assert.deepEqual(more, [])

    await send(14, 15)
    await server.kill({ database: true })
    const restored = async (of: string | undefined, log: string) => {
      await rm(at('data', 'postgres'), { recursive: true, force: true })
      const line = (await command('custodia restore', of)).replace(/ --wal=\S+/, '')
      await run(line.replace(at('backup', 'log'), log))
    }
    const ofFirst = (await backups()).at(-1)
    await assert.rejects(restored(ofFirst, archive()), /has the log of another restore/)
    await restored(ofFirst, at('log', 'replaced', aside))
    await restored(time, archive())
    await server.start()
    assert.deepEqual(await texts(), [...left, text(14)].toSorted())
    await run(await command('custodia verify'))
    await server.stop()
  })

  it('reject a damaged or incomplete backup and leave no database behind', longOnly, async () => {
    const target = at('backup', 'custodia')
    const time = (await backups()).at(-1) ?? ''
    await rm(at('data', 'postgres'), { recursive: true })
    const line = (await command('custodia restore', time)).replace(/ --(?:wal|archive)=\S+/g, '')
    const refused = async (reason: RegExp) => {
      await assert.rejects(run(line), ({ stderr }: { stderr: string }) => reason.test(stderr))
      assert.ok(!(await readdir(at('data'))).includes('postgres'))
    }
    const { database } = JSON.parse(await readFile(join(target, time, 'manifest.json'), 'utf8'))
    const damaged = join(target, time, 'database', database.files[0].path)
    const bytes = await readFile(damaged)
    await appendFile(damaged, 'x')
    await refused(/the backup is damaged/)
    await writeFile(damaged, bytes)
    await rm(join(at('vault', 'custodia', time), 'secrets'), { recursive: true })
    await rm(at('data', 'keys'), { recursive: true })
    await refused(/ENOENT.*secrets/)
    await rename(join(target, time, 'manifest.json'), join(target, time, 'manifest.json.part'))
    await refused(/is no whole backup/)
  })
})
