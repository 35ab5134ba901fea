import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose'
import { findProgram } from './daemon.ts'

export const opensslAvailable = (): boolean => findProgram('openssl') !== undefined

interface TestCertificate {
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

type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>

/** An issuer of tokens for client apps: publishes its keys at a real https address. */
export interface TestIssuer {
  /** Origin, for EGRESS_ALLOW; also what its tokens say. */
  issuer: string
  jwks_uri: string
  /** How often its keys were requested. */
  asked: () => number
  /** Publishes keys; a string is sent unchanged. */
  publish(keys: JWK[] | string): void
  /** A new key of its own, not published yet. */
  newKey(kid: string, alg?: string): Promise<{ pair: KeyPair; jwk: JWK }>
  /** The first key: RS256, published. */
  key: { pair: KeyPair; jwk: JWK }
  /** A token of the first key, or another one. */
  sign(claims: JWTPayload, how?: { header?: object; key?: CryptoKey | Uint8Array }): Promise<string>
  close(): Promise<void>
}

/** Starts an issuer with a certificate that this process trusts. */
export async function testIssuer(): Promise<TestIssuer> {
  const certificate = makeCertificate('localhost')
  setDefaultCACertificates([...getCACertificates('default'), certificate.cert])
  let published = ''
  let asked = 0
  const server = await startTlsServer(certificate, (_request, response) => {
    asked++
    response.setHeader('content-type', 'application/json').end(published)
  })
  const issuer = `https://localhost:${server.port}`
  const newKey = async (kid: string, alg = 'RS256') => {
    const pair = await generateKeyPair(alg, { extractable: true })
    return { pair, jwk: { ...(await exportJWK(pair.publicKey)), kid, alg, use: 'sig' } }
  }
  const publish = (keys: JWK[] | string) =>
    void (published = typeof keys === 'string' ? keys : JSON.stringify({ keys }))
  const key = await newKey('first')
  publish([key.jwk])
  return {
    issuer,
    jwks_uri: `${issuer}/keys`,
    asked: () => asked,
    publish,
    newKey,
    key,
    sign: (claims, { header = {}, key: other } = {}) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: 'RS256', kid: 'first', ...header })
        .sign(other ?? key.pair.privateKey),
    close: () => server.close(),
  }
}
