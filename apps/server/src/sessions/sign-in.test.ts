import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { after, test } from 'node:test'
import { signInFixture } from '../testing/sign-in-fixture.ts'
import { getAddress } from './make-sessions.ts'

const portal = await signInFixture()
after(() => portal.close())

const lastActivities = async (client: string) => {
  const { rows } = await portal.ctx.db.read(await portal.client_id(client), (q) =>
    q.query<{ user_reference: string; action: string; is_allowed: boolean; denial_reason: string | null }>(
      'select user_reference, action, is_allowed, denial_reason from portal_activities order by log_id desc limit 3',
    ),
  )
  return rows
}

test('a user signs in and reads their profile', async () => {
  const browser = portal.browser()
  const returned = await browser.authorise('acme', 'bob')
  assert.equal(returned.searchParams.get('code')?.length, 36)
  const { status, body } = await browser.exchange('acme', returned)
  assert.equal(status, 200)
  assert.equal(body.expires_in, 300)
  assert.ok(
    ![...browser.cookies.keys()].some((name) => name.includes('sign-in')),
    'the sign-in cookie is spent',
  )
  const [, cookie] = browser.cookie('custodia-')
  assert.match(cookie.attributes, /HttpOnly; SameSite=Strict/)
  assert.ok(!JSON.stringify(body).includes(cookie.value), 'scripts never see the cookie half')

  const bare = await browser.profile('acme', String(body.id_token))
  const bearer = await browser.profile('acme', `Bearer ${String(body.id_token)}`)
  assert.equal(bare.status, 200, JSON.stringify(bare.body))
  assert.deepEqual(bare.body, bearer.body)
  assert.equal(bare.body.user_reference, 'bob')
  assert.deepEqual(bare.body.roles, ['Compliance Reviewer'])
  assert.equal(bare.body.user_group, 'North')
  assert.deepEqual(bare.body.groups, [], 'confined to a group that this client does not have')
  assert.ok((bare.body.actions as string[]).includes('payloads:play'))
  const entries = await lastActivities('acme')
  assert.ok(
    entries.some(
      (each) => each.action === 'session:sign_in' && each.is_allowed && each.user_reference === 'bob',
    ),
  )
})

test('the database contains no usable secret', async () => {
  const browser = portal.browser()
  const tokens = await browser.signIn('acme', 'alice')
  const { rows } = await portal.ctx.db.global((q) =>
    q.query<{ text: string }>(
      `select string_agg(t::text, ' ') as text from (select portal_sessions::text as t from portal_sessions
       union all select oidc_items::text from oidc_items where model in ('AuthorizationCode', 'RefreshToken', 'AccessToken')) x`,
    ),
  )
  const [, cookie] = browser.cookie('custodia-')
  const text = rows[0]?.text ?? ''
  assert.ok(text.includes('alice'))
  for (const secret of [tokens.refresh_token, tokens.id_token, cookie.value])
    assert.ok(!text.includes(secret))
})

test('the sign-in page names the client, is translated, and allows no script', async () => {
  const browser = portal.browser()
  const { body } = await browser.json('/admin/v1/api/acme/url', {
    headers: { 'accept-language': 'pt-BR,pt;q=0.9' },
  })
  const { html, response } = await browser.openForm(String(body.url))
  assert.match(html, /<html lang="pt-BR">[\s\S]*Usuário[\s\S]*/)
  assert.match(html, /<dd>acme<\/dd>/)
  assert.ok(!html.includes('<script'))
  assert.match(response.headers.get('content-security-policy') ?? '', /default-src 'none'; style-src 'nonce-/)
})

test('a wrong password is refused, audited and rate limited', async () => {
  const browser = portal.browser()
  const { body } = await browser.json('/admin/v1/api/globex/url')
  const form = await browser.openForm(String(body.url))
  const attempt = async (user: string, password: string) =>
    browser.send(form.action, { method: 'POST', body: new URLSearchParams({ user, password }) })
  const started = performance.now()
  const refused = await attempt('gina', 'wrong<script>')
  assert.equal(refused.status, 401)
  assert.equal((await attempt('unknown', 'wrong')).status, 401)
  assert.ok(performance.now() - started > 950, 'the time does not tell who exists: each refusal waits')
  assert.match(await refused.text(), /User or password is wrong/)
  assert.deepEqual((await lastActivities('globex'))[0], {
    user_reference: 'gina',
    action: 'session:sign_in',
    is_allowed: false,
    denial_reason: 'sign_in_refused: wrong password',
  })
  assert.equal((await attempt('alice', 'alice-demo')).status, 401, 'a person of another client')
  for (let i = 0; i < 4; i++) await attempt('gina', `guess ${i}`)
  for (let i = 0; i < 4; i++) assert.equal((await attempt('gina', 'gina-demo')).status, 429)
  const [limited, ...before] = (await lastActivities('globex')).map(({ denial_reason }) => denial_reason)
  assert.equal(limited, 'sign_in_refused: too many attempts')
  assert.ok(!before.includes(limited), 'a flood of attempts is no flood of entries')
  portal.advance(301)
  const back = await browser.submit(form, 'gina', 'gina-demo', `${portal.publicUrl}/sign-in?`)
  assert.equal((await browser.exchange('globex', back)).status, 200)
})

test('a user name typed into the form is escaped', async () => {
  const browser = portal.browser()
  const { body } = await browser.json('/admin/v1/api/acme/url')
  const form = await browser.openForm(String(body.url))
  const answer = await browser.send(form.action, {
    method: 'POST',
    body: new URLSearchParams({ user: '"><script>alert(1)</script>', password: 'x' }),
  })
  assert.ok(!(await answer.text()).includes('<script>'))
})

test('a code works once, and using it again ends the session', async () => {
  const browser = portal.browser()
  const returned = await browser.authorise('acme', 'alice')
  const kept = new Map(browser.cookies)
  const first = await browser.exchange('acme', returned)
  assert.equal(first.status, 200)
  const again = await browser.exchange('acme', returned)
  assert.deepEqual([again.status, again.body.code], [400, 'sign_in_refused'])
  for (const [name, cookie] of kept) browser.cookies.set(name, cookie)
  const replayed = await browser.exchange('acme', returned)
  assert.deepEqual([replayed.status, replayed.body.code], [400, 'sign_in_refused'])
  portal.advance(295)
  const refreshed = await browser.refresh('acme', String(first.body.refresh_token))
  assert.deepEqual([refreshed.status, refreshed.body.code], [401, 'session_ended'])
})

test('at most one of two parallel uses of a code succeeds', async () => {
  const browser = portal.browser()
  const returned = await browser.authorise('acme', 'alice')
  const both = await Promise.all([browser.exchange('acme', returned), browser.exchange('acme', returned)])
  assert.ok(both.filter((each) => each.status === 200).length <= 1)
})

test('an exchange must have the state, redirect_uri, client and browser of its sign-in', async () => {
  const browser = portal.browser()
  const returned = await browser.authorise('acme', 'alice')
  const refusals = [
    await browser.exchange('acme', returned, { state: 'x'.repeat(43) }),
    await browser.exchange('acme', returned, {
      state: `${returned.searchParams.get('state')?.slice(0, 20)}x`,
    }),
    await browser.exchange('acme', returned, { redirect_uri: `${portal.publicUrl}/sign-in/` }),
    await browser.exchange('acme', returned, { redirect_uri: 'http://127.0.0.1:4444/' }),
    await browser.exchange('globex', returned),
    await portal.browser().exchange('acme', returned),
  ]
  for (const { status, body } of refusals) assert.deepEqual([status, body.code], [400, 'sign_in_refused'])
  const { status } = await browser.exchange('acme', returned)
  assert.equal(status, 200, 'none of those spoilt the real one')
})

test('an exchange without state works while one sign-in is pending (spec section 7)', async () => {
  const browser = portal.browser()
  const returned = await browser.authorise('acme', 'alice')
  returned.searchParams.delete('state')
  const query = new URLSearchParams({
    code: returned.searchParams.get('code') ?? '',
    redirect_uri: `${portal.publicUrl}/sign-in`,
  })
  assert.equal((await browser.json(`/admin/v1/api/acme/exchange?${query}`)).status, 200)
})

test('sign-ins in several tabs work in parallel', async () => {
  const browser = portal.browser()
  const first = await browser.authorise('acme', 'alice')
  const second = await browser.authorise('acme', 'bob')
  const one = await browser.exchange('acme', first)
  const two = await browser.exchange('acme', second)
  assert.deepEqual([one.status, two.status], [200, 200])
  assert.equal((await browser.profile('acme', String(one.body.id_token))).body.user_reference, 'alice')
  assert.equal((await browser.profile('acme', String(two.body.id_token))).body.user_reference, 'bob')
  for (const { body } of [one, two])
    assert.equal((await browser.refresh('acme', String(body.refresh_token))).status, 200)
})

test('a program on the same machine may be the redirect target, but no other address', async () => {
  const browser = portal.browser()
  const { body } = await browser.json('/admin/v1/api/acme/url?local_port=50123')
  const form = await browser.openForm(String(body.url))
  assert.match(
    form.response.headers.get('content-security-policy') ?? '',
    /form-action 'self' http:\/\/127\.0\.0\.1:50123;/,
  )
  const returned = await browser.submit(form, 'alice', 'alice-demo', 'http://127.0.0.1:50123/?')
  const wrong = await browser.exchange('acme', returned)
  assert.equal(wrong.status, 400)
  const right = await browser.exchange('acme', returned, { redirect_uri: 'http://127.0.0.1:50123/' })
  assert.equal(right.status, 200)
  for (const port of ['80', '1023', '65536', '0', '-1', '8080.5', '8e3', '0x1f90', '8080@evil.example']) {
    const { status } = await browser.json(`/admin/v1/api/acme/url?local_port=${encodeURIComponent(port)}`)
    assert.equal(status, 400, port)
  }

  for (const redirect_uri of [
    'http://127.0.0.1:50123/other',
    'http://127.0.0.1:80/',
    'http://127.0.0.1.evil.example/',
    `${portal.publicUrl}/sign-in?x=1`,
    'https://evil.example/sign-in',
  ]) {
    const url = new URL(String(body.url))
    url.searchParams.set('redirect_uri', redirect_uri)
    const answer = await browser.send(url.href)
    assert.equal(answer.status, 400, redirect_uri)
  }
})

test('the provider requires PKCE', async () => {
  const browser = portal.browser()
  const { body } = await browser.json('/admin/v1/api/acme/url')
  const url = new URL(String(body.url))
  url.searchParams.delete('code_challenge')
  url.searchParams.delete('code_challenge_method')
  const answer = await browser.send(url.href)
  assert.match(answer.headers.get('location') ?? '', /error=invalid_request/)
})

test('an unknown client returns 404', async () => {
  const { status, body } = await portal.browser().json('/admin/v1/api/nowhere/url')
  assert.deepEqual([status, body.code], [404, 'not_found'])
})

test('an anonymous visitor can read the name of an account', async () => {
  const { status, body } = await portal.browser().json('/admin/v1/api/acme/account/metadata')
  assert.equal(status, 200)
  assert.equal(body.client_name, 'ACME')
  assert.equal((await portal.browser().json('/admin/v1/api/nowhere/account/metadata')).status, 404)
})

test('no code or token was logged, and no error occurred', () => {
  for (const line of portal.logged) assert.doesNotMatch(line, /code=|eyJ|refresh_token/)
  assert.deepEqual(portal.logged, [])
})

const from = (forwarded: string | undefined) =>
  ({
    headers: { 'x-forwarded-for': forwarded },
    socket: { remoteAddress: '10.0.0.1' },
  }) as unknown as IncomingMessage

test('only forwarded addresses of trusted proxies are used', () => {
  assert.equal(getAddress(from('6.6.6.6, 7.7.7.7'), 0), '10.0.0.1')
  assert.equal(getAddress(from('6.6.6.6, 7.7.7.7'), 1), '7.7.7.7')
  assert.equal(getAddress(from('6.6.6.6, 7.7.7.7'), 2), '6.6.6.6')
  assert.equal(getAddress(from('7.7.7.7'), 3), '7.7.7.7')
  assert.equal(getAddress(from(undefined), 1), '10.0.0.1')
})
