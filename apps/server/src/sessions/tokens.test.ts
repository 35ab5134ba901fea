import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { type SignInFixture, signInFixture } from '../testing/sign-in-fixture.ts'

let portal: SignInFixture
beforeEach(async () => {
  portal = await signInFixture()
})
afterEach(() => portal.close())

const sql = (text: string) => portal.ctx.db.globalWrite((tx) => tx.query(text))

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
  const bob = await colleague.signIn('acme', 'bob')
  const init = { method: 'DELETE', headers: { authorization: tokens.id_token } }
  assert.equal((await here.json('/admin/v1/api/acme/profile/session?everywhere=true', init)).status, 200)
  assert.equal((await there.profile('acme', other.id_token)).status, 401)
  assert.equal((await colleague.profile('acme', bob.id_token)).status, 200)
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
