/**
 * Runs the commands of the README's section "In production" on a machine of its own, from an empty one to a restored backup.
 *
 *     node scripts/production-test.ts
 *
 * The machine is a set of Linux namespaces: a writable layer over this machine's files, with a network of its own. It clones what git
 * would commit of this checkout; packages and, if it is built, the portal are taken from here. `npm test` runs it too.
 */
import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { findProgram, removeFolder } from '../apps/server/src/testing/daemon.ts'
import { makeCertificate } from '../apps/server/src/testing/issuer.ts'
import { lemonldapAvailable } from '../apps/server/src/testing/lemonldap.ts'
import { debianPostgres } from '../apps/server/src/testing/streaming-pair.ts'
import { ROOT, run } from './run.ts'

const shell = promisify(execFile)
const NEEDED = ['git', 'unshare', 'ip', 'radosgw', 'nginx', 'openssl', 'psql', 'sudo']
const NAMESPACES = ['--mount', '--net', '--pid', '--fork', '--kill-child']
/** Mounts as `MACHINE` does, to know whether this system lets it. */
const TRIAL = `set -e
  mount -t tmpfs machine /mnt
  mkdir /mnt/upper /mnt/work /mnt/root
  mount -t overlay overlay -o lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work /mnt/root`
/** In the machine. */
const CERTIFICATE = '/etc/custodia/tls.pem'

/**
 * `$0` is an empty folder with the certificate and the repository, `$1` this checkout, `$2` where the certificate goes. What the script
 * mounts ends with it.
 */
const MACHINE = `set -e
  files=$0/files
  mkdir "$files"
  mount -t tmpfs -o mode=755 machine "$files"
  mkdir "$files/upper" "$files/work" "$files/root" "$files/checkout" "$files/checkout-work"
  root=$files/root
  mount -t overlay overlay -o "lowerdir=/,upperdir=$files/upper,workdir=$files/work" "$root"
  mkdir -p "$root/srv/checkout" "$root/srv/custodia.git"
  mount -t overlay overlay -o "lowerdir=$1,upperdir=$files/checkout,workdir=$files/checkout-work" "$root/srv/checkout"
  mount --bind "$0/custodia.git" "$root/srv/custodia.git"
  mount --rbind /dev "$root/dev"
  mount -t proc proc "$root/proc"
  mkdir -p "$root/\${2%/*}"
  cp "$0/tls.pem" "$root/$2"
  cp "$0/tls.key" "$root/\${2%.pem}.key"
  ip link set lo up
  exec chroot "$root" /srv/checkout/node_modules/.bin/node /srv/checkout/scripts/production-test/operator.ts`

/** Why this machine cannot run it; undefined if it can. */
export function productionObstacle(): string | undefined {
  const missing = NEEDED.filter((name) => !findProgram(name))
  if (!lemonldapAvailable()) missing.push('LemonLDAP::NG')
  if (!debianPostgres()) missing.push('PostgreSQL')
  if (missing.length > 0) return `npm run parts installs what is missing: ${missing.join(', ')}`
  if (process.getuid?.() !== 0 || spawnSync('unshare', [...NAMESPACES, 'sh', '-c', TRIAL]).status !== 0)
    return 'needs root, Linux namespaces and a layer over the machine’s files'
  return undefined
}

/** Runs it. Resolves to false when anything is wrong. */
export async function productionTest(): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'custodia-production-'))
  try {
    const { cert, key } = makeCertificate('custodia.example')
    await writeFile(join(folder, 'tls.pem'), cert)
    await writeFile(join(folder, 'tls.key'), key)
    await commitCheckout(join(folder, 'custodia.git'))
    const status = await run('unshare', [...NAMESPACES, 'sh', '-c', MACHINE, folder, ROOT, CERTIFICATE], {
      // People and devices trust the authority of the certificate.
      environment: { PATH: process.env.PATH ?? '', HOME: '/root', NODE_EXTRA_CA_CERTS: CERTIFICATE },
    })
    return status === 0
  } finally {
    await removeFolder(folder)
  }
}

/** Makes a repository of what git would commit of this checkout, uncommitted changes included. */
async function commitCheckout(repository: string): Promise<void> {
  const git = (...args: string[]) =>
    shell('git', ['--git-dir', repository, '--work-tree', ROOT, '-c', 'core.compression=0', ...args])
  await git('init', '--quiet', '--initial-branch=main')
  await git('add', '--all')
  await git('-c', 'user.name=test', '-c', 'user.email=test@example', 'commit', '--quiet', '--message=test')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const obstacle = productionObstacle()
  if (obstacle !== undefined) console.log(`production-test: ${obstacle}`)
  else if (await productionTest()) process.exit(0)
  process.exit(obstacle === undefined || process.env.CI ? 1 : 0)
}
