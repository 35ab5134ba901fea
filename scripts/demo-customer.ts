import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type CustomerServer,
  hostKey,
  startCustomerHook,
  startCustomerMailbox,
  startCustomerServer,
} from '@custodia/simulator'
import { type Config, readConfig } from '../apps/server/src/config.ts'
import { demoFolder } from '../apps/server/src/demo/seed.ts'
import type { DemoTarget } from '../apps/server/src/demo/transfers.ts'
import type { DemoHook } from '../apps/server/src/demo/webhooks.ts'

const USERNAME = 'archive'
const MAIL_FROM = 'custodia@demo.example'

/** What the demo's customer runs: the storage that transfers go to, the receiver of alerts, and a mailbox. */
export interface DemoCustomer {
  storage?: DemoTarget
  hook?: DemoHook
  /** The folder in which mails arrive. */
  mailbox?: string
}

/** What the pretend customer's storage is called by, from one start to the next. */
interface KeptStorage {
  port: number
  password: string
  host_key: string
}

/** The same of the receiver of alerts; its secret in hex. */
interface KeptHook {
  port: number
  key: string
}

/**
 * Starts what the demo's customer runs and lets the server that is started next reach it, past the guard that refuses loopback. Who has a mail server of
 * their own keeps it. Empty: there is no demo; without a part: another program has its port.
 */
export async function startDemoCustomer(
  argv: readonly string[],
  say: (step: string) => void,
): Promise<DemoCustomer> {
  const config = demoConfig(argv)
  if (!config) return {}
  const folder = demoFolder(config.dataDir)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const part = <T>(what: string, start: (folder: string) => Promise<T>): Promise<T | undefined> =>
    start(folder).catch((error: unknown) => {
      say(`  The demo’s customer has no ${what} this time: ${String(error)}`)
      return undefined
    })
  return {
    storage: await part('SFTP server', startStorage),
    hook: await part('receiver of alerts', startHook),
    mailbox: config.smtp ? undefined : await part('mailbox', startMailbox),
  }
}

async function startStorage(folder: string): Promise<DemoTarget> {
  const file = join(folder, 'customer-server.json')
  const kept = await readKept<KeptStorage>(file)
  const { port, password, host_key } = kept ?? {
    port: 0,
    password: randomBytes(18).toString('base64url'),
    host_key: hostKey(),
  }
  const server: CustomerServer = await startCustomerServer({
    folder: join(folder, 'customer-server'),
    port,
    username: USERNAME,
    password,
    host_key,
  })
  if (!kept) await keep(file, { port: server.port, password, host_key })
  admit(`sftp://${server.host}:${server.port}`)
  return {
    host: server.host,
    port: server.port,
    username: USERNAME,
    password,
    fingerprint: server.fingerprint,
  }
}

async function startHook(folder: string): Promise<DemoHook> {
  const file = join(folder, 'customer-hook.json')
  const kept = await readKept<KeptHook>(file)
  const key = kept ? Buffer.from(kept.key, 'hex') : randomBytes(32)
  const hook = await startCustomerHook(join(folder, 'webhooks'), { port: kept?.port ?? 0, key })
  if (!kept) await keep(file, { port: hook.port, key: key.toString('hex') })
  admit(new URL(hook.url).origin)
  return { url: hook.url, key }
}

async function startMailbox(folder: string): Promise<string> {
  const mails = join(folder, 'mails')
  const { host, port } = await startCustomerMailbox(mails)
  process.env.SMTP_URL = `smtp://${host}:${port}?tls=never`
  process.env.SMTP_FROM = MAIL_FROM
  return mails
}

/** Lets the guard before outgoing connections pass this origin. */
function admit(origin: string): void {
  process.env.EGRESS_ALLOW = [process.env.EGRESS_ALLOW, origin].filter(Boolean).join(',')
}

/** Undefined: no demo, no API here, or a configuration with faults, which whoever starts the server tells. */
function demoConfig(argv: readonly string[]): Config | undefined {
  try {
    const config = readConfig(process.env, argv)
    return config.demo && config.services.includes('api') ? config : undefined
  } catch {
    return undefined
  }
}

async function readKept<T>(file: string): Promise<T | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as T
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

async function keep(file: string, kept: KeptStorage | KeptHook): Promise<void> {
  await writeFile(`${file}.part`, JSON.stringify(kept), { mode: 0o600 })
  await rename(`${file}.part`, file)
}
