import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { JWTPayload } from 'jose'
import type { Browser } from '../testing/browser.ts'
import { testProvider } from '../testing/identity-provider.ts'
import { signInFixture } from '../testing/sign-in-fixture.ts'

// Behind a proxy with TLS, as in production: the embedded provider is reached over the loopback address.
const provider = await testProvider('acme-portal')
const portal = await signInFixture({
  publicUrl: 'https://portal.example',
  env: { TRUST_PROXY: '1', EGRESS_ALLOW: `${provider.issuer},http://127.0.0.1:9` },
})
await portal.ctx.db.globalWrite((tx) =>
  tx.query(`update clients set oidc_issuer = $1, oidc_client_id = 'acme-portal' where client = 'acme'`, [
    provider.issuer,
  ]),
)
after(async () => {
  await portal?.close()
  await provider?.close()
})

/** A sign-in at the outside provider, which says `claims` of the person. */
async function signIn(
  browser: Browser,
  claims: JWTPayload,
  tokens: Record<string, unknown> = { refresh_token: 'r1' },
) {
  const { body } = await browser.json('/admin/v1/api/acme/url')
  const url = new URL(String(body.url))
  assert.equal(url.origin, provider.issuer)
  const nonce = url.searchParams.get('nonce')
  provider.answer = async () => ({
    access_token: 'a',
    token_type: 'bearer',
    expires_in: 600,
    ...tokens,
    id_token: await provider.sign({ ...claims, nonce }),
  })
  const returned = new URL('https://portal.example/sign-in')
  returned.searchParams.set('code', 'code-of-the-provider')
  returned.searchParams.set('state', url.searchParams.get('state') ?? '')
  return browser.exchange('acme', returned)
}

test('the embedded provider works behind a proxy, with secure cookies bound to the host', async () => {
  const browser = portal.browser()
  const { id_token, refresh_token } = await browser.signIn('globex', 'gina')
  const [, cookie] = browser.cookie('__Host-custodia-')
  assert.match(cookie.attributes, /^; Path=\/; HttpOnly; SameSite=Strict; Secure$/)
  assert.equal((await browser.profile('globex', id_token)).status, 200)
  portal.advance(295)
  assert.equal((await browser.refresh('globex', refresh_token)).status, 200)
})

test("links of the embedded provider do not follow the caller's headers", async () => {
  const response = await portal.browser().send('/oidc/.well-known/openid-configuration', {
    headers: { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' },
  })
  const description = (await response.json()) as Record<string, string>
  assert.equal(description.token_endpoint, 'https://portal.example/oidc/token')
  assert.ok(!JSON.stringify(description).includes('evil'))
})

test('users sign in at the provider of their client, and account defaults fill missing claims', async () => {
  const client_id = await portal.client_id('acme')
  await portal.ctx.db.write(client_id, async (tx) => {
    await tx.query(
      `insert into groups (client_id, group_reference, updated_at, updated_by) values ($1, 'Desk', 0, 'test')`,
      [client_id],
    )
    await tx.query(
      `insert into account_defaults select client_id, group_id, 'Auditor', '{}' from groups where client_id = $1`,
      [client_id],
    )
  })
  const browser = portal.browser()
  const { status, body } = await signIn(browser, { sub: 'someone@acme.example' })
  assert.equal(status, 200, JSON.stringify(body))
  const profile = await browser.profile('acme', String(body.id_token))
  assert.deepEqual(profile.body.roles, ['Auditor'])
  assert.equal(profile.body.user_group, 'Desk')
  assert.equal(profile.body.user_reference, 'someone@acme.example')

  const out = await browser.json('/admin/v1/api/acme/profile/session', {
    method: 'DELETE',
    headers: { authorization: String(body.id_token) },
  })
  const url = new URL(String(out.body.sign_out_url))
  assert.equal(url.searchParams.get('post_logout_redirect_uri'), 'https://portal.example/sign-in')
  assert.equal(provider.forms.at(-1)?.get('token'), 'r1', 'its token was given back')
})

test('people with an empty role list from the provider get the default role, unless the account disables it', async (t) => {
  const client_id = await portal.client_id('acme')
  const browser = portal.browser()
  const getRoles = async (claims: JWTPayload) => {
    const { status, body } = await signIn(browser, { sub: 'newcomer', ...claims })
    assert.equal(status, 200, JSON.stringify(body))
    return (await browser.profile('acme', String(body.id_token))).body.roles
  }
  const decide = (isDefault: boolean) =>
    portal.ctx.db.write(client_id, (tx) =>
      tx.query('update account_defaults set default_for_empty_roles = $2 where client_id = $1', [
        tx.client_id,
        isDefault,
      ]),
    )
  t.after(() => decide(true))
  assert.deepEqual(await getRoles({ roles: [] }), ['Auditor'])
  assert.deepEqual(await getRoles({ roles: ['Receipt App'] }), ['Receipt App'])
  await decide(false)
  assert.deepEqual(await getRoles({ roles: [] }), [])
  assert.deepEqual(await getRoles({}), ['Auditor'])
})

test('a user of another client is refused, and the refusal is audited', async () => {
  const { status, body } = await signIn(portal.browser(), { sub: 'mallory', client: 'globex' })
  assert.deepEqual([status, body.code], [400, 'sign_in_refused'])
  const { rows } = await portal.ctx.db.read(await portal.client_id('acme'), (q) =>
    q.query(`select is_allowed, denial_reason from portal_activities where user_reference = 'mallory'`),
  )
  assert.deepEqual(rows, [
    { is_allowed: false, denial_reason: 'sign_in_refused: a person of another client' },
  ])
})

test('sessions continue while the provider is unavailable, and end when it rejects the renewal', async () => {
  const browser = portal.browser()
  const { body } = await signIn(browser, { sub: 'steady' })
  const refresh = () => browser.refresh('acme', String(body.refresh_token))
  provider.answer = async () => ({ error: 'temporarily_unavailable' })
  portal.advance(295)
  assert.equal((await refresh()).status, 200)
  assert.match(portal.logged.at(-1) ?? '', /temporarily_unavailable/)
  provider.answer = async () => ({ error: 'invalid_grant' })
  assert.equal((await refresh()).status, 401, 'asked again with the very next refresh')
})

test('a renewal for another user ends the session', async () => {
  const browser = portal.browser()
  const { body } = await signIn(browser, { sub: 'original' })
  provider.answer = async () => ({
    access_token: 'a',
    token_type: 'bearer',
    id_token: await provider.sign({ sub: 'impostor' }),
  })
  portal.advance(295)
  assert.equal((await browser.refresh('acme', String(body.refresh_token))).status, 401)
})

test('a session without a refresh token ends when the token of the provider expires', async () => {
  const browser = portal.browser()
  const { body } = await signIn(browser, { sub: 'brief' }, {})
  const refresh = () => browser.refresh('acme', String(body.refresh_token))
  portal.advance(595)
  const last = await refresh()
  assert.deepEqual([last.status, last.body.expires_in], [200, 5])
  portal.advance(5)
  assert.equal((await refresh()).status, 401)
})

test('an unreachable provider returns 503', async () => {
  await portal.ctx.db.globalWrite((tx) =>
    tx.query(
      `update clients set oidc_issuer = 'http://127.0.0.1:9', oidc_client_id = 'x' where client = 'admin'`,
    ),
  )
  const { status, body } = await portal.browser().json('/admin/v1/api/admin/url')
  assert.deepEqual([status, body.code], [503, 'unavailable'])
})

test('a user of another provider, or with another subject, is another person whatever the name', async () => {
  const at = async (issuer: string | null) => {
    await portal.ctx.db.globalWrite((tx) =>
      tx.query(`update clients set oidc_issuer = $1 where client = 'acme'`, [issuer]),
    )
  }
  const signedIn = async (claims: JWTPayload) => {
    const browser = portal.browser()
    const { body } = await signIn(browser, claims)
    return (await browser.profile('acme', String(body.id_token))).body.user_reference
  }
  await at(null)
  const browser = portal.browser()
  const { id_token } = await browser.signIn('acme', 'alice')
  assert.equal((await browser.profile('acme', id_token)).body.user_reference, 'alice')
  await at(provider.issuer)
  const claims = { sub: 'subject 1', user_reference: 'alice' }
  assert.equal(await signedIn(claims), 'alice (2)')
  assert.equal(await signedIn({ ...claims, sub: 'subject 2' }), 'alice (3)')
  assert.equal(await signedIn({ ...claims, user_reference: 'renamed' }), 'alice (2)', 'the same for good')
})
