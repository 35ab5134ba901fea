/** Sign-in on a phone: at the embedded provider, and at a provider whose answers the test chooses. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { after, describe, it } from 'node:test'
import { ApiProblem, makeClient } from '@custodia/client'
import { readEnrolment } from '@custodia/device-sdk'
import { newDeviceKey, sealUlid, signAuthentication } from '@custodia/envelope'
import { ulid } from 'ulid'
import { saveClientProvider, checkClientProvider } from '../identity-providers/settings.ts'
import { accessFixture, getCode } from '../testing/access-fixture.ts'
import { Browser } from '../testing/browser.ts'
import { testProvider } from '../testing/identity-provider.ts'
import { readAccountKey } from '../testing/phones.ts'

const RETURN = 'http://127.0.0.1:5151/'

const theirs = await testProvider('their-phones')
const fixture = await accessFixture({ EGRESS_ALLOW: theirs.issuer })
for (const [reference, email] of [
  ['bob', 'bob@acme.example'],
  ['unnamed', null],
] as const)
  await fixture.alice.api.createDeviceUser({
    params: { device_user_reference: reference },
    body: {
      group: 'South',
      services: ['sms'],
      email,
      first_name: 'Bob',
      surname: null,
      expected_device_count: 0,
    },
  })
after(async () => {
  await fixture?.close()
  await theirs?.close()
})

const api = () =>
  makeClient({ baseUrl: fixture.server.url, client: () => undefined, credentials: async () => undefined })

/** A phone that speaks for itself. */
function phone(account_reference = 'acme') {
  const pair = newDeviceKey()
  const nonce = createHash('sha256').update(Buffer.from(pair.device_key, 'base64')).digest('base64url')
  const installation_id = randomBytes(6).toString('hex')
  const verifier = randomBytes(32).toString('base64url')
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  return {
    nonce,
    verifier,
    /** Up to the code, as a browser on the phone gets it. */
    async signIn(user: string, client = account_reference): Promise<string> {
      const { redirect_url } = await api().readDeviceIdentity({ query: { account_reference: client } })
      const url = new URL(redirect_url)
      const more = {
        redirect_uri: RETURN,
        state: 'x',
        nonce,
        code_challenge: challenge,
        code_challenge_method: 'S256',
      }
      for (const [name, value] of Object.entries(more)) url.searchParams.set(name, value)
      const browser = new Browser(fixture.server.url)
      const returned = await browser.submit(await browser.openForm(url.href), user, `${user}-demo`, RETURN)
      return returned.searchParams.get('code') ?? ''
    },
    exchange: (code: string, more: object = {}) =>
      api().exchangeDeviceCode({
        body: { account_reference, code, redirect_uri: RETURN, code_verifier: verifier, nonce, ...more },
      }),
    async authenticate(says: { id_token?: string; email?: string; enrolment?: string } = {}) {
      const key = says.enrolment
        ? Buffer.from(says.enrolment.split('.')[1] ?? '', 'base64url')
        : await readAccountKey(fixture.server.ctx, account_reference)
      const stated = {
        account_reference,
        ulid_encrypted: sealUlid(key, account_reference, ulid()),
        model: 'Pixel',
        os_version: '16',
        app_version: '1',
        phone_numbers: [],
        imeis: [],
        installation_id,
        ...says,
      }
      return api().authenticateDevice({
        body: {
          ...stated,
          device_key: pair.device_key,
          signature: signAuthentication(pair.private_key, stated),
        },
      })
    },
  }
}

const getHolder = async (device_reference: string) => {
  const { device_user_reference, waiting_reason } = await fixture.alice.api.readDevice({
    params: { device_reference },
  })
  return [device_user_reference, waiting_reason]
}

describe('sign-in on a device', () => {
  it('proves the email address and assigns the device, even beyond the expected count', async () => {
    const mine = phone()
    const tokens = await mine.exchange(await mine.signIn('bob'))
    assert.ok(tokens.access_token && tokens.refresh_token && tokens.expires_in > 0)
    const { device_reference, enabled_services } = await mine.authenticate({ id_token: tokens.id_token })
    assert.deepEqual(await getHolder(device_reference), ['bob', null])
    assert.deepEqual(enabled_services, ['sms'])
    const claimed = await phone().authenticate({ email: 'bob@acme.example' })
    assert.deepEqual(await getHolder(claimed.device_reference), [null, 'unconfirmed'])
    const entries = await fixture.sql<{ parameters: string }>(`select parameters from device_activities`)
    assert.ok(entries.every(({ parameters }) => !parameters.includes(tokens.id_token)))
  })

  it('reassigns a device of another user that authenticates with the same key', async () => {
    const handed = phone()
    const { text } = await fixture.alice.api.createEnrolmentOfUser({
      params: { device_user_reference: 'Harriet Cole' },
      body: { expires_in_days: 1 },
    })
    const before = await handed.authenticate({ enrolment: readEnrolment(text).enrolment })
    assert.deepEqual(await getHolder(before.device_reference), ['Harriet Cole', null])
    const { id_token } = await handed.exchange(await handed.signIn('bob'))
    const { device_reference } = await handed.authenticate({ id_token })
    assert.equal(device_reference, before.device_reference)
    assert.deepEqual(await getHolder(device_reference), ['bob', null])
  })

  it('issues a token bound to the device key, from a code that works once', async () => {
    const mine = phone()
    const code = await mine.signIn('bob')
    assert.equal(await getCode(mine.exchange(code, { code_verifier: 'x'.repeat(43) })), 'sign_in_refused')
    const again = await mine.signIn('bob')
    const { id_token } = await mine.exchange(again)
    assert.equal(await getCode(mine.exchange(again)), 'sign_in_refused')
    assert.equal(await getCode(phone().authenticate({ id_token })), 'sign_in_refused', 'another phone’s key')
    const [head, body = '', signature] = id_token.split('.')
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as object
    const altered = Buffer.from(JSON.stringify({ ...claims, email: 'harriet.cole@acme.example' }))
    const unsigned = Buffer.from(JSON.stringify({ alg: 'none', typ: 'JWT' })).toString('base64url')
    for (const forged of [
      [head, altered.toString('base64url'), signature].join('.'),
      [unsigned, altered.toString('base64url'), ''].join('.'),
      fixture.alice.id_token,
    ])
      assert.equal(await getCode(mine.authenticate({ id_token: forged })), 'sign_in_refused')
    await mine.authenticate({ id_token })
  })

  it('is refused for users of another account or without an email address', async () => {
    const stray = phone()
    const ofGlobex = await stray.exchange(await stray.signIn('gina', 'globex'))
    assert.equal(await getCode(stray.authenticate({ id_token: ofGlobex.id_token })), 'sign_in_refused')
    await fixture.sql(`update oidc_people set email = null where user_reference = 'carol'`)
    const carols = phone()
    const { id_token } = await carols.exchange(await carols.signIn('carol'))
    assert.equal(await getCode(carols.authenticate({ id_token })), 'sign_in_refused')
  })

  it('uses the identity provider of the account when it is set up for devices', async () => {
    const { ctx } = fixture.server
    const [{ client_id } = { client_id: 0 }] = await fixture.sql<{ client_id: number }>(
      `select client_id from clients where client = 'globex'`,
    )
    const set = async (oidc_device_client_id: string | null) => {
      const provider = { issuer: theirs.issuer, oidc_client_id: 'portal', oidc_device_client_id }
      const checked = await checkClientProvider(ctx, provider)
      await ctx.db.write(client_id, (tx) => saveClientProvider(ctx, tx, checked))
    }
    const read = () => api().readDeviceIdentity({ query: { account_reference: 'globex' } })
    await set(null)
    assert.equal(await getCode(read()), 'not_found')
    await set('their-phones')
    const found = await read()
    assert.deepEqual([found.client_id, found.user_pool_id], ['their-phones', theirs.issuer])
    assert.equal(new URL(found.redirect_url).origin, theirs.issuer)
    const mine = phone('globex')
    const good = { sub: 'tom', email: 'tom.fletcher@globex.example', email_verified: true, nonce: mine.nonce }
    const past = Math.floor(Date.now() / 1000) - 3600
    for (const wrong of [
      { ...good, email_verified: false },
      { ...good, email_verified: undefined },
      { ...good, email: undefined },
      { ...good, nonce: undefined },
      { ...good, aud: 'portal' },
      { ...good, azp: 'another-app' },
      { ...good, iss: 'https://other-issuer.example' },
      { ...good, iat: past, exp: past + 300 },
      { ...good, client: 'acme' },
    ])
      assert.equal(
        await getCode(mine.authenticate({ id_token: await theirs.sign(wrong) })),
        'sign_in_refused',
        JSON.stringify(wrong),
      )
    assert.ok((await mine.authenticate({ id_token: await theirs.sign(good) })).device_reference)
  })

  it('answers not_found for an unknown account', async () => {
    const problem = await api()
      .readDeviceIdentity({ query: { account_reference: 'unknown' } })
      .catch((error: unknown) => error)
    assert.ok(problem instanceof ApiProblem && problem.code === 'not_found')
  })
})
