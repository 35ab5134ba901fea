/** Backup and restore with the commands of docs/backup.md, on a server that is then destroyed. */
import assert from 'node:assert/strict'
import { appendFile, chmod, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { issueCertificates } from '../apps/server/src/destruction/certificates/issue.ts'
import { finishDestructions } from '../apps/server/src/destruction/finish.ts'
import { runningEmbedded, startEmbedded } from '../apps/server/src/ports/database/embedded.ts'
import { openDatabase } from '../apps/server/src/ports/database/pool.ts'
import { type KeptDeviceDek, readDeviceDek } from '../apps/server/src/ports/keys/device-dek.ts'
import { KeyUnknown } from '../apps/server/src/ports/keys/port.ts'
import { signIn } from '../apps/server/src/testing/access-fixture.ts'
import { removeFolder } from '../apps/server/src/testing/daemon.ts'
import { destroy, openParts, operated, type BackedUpServer, getText } from './backup.test-support.ts'

describe('backup and restore', () => {
  let operator: BackedUpServer
  before(async () => {
    operator = await operated()
  })
  after(() => operator?.close())
  const at = (...path: string[]) => operator.at(...path)
  const command = (begin: string, time?: string) => operator.command(begin, time)
  const run = (line: string, env?: Record<string, string>) => operator.run(line, env)
  const backups = () => operator.backups()
  const send = (from: number, to: number) => operator.send(from, to)
  const texts = () => operator.texts()
  const expected = (to: number) => Array.from({ length: to }, (_, n) => getText(n)).toSorted()
  /** Rows of the stored database, without a server. */
  async function payloads(): Promise<number> {
    const embedded = await startEmbedded({ dataDir: at('data', 'postgres'), log: () => undefined })
    try {
      const db = await openDatabase({ connection: embedded.url, appName: 'backup test' })
      const { rows } = await db.owner.query<{ count: number }>(
        'select count(*) from payloads where state = 5',
      )
      await db.close()
      return rows[0]?.count ?? 0
    } finally {
      await embedded.stop()
    }
  }
  /** All keys except those of recordings, which are newer than any backup. */
  async function loseOldKeys(): Promise<void> {
    for (const name of await readdir(at('data', 'keys')))
      if (name !== 'slots') await rm(at('data', 'keys', name), { recursive: true })
  }

  it('raise an alert when a backup fails', async () => {
    await writeFile(at('file'), 'where a folder should be')
    await assert.rejects(run(`custodia backup ${at('file')}`))
    const dave = await signIn(operator.server.url, 'admin', 'dave')
    const result = await dave.api.listAlertsOfClients({})
    assert.ok(JSON.stringify(result).includes('No backup was made'), JSON.stringify(result))
  })

  it('use the log of the damaged folder and restore everything into an empty folder', async () => {
    await send(0, 12)
    await run(await command('custodia backup'))
    const time = (await backups()).at(-1)
    await send(12, 13)
    const until = new Date().toISOString()
    await send(13, 14)
    await operator.server.kill({ database: true })
    await run(await command('mv data/postgres '))
    await rename(at('data', 'postgres.broken'), at('postgres.broken'))
    await loseOldKeys()
    const line = (await command('custodia restore', time)).replace(
      at('data', 'postgres.broken'),
      at('postgres.broken'),
    )
    // Restore to a time drops later data; a time outside the log is rejected.
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

    // Another machine, without the later log.
    await rm(at('data', 'objects'), { recursive: true })
    await rm(at('data', 'keys'), { recursive: true })
    await rm(at('data', 'postgres'), { recursive: true })
    await run(line.replace(/ --wal=\S+/, ''))
    await operator.server.start()
    assert.deepEqual(await texts(), expected(12))
    await operator.server.stop()
  })

  /** Certificates as an auditor downloads them, and the verification of each. */
  async function certificates(): Promise<{ text: string; stated: string }[]> {
    const { api } = await signIn(operator.server.url, 'acme', 'alice')
    const listed = await api.listCertificates({})
    await writeFile(at('keys.json'), JSON.stringify(await api.readCertificateKeys({})))
    const all = []
    for (const { certificate_reference } of listed.data) {
      const text = JSON.stringify(await api.readCertificate({ params: { certificate_reference } }))
      await writeFile(at('certificate.json'), text)
      const stated = await run(`custodia certificate ${at('certificate.json')} --key=${at('keys.json')}`)
      all.push({ text, stated })
    }
    return all
  }

  it('restore no destroyed payloads and keep their certificates', async () => {
    await operator.server.start()
    await run(await command('custodia backup'))
    const time = (await backups()).at(-1)
    const parts = await openParts(operator)
    const { db, keys } = parts
    const before = await texts()
    const { rows } = await db.owner.query<
      KeptDeviceDek & { dek_key: Buffer; client_id: number; payload_id: number; payload_reference: string }
    >(
      'select client_id, payload_id, payload_reference, encrypted_dek, dek_key from payloads join payload_envelopes using (client_id, payload_id) where state = 5 order by payload_id desc limit 3',
    )
    const [{ client_id } = { client_id: 0 }] = rows
    const [late = 0, ...ids] = rows.map(({ payload_id }) => payload_id).toSorted((a, b) => a - b)
    const acme = { client_id, client: 'acme' }
    const never = new AbortController().signal
    const log = { warn: () => undefined }
    await destroy(parts, client_id, ids)
    await issueCertificates({ ...parts, log }, acme, never)
    const certified = await certificates()
    assert.equal(certified.length, 1)
    const [{ text: ofTwo = '', stated: verdict = '' } = {}] = certified
    const { run: run_id } = JSON.parse(ofTwo).certificate
    assert.match(verdict, /GOOD: .* 2 payloads destroyed/u)
    const kept = await texts()
    assert.equal(kept.length, before.length - 2)
    await run(await command('custodia verify'))

    // The run is destroyed, and the database is lost before its certificate.
    await destroy(parts, client_id, [late])
    await db.close()
    await operator.server.kill({ database: true })
    await rm(at('data', 'postgres'), { recursive: true })
    const stated = await run((await command('custodia restore', time)).replace(/ --wal=\S+/, ''))
    assert.match(stated, /3 payloads destroyed once more/u)
    await operator.server.start()
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
    const is = {
      state: 10,
      destroyed_by: 'test',
      is_replayed: true,
      encrypted_dek: Buffer.alloc(0),
      dek_key: null,
    }
    assert.deepEqual(
      gone,
      [false, true, true].map((is_certified) => ({ ...is, is_certified })),
    )
    for (const each of rows)
      await assert.rejects(readDeviceDek(keys, { ...each, client: 'acme' }), KeyUnknown)
    await finishDestructions({ ...parts, db: again }, acme, never)
    await issueCertificates({ ...parts, log, db: again }, acme, never)
    await again.close()
    // Earlier certificates return unchanged; missing ones come from the ledger and say so.
    const since = await certificates()
    assert.deepEqual(
      since.filter(({ text }) => text === ofTwo),
      certified,
    )
    const [made, ...others] = since.filter(({ text }) => text !== ofTwo)
    assert.deepEqual(others, [])
    assert.match(made?.stated ?? '', /GOOD: .* 1 payloads? destroyed/u)
    const { payloads: ofLate, part, parts: ofRun } = JSON.parse(made?.text ?? '').certificate
    assert.deepEqual([ofLate.length, part, ofRun], [1, 1, 1])
    assert.ok(ofLate[0].replayed_at >= ofLate[0].destroyed_at && !('released' in ofLate[0]))
    assert.ok(JSON.parse(ofTwo).certificate.payloads.every((each: object) => !('replayed_at' in each)))
    await run(await command('custodia verify'))

    // Another machine with the old database: the newest ledger has the certificates and the newer signing key.
    await run(await command('custodia backup'))
    await operator.server.kill({ database: true })
    for (const path of [at('data', 'postgres'), at('data', 'keys')]) await rm(path, { recursive: true })
    await run((await command('custodia restore', time)).replace(/ --wal=\S+/, ''))
    await operator.server.start()
    assert.deepEqual(await certificates(), since)
    await run(await command('custodia verify'))
    await operator.server.stop()
  })

  it('reject a damaged or incomplete backup and leave no database behind', async () => {
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

it('restore what a server with WAL_ARCHIVE has archived since the backup', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'custodia-archive-'))
  t.after(() => removeFolder(folder))
  await chmod(folder, 0o711)
  const env = { WAL_ARCHIVE: join(folder, 'log') }
  const { server, at, command, run, backups, send, texts, close } = await operated(env)
  t.after(close)
  await run(await command('custodia backup'))
  await send(0, 2)
  await server.stop()
  await rm(at('data', 'postgres'), { recursive: true })
  const [time] = await backups()
  const stated = await run((await command('custodia restore', time)).replace(/ --wal=\S+/, ''))
  assert.match(stated, /the database up to \d{4}-/u)
  await server.start()
  assert.deepEqual(await texts(), [getText(0), getText(1)])
  await run(await command('custodia verify'))
})
