import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmod, mkdtemp, readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { makeClient } from '@custodia/client'
import { readConfig } from '../apps/server/src/config.ts'
import { destroyPayloads, noteDestroyed } from '../apps/server/src/destruction/destroy.ts'
import { finishDestructions } from '../apps/server/src/destruction/finish.ts'
import { endRun, openRun } from '../apps/server/src/destruction/ledger-store.ts'
import { openObjects } from '../apps/server/src/open-objects.ts'
import { deletePayloads } from '../apps/server/src/payloads/store.ts'
import { runningEmbedded } from '../apps/server/src/ports/database/embedded.ts'
import { openDatabase } from '../apps/server/src/ports/database/pool.ts'
import { localFileKeys } from '../apps/server/src/ports/keys/local-file.ts'
import { signIn } from '../apps/server/src/testing/access-fixture.ts'
import { removeFolder } from '../apps/server/src/testing/daemon.ts'
import { demoPhone, getMessage, getRecording } from '../apps/server/src/testing/phones.ts'
import { type ServerProcess, serverProcess } from '../tools/rigs/server-process.ts'
import { ROOT } from './run.ts'

const shell = promisify(execFile)
const RULE = {
  entity_type: 'Payload',
  payload_type: 'SMS',
  destroy_after_days: 0,
  retention_timestamp: 'payload_time',
  required_receipts: [],
  required_transfers: [],
} as const

/** A demo server, backed up with the commands of the manual. */
export interface BackedUpServer {
  server: ServerProcess
  /** A path within the test's folder. */
  at(...path: string[]): string
  /** The first matching command of docs/backup.md, with the test's folders and `time` for `<time>`. */
  command(begin: string, time?: string): Promise<string>
  /** Runs a command with the server's settings and `env`. Resolves to its standard output. */
  run(line: string, env?: Record<string, string>): Promise<string>
  /** Names of all backups, oldest first. */
  backups(): Promise<string[]>
  /** Sends messages and waits until the device may free each. */
  send(from: number, to: number): Promise<void>
  /** Texts of the conversation, decrypted with the present keys. */
  texts(): Promise<string[]>
  close(): Promise<void>
}

export const getText = (n: number) => `Message number ${n}`

/** Starts the server with additional settings `env`. */
export async function operated(env: Record<string, string> = {}): Promise<BackedUpServer> {
  const top = await mkdtemp(join(tmpdir(), 'custodia-backup-'))
  await chmod(top, 0o711)
  const at = (...path: string[]) => join(top, ...path)
  const server = await serverProcess({ DEMO: 'true', ...env }, at('data'))
  await server.start()
  return {
    server,
    at,
    async command(begin, time = '') {
      const manual = await readFile(join(ROOT, 'docs/backup.md'), 'utf8')
      const line = manual.split('\n').find((each) => each.startsWith(begin))
      assert.ok(line, `the manual has no line ${begin}`)
      return line
        .replaceAll('<time>', time)
        .replaceAll('/backup', at('backup'))
        .replaceAll('/vault', at('vault'))
        .replaceAll(/(?<=[ =])data(?=[ /])/g, at('data'))
    },
    async run(line, more = {}) {
      const PATH = `${join(ROOT, 'bin')}:${process.env['PATH']}`
      const settings = { ...process.env, ...env, CUSTODIA_DATA: at('data'), PATH, ...more }
      return (await shell('sh', ['-c', line], { cwd: ROOT, env: settings })).stdout
    },
    backups: async () =>
      (await readdir(at('backup', 'custodia'))).filter((name) => /^\d/.test(name)).toSorted(),
    async send(from, to) {
      const phone = await demoPhone(at('data'), server.url, 'Harriet')
      for (let n = from; n < to; n++)
        await phone.record(getRecording('SMS', getMessage(getText(n))).recording)
      assert.deepEqual(await phone.sync({ patience: 60 }), { freed: to - from, waiting: 0, refused: 0 })
    },
    async texts() {
      const alice = await signIn(server.url, 'acme', 'alice')
      const calls = await alice.api.listPayloads({ query: { service: 'messages', limit: 100 } })
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
      return thread.data.map((each) => each.text ?? '').toSorted()
    },
    async close() {
      await server.kill({ database: true })
      await removeFolder(top)
    },
  }
}

/** Parts of the archive of a running server. */
export async function openParts({ at }: Pick<BackedUpServer, 'at'>) {
  const db = await openDatabase({
    connection: runningEmbedded(at('data', 'postgres')) ?? '',
    appName: 'backup test',
  })
  const keys = localFileKeys({ folder: at('data', 'keys') })
  const objects = await openObjects(readConfig({ CUSTODIA_DATA: at('data') }), Buffer.alloc(0), () => 0)
  return { db, keys, objects }
}

/** Destroys payloads of acme in a separate run, including all objects. */
export async function destroy(
  parts: Awaited<ReturnType<typeof openParts>>,
  client_id: number,
  ids: readonly number[],
): Promise<void> {
  await parts.db.write(client_id, async (tx) => {
    const doing = { now: Math.floor(Date.now() / 1000), by: 'test' }
    await deletePayloads(tx, ids, doing)
    const causes = new Map(
      ids.map((id) => [id, { policy_version: 1, rule: RULE, receipts: [], transfers: [] }]),
    )
    const run_id = await openRun(tx)
    const destroyed = await destroyPayloads(tx, ids, { ...doing, run_id, causes })
    assert.equal(destroyed.length, ids.length)
    await noteDestroyed(tx, parts.keys.ledger, 'acme', destroyed)
    await endRun(tx, { longest: 0 })
  })
  await finishDestructions(parts, { client_id, client: 'acme' }, new AbortController().signal)
}
