import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { exportSPKI, type JWTPayload } from 'jose'
import { makeEgress } from '../ports/egress/guard.ts'
import { opensslAvailable, type TestIssuer, testIssuer } from '../testing/issuer.ts'
import { requirePart } from '../testing/require-part.ts'
import { checkToken } from './authenticate-app.ts'
import { type KeySets, keySets } from './key-sets.ts'

const NOW = 1_800_000_000
const AUDIENCE = 'receipts-of-acme'

describe('tokens of client apps', requirePart('openssl', opensslAvailable()), () => {
  let issuer: TestIssuer
  let sets: KeySets
  before(async () => {
    issuer = await testIssuer()
    sets = keySets(makeEgress({ allow: [issuer.issuer] }))
  })
  after(() => issuer?.close())

  const config = () => ({ issuer: issuer.issuer, audience: AUDIENCE, jwks_uri: issuer.jwks_uri })
  const claims = (changes: JWTPayload = {}): JWTPayload => ({
    iss: issuer.issuer,
    aud: AUDIENCE,
    iat: NOW - 10,
    exp: NOW + 600,
    ...changes,
  })
  /** The check that fails, or `accepted`. */
  const outcome = async (token: string, now = NOW, how: KeySets = sets) => {
    const { checks, is_accepted, expires_at } = await checkToken(how, token, config(), now)
    assert.ok(checks.slice(0, -1).every((each) => each.is_passed && each.detail === null))
    assert.equal(is_accepted, checks.at(-1)?.is_passed)
    assert.equal(expires_at !== null, is_accepted)
    return is_accepted ? 'accepted' : checks.at(-1)?.check
  }
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

  it('are accepted from their issuer, for their audience and within their lifetime', async () => {
    assert.equal(await outcome(await issuer.sign(claims())), 'accepted')
    assert.equal(await outcome(await issuer.sign(claims({ aud: [AUDIENCE] }))), 'accepted')
    assert.equal(await outcome(await issuer.sign(claims({ exp: NOW - 29 }))), 'accepted', 'clocks differ')
    assert.equal(await outcome(await issuer.sign(claims({ nbf: NOW + 30 }))), 'accepted')
    assert.equal(await outcome(await issuer.sign(claims({ exp: NOW + 86_400 - 10 }))), 'accepted')
  })

  it('are rejected when they are malformed', async () => {
    const token = await issuer.sign(claims())
    for (const each of [
      '',
      'a.b.c',
      token.split('.').slice(0, 2).join('.'),
      `${part({ alg: 'RS256' })}.${part([])}.x`,
      `${part({ alg: 7 })}.${part(claims())}.x`,
      await issuer.sign({ ...claims(), iss: undefined as unknown as string }),
      `${part({ alg: 'RS256' })}.${part({ ...claims(), more: 'x'.repeat(20_000) })}.x`,
    ])
      assert.equal(await outcome(each), 'shape', each.slice(0, 40))
  })

  it('are rejected when unsigned or signed with the public key as a secret', async () => {
    assert.equal(await outcome(`${part({ alg: 'none' })}.${part(claims())}.`), 'algorithm')
    assert.equal(await outcome(`${part({ alg: 'None' })}.${part(claims())}.`), 'algorithm')
    const pem = await exportSPKI(issuer.key.pair.publicKey)
    for (const secret of [pem, JSON.stringify(issuer.key.jwk)]) {
      const body = `${part({ alg: 'HS256', kid: 'first' })}.${part(claims())}`
      const signature = createHmac('sha256', secret).update(body).digest('base64url')
      assert.equal(await outcome(`${body}.${signature}`), 'algorithm')
      const renamed = `${part({ alg: 'RS256', kid: 'first' })}.${part(claims())}`
      const forged = createHmac('sha256', secret).update(renamed).digest('base64url')
      assert.equal(await outcome(`${renamed}.${forged}`), 'signature')
    }
  })

  it('must name exactly the issuer and the audience', async () => {
    for (const iss of [`${issuer.issuer}/`, 'https://elsewhere.example', issuer.issuer.toUpperCase()])
      assert.equal(await outcome(await issuer.sign(claims({ iss }))), 'issuer', iss)
    for (const aud of ['other', [AUDIENCE, 'other'], [], AUDIENCE.toUpperCase(), `${AUDIENCE} `])
      assert.equal(await outcome(await issuer.sign(claims({ aud }))), 'audience', String(aud))
  })

  it('must be signed by a published key, not by a key from their own header', async () => {
    const stranger = await issuer.newKey('first')
    const key = stranger.pair.privateKey
    assert.equal(await outcome(await issuer.sign(claims(), { key })), 'signature')
    for (const header of [
      { jwk: stranger.jwk },
      { jku: 'https://evil.example/keys', kid: 'first' },
      { x5u: 'https://evil.example/cert' },
      { kid: '../../keys' },
      { kid: "' or 1=1" },
      { kid: undefined },
    ])
      assert.equal(
        await outcome(await issuer.sign(claims(), { key, header })),
        'signature',
        JSON.stringify(header),
      )
    const [head, body] = (await issuer.sign(claims())).split('.')
    assert.equal(await outcome(`${head}.${body}.`), 'signature')
    const [, , signature] = (await issuer.sign(claims())).split('.')
    assert.equal(await outcome(`${head}.${part(claims({ exp: NOW + 9999 }))}.${signature}`), 'signature')
    const critical = await issuer.sign(claims(), { header: { crit: ['b64'], b64: true } })
    assert.equal(await outcome(critical), 'accepted', 'b64: true is what every token has')
  })

  it('are rejected when expired, not yet valid, undated or too long-lived', async () => {
    assert.equal(await outcome(await issuer.sign(claims({ exp: NOW - 30 }))), 'time')
    assert.equal(
      await outcome(await issuer.sign({ ...claims(), exp: undefined as unknown as number })),
      'time',
    )
    assert.equal(await outcome(await issuer.sign(claims({ nbf: NOW + 31 }))), 'time')
    assert.equal(await outcome(await issuer.sign(claims({ iat: NOW + 31 }))), 'time')
    assert.equal(await outcome(await issuer.sign(claims({ exp: NOW + 86_400 + 31 }))), 'time')
    const undated = { ...claims({ exp: NOW + 86_400 + 31 }), iat: undefined as unknown as number }
    assert.equal(await outcome(await issuer.sign(undated)), 'time')
  })

  it('may be signed with each of the pinned algorithms', async () => {
    for (const alg of ['RS384', 'RS512', 'PS256', 'ES256', 'ES384']) {
      const { pair, jwk } = await issuer.newKey(alg, alg)
      issuer.publish([issuer.key.jwk, jwk])
      const fresh = keySets(makeEgress({ allow: [issuer.issuer] }))
      const token = await issuer.sign(claims(), { key: pair.privateKey, header: { alg, kid: alg } })
      assert.equal(await outcome(token, NOW, fresh), 'accepted', alg)
      const renamed = await issuer.sign(claims(), { header: { kid: alg } })
      assert.equal(await outcome(renamed, NOW, fresh), 'signature', `${alg} by the key of another`)
    }
    issuer.publish([issuer.key.jwk])
  })

  it('follow a key rotation without a request for every unknown key id', async () => {
    const fresh = keySets(makeEgress({ allow: [issuer.issuer] }))
    assert.equal(await outcome(await issuer.sign(claims()), NOW, fresh), 'accepted')
    const before = issuer.asked()
    const made = await issuer.sign(claims(), { header: { kid: 'made-up' } })
    for (let i = 0; i < 20; i++) assert.equal(await outcome(made, NOW + 1, fresh), 'signature')
    assert.equal(issuer.asked(), before)
    await Promise.all(Array.from({ length: 20 }, () => outcome(made, NOW + 31, fresh)))
    assert.equal(issuer.asked(), before + 1, 'together they ask once')
    const second = await issuer.newKey('second')
    issuer.publish([second.jwk])
    const renewed = await issuer.sign(claims(), { key: second.pair.privateKey, header: { kid: 'second' } })
    assert.equal(await outcome(renewed, NOW + 32, fresh), 'signature', 'not asked yet')
    assert.equal(await outcome(renewed, NOW + 61, fresh), 'accepted')
    assert.equal(await outcome(await issuer.sign(claims()), NOW + 62, fresh), 'signature', 'withdrawn')
    issuer.publish([issuer.key.jwk])
    assert.equal(await outcome(renewed, NOW + 61 + 300, fresh), 'signature', 'old keys count five minutes')
  })

  it('are refused while the key set is unavailable or its address is forbidden', async () => {
    const unavailable = async (published: string) => {
      issuer.publish(published)
      const fresh = keySets(makeEgress({ allow: [issuer.issuer] }))
      const checked = await checkToken(fresh, await issuer.sign(claims()), config(), NOW)
      assert.deepEqual([checked.checks.at(-1)?.check, checked.is_unavailable], ['keys', true], published)
    }
    const secret = { kty: 'oct', k: 'c2VjcmV0', kid: 'first', alg: 'HS256' }
    const deep = `{"keys":[{"kty":"RSA","n":${'['.repeat(20_000)}${']'.repeat(20_000)}}]}`
    for (const published of ['no json', '{}', '{"keys":[]}', JSON.stringify({ keys: [secret] }), deep])
      await unavailable(published)
    issuer.publish([issuer.key.jwk])
    const guarded = keySets(makeEgress())
    const checked = await checkToken(guarded, await issuer.sign(claims()), config(), NOW)
    assert.deepEqual(checked.checks.at(-1), {
      check: 'keys',
      is_passed: false,
      detail: 'The address of the keys must not be asked: forbidden_address.',
    })
    assert.equal(checked.is_unavailable, false)
  })
})
