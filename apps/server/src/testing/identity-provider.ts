import { generateKeyPairSync } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type JWTPayload, SignJWT } from 'jose'

export interface TestProvider {
  issuer: string
  publicKeyPem: string
  /** Signs a token as the provider does. */
  sign(claims: JWTPayload, header?: { typ?: string }): Promise<string>
  described: Record<string, string>
  /** Requests so far. */
  requests: () => number
  /** What the token endpoint answers next; throws an OAuth error by giving `error`. */
  answer: (form: URLSearchParams) => Promise<Record<string, unknown>>
  /** Client secrets of requests to the token endpoint; undefined: none. */
  secrets: (string | undefined)[]
  /** Forms that the token and revocation endpoints got. */
  forms: URLSearchParams[]
  close(): Promise<void>
}

/** A third-party provider with a token endpoint whose answers the test chooses. */
export async function testProvider(client_id = 'portal'): Promise<TestProvider> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const jwks = { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256', use: 'sig' }] }
  const forms: URLSearchParams[] = []
  const secrets: (string | undefined)[] = []
  let requests = 0
  const server = createServer(async (request, response) => {
    requests++
    const send = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    const { issuer } = provider
    if (request.url === '/.well-known/openid-configuration') {
      return send(200, {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        revocation_endpoint: `${issuer}/revoke`,
        end_session_endpoint: `${issuer}/end`,
        jwks_uri: `${issuer}/jwks`,
        scopes_supported: ['openid', 'offline_access'],
        id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
        ...provider.described,
      })
    }
    if (request.url === '/jwks') return send(200, jwks)
    const form = new URLSearchParams(await getText(request))
    forms.push(form)
    secrets.push(getSecret(request, form))
    if (request.url === '/revoke') return response.writeHead(200).end()
    const body = await provider.answer(form)
    return send('error' in body ? 400 : 200, body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const provider: TestProvider = {
    issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    publicKeyPem: publicKey.export({ format: 'pem', type: 'spki' }).toString(),
    described: {},
    requests: () => requests,
    sign(claims, header) {
      const iat = Math.floor(Date.now() / 1000)
      return new SignJWT({ iss: provider.issuer, aud: client_id, iat, exp: iat + 300, ...claims })
        .setProtectedHeader({ alg: 'RS256', kid: 'one', ...header })
        .sign(privateKey)
    },
    answer: async () => ({ error: 'invalid_grant' }),
    forms,
    secrets,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return provider
}

function getSecret({ headers }: IncomingMessage, form: URLSearchParams): string | undefined {
  const basic = /^Basic (.*)$/.exec(headers.authorization ?? '')?.[1]
  if (basic === undefined) return form.get('client_secret') ?? undefined
  // Both halves are escaped before they are joined (RFC 6749 2.3.1).
  return decodeURIComponent(Buffer.from(basic, 'base64').toString().split(':')[1] ?? '')
}

async function getText(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return text
}
