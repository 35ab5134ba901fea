import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose'
import { makeCertificate, startTlsServer } from './tls-server.ts'

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
