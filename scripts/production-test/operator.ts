/** Runs in the machine of production-test.ts, as its operator, people and first device. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { appendFile, chown, cp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Person, signIn } from '../../apps/server/src/testing/browser.ts'
import { type Daemon, startDaemon, untilReady } from '../../apps/server/src/testing/daemon.ts'
import { startLemonldap } from '../../apps/server/src/testing/lemonldap.ts'
import { makeBucket, startRadosgw } from '../../apps/server/src/testing/radosgw.ts'
import { startDebianServer } from '../../apps/server/src/testing/streaming-pair.ts'
import { ROOT } from '../run.ts'

const shell = promisify(execFile)
const MAX = 10

/** The commands of the README's section "In production". */
interface Commands {
  /** The command that begins so, with its placeholders replaced. Throws when there is not exactly one, or a placeholder is left. */
  take(begin: string, values?: Record<string, string>): string
  /** Runs that command and resolves to what it printed on standard output. */
  run(begin: string, values?: Record<string, string>): Promise<string>
  /** Commands that were not taken. */
  rest(): string[]
}

/** Reads them. Throws when there are more than ten. */
async function readmeCommands(): Promise<Commands> {
  const readme = await readFile(join(ROOT, 'README.md'), 'utf8')
  const [, section = ''] = /^## In production\n(.*?)^## /ms.exec(readme) ?? []
  const lines = [...section.matchAll(/^```sh\n(.*?)^```/gms)].flatMap(([, block = '']) =>
    block.trim().split('\n'),
  )
  assert.ok(
    lines.length > 0 && lines.length <= MAX,
    `the README has ${lines.length} commands, not 1 to ${MAX}`,
  )
  const taken = new Set<string>()
  const take = (begin: string, values: Record<string, string> = {}) => {
    const [line = '', ...others] = lines.filter((each) => each.startsWith(begin))
    assert.ok(
      line !== '' && others.length === 0,
      `the README has ${line ? 'several commands' : 'no command'} ${begin}`,
    )
    taken.add(line)
    const command = Object.entries(values).reduce((text, [name, value]) => text.replaceAll(name, value), line)
    assert.doesNotMatch(command, /…|<\w/, 'a placeholder is left')
    return command
  }
  return {
    take,
    async run(begin, values) {
      const command = take(begin, values)
      console.log(`# ${command}`)
      const { stdout } = await shell('sh', ['-c', command], { cwd: '/' })
      return stdout
    },
    rest: () => lines.filter((line) => !taken.has(line)),
  }
}

const NGINX = ['nginx', '-g', 'daemon off;']

/** Starts and stops services as `systemctl` does, which needs a machine that systemd has booted. Reads the unit files that are installed. */
class Services {
  readonly #running = new Map<string, Daemon>()

  /** Runs a command line `systemctl restart …`, and waits until each process of Custodia is ready. */
  async systemctl(command: string): Promise<void> {
    const [, verb, ...names] = command.split(' ')
    assert.equal(verb, 'restart')
    console.log(`# ${command}`)
    await this.stop()
    for (const name of names) {
      const [program = '', ...args] = name === 'nginx' ? NGINX : await getCommand(name)
      this.#running.set(name, startDaemon(program, args))
    }
    for (const [name, daemon] of this.#running) {
      const [, port] = name.split('@')
      if (port !== undefined)
        await untilReady(daemon, name, async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok)
    }
  }

  /** What the services have printed last. */
  output(): string {
    return [...this.#running].map(([name, daemon]) => `${name}:\n${daemon.output()}`).join('\n')
  }

  /** Ends every service. */
  async stop(): Promise<void> {
    await Promise.all([...this.#running.values()].map((daemon) => daemon.stop()))
    this.#running.clear()
  }
}

/** What systemd runs for `prefix@instance`, as the user of the unit. */
async function getCommand(name: string): Promise<string[]> {
  const [prefix = '', instance = ''] = name.split('@')
  const unit = await readFile(`/etc/systemd/system/${prefix}@.service`, 'utf8')
  const valueOf = (key: string) => {
    const [, value] = new RegExp(`^${key}=(.+)$`, 'm').exec(unit) ?? []
    assert.ok(value, `${prefix}@.service has no ${key}`)
    // %j is the last part of the prefix.
    return value.replaceAll('%i', instance).replaceAll('%j', prefix.split('-').at(-1) ?? '')
  }
  const [environment, start] = [valueOf('Environment').split(' '), valueOf('ExecStart').split(' ')]
  const user = [`--reuid=${valueOf('User')}`, `--regid=${valueOf('Group')}`, '--init-groups']
  return ['setpriv', ...user, '--', 'env', ...environment, ...start]
}

const ORIGIN = 'https://custodia.example'
const SETTINGS = '/etc/custodia/custodia.env'
const DATA = '/var/lib/custodia'
const CLONE = '/opt/custodia'
/** Of the checkout too: what `npm test` has compiled counts. */
const CACHE = join(CLONE, 'node_modules/.cache/node')

const commands = await readmeCommands()
const services = new Services()
// It is the first process of the machine: what it starts ends with it.
process.on('uncaughtExceptionMonitor', () => console.error(services.output()))

// What the operator has: names, an identity provider, a bucket, disks for backups, and a PostgreSQL.
await appendFile('/etc/hosts', '\n127.0.0.1 custodia.example db.example\n')
// Programs are compiled once, not by each command.
process.env['NODE_COMPILE_CACHE'] = CACHE
process.env['NODE_COMPILE_CACHE_PORTABLE'] = '1'
const kept = 'Defaults env_keep += "NODE_COMPILE_CACHE NODE_COMPILE_CACHE_PORTABLE"\n'
await writeFile('/etc/sudoers.d/cache', kept, { mode: 0o440 })
const login = await startLemonldap(`${ORIGIN}/sign-in`, {
  user_reference: { dwho: 'you@example.com', rtyler: 'jane@acme.example', msmith: 'mary@acme.example' },
  client: { msmith: 'acme' },
  roles: { dwho: [], rtyler: [], msmith: ['Compliance Reviewer'] },
})

// From an empty machine to the call that is played. The S3 server starts meanwhile.
const [objects] = await Promise.all([startRadosgw({ hasCustomer: false }), install()])
const bucket = await makeBucket(objects, 'custodia')
let database = startDatabase()
await fillIn({
  DATABASE_URL: 'postgres://custodia:secret@db.example/custodia',
  BACKUP_DATABASE_URL: 'postgres://custodia_backup:secret@db.example/custodia',
  PUBLIC_URL: ORIGIN,
  S3_ENDPOINT: objects.endpoint,
  S3_BUCKET: 'custodia',
  S3_ACCESS_KEY_ID: objects.accessKeyId,
  S3_SECRET_ACCESS_KEY: objects.secretAccessKey,
  OIDC_ISSUER: login.issuer,
  OIDC_CLIENT_ID: login.client_ids[0],
  OIDC_CLIENT_SECRET: login.client_secret,
})
const { uid, gid } = await stat(DATA)
await shareCache()
for (const disk of ['/backup', '/vault']) {
  await mkdir(disk)
  await chown(disk, uid, gid)
}
await makeDatabase()
const stated = await commands.run('sudo -u custodia custodia bootstrap')
assert.ok(stated.includes(`you@example.com signs in at ${ORIGIN}/sign-in?client=admin`), stated)
await services.systemctl(commands.take('systemctl'))
await administrator('admin', 'dwho', ['Provider Administrator', 'Account Administrator'])
const tenant = await commands.run('sudo -u custodia custodia tenant create')
await administrator('acme', 'rtyler', ['Account Administrator'])
const [, enrolment = ''] = /^Enrolment of the first device: (.+)$/m.exec(tenant) ?? []
const recorded = await commands.run('npm --prefix /opt/custodia run phone', { '<enrolment>': enrolment })
const payload_reference = recorded.trim().split('/').at(-1) ?? ''
const recording = await playedCall()

// A backup, the loss of database, objects and keys, and the state after the restore.
await commands.run('sudo -u custodia custodia backup')
await services.stop()
database.stop()
await rm(DATA, { recursive: true })
assert.ok((await bucket.empty()) > 0, 'the bucket had the call')
database = startDatabase()
await commands.run('/opt/custodia/deploy/install.sh')
await makeDatabase()
const time = (await readdir('/backup/custodia')).find((name) => /^\d/.test(name)) ?? ''
await commands.run('sudo -u custodia custodia restore', { '<time>': time })
console.log(await commands.run('sudo -u custodia custodia verify'))
// One process of the four is enough to play the call; nginx passes over the other.
await services.systemctl('systemctl restart custodia-api@4001 nginx')
assert.deepEqual(await playedCall(), recording)
assert.deepEqual(commands.rest(), [], 'every command of the README was run')
process.exit()

/** Clones and installs. Packages and portal need not be made again: the stamps of both say whether they fit. */
async function install(): Promise<void> {
  await commands.run('git clone', { '<this repository>': '/srv/custodia.git' })
  await mkdir(join(CLONE, 'node_modules'))
  await shell('mount', ['--bind', join(ROOT, 'node_modules'), join(CLONE, 'node_modules')])
  const portal = 'apps/web/dist'
  if (existsSync(join(ROOT, portal))) await cp(join(ROOT, portal), join(CLONE, portal), { recursive: true })
  await commands.run('/opt/custodia/deploy/install.sh')
}

/** Node keeps what it has compiled by user; the folder's name ends with the user's number. */
async function shareCache(): Promise<void> {
  for (const name of await readdir(CACHE)) {
    const own = join(CACHE, name.replace(/-0$/, `-${uid}`))
    // A file that other programs rename during the copy is compiled again.
    if (!existsSync(own))
      await shell('cp', ['--recursive', join(CACHE, name), own]).catch((error: unknown) =>
        console.warn(error),
      )
    await shell('chown', ['--recursive', `${uid}:${gid}`, own])
  }
}

/** An outside PostgreSQL on the network, and its superuser postgres. */
function startDatabase() {
  return startDebianServer(`listen_addresses = '127.0.0.1'`, 'fsync = on', 'max_connections = 120')
}

async function makeDatabase(): Promise<void> {
  await database.sql('create role postgres superuser login')
  await commands.run('psql', { 'password=…': 'password=secret' })
}

/** Writes values into the settings file that install.sh has made. */
async function fillIn(values: Record<string, string>): Promise<void> {
  let text = await readFile(SETTINGS, 'utf8')
  for (const [name, value] of Object.entries(values)) {
    assert.match(text, new RegExp(`^${name}=`, 'm'), `the settings file has no ${name}`)
    text = text.replace(new RegExp(`^${name}=.*$`, 'm'), `${name}="${value}"`)
  }
  await writeFile(SETTINGS, text)
}

function person(client: string, user: string): Promise<Person> {
  return signIn(ORIGIN, client, user, { password: user, issuer: login.issuer })
}

async function administrator(client: string, user: string, roles: readonly string[]): Promise<void> {
  const { api } = await person(client, user)
  assert.deepEqual((await api.readProfile({})).roles, roles)
}

/** The call as it was recorded, after a reviewer has played it. */
async function playedCall(): Promise<Buffer> {
  const { api, fetch: get } = await person('acme', 'msmith')
  const call = await api.readPayload({ params: { payload_reference } })
  const getBytes = async (action: 'play' | 'download') => {
    const { s3_url = '' } = await api.readPayloadData({ params: { payload_reference }, query: { action } })
    assert.equal(new URL(s3_url).origin, ORIGIN)
    const answer = await get(s3_url)
    assert.equal(answer.status, 200)
    return Buffer.from(await answer.arrayBuffer())
  }
  assert.ok((await getBytes('play')).length > 0)
  const recording = await getBytes('download')
  assert.equal(createHash('sha256').update(recording).digest('hex'), call.decrypted_checksum)
  return recording
}
