import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Daemon, findProgram, reservePort, startDaemon, untilReady, removeFolder } from './daemon.ts'

const run = promisify(execFile)
/** Where the tests run as root the server does not: it signs in only the user that it runs as. */
const UNPRIVILEGED = 65_534

/** Whether OpenSSH's server can be started here. */
export const sshdAvailable = (): boolean =>
  ['sshd', 'ssh-keygen', 'setpriv'].every((name) => findProgram(name) !== undefined)

export interface SftpServer {
  port: number
  username: string
  /** OpenSSH format, unencrypted. */
  private_key: string
  /** The same with the passphrase `PASSPHRASE`. */
  locked_key: string
  /** As ssh-keygen shows it. */
  host_key: string
  /** Writable by the user, on this machine and on the server alike. */
  folder: string
  /** Everything that the server has noted so far. */
  log(): Promise<string>
  /** Changes the host key, as an impostor or a reinstalled machine would. */
  swapHostKey(): Promise<string>
  stop(): Promise<void>
}

export const PASSPHRASE = 'open, sesame'

/** OpenSSH's server with internal-sftp, without privileges, on loopback, in a temporary folder that `stop` removes. */
export async function startSshd(): Promise<SftpServer> {
  const base = await mkdtemp(join(tmpdir(), 'custodia-sftp-'))
  const at = (name: string) => join(base, name)
  const asRoot = process.getuid?.() === 0
  const own = async (path: string) => asRoot && (await chown(path, UNPRIVILEGED, UNPRIVILEGED))
  const makeKey = async (name: string, ...more: string[]) => {
    await rm(at(name), { force: true })
    await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', ...more, '-f', at(name)])
    await own(at(name))
    return readFile(at(name), 'utf8')
  }
  const fingerprint = async () => {
    const { stdout } = await run('ssh-keygen', ['-l', '-f', at('host.pub')])
    return /SHA256:\S+/.exec(stdout)?.[0] ?? ''
  }

  await chmod(base, 0o755)
  await mkdir(at('files'))
  await own(base)
  await own(at('files'))
  await makeKey('host')
  const private_key = await makeKey('user')
  await writeFile(at('authorized_keys'), await readFile(at('user.pub')))
  await run('ssh-keygen', ['-q', '-p', '-P', '', '-N', PASSPHRASE, '-f', at('user')])
  const locked_key = await readFile(at('user'), 'utf8')
  const port = await reservePort()
  const username = asRoot
    ? (await run('id', ['-nu', String(UNPRIVILEGED)])).stdout.trim()
    : userInfo().username
  await writeFile(at('config'), settings(at, port, username))

  let daemon: Daemon
  const start = async () => {
    const sshd = [findProgram('sshd') ?? 'sshd', '-D', '-E', at('log'), '-f', at('config')]
    const ids = asRoot ? [`--reuid=${UNPRIVILEGED}`, `--regid=${UNPRIVILEGED}`, '--clear-groups'] : []
    daemon = startDaemon('setpriv', [...ids, ...sshd])
    await untilReady(daemon, 'sshd', async () => {
      const socket = connect(port, '127.0.0.1')
      try {
        await once(socket, 'data')
        return true
      } finally {
        socket.destroy()
      }
    })
  }
  await start()
  return {
    port,
    username,
    private_key,
    locked_key,
    host_key: await fingerprint(),
    folder: at('files'),
    log: () => readFile(at('log'), 'utf8'),
    async swapHostKey() {
      await daemon.stop()
      await makeKey('host')
      await start()
      return fingerprint()
    },
    async stop() {
      await daemon.stop()
      await removeFolder(base)
    },
  }
}

const settings = (at: (name: string) => string, port: number, username: string): string => `Port ${port}
ListenAddress 127.0.0.1
HostKey ${at('host')}
PidFile ${at('pid')}
AuthorizedKeysFile ${at('authorized_keys')}
StrictModes no
UsePAM yes
PasswordAuthentication no
KbdInteractiveAuthentication no
AllowUsers ${username}
Subsystem sftp internal-sftp
ForceCommand internal-sftp
AllowTcpForwarding no
PermitTTY no
MaxStartups 100
LogLevel VERBOSE
`
