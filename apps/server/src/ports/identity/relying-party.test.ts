import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { type JWTHeaderParameters, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import { testProvider } from '../../testing/identity-provider.ts'
import { makeEgress } from '../egress/guard.ts'
import { isReturnAddress } from './embedded.ts'
import { Attempts } from './interaction.ts'
import { pageLocale } from './page.ts'
import { hashPassword, isPassword } from './people.ts'
import { ProviderUnavailable, SignInRefused } from './port.ts'
import { loopbackReach, relyingParty } from './relying-party.ts'
import { makeSeal } from './sealed.ts'

const provider = await testProvider()
after(() => provider.close())
const party = relyingParty(
  { issuer: provider.issuer, client_id: 'portal', client_secret: 'a secret of the portal' },
  makeEgress({ allow: [provider.issuer] }),
)

const returned = {
  code: 'the-code',
  redirect_uri: 'http://portal.example/sign-in',
  nonce: 'the-nonce',
  code_verifier: 'v'.repeat(43),
}
const PERSON: JWTPayload = { sub: 'alice', client: 'acme', roles: ['Auditor'], nonce: 'the-nonce' }

/** Redeems a code for which the provider returns that id token. */
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

test('builds a sign-in address with PKCE, state, nonce and offline access', async () => {
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

test('reads the claims of a valid token and sends the code verifier', async () => {
  const { claims, tokens } = await redeem(await provider.sign({ ...PERSON, groups: 'North' }))
  assert.deepEqual([claims.sub, claims.groups], ['alice', 'North'])
  assert.equal(tokens.refresh_token, 'r')
  assert.equal(provider.forms.at(-1)?.get('code_verifier'), returned.code_verifier)
})

const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
const times = { iat: Math.floor(Date.now() / 1000), exp: Math.floor(Date.now() / 1000) + 300 }
const forged = (header: JWTHeaderParameters, key: Parameters<SignJWT['sign']>[0]) =>
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
  'the public key as a shared secret': () =>
    forged({ alg: 'HS256', kid: 'one' }, Buffer.from(provider.publicKeyPem)),
  'its own key embedded in the header': () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    return forged({ alg: 'RS256', jwk: publicKey.export({ format: 'jwk' }) }, privateKey)
  },
  'an expiry time in the past': () => provider.sign({ ...PERSON, exp: times.iat - 60 }),
  'no expiry time': () => provider.sign({ ...PERSON, exp: undefined }),
  'a start time in the future': () => provider.sign({ ...PERSON, nbf: times.iat + 600 }),
  'the type of an access token': () => provider.sign(PERSON, { typ: 'at+jwt' }),
  'the type of a sign-out token': () => provider.sign(PERSON, { typ: 'logout+jwt' }),
  'several audiences and another authorised party': () =>
    provider.sign({ ...PERSON, aud: ['portal', 'elsewhere'], azp: 'elsewhere' }),
  'no subject': () => provider.sign({ ...PERSON, sub: undefined }),
}
for (const [name, make] of Object.entries(BAD)) {
  test(`refuses a token with ${name}`, async () => {
    const token = await make()
    await assert.rejects(redeem(token), (error) => error instanceof SignInRefused || isProtocolFault(error))
  })
}

/** Refused before the signature check; no session results either way. */
const isProtocolFault = (error: unknown) =>
  error instanceof ProviderUnavailable && error.message.startsWith('OAUTH_')

test('refuses a renewal that the provider rejects, and reports other failures as unavailable', async () => {
  provider.answer = async () => ({ error: 'invalid_grant' })
  await assert.rejects(party.renew({ refresh_token: 'r' }), SignInRefused)
  provider.answer = async () => ({ error: 'invalid_client' })
  await assert.rejects(party.renew({ refresh_token: 'r' }), ProviderUnavailable)
  provider.answer = async () => ({ surprise: true })
  await assert.rejects(party.renew({ refresh_token: 'r' }), ProviderUnavailable)
  const address = { issuer: 'http://127.0.0.1:9', client_id: 'portal', client_secret: 'x' }
  const gone = relyingParty(address, makeEgress({ allow: [address.issuer] }))
  await assert.rejects(gone.renew({ refresh_token: 'r' }), ProviderUnavailable)
})

test('keeps the old refresh token when the provider sends no new one', async () => {
  const id_token = await provider.sign(PERSON)
  provider.answer = async () => ({ access_token: 'a', token_type: 'bearer', id_token })
  const { tokens } = await party.renew({ refresh_token: 'kept' })
  assert.equal(tokens.refresh_token, 'kept')
})

test('builds a sign-out address that returns to the portal', async () => {
  const url = new URL((await party.signOutUrl({ id_token: 'hint' }, 'https://portal.example/sign-in')) ?? '')
  assert.equal(url.searchParams.get('post_logout_redirect_uri'), 'https://portal.example/sign-in')
  assert.equal(url.searchParams.get('id_token_hint'), 'hint')
})

test('requires a provider with TLS at a public address', async () => {
  for (const issuer of [
    'http://idp.example',
    'https://127.0.0.1',
    'https://[::ffff:a9fe:a9fe]',
    'https://localhost',
    provider.issuer,
  ]) {
    const guarded = relyingParty({ issuer, client_id: 'portal', client_secret: 'x' }, makeEgress())
    await assert.rejects(guarded.renew({ refresh_token: 'r' }), (error: Error) => {
      assert.ok(error instanceof ProviderUnavailable)
      assert.match(error.message, /: (?:not_https|forbidden_address)$/, issuer)
      return true
    })
  }
})

test('checks the addresses in the provider metadata like the configured issuer address', async (t) => {
  const canary = await testProvider()
  t.after(() => canary.close())
  const inside = `${canary.issuer}/inside`
  const cases: [Record<string, string>, RegExp][] = [
    [{ jwks_uri: inside }, /keys|not_https/],
    [{ token_endpoint: inside }, /not_https/],
    [{ authorization_endpoint: inside }, /not secure/],
    [{ authorization_endpoint: 'javascript:alert(1)' }, /not secure/],
    [{ end_session_endpoint: 'javascript:alert(1)' }, /not secure/],
    [{ issuer: 'https://other.example' }, /OAUTH/],
  ]
  for (const [described, reason] of cases) {
    const evil = await testProvider()
    t.after(() => evil.close())
    evil.described = described
    evil.answer = async () => ({ access_token: 'a', token_type: 'bearer', id_token: await evil.sign(PERSON) })
    const party = relyingParty(
      { issuer: evil.issuer, client_id: 'portal', client_secret: 'x' },
      makeEgress({ allow: [evil.issuer] }),
    )
    await assert.rejects(party.redeem(returned), (error: Error) => {
      assert.ok(error instanceof ProviderUnavailable, String(error))
      assert.match(error.message, reason)
      return true
    })
  }
  assert.equal(canary.requests(), 0, 'no request arrived')
})

test('restricts the loopback connection to the embedded identity provider', async () => {
  const reach = loopbackReach('https://portal.example', { address: () => provider.issuer, inside: 'x' })
  assert.equal((await reach.fetch('https://portal.example/jwks')).status, 200)
  await assert.rejects(reach.fetch('https://elsewhere.example/jwks'), TypeError)
  assert.equal(reach.admits('https://portal.example/oidc/auth'), true)
  assert.equal(reach.admits('https://elsewhere.example/oidc/auth'), false)
})

test('chooses the first preferred page language that the product supports', () => {
  const cases: [unknown, string | undefined, string][] = [
    [undefined, undefined, 'en-GB'],
    ['pt-BR', 'en-GB', 'pt-BR'],
    ['de fr', 'pt;q=0.9', 'pt-BR'],
    [undefined, 'de-DE,en-US;q=0.7,pt;q=0.3', 'en-GB'],
    [['pt-BR'], undefined, 'en-GB'],
    [undefined, '*', 'en-GB'],
  ]
  for (const [request, header, expected] of cases) assert.equal(pageLocale(request, header), expected)
})

test('accepts only the portal and local programs as return addresses', () => {
  const portal = 'https://portal.example'
  const good = ['https://portal.example/sign-in', 'http://127.0.0.1:1024/', 'http://127.0.0.1:65535/']
  const bad = [
    'https://portal.example/sign-in/',
    'https://portal.example/sign-in?',
    'https://PORTAL.example/sign-in',
    'https://portal.example.evil/sign-in',
    'http://127.0.0.1:1023/',
    'http://127.0.0.1:65536/',
    'http://127.0.0.1:080000/',
    'http://127.0.0.1:5000',
    'http://127.0.0.1:5000/x',
    'http://localhost:5000/',
    'http://user@127.0.0.1:5000/',
    'http://127.0.0.1:5000/\n',
  ]
  for (const address of good) assert.ok(isReturnAddress(address, portal), address)
  for (const address of bad) assert.ok(!isReturnAddress(address, portal), address)
})

test('opens a sealed value only with its secret and purpose, unaltered and before it expires', async () => {
  const [secret, other] = [randomBytes(32), randomBytes(32)]
  const text = await makeSeal(secret).seal('cookie', { nonce: 'n' }, 1000)
  assert.equal((await makeSeal(secret).open('cookie', text, 999))?.nonce, 'n')
  assert.equal(await makeSeal(secret).open('cookie', text, 1000), undefined)
  assert.equal(await makeSeal(secret).open('token', text, 999), undefined)
  assert.equal(await makeSeal(other).open('cookie', text, 999), undefined)
  assert.equal(
    await makeSeal(secret).open('cookie', `${text.slice(0, -2)}${text.endsWith('AA') ? 'BB' : 'AA'}`, 999),
    undefined,
  )
  assert.equal(await makeSeal(secret).open('cookie', '', 999), undefined)
})

test('accepts only the right password and rejects an unknown user', async () => {
  const hash = await hashPassword('correct horse')
  assert.equal(await isPassword('correct horse', hash), true)
  assert.equal(await isPassword('correct hors', hash), false)
  assert.equal(await isPassword('', undefined), false)
})

test('limits sign-in attempts per person and address, and resets them after success', () => {
  const attempts = new Attempts()
  for (let i = 0; i < 5; i++) assert.ok(attempts.begin('acme/bob', '10.0.0.1', 100))
  assert.ok(!attempts.begin('acme/bob', '10.0.0.1', 101))
  assert.ok(attempts.begin('acme/bob', '10.0.0.2', 101), 'other addresses cannot lock bob out')
  assert.ok(attempts.begin('acme/bob', '10.0.0.1', 401))
  for (let i = 0; i < 20; i++) {
    assert.ok(attempts.begin('acme/eve', '10.0.0.3', 100))
    attempts.succeed('acme/eve', '10.0.0.3')
  }
  let tried = 0
  while (attempts.begin(`acme/${tried}`, '10.0.0.4', 100)) tried++
  assert.equal(tried, 50)
  const of = (host: number) => `2001:db8:1:2::${host.toString(16)}`
  for (let host = 1; host <= 5; host++) assert.ok(attempts.begin('acme/bob', of(host), 100))
  assert.ok(!attempts.begin('acme/bob', of(6), 100), 'one customer of IPv6 has 2^64 addresses')
  assert.ok(attempts.begin('acme/bob', '2001:db8:1:3::1', 100))
  const subnet = (n: number) => `2001:db8:2:${n.toString(16)}::1`
  tried = 0
  while (tried < 1000 && attempts.begin('acme/bob', subnet(tried), 100)) tried++
  assert.equal(tried, 250, 'one site of IPv6 has 65,536 networks')
  assert.ok(attempts.begin('acme/bob', '2001:db8:3:1::1', 100))
  for (let n = 0; n < 500; n++) assert.ok(attempts.begin('acme/bob', `::ffff:10.1.${n >> 8}.${n & 255}`, 100))
})
