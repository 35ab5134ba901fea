import assert from 'node:assert/strict'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { after, beforeEach, test } from 'node:test'
import { TERMS_VERSION } from '@custodia/contract'
import { type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import { signingKey } from '../ports/identity/signing-keys.ts'
import { signInFixture } from '../testing/sign-in-fixture.ts'
import { purgeSessions } from './jobs.ts'

const portal = await signInFixture()
after(() => portal.close())
/** No person has signed in, and no network is excluded. */
beforeEach(() =>
  portal.ctx.db.owner.query(
    `delete from portal_sessions; delete from oidc_items; delete from portal_activities; delete from account_defaults;
     update clients set access_epoch = access_epoch + 1`,
  ),
)

const sql = (text: string, values: unknown[] = []) =>
  portal.ctx.db.globalWrite((tx) => tx.query(text, values))

test('forged, foreign and expired tokens are rejected', async () => {
  const browser = portal.browser()
  const { id_token } = await browser.signIn('acme', 'alice')
  const key = await signingKey(portal.ctx.db, portal.ctx.keys, 'portal', 0)
  const [header = '', payload = '', signature = ''] = id_token.split('.')
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as JWTPayload
  assert.equal(claims.token_use, 'portal')
  assert.ok(!('roles' in claims), 'roles come from the session')
  const sign = (changes: JWTPayload, privateKey = key.privateKey) =>
    new SignJWT({ ...claims, ...changes }).setProtectedHeader({ alg: 'RS256', kid: key.kid }).sign(privateKey)
  const hmac = (secret: string | Buffer) =>
    new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: key.kid }).sign(Buffer.from(secret))
  const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const tail = signature.endsWith('AAAA') ? 'BBBB' : 'AAAA'
  const refused: Record<string, string> = {
    nothing: '',
    rubbish: 'rubbish',
    'alg none': new UnsecuredJWT(claims).encode(),
    'alg none with our signature': `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.${signature}`,
    'HS256 with the public key': await hmac(key.publicKey.export({ format: 'pem', type: 'spki' })),
    'HS256 with a guess': await hmac(randomBytes(32)),
    'a changed signature': `${header}.${payload}.${signature.slice(0, -4)}${tail}`,
    'a changed payload': `${header}.${Buffer.from(JSON.stringify({ ...claims, sub: 'bob' })).toString('base64url')}.${signature}`,
    "a stranger's key": await sign({}, stranger.privateKey),
    'its own key along': await new SignJWT(claims)
      .setProtectedHeader({ alg: 'RS256', jwk: stranger.publicKey.export({ format: 'jwk' }) })
      .sign(stranger.privateKey),
    'another audience': await sign({ aud: 'portal' }),
    'another issuer': await sign({ iss: `${portal.publicUrl}/oidc` }),
    'another use': await sign({ token_use: 'app' }),
    expired: await sign({ exp: portal.ctx.now() - 1 }),
    'no end': await sign({ exp: undefined }),
    'invalid support mode': 'Support REF:rubbish',
  }
  for (const [name, token] of Object.entries(refused)) {
    const { status, body } = await browser.profile('acme', token)
    assert.deepEqual([status, body.code], [401, 'authentication_required'], name)
  }
  const support = await browser.profile('acme', `Support REF:${id_token}`)
  assert.deepEqual([support.status, support.body.code], [403, 'support_mode_ended'], 'not of the provider')
  const otherTenant = await browser.profile('acme', await sign({ tenant: await portal.client_id('globex') }))
  assert.deepEqual([otherTenant.status, otherTenant.body.code], [401, 'session_ended'])
  assert.equal(
    (await browser.profile('acme', await sign({}))).status,
    200,
    'the corpus fails for the right reason',
  )
  assert.equal((await browser.profile('globex', id_token)).status, 404)
  portal.advance(301)
  assert.equal((await browser.profile('acme', id_token)).status, 401, 'also one that was seen before')
})

test('parallel refreshes within the grace period all succeed and share one cookie', async () => {
  const browser = portal.browser()
  const { refresh_token } = await browser.signIn('acme', 'alice')
  portal.advance(295)
  const [, before] = browser.cookie('custodia-')
  const first = await Promise.all(Array.from({ length: 10 }, () => browser.refresh('acme', refresh_token)))
  for (const { status, body } of first) assert.equal(status, 200, JSON.stringify(body))
  assert.deepEqual(Object.keys(first[0]?.body ?? {}).toSorted(), ['expires_in', 'id_token'])
  const [name, successor] = browser.cookie('custodia-')
  assert.notEqual(successor.value, before.value)
  portal.advance(20)
  browser.cookies.set(name, before)
  assert.equal((await browser.refresh('acme', refresh_token)).status, 200, 'a late tab within the grace')
  assert.equal(browser.cookie('custodia-')[1].value, successor.value, 'gets the same successor')
})

test('a replaced cookie that is used after the grace period ends the session', async () => {
  const browser = portal.browser()
  const { refresh_token } = await browser.signIn('acme', 'alice')
  const [name, stolen] = browser.cookie('custodia-')
  portal.advance(100)
  const fresh = await browser.refresh('acme', refresh_token)
  assert.equal((await browser.profile('acme', String(fresh.body.id_token))).status, 200)
  const thief = portal.browser()
  thief.cookies.set(name, stolen)
  portal.advance(31)
  const theft = await thief.refresh('acme', refresh_token)
  assert.deepEqual([theft.status, theft.body.code], [401, 'session_ended'])
  const { status, body } = await browser.profile('acme', String(fresh.body.id_token))
  assert.deepEqual([status, body.code], [401, 'session_ended'])
  assert.equal((await browser.refresh('acme', refresh_token)).status, 401)
  const [entry, ...others] = await portal.activities('acme', `action = 'session:refresh'`)
  assert.deepEqual(others, [], 'the theft is on record, once')
  assert.equal(entry?.user_reference, 'alice')
  assert.match(entry?.denial_reason ?? '', /^cookie_reused: /)
})

test('a refresh token without its cookie is rejected, and does not end the session', async () => {
  const browser = portal.browser()
  const { refresh_token } = await browser.signIn('acme', 'alice')
  const [name, cookie] = browser.cookie('custodia-')
  const attempts = [undefined, '0.', `0.${'A'.repeat(43)}`, `1${cookie.value.slice(1)}`]
  for (const value of attempts) {
    const thief = portal.browser()
    if (value !== undefined) thief.cookies.set(name, { ...cookie, value })
    const { status, body } = await thief.refresh('acme', refresh_token)
    assert.deepEqual([status, body.code], [401, 'session_ended'])
  }
  assert.equal((await browser.refresh('globex', refresh_token)).status, 401)
  assert.equal((await browser.refresh('acme', `${refresh_token.slice(0, -1)}_`)).status, 401)
  assert.equal((await browser.refresh('acme', refresh_token)).status, 200)
})

test('changed roles apply at the next provider check, and a removed user is signed out', async () => {
  const browser = portal.browser()
  const { refresh_token, id_token } = await browser.signIn('acme', 'bob')
  await sql(`update oidc_people set roles = '{Auditor}' where user_reference = 'bob'`)
  assert.equal((await browser.refresh('acme', refresh_token)).status, 200)
  const early = await browser.profile('acme', id_token)
  assert.deepEqual(early.body.roles, ['Compliance Reviewer'], 'asked at most every five minutes')
  portal.advance(295)
  const next = await browser.refresh('acme', refresh_token)
  assert.deepEqual((await browser.profile('acme', String(next.body.id_token))).body.roles, ['Auditor'])
  await sql(`delete from oidc_people where user_reference = 'bob'`)
  portal.advance(200)
  const kept = await browser.refresh('acme', refresh_token)
  assert.deepEqual([kept.status, kept.body.expires_in], [200, 100])
  portal.advance(100)
  const late = await browser.profile('acme', String(kept.body.id_token))
  assert.equal(late.status, 401, 'a refresh before the next check does not put it off')
  const out = await browser.refresh('acme', refresh_token)
  assert.deepEqual([out.status, out.body.code], [401, 'session_ended'])
  const { rows } = await sql(`select end_reason from portal_sessions where user_reference = 'bob'`)
  assert.deepEqual(rows, [{ end_reason: 'provider_refused' }])
  const [entry] = await portal.activities('acme', `action = 'session:refresh'`)
  assert.deepEqual([entry?.user_reference, entry?.is_allowed], ['bob', false])
  assert.match(entry?.denial_reason ?? '', /^provider_refused: invalid_grant/)
})

test('no session lasts longer than twelve hours', async () => {
  const browser = portal.browser()
  const { refresh_token } = await browser.signIn('acme', 'alice')
  portal.advance(12 * 3600)
  assert.equal((await browser.refresh('acme', refresh_token)).status, 401)
})

test('the terms are accepted once per version', async () => {
  const browser = portal.browser()
  const { id_token } = await browser.signIn('acme', 'carol')
  const accept = (version: string) =>
    browser.json('/admin/v1/api/acme/profile/terms', {
      method: 'PUT',
      headers: { authorization: id_token, 'content-type': 'application/json' },
      body: JSON.stringify({ version }),
    })
  const before = await browser.profile('acme', id_token)
  assert.deepEqual(before.body.terms, { version: TERMS_VERSION, accepted_at: null })
  assert.deepEqual([before.body.actions, before.body.groups], [[], []], 'no role, no rights')
  assert.equal((await accept('1999-01')).status, 400)
  const { body } = await accept(TERMS_VERSION)
  const { accepted_at } = body.terms as { accepted_at: number }
  assert.ok(Math.abs(accepted_at - portal.ctx.now()) < 60)
  portal.advance(100)
  assert.deepEqual((await accept(TERMS_VERSION)).body.terms, body.terms, 'the first time counts')
  assert.deepEqual((await browser.profile('acme', id_token)).body.terms, body.terms)
})

test("requests from outside the account's networks are refused", async () => {
  const browser = portal.browser()
  const { id_token } = await browser.signIn('acme', 'alice')
  const client_id = await portal.client_id('acme')
  await portal.ctx.db.write(client_id, async (tx) => {
    await tx.query(
      `insert into groups (client_id, group_reference, updated_at, updated_by) values ($1, 'Desk', 0, 'test')`,
      [client_id],
    )
    await tx.query(
      `insert into account_defaults select client_id, group_id, null, '{10.0.0.0/8}' from groups where client_id = $1`,
      [client_id],
    )
  })
  await sql('update clients set access_epoch = access_epoch + 1')
  const { status, body } = await browser.profile('acme', id_token)
  assert.deepEqual([status, body.code], [403, 'network_not_permitted'])
})

test('sign-ins and sessions continue after a restart of the server', async () => {
  const browser = portal.browser()
  const returned = await browser.authorise('acme', 'alice')
  await portal.restart()
  const { status, body } = await browser.exchange('acme', returned)
  assert.equal(status, 200)
  await portal.restart()
  assert.equal((await browser.profile('acme', String(body.id_token))).status, 200)
  assert.equal((await browser.refresh('acme', String(body.refresh_token))).status, 200)
  portal.advance(295)
  assert.equal(
    (await browser.refresh('acme', String(body.refresh_token))).status,
    200,
    'the provider still knows it',
  )
})

test('processes that start together agree on one signing key', async () => {
  const { db, keys } = portal.ctx
  const made = await Promise.all(Array.from({ length: 4 }, () => signingKey(db, keys, 'fresh', 0)))
  assert.equal(new Set(made.map((each) => each.kid)).size, 1)
})

test('a session belongs to the browser with the newest cookie, or briefly with the previous one', async () => {
  const browser = portal.browser()
  const { refresh_token } = await browser.signIn('acme', 'alice')
  const [name, { value }] = browser.cookie('custodia-')
  const holds = async (cookie: string) => {
    const session_id = name.replace('custodia-', '')
    const { rows } = await sql(`select session_id, rotation, rotated_at from portal_sessions`)
    const [wanted] = rows as { session_id: string; rotation: number; rotated_at: number }[]
    assert.equal(wanted?.session_id, session_id)
    const held = portal.sessions.sessionOfRequest({ headers: { cookie } }, wanted)
    assert.ok(held === undefined || held === session_id)
    return held !== undefined
  }
  assert.equal(await holds(`a=b; ${name}=${value}`), true)
  assert.equal(await holds(`${name}=0.${'A'.repeat(43)}`), false)
  assert.equal(await holds(''), false)
  portal.advance(295)
  assert.equal((await browser.refresh('acme', refresh_token)).status, 200)
  const [, newer] = browser.cookie('custodia-')
  assert.notEqual(newer.value, value)
  assert.equal(await holds(`${name}=${value}`), true)
  portal.advance(31)
  assert.equal(await holds(`${name}=${value}`), false)
  assert.equal(await holds(`${name}=${newer.value}`), true)
})

test('signing out ends only the current session, at once', async () => {
  const [here, there] = [portal.browser(), portal.browser()]
  const tokens = await here.signIn('acme', 'alice')
  const other = await there.signIn('acme', 'alice')
  const init = { method: 'DELETE', headers: { authorization: tokens.id_token } }
  const { status, body } = await here.json('/admin/v1/api/acme/profile/session', init)
  assert.deepEqual([status, body], [200, {}], 'the embedded provider keeps no sign-in')
  assert.equal(
    here.cookies.size === 0 || ![...here.cookies.keys()].some((name) => /^custodia-[0-9]/.test(name)),
    true,
  )
  const after = await here.profile('acme', tokens.id_token)
  assert.deepEqual([after.status, after.body.code], [401, 'session_ended'])
  assert.equal((await here.refresh('acme', tokens.refresh_token)).status, 401)
  assert.equal((await there.profile('acme', other.id_token)).status, 200)
  const entries = await portal.activities('acme', `user_reference = 'alice' and action <> 'session:sign_in'`)
  assert.deepEqual(
    entries.map(({ action, status_code }) => [action, status_code]),
    [
      ['profile:read', 200],
      ['profile:read', 401],
      ['session:sign_out', 200],
    ],
    'one entry each: of the sign-out here, of the refusal after it, and of the profile read there',
  )
  const left = await sql(`select count(*)::int as n from oidc_items where model = 'RefreshToken'`)
  assert.deepEqual(left.rows, [{ n: 1 }], 'the provider was notified')
})

test('signing out everywhere ends all sessions of the user, and no others', async () => {
  const [here, there, colleague] = [portal.browser(), portal.browser(), portal.browser()]
  const tokens = await here.signIn('acme', 'alice')
  const other = await there.signIn('acme', 'alice')
  const carol = await colleague.signIn('acme', 'carol')
  const init = { method: 'DELETE', headers: { authorization: tokens.id_token } }
  assert.equal((await here.json('/admin/v1/api/acme/profile/session?everywhere=true', init)).status, 200)
  assert.equal((await there.profile('acme', other.id_token)).status, 401)
  assert.equal((await colleague.profile('acme', carol.id_token)).status, 200)
})

test('signing out everywhere takes effect at once in every process', async () => {
  const another = await portal.startAnother()
  const [here, there] = [portal.browser(), another.browser()]
  const mine = await here.signIn('acme', 'alice')
  const other = await there.signIn('acme', 'alice')
  for (const browser of [here, there]) {
    assert.equal((await browser.profile('acme', mine.id_token)).status, 200, 'both know both')
    assert.equal((await browser.profile('acme', other.id_token)).status, 200)
  }
  assert.equal((await here.signOut('acme', mine.id_token, '?everywhere=true')).status, 200)
  for (const browser of [here, there]) {
    for (const { id_token } of [mine, other]) {
      const { status, body } = await browser.profile('acme', id_token)
      assert.deepEqual([status, body.code], [401, 'session_ended'])
    }
  }
  assert.equal((await there.refresh('acme', other.refresh_token)).status, 401)
  const left = await sql(`select count(*)::int as n from oidc_items where model = 'RefreshToken'`)
  assert.deepEqual(left.rows, [{ n: 0 }], 'the provider was notified of each')
})

// Last: it advances the clock by a month.
test('the purge deletes old items and provider tokens of old sessions, and keeps the rest', async () => {
  const browser = portal.browser()
  const { refresh_token } = await browser.signIn('acme', 'alice')
  const count = async () => {
    const { rows } = await sql(
      `select (select count(*) from oidc_items) as items, (select count(*) from portal_sessions) as sessions,
         (select count(provider_tokens) from portal_sessions) as "verifiedHolder"`,
    )
    return rows[0] as { items: number; sessions: number; verifiedHolder: number }
  }
  await purgeSessions.run(portal.ctx, {}, new AbortController().signal)
  assert.equal((await browser.refresh('acme', refresh_token)).status, 200)
  portal.advance(13 * 3600)
  await purgeSessions.run(portal.ctx, {}, new AbortController().signal)
  assert.deepEqual(await count(), { items: 0, sessions: 1, verifiedHolder: 1 })
  portal.advance(31 * 86_400)
  await purgeSessions.run(portal.ctx, {}, new AbortController().signal)
  assert.deepEqual(await count(), { items: 0, sessions: 1, verifiedHolder: 0 })
})
