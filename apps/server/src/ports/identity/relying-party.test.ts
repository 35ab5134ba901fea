import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync } from 'node:crypto'
import { after, before, test } from 'node:test'
import { type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import { type IdentityProvider, ProviderUnavailable, SignInRefused } from './port.ts'
import { type TestProvider, testProvider } from './provider.test-support.ts'
import { loopbackFetch, relyingParty } from './relying-party.ts'

let provider: TestProvider
let party: IdentityProvider
before(async () => {
  provider = await testProvider()
  party = relyingParty({
    issuer: provider.issuer,
    client_id: 'portal',
    client_secret: 'a secret of the portal',
  })
})
after(() => provider.close())

const returned = {
  code: 'the-code',
  redirect_uri: 'http://portal.example/sign-in',
  nonce: 'the-nonce',
  code_verifier: 'v'.repeat(43),
}
const PERSON: JWTPayload = { sub: 'alice', client: 'acme', roles: ['Auditor'], nonce: 'the-nonce' }

/** Redeems a code for which the provider answers that id token. */
async function redeem(id_token: string) {
  provider.answer = async () => ({
    access_token: 'a',
    token_type: 'bearer',
    refresh_token: 'r',
    expires_in: 60,
    id_token,
  })
  return party.redeem(returned)
}

test('the sign-in address carries PKCE, state and nonce, and asks for renewal where that needs asking', async () => {
  const url = new URL(
    await party.signInUrl({ ...returned, client: 'acme', state: 'the-state', locale: 'pt-BR' }),
  )
  const challenge = createHash('sha256').update(returned.code_verifier).digest('base64url')
  assert.equal(url.searchParams.get('code_challenge'), challenge)
  assert.equal(url.searchParams.get('code_challenge_method'), 'S256')
  assert.equal(url.searchParams.get('state'), 'the-state')
  assert.equal(url.searchParams.get('nonce'), 'the-nonce')
  assert.equal(url.searchParams.get('ui_locales'), 'pt-BR')
  assert.match(url.searchParams.get('scope') ?? '', /offline_access/)
})

test('claims of a good token are read; the verifier goes along', async () => {
  const { claims, tokens } = await redeem(await provider.sign({ ...PERSON, groups: 'North' }))
  assert.deepEqual(claims, {
    user_reference: 'alice',
    client: 'acme',
    roles: ['Auditor'],
    user_group: undefined,
    groups: ['North'],
  })
  assert.equal(tokens.refresh_token, 'r')
  assert.equal(provider.forms.at(-1)?.get('code_verifier'), returned.code_verifier)
})

const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
const times = { iat: Math.floor(Date.now() / 1000), exp: Math.floor(Date.now() / 1000) + 300 }
const forged = (header: { alg: string; kid?: string }, key: Parameters<SignJWT['sign']>[0]) =>
  new SignJWT({ ...PERSON, ...times, iss: provider.issuer, aud: 'portal' })
    .setProtectedHeader(header)
    .sign(key)

const BAD: Record<string, () => Promise<string>> = {
  'another nonce': () => provider.sign({ ...PERSON, nonce: 'other' }),
  'no nonce': () => provider.sign({ ...PERSON, nonce: undefined }),
  'another audience': () => provider.sign({ ...PERSON, aud: 'elsewhere' }),
  'another issuer': () => provider.sign({ ...PERSON, iss: 'https://evil.example' }),
  'no signature': async () =>
    new UnsecuredJWT({ ...PERSON, ...times, iss: provider.issuer, aud: 'portal' }).encode(),
  'the client secret as key': () =>
    forged({ alg: 'HS256' }, Buffer.from('a secret of the portal'.padEnd(32))),
  "a stranger's key": () => forged({ alg: 'RS256', kid: 'one' }, stranger),
  'groups that are no list': () => provider.sign({ ...PERSON, groups: { North: true } }),
  'a reference with control characters': () => provider.sign({ ...PERSON, sub: 'al\nice' }),
}
for (const [name, make] of Object.entries(BAD)) {
  test(`refuses a token with ${name}`, async () => {
    const token = await make()
    await assert.rejects(redeem(token), (error) => error instanceof SignInRefused || isProtocolFault(error))
  })
}

/** Refused before the signature was looked at; no session comes of it either way. */
const isProtocolFault = (error: unknown) =>
  error instanceof ProviderUnavailable && error.message.startsWith('OAUTH_')

test('a no of the provider is a refusal; silence and quarrels with us are not', async () => {
  provider.answer = async () => ({ error: 'invalid_grant' })
  await assert.rejects(party.renew({ refresh_token: 'r' }), SignInRefused)
  provider.answer = async () => ({ error: 'invalid_client' })
  await assert.rejects(party.renew({ refresh_token: 'r' }), ProviderUnavailable)
  provider.answer = async () => ({ surprise: true })
  await assert.rejects(party.renew({ refresh_token: 'r' }), ProviderUnavailable)
  const gone = relyingParty({ issuer: 'http://127.0.0.1:9', client_id: 'portal', client_secret: 'x' })
  await assert.rejects(gone.renew({ refresh_token: 'r' }), ProviderUnavailable)
})

test('a renewal keeps the old token when the provider gives no new one', async () => {
  const id_token = await provider.sign(PERSON)
  provider.answer = async () => ({ access_token: 'a', token_type: 'bearer', id_token })
  const { tokens } = await party.renew({ refresh_token: 'kept' })
  assert.equal(tokens.refresh_token, 'kept')
})

test('the address to sign out at returns to the portal', async () => {
  const url = new URL((await party.signOutUrl({ id_token: 'hint' }, 'https://portal.example/sign-in')) ?? '')
  assert.equal(url.searchParams.get('post_logout_redirect_uri'), 'https://portal.example/sign-in')
  assert.equal(url.searchParams.get('id_token_hint'), 'hint')
})

test('a provider on the network must be reached over TLS', async () => {
  const party = relyingParty({ issuer: 'http://idp.example', client_id: 'portal', client_secret: 'x' })
  await assert.rejects(party.renew({ refresh_token: 'r' }), ProviderUnavailable)
})

test('the loopback fetch reaches nothing but our own provider', async () => {
  const send = loopbackFetch('https://portal.example', () => provider.issuer)
  assert.equal((await send('https://portal.example/jwks')).status, 200)
  await assert.rejects(send('https://elsewhere.example/jwks'), TypeError)
})
