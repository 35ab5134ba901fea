import { execFile } from 'node:child_process'
import { chmod, copyFile, cp, mkdir, readFile, realpath, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { findProgram } from '../../apps/server/src/testing/daemon.ts'
import { ROOT } from '../run.ts'

const shell = promisify(execFile)
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt'
/** Timeout of a pull, in milliseconds. */
const PULL_MS = 60_000

export interface BuiltImage {
  root: string
  environment: Record<string, string>
  user: string
  /** Bytes of the base image, and of the Dockerfile's additions. */
  base: number
  added: number
  remove(): Promise<void>
}

/** Builds the Dockerfile with buildah, which needs no daemon. `postgresql` is the major version of Debian's client. */
export async function buildImage(folder: string, postgresql: string): Promise<BuiltImage> {
  const buildah = async (...args: string[]) => {
    const storage = ['--root', join(folder, 'storage'), '--runroot', join(folder, 'run')]
    const env = { ...process.env, BUILDAH_ISOLATION: 'chroot' }
    const { stdout } = await shell('buildah', [...storage, ...args], { env, maxBuffer: 1e9, cwd: ROOT })
    return stdout.trim()
  }
  const mounted = async (image: string) => {
    const root = await buildah('mount', await buildah('from', '--pull-never', image))
    const { stdout } = await shell('du', ['-sxB1', root])
    return { root, bytes: Number.parseInt(stdout, 10) }
  }
  const base = await baseImage(buildah, folder)
  const client = (await isReachable('http://apt.postgresql.org/pub/repos/apt/'))
    ? []
    : ['--build-arg=POSTGRESQL_APT=', `--build-arg=POSTGRESQL_VERSION=${postgresql}`]
  await buildah('bud', '--format=docker', `--build-arg=NODE_IMAGE=${base}`, ...client, '-t=custodia', '.')
  const { OCIv1 } = JSON.parse(await buildah('inspect', '--type=image', 'custodia')) as {
    OCIv1: { config: { Env: string[]; User: string } }
  }
  const built = await mounted('custodia')
  const under = await mounted(base)
  return {
    root: built.root,
    environment: Object.fromEntries(OCIv1.config.Env.map((each) => each.split(/=(.*)/s).slice(0, 2))),
    user: OCIv1.config.User,
    base: under.bytes,
    added: built.bytes - under.bytes,
    async remove() {
      await buildah('unmount', '--all')
      await buildah('rmi', '--all', '--force')
    },
  }
}

/** The Dockerfile's base image, or a similar one from Debian and this Node without access to an image registry. */
async function baseImage(buildah: (...args: string[]) => Promise<string>, folder: string): Promise<string> {
  const [, pinned = ''] =
    /^ARG NODE_IMAGE=(.+)$/m.exec(await readFile(join(ROOT, 'Dockerfile'), 'utf8')) ?? []
  const pull = buildah('pull', `docker.io/library/${pinned}`).then(
    () => true,
    () => false,
  )
  if (await Promise.race([pull, new Promise((resolve) => setTimeout(resolve, PULL_MS, false).unref())]))
    return `docker.io/library/${pinned}`
  console.log(`${pinned} cannot be reached: built on Debian bookworm with Node ${process.version} instead`)
  const root = join(folder, 'base')
  // In separate namespaces: its mounts disappear when it ends or is killed.
  const exclusively = ['--mount', '--pid', '--fork', '--kill-child', 'debootstrap']
  await shell('unshare', [...exclusively, '--variant=minbase', '--include=ca-certificates', 'bookworm', root])
  await copyFile(await realpath(process.execPath), join(root, 'usr/local/bin/node'))
  const npm = dirname(dirname(await realpath(findProgram('npm') ?? 'npm')))
  await mkdir(join(root, 'usr/local/lib/node_modules'), { recursive: true })
  await cp(npm, join(root, 'usr/local/lib/node_modules/npm'), { recursive: true })
  for (const name of ['npm', 'npx'])
    await symlink(`../lib/node_modules/npm/bin/${name}-cli.js`, join(root, 'usr/local/bin', name))
  await chmod(join(root, 'usr/local/bin/node'), 0o755)
  // Registries may be behind a proxy that this machine trusts.
  await copyFile(CERTIFICATES, join(root, CERTIFICATES))
  await shell('chroot', [root, 'useradd', '--create-home', '--uid=1000', 'node'])
  const container = await buildah('from', 'scratch')
  await buildah('add', '--quiet', container, root, '/')
  await buildah('config', `--env=NODE_EXTRA_CA_CERTS=${CERTIFICATES}`, container)
  await buildah('commit', '--quiet', '--rm', container, 'localhost/node-base')
  return 'localhost/node-base'
}

const isReachable = (url: string): Promise<boolean> =>
  fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(10_000) }).then(
    ({ ok }) => ok,
    () => false,
  )
