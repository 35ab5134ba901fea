import { createHash, timingSafeEqual } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import ssh2, { type AuthContext, type Connection } from 'ssh2'
import { serveFiles } from './customer-files.ts'

/** What a customer's server is started with. */
export interface CustomerServerOptions {
  /** What whoever signs in sees as `/`. */
  folder: string
  /** 0: any that is free. */
  port: number
  username: string
  password: string
  /** A private host key, as `hostKey` makes one. */
  host_key: string
}

export interface CustomerServer {
  host: string
  port: number
  /** Of its host key, as `ssh-keygen -l` shows it. */
  fingerprint: string
  close(): Promise<void>
}

const HOST = '127.0.0.1'

/** A new private host key. */
export const hostKey = (): string => ssh2.utils.generateKeyPairSync('ed25519').private

/**
 * The storage of a pretend customer: an SFTP server (version 3) on loopback, with one user. It offers nothing but files, none of OpenSSH's
 * extensions, and nothing outside its folder. Rejects when the port is taken.
 */
export async function startCustomerServer(options: CustomerServerOptions): Promise<CustomerServer> {
  const key = ssh2.utils.parseKey(options.host_key)
  if (key instanceof Error) throw key
  await mkdir(options.folder, { recursive: true, mode: 0o700 })
  const open = new Set<Connection>()
  const server = new ssh2.Server({ hostKeys: [options.host_key] }, (connection) => {
    open.add(connection)
    // Requests are small, and each waits for the answer to the one before. The types of the library do not know it.
    ;(connection as Connection & { setNoDelay(isOn: boolean): void }).setNoDelay(true)
    connection.on('close', () => open.delete(connection))
    // Whoever cuts the line, or never speaks SSH, is no reason to end.
    connection.on('error', () => undefined)
    connection.on('authentication', (context) => authenticate(context, options))
    connection.on('ready', () =>
      connection.on('session', (accept) =>
        accept().on('sftp', (take) => {
          serveFiles(take(), options.folder)
        }),
      ),
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, HOST, resolve)
  })
  server.unref()
  return {
    host: HOST,
    port: (server.address() as AddressInfo).port,
    fingerprint: `SHA256:${createHash('sha256').update(key.getPublicSSH()).digest('base64').replace(/=+$/, '')}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const connection of open) connection.end()
      }),
  }
}

function authenticate(context: AuthContext, { username, password }: CustomerServerOptions): void {
  if (context.method !== 'password') return context.reject(['password'])
  const isRight = [isSame(context.username, username), isSame(context.password, password)]
  if (isRight.every(Boolean)) context.accept()
  else context.reject(['password'])
}

const digest = (text: string) => createHash('sha256').update(text).digest()
const isSame = (given: string, right: string) => timingSafeEqual(digest(given), digest(right))
