import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { TransferConfigInput } from '@custodia/contract'
import { makeEgress } from '../ports/egress/guard.ts'
import { carryOutRun } from '../transfers/engine.ts'
import { NO_SECRETS, sealSecrets } from '../transfers/secrets.ts'
import { startRun } from '../transfers/start.ts'
import { lockConfig, writeConfig } from '../transfers/store.ts'
import { ingestWorld, type TestPhone } from './ingest-world.ts'
import { startSshd } from './sshd.ts'

const NEVER = new AbortController().signal

/** Recordings of acme, a customer's SFTP server, and a config that brings the ones to the other. */
export async function transferWorld() {
  const server = await startSshd()
  const world = await ingestWorld()
  const phone = await world.phone('acme')
  const account = { client: 'acme', client_id: world.accounts.acme.client_id }
  const house = {
    ...world.house,
    egress: makeEgress({ allow: [`sftp://127.0.0.1:${server.port}`] }),
    jobs: { send: async () => undefined, stop: async () => undefined },
  }
  const root = join(server.folder, 'in')
  return {
    world,
    server,
    house,
    account,
    root,
    sql: world.sql,
    async close() {
      await world.close()
      await server.stop()
    },
    /** Keeps a config as a save does. */
    async config(reference: string, change: Partial<TransferConfigInput> = {}): Promise<void> {
      const { zip_password, sftp_password, sftp_private_key, ...settings } = {
        transfer_type: 'Payload' as const,
        payload_types: ['SMS' as const, 'Photo' as const],
        schedule: null,
        pgp_key: null,
        transfer_file_format: 'Uncompressed' as const,
        params: {
          target_type: 'SFTP' as const,
          server: '127.0.0.1',
          port: server.port,
          username: server.username,
          root_directory: root,
          host_key: server.host_key,
        },
        is_active: true,
        sftp_private_key: server.private_key,
        ...change,
      }
      const given = { zip_password, sftp_password, sftp_private_key }
      const sealed = await sealSecrets(house, account.client, reference, NO_SECRETS, given)
      const by = { updated_at: house.now(), updated_by: 'alice', gathered_to: null, next_at: null }
      await house.db.write(account.client_id, (tx) => writeConfig(tx, reference, settings, sealed, by))
    },
    /** Brings messages, and says what they are called. */
    async bring(count: number, from: TestPhone = phone, type: 'SMS' | 'RCS' = 'SMS'): Promise<string[]> {
      const references: string[] = []
      for (let i = 0; i < count; i++) {
        const data = Buffer.from(JSON.stringify({ text: `said ${i}` }))
        references.push((await world.bring(from, type, data)).payload_reference)
      }
      return references
    },
    /** Begins a run of a config, as whoever runs it now. */
    start: (reference: string) =>
      house.db.write(account.client_id, async (tx) => {
        const stored = await lockConfig(tx, reference)
        if (!stored) throw new Error(`no config ${reference}`)
        return startRun(house, tx, stored, { now: house.now(), by: 'alice', scheduled_for: null })
      }),
    carryOut: (transfer_id: string) => carryOutRun(house, { ...account, transfer_id }, NEVER),
    /** The files below the root of the target, hidden ones too. */
    async files(): Promise<Map<string, Buffer>> {
      const found = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => [])
      const paths = found
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => join(parentPath, name))
      return new Map(
        await Promise.all(
          paths.map(async (path) => [path.slice(root.length + 1), await readFile(path)] as const),
        ),
      )
    },
    clear: () => rm(root, { recursive: true, force: true }),
  }
}
export type TransferWorld = Awaited<ReturnType<typeof transferWorld>>
