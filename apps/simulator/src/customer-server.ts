import { createHash, timingSafeEqual } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import ssh2, { type AuthContext, type Connection } from 'ssh2'
import { serveFiles } from './customer-files.ts'

/** Settings of the customer's server. */
export interface CustomerServerOptions {
  /** Folder served as `/`. */
  folder: string
  /** 0: any free port. */
  port: number
  username: string
  password: string
  /** Private host key from `hostKey`. */
  host_key: string
}

export interface CustomerServer {
  host: string
  port: number
  /** Fingerprint of the host key, as in `ssh-keygen -l`. */
  fingerprint: string
  close(): Promise<void>
}

const HOST = '127.0.0.1'

/** Creates a private host key. */
export const hostKey = (): string => ssh2.utils.generateKeyPairSync('ed25519').private

/**
 * The simulated customer's storage: an SFTP server (version 3) on loopback with one user. Serves files of its folder
 * only, without OpenSSH extensions. Rejects when the port is in use.
 */
export async function startCustomerServer(options: CustomerServerOptions): Promise<CustomerServer> {
  const key = ssh2.utils.parseKey(options.host_key)
  if (key instanceof Error) throw key
  await mkdir(options.folder, { recursive: true, mode: 0o700 })
  const open = new Set<Connection>()
  const server = new ssh2.Server({ hostKeys: [options.host_key] }, (connection) => {
    open.add(connection)
    // Requests are small and sequential, so Nagle's algorithm would delay them. The library's types lack the method.
    ;(connection as Connection & { setNoDelay(isOn: boolean): void }).setNoDelay(true)
    connection.on('close', () => open.delete(connection))
    // A broken or non-SSH connection must not end the server.
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
