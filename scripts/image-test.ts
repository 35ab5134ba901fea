/**
 * Builds the image and runs an installation in it as its user, with a read-only file system and without capabilities, against
 * an external PostgreSQL: bootstrap, a client, an upload, verify, backup, restore, verify.
 *
 *     node scripts/image-test.ts
 *
 * Needs root, Debian's packages buildah, debootstrap and postgresql, and the registries of npm and Debian. Exits with 1 on a
 * problem.
 */
import { execFile } from 'node:child_process'
import { chmod, chown, mkdir, mkdtemp, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import {
  findProgram,
  removeFolder,
  reservePort,
  startDaemon,
  untilReady,
} from '../apps/server/src/testing/daemon.ts'
import { testProvider } from '../apps/server/src/testing/identity-provider.ts'
import { uploadMessage } from '../apps/server/src/testing/phones.ts'
import { type BuiltImage, buildImage } from './image-test/build-image.ts'
import { installedPostgresql, outsidePostgresql } from './image-test/outside-postgresql.ts'

const shell = promisify(execFile)
/** Maximum unpacked bytes that the image adds to its base. */
const LIMIT_MB = 350
/** Uid of the user `node`. */
const UID = 1000
const NEEDED = ['buildah', 'debootstrap', 'unshare', 'setpriv']

const postgresql = installedPostgresql()
const missing = NEEDED.filter((name) => !findProgram(name))
if (process.getuid?.() !== 0 || !postgresql || missing.length > 0) {
  console.log(`image-test needs root, PostgreSQL from Debian, and ${NEEDED.join(', ')}`)
  process.exit(process.env.CI ? 1 : 0)
}

const made = new AsyncDisposableStack()
await run(postgresql)
  .finally(() => made.disposeAsync())
  .catch((error: unknown) => {
    console.error(error)
    process.exitCode = 1
  })

async function run(version: string): Promise<void> {
  // A disk folder: images may not fit into a memory file system.
  const folder = await mkdtemp('/var/tmp/custodia-image-')
  made.defer(() => removeFolder(folder))
  // PostgreSQL and the image run as other users.
  await chmod(folder, 0o711)
  const image = await buildImage(folder, version)
  made.defer(() => image.remove())
  const mb = Math.round(image.added / 1e6)
  console.log(`The image adds ${mb} MB to its base of ${Math.round(image.base / 1e6)} MB`)
  if (mb > LIMIT_MB) throw new Error(`the image adds ${mb} MB, more than ${LIMIT_MB}`)
  const data = join(folder, 'data')
  await mkdir(data)
  await chown(data, UID, UID)
  const outside = await outsidePostgresql(folder, version)
  made.defer(() => outside.stop())
  await installation(image, data, outside.url)
}

async function installation(
  image: BuiltImage,
  data: string,
  database: (name: 'custodia' | 'restored') => string,
): Promise<void> {
  const provider = await testProvider('custodia')
  made.defer(() => provider.close())
  const url = `http://127.0.0.1:${await reservePort()}`
  const env = {
    ...image.environment,
    HOST: '127.0.0.1',
    PORT: new URL(url).port,
    PUBLIC_URL: url,
    CUSTODIA_DATA: '/data/live',
    DATABASE_URL: database('custodia'),
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: 'custodia',
  }
  const custodia = async (settings: Record<string, string>, ...argv: string[]) => {
    console.log(`custodia ${argv.join(' ')}`)
    const [program = '', ...args] = confined(image, data, ['custodia', ...argv])
    const { stdout } = await shell(program, args, { env: settings })
    return stdout
  }
  await custodia(env, 'bootstrap', '--name=Custodia Ltd', '--administrator=dora@custodia.example')
  const created = await custodia(
    env,
    'tenant',
    'create',
    'acme',
    '--name=Acme',
    '--administrator=jane@acme.example',
    '--licences=10',
    '--json',
  )
  const [program = '', ...args] = confined(image, data, ['custodia', 'start'])
  const server = startDaemon(program, args, env)
  made.defer(() => server.stop())
  await untilReady(server, 'the server', async () => (await fetch(`${url}/readyz`)).ok)
  const { enrolment } = JSON.parse(created) as { enrolment: string }
  await uploadMessage(enrolment)
  if (!(await (await fetch(url)).text()).includes('<script')) throw new Error('the image has no portal')
  await custodia(env, 'verify', '--deep')
  await custodia(env, 'backup', '/data/backup', '--keys=/data/vault')
  await server.stop()
  const names = await readdir(join(data, 'backup'))
  const time = names.find((name) => name !== 'objects') ?? ''
  const restored = { ...env, DATABASE_URL: database('restored'), CUSTODIA_DATA: '/data/restored' }
  await custodia(restored, 'restore', `/data/backup/${time}`, '/data/restored', `--keys=/data/vault/${time}`)
  const verified = JSON.parse(await custodia(restored, 'verify', '--deep', '--json')) as object
  console.log(JSON.stringify(verified))
}

/** Runs a program in the image like compose.yaml: only /data and /tmp are writable, no capabilities, no new privileges. */
function confined({ root, user }: BuiltImage, data: string, program: readonly string[]): string[] {
  const mounts = `set -e
    mount --rbind "$0" "$0"; mount -o remount,bind,ro "$0"
    mount --bind "$1" "$0/data"; mount -t tmpfs tmpfs "$0/tmp"; mount -t proc proc "$0/proc"; mount --rbind /dev "$0/dev"
    root=$0; shift; exec chroot "$root" "$@"`
  const dropped = ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--init-groups', '--no-new-privs']
  const without = ['--bounding-set=-all', '--inh-caps=-all', '--ambient-caps=-all', '--']
  return ['unshare', '--mount', '--', 'sh', '-c', mounts, root, data, ...dropped, ...without, ...program]
}
