import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RequestListener } from 'node:http'
import { findProgram } from './daemon.ts'

export const opensslAvailable = (): boolean => findProgram('openssl') !== undefined

export interface TestCertificate {
  key: string
  /** Its own authority. */
  cert: string
}

/** A certificate for those host names that only the test trusts. */
export function makeCertificate(...hosts: string[]): TestCertificate {
  const folder = mkdtempSync(join(tmpdir(), 'custodia-tls-'))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  try {
    const names = hosts.map((host) => `DNS:${host}`).join(',')
    const subject = ['-subj', '/CN=Custodia test', '-addext', `subjectAltName=${names}`]
    const newKey = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', key, '-out', cert]
    execFileSync(findProgram('openssl') ?? '', ['req', ...newKey, ...subject], { stdio: 'pipe' })
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export interface TlsServer {
  port: number
  /** Number of connections so far, including those without a request. */
  connections: () => number
  /** Host names of callers' handshakes. */
  names: string[]
  close(): Promise<void>
}

/** An https server on a loopback address. */
export async function startTlsServer(
  { key, cert }: TestCertificate,
  listener: RequestListener,
  address = '127.0.0.1',
  port = 0,
): Promise<TlsServer> {
  const names: string[] = []
  let connections = 0
  const server: Server = createServer({ key, cert }, listener)
  server.on('connection', () => void connections++)
  server.on('secureConnection', (socket: Socket & { servername?: string | false }) => {
    names.push(String(socket.servername))
  })
  server.listen(port, address)
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    names,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
