/**
 * Runs the commands of the README's section "In production" on a machine of its own, from an empty one to a restored backup.
 *
 *     node scripts/production-test.ts
 *
 * The machine is a set of Linux namespaces: a writable layer over this machine's files, with a network of its own. Its checkout is this one.
 * Needs root and the packages of `npm run parts`. Ends with 1 when anything is wrong.
 */
import { spawnSync } from 'node:child_process'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { debianPostgres } from '../apps/server/src/testing/streaming-pair.ts'
import { findProgram, removeFolder } from '../apps/server/src/testing/daemon.ts'
import { lemonldapAvailable } from '../apps/server/src/testing/lemonldap.ts'
import { makeCertificate } from '../apps/server/src/testing/issuer.ts'
import { ROOT } from './run.ts'

const NEEDED = ['unshare', 'ip', 'radosgw', 'nginx', 'openssl', 'psql', 'sudo']
/** In the machine. */
const CERTIFICATE = '/etc/custodia/tls.pem'

/** `$0` is an empty folder with the certificate, `$1` this checkout, `$2` where the certificate goes. What the script mounts ends with it. */
const MACHINE = `set -e
  files=$0/files
  mkdir "$files"
  mount -t tmpfs -o mode=755 machine "$files"
  mkdir "$files/upper" "$files/work" "$files/root" "$files/checkout" "$files/checkout-work"
  root=$files/root
  mount -t overlay overlay -o "lowerdir=/,upperdir=$files/upper,workdir=$files/work" "$root"
  mkdir -p "$root/opt/custodia"
  mount -t overlay overlay -o "lowerdir=$1,upperdir=$files/checkout,workdir=$files/checkout-work" "$root/opt/custodia"
  mount --rbind /dev "$root/dev"
  mount -t proc proc "$root/proc"
  mkdir -p "$root/\${2%/*}"
  cp "$0/tls.pem" "$root/$2"
  cp "$0/tls.key" "$root/\${2%.pem}.key"
  ip link set lo up
  exec chroot "$root" /opt/custodia/node_modules/.bin/node /opt/custodia/scripts/production-test/operator.ts`

const missing = NEEDED.filter((name) => !findProgram(name))
if (!lemonldapAvailable()) missing.push('LemonLDAP::NG')
if (!debianPostgres()) missing.push('PostgreSQL')
if (process.getuid?.() !== 0 || missing.length > 0) {
  console.log(`production-test needs root and the packages of npm run parts; missing: ${missing.join(', ')}`)
  process.exit(process.env.CI ? 1 : 0)
}
const folder = await mkdtemp(join(tmpdir(), 'custodia-production-'))
const { cert, key } = makeCertificate('custodia.example')
await writeFile(join(folder, 'tls.pem'), cert)
await writeFile(join(folder, 'tls.key'), key)
const namespaces = ['--mount', '--net', '--pid', '--fork', '--kill-child']
const { status } = spawnSync('unshare', [...namespaces, 'sh', '-c', MACHINE, folder, ROOT, CERTIFICATE], {
  stdio: 'inherit',
  env: {
    PATH: process.env.PATH ?? '',
    HOME: '/root',
    // People and devices trust the authority of the certificate.
    NODE_EXTRA_CA_CERTS: CERTIFICATE,
  },
})
await removeFolder(folder)
process.exit(status === 0 ? 0 : 1)
