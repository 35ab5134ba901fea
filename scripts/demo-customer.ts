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
import type { DemoHook } from '../apps/server/src/demo/reviews.ts'
import { demoFolder } from '../apps/server/src/demo/seed.ts'
import type { DemoTarget } from '../apps/server/src/demo/transfers.ts'

const USERNAME = 'archive'
const MAIL_FROM = 'custodia@demo.example'

/** Servers of the demo's customer: storage for transfers, webhook receiver and mailbox. */
export interface DemoCustomer {
  storage?: DemoTarget
  hook?: DemoHook
  /** Folder of received mails. */
  mailbox?: string
  /** Environment variables with the addresses of these servers. */
  settings: Record<string, string>
  close(): Promise<void>
}

/** Address and credentials of the storage, constant over starts. */
interface StorageSettings {
  port: number
  password: string
  host_key: string
}

/** Port and secret (hex) of the webhook receiver, constant over starts. */
interface HookSettings {
  port: number
  key: string
}

/** A customer server, with the settings that the demo server needs to reach it. */
interface Part<T> {
  value: T
  settings: Record<string, string>
  close(): Promise<void>
}

/**
 * Starts the demo customer's servers; the mailbox only without a configured mail server. Empty without a demo; omits a
 * server whose port is in use.
 */
export async function startDemoCustomer(
  env: NodeJS.ProcessEnv,
  argv: readonly string[],
  say: (step: string) => void,
): Promise<DemoCustomer> {
  const config = demoConfig(env, argv)
  if (!config) return { settings: {}, close: async () => undefined }
  const folder = demoFolder(config.dataDir)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const start = <T>(name: string, startPart: (folder: string) => Promise<Part<T>>) =>
    startPart(folder).catch((error: unknown) => {
      say(`  The demo’s customer has no ${name} this time: ${String(error)}`)
      return undefined
    })
  const storage = await start('SFTP server', startStorage)
  const hook = await start('receiver of webhooks', startHook)
  const mailbox = config.smtp ? undefined : await start('mailbox', startMailbox)
  const parts = [storage, hook, mailbox].filter((part) => part !== undefined)
  // The connection guard rejects loopback, except for these servers.
  const allowed = parts.flatMap(({ settings }) => settings['EGRESS_ALLOW'] ?? [])
  return {
    ...(storage && { storage: storage.value }),
    ...(hook && { hook: hook.value }),
    ...(mailbox && { mailbox: mailbox.value }),
    settings: {
      ...mailbox?.settings,
      EGRESS_ALLOW: [env['EGRESS_ALLOW'], ...allowed].filter(Boolean).join(','),
    },
    close: async () => void (await Promise.all(parts.map((part) => part.close()))),
  }
}

async function startStorage(folder: string): Promise<Part<DemoTarget>> {
  const file = join(folder, 'customer-server.json')
  const saved = await readSettings<StorageSettings>(file)
  const {
    port,
    password,
    host_key: key,
  } = saved ?? { port: 0, password: randomBytes(18).toString('base64url'), host_key: hostKey() }
  const server: CustomerServer = await startCustomerServer({
    folder: join(folder, 'customer-server'),
    port,
    username: USERNAME,
    password,
    host_key: key,
  })
  await saveSettings<StorageSettings>(file, { port: server.port, password, host_key: key })
  return {
    value: {
      host: server.host,
      port: server.port,
      username: USERNAME,
      password,
      fingerprint: server.fingerprint,
    },
    settings: { EGRESS_ALLOW: `sftp://${server.host}:${server.port}` },
    close: () => server.close(),
  }
}

async function startHook(folder: string): Promise<Part<DemoHook>> {
  const file = join(folder, 'customer-hook.json')
  const saved = await readSettings<HookSettings>(file)
  const key = saved ? Buffer.from(saved.key, 'hex') : randomBytes(32)
  const hook = await startCustomerHook(join(folder, 'webhooks'), { port: saved?.port ?? 0, key })
  await saveSettings<HookSettings>(file, { port: hook.port, key: key.toString('hex') })
  return {
    value: { url: hook.url, key },
    settings: { EGRESS_ALLOW: new URL(hook.url).origin },
    close: () => hook.close(),
  }
}

async function startMailbox(folder: string): Promise<Part<string>> {
  const mails = join(folder, 'mails')
  const { host, port, close } = await startCustomerMailbox(mails)
  return {
    value: mails,
    settings: { SMTP_URL: `smtp://${host}:${port}?tls=never`, SMTP_FROM: MAIL_FROM },
    close,
  }
}

/** Undefined: no demo, no API in this process, or an invalid configuration, which the server reports at start. */
function demoConfig(env: NodeJS.ProcessEnv, argv: readonly string[]): Config | undefined {
  try {
    const config = readConfig(env, argv)
    return config.demo && config.services.includes('api') ? config : undefined
  } catch {
    return undefined
  }
}

async function readSettings<T>(file: string): Promise<T | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as T
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

async function saveSettings<T>(file: string, settings: T): Promise<void> {
  await writeFile(`${file}.part`, JSON.stringify(settings), { mode: 0o600 })
  await rename(`${file}.part`, file)
}
