import { once } from 'node:events'
import { chown, copyFile, mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import PostalMime from 'postal-mime'
import { findProgram, reservePort, startDaemon, untilReady, removeFolder } from './daemon.ts'
import { until } from './waits.ts'

/** Where the tests run as root the mail server does not. */
const UNPRIVILEGED = 65_534
/** Milliseconds between two looks into the mailbox. */
const LOOK = 50

/** Whether Debian's mail server is here. */
export const smtpdAvailable = (): boolean =>
  ['exim4', 'setpriv', 'setsid'].every((name) => findProgram(name) !== undefined)

/** A mail that the server delivered, decoded. */
export interface TakenMail {
  from: string
  to: string[]
  /** Whether the connection was encrypted, and who had signed in. */
  tls: boolean
  user: string | null
  headers: Record<string, string>
  text: string
}

export interface MailServer {
  port: number
  /** All mails delivered so far. A mail appears shortly after the server accepted it. */
  readonly mails: TakenMail[]
  /** Those delivered, once there are so many. */
  taken(count: number): Promise<readonly TakenMail[]>
  stop(): Promise<void>
}

/**
 * Exim on loopback, which delivers everything into one mailbox. It rejects recipients that begin with `later`
 * temporarily and those with `never` permanently. With a certificate it requires STARTTLS and user `custodia`,
 * password `let me in`.
 * @param tls files of certificate and key (PEM)
 * @param onMail called with each mail as a line of JSON
 */
export async function startSmtpd(
  tls?: { certificate: string; key: string },
  onMail: (line: string) => void = () => undefined,
): Promise<MailServer> {
  const folder = await mkdtemp(join(tmpdir(), 'custodia-smtpd-'))
  const isRoot = process.getuid?.() === 0
  const { uid, gid } = userInfo()
  const user: [number, number] = isRoot ? [UNPRIVILEGED, UNPRIVILEGED] : [uid, gid]
  const own = async (path: string) => isRoot && (await chown(path, UNPRIVILEGED, UNPRIVILEGED))
  await own(folder)
  for (const name of ['spool', 'mails']) {
    await mkdir(join(folder, name))
    await own(join(folder, name))
  }
  if (tls)
    for (const [name, file] of [
      ['certificate', tls.certificate],
      ['key', tls.key],
    ] as const) {
      await copyFile(file, join(folder, name))
      await own(join(folder, name))
    }
  const port = await reservePort()
  const settings = join(folder, 'exim.conf')
  await writeFile(settings, getSettings(folder, port, tls !== undefined, user), { mode: 0o644 })
  // Its own session: the delivery process outlives the daemon and would create the spool again.
  const exim = ['setsid', findProgram('exim4') ?? 'exim4', '-bdf', '-C', settings]
  const daemon = isRoot
    ? startDaemon('setpriv', [
        `--reuid=${UNPRIVILEGED}`,
        `--regid=${UNPRIVILEGED}`,
        '--clear-groups',
        '--pdeathsig=KILL',
        '--',
        ...exim,
      ])
    : startDaemon('setsid', exim.slice(1))
  await untilReady(daemon, 'the mail server', () => isListening(port))

  const mails: TakenMail[] = []
  const seen = new Set<string>()
  let looking = Promise.resolve()
  const look = async () => {
    const arrived = join(folder, 'mails', 'new')
    const names = await readdir(arrived).catch(() => [])
    for (const name of names.toSorted()) {
      if (seen.has(name)) continue
      seen.add(name)
      const mail = await readMail(join(arrived, name))
      mails.push(mail)
      onMail(JSON.stringify(mail))
    }
  }
  const timer = setInterval(() => (looking = looking.then(look)), LOOK)
  timer.unref()
  return {
    port,
    mails,
    taken: (count) =>
      until(
        `${count} mails`,
        () => mails,
        ({ length }) => length >= count,
      ),
    async stop() {
      clearInterval(timer)
      await looking
      await daemon.stop()
      endGroup(daemon.pid)
      await removeFolder(folder)
    },
  }
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // All of them had ended.
  }
}

/** The receiving process delivers at once; the number of mails per connection is unlimited. */
const getSettings = (
  folder: string,
  port: number,
  isEncrypted: boolean,
  [uid, gid]: [number, number],
): string => `
spool_directory = ${folder}/spool
log_file_path = ${folder}/spool/%slog
pid_file_path = ${folder}/spool/pid
exim_user = ${uid}
exim_group = ${gid}
keep_environment =
primary_hostname = localhost
local_interfaces = 127.0.0.1
daemon_smtp_ports = ${port}
deliver_drop_privilege = true
smtp_accept_max = 0
smtp_accept_queue_per_connection = 0
smtputf8_advertise_hosts = *
host_lookup =
acl_smtp_mail = mail
acl_smtp_rcpt = rcpt
acl_smtp_data = accept
${
  isEncrypted
    ? `tls_advertise_hosts = *
tls_certificate = ${folder}/certificate
tls_privatekey = ${folder}/key
auth_advertise_hosts = \${if def:tls_in_cipher{*}{}}`
    : 'tls_advertise_hosts =\nauth_advertise_hosts ='
}
begin acl
mail:
${isEncrypted ? '  deny message = sign in first\n    !authenticated = *' : ''}
  accept
rcpt:
  defer message = try again later
    local_parts = ^later
  deny message = no such mailbox
    local_parts = ^never
  warn add_header = X-Taken: \${if def:tls_in_cipher{tls}{plain}} $authenticated_id
  accept
begin routers
all:
  driver = accept
  transport = mailbox
begin transports
mailbox:
  driver = appendfile
  directory = ${folder}/mails
  maildir_format
  envelope_to_add
  return_path_add
begin authenticators
plain:
  driver = plaintext
  public_name = PLAIN
  server_prompts = :
  server_condition = \${if and{{eq{$auth2}{custodia}}{eq{$auth3}{let me in}}}}
  server_set_id = $auth2
`

async function readMail(path: string): Promise<TakenMail> {
  const { headers: list, subject = '', text = '' } = await PostalMime.parse(await readFile(path))
  const raw = Object.fromEntries(list.map(({ key, value }) => [key, value]))
  const headers: Record<string, string> = { ...raw, subject }
  const address = (name: string) => (headers[name] ?? '').replace(/^<(.*)>$/, '$1')
  const [tls, user = null] = (headers['x-taken'] ?? '').split(' ')
  return {
    from: address('return-path'),
    to: address('envelope-to').split(/, */),
    tls: tls === 'tls',
    user,
    headers,
    text,
  }
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const isThere = await once(socket, 'connect').then(
    () => true,
    () => false,
  )
  socket.destroy()
  return isThere
}
