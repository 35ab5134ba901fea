import { execFile } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { chmod, chown, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { reservePort, startDaemon, untilReady } from '../../apps/server/src/testing/daemon.ts'
import { connectedOwner } from '../../apps/server/src/testing/database.ts'

const shell = promisify(execFile)
const FOLDER = '/usr/lib/postgresql'

/** The newest installed PostgreSQL server of Debian; undefined: none. */
export const installedPostgresql = (): string | undefined =>
  existsSync(FOLDER)
    ? readdirSync(FOLDER)
        .filter((version) => existsSync(join(FOLDER, version, 'bin/initdb')))
        .toSorted((one, other) => Number(other) - Number(one))[0]
    : undefined

/** An external server on loopback, with two empty databases of a role without superuser rights. */
export async function outsidePostgresql(folder: string, version: string) {
  const user = ['uid', 'gid'] as const
  const [uid = 0, gid = 0] = await Promise.all(
    user.map(async (kind) => Number((await shell('id', [`-${kind[0]}`, 'postgres'])).stdout)),
  )
  const dataDir = join(folder, 'postgresql')
  await mkdir(dataDir)
  await chown(dataDir, uid, gid)
  await chmod(dataDir, 0o700)
  const as = (program: string, ...args: string[]) => [
    `--reuid=${uid}`,
    `--regid=${gid}`,
    '--clear-groups',
    join(FOLDER, version, 'bin', program),
    ...args,
  ]
  await shell('setpriv', as('initdb', '--auth=trust', '--username=admin', '--encoding=UTF8', dataDir))
  const port = await reservePort()
  const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories=']
  const args = settings.flatMap((each) => ['-c', each])
  const daemon = startDaemon('setpriv', as('postgres', '-D', dataDir, ...args))
  const admin = `postgres://admin@127.0.0.1:${port}/postgres`
  try {
    await untilReady(daemon, 'PostgreSQL', async () => (await query(admin, 'select'), true))
    // A dump reads the rows of all clients, which row-level security hides from their owner too.
    await query(admin, `create role custodia login createrole bypassrls password 'secret'`)
    for (const name of ['custodia', 'restored'])
      await query(admin, `create database ${name} owner custodia template template0`)
  } catch (error) {
    await daemon.stop()
    throw error
  }
  return {
    url: (name: 'custodia' | 'restored') => `postgres://custodia:secret@127.0.0.1:${port}/${name}`,
    stop: () => daemon.stop(),
  }
}

async function query(connection: string, sql: string): Promise<void> {
  const client = await connectedOwner(connection)
  await client.query(sql).finally(() => client.end())
}
