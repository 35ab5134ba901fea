/** Sign-in as a demo person by one click; other people need a password. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { hashPassword } from '../ports/identity/people.ts'
import type { Browser } from '../testing/browser.ts'
import { type SignInFixture, signInFixture } from '../testing/sign-in-fixture.ts'

const [demo, plain] = await Promise.all([signInFixture(), signInFixture({ env: { DEMO: 'false' } })])
after(() => Promise.all([demo.close(), plain.close()]))

/** Chooses `user` at the provider; resolves to the page shown, or to the returned code. */
async function choose(browser: Browser, client: string, user: string) {
  const query = new URLSearchParams({ login_hint: user })
  const { body } = await browser.json(`/admin/v1/api/${client}/url?${query}`)
  let response = await browser.send(String(body.url))
  for (let hops = 0; hops < 5 && response.status >= 300 && response.status < 400; hops++) {
    const to = response.headers.get('location') ?? ''
    const code = new URL(to, String(body.url)).searchParams.get('code')
    if (code !== null) return { code, html: '' }
    response = await browser.send(to)
  }
  return { code: undefined, html: await response.text() }
}

test('the demo lists its users, and other installations list none', async () => {
  const read = async (ctx: SignInFixture) =>
    (await ctx.browser().json('/admin/v1/internal/demo_people')).body.data as {
      client: string
      user_reference: string
    }[]
  assert.deepEqual(
    (await read(demo)).map(({ client, user_reference }) => `${client}/${user_reference}`),
    [
      'acme/alice',
      'acme/bob',
      'acme/carol',
      'acme/ines',
      'acme/hugo',
      'globex/gina',
      'admin/dave',
      'admin/erin',
    ],
  )
  assert.deepEqual(await read(plain), [])
})

test('a user selected in the demo is signed in without a password', async () => {
  assert.ok((await choose(demo.browser(), 'acme', 'bob')).code)
})

test('other clients, other names and non-demo installations still require the password', async () => {
  for (const [ctx, client, user] of [
    [demo, 'globex', 'bob'],
    [demo, 'acme', 'mallory'],
    [demo, 'acme', 'BOB'],
    [plain, 'acme', 'bob'],
  ] as const) {
    const { code, html } = await choose(ctx.browser(), client, user)
    assert.equal(code, undefined, `${client}/${user}`)
    assert.match(html, new RegExp(`name="user" value="${user}"`), 'the name at least need not be typed')
  }
})

test('a demo user with a changed password must type it', async () => {
  const own = await hashPassword('another')
  await demo.ctx.db.globalWrite((tx) =>
    tx.query(`update oidc_people set password_hash = $1 where user_reference = 'gina'`, [own]),
  )
  const { code, html } = await choose(demo.browser(), 'globex', 'gina')
  assert.equal(code, undefined)
  assert.match(html, /type="password"/)
})

test('the login hint is escaped as text', async () => {
  const { html } = await choose(demo.browser(), 'acme', '"><script>alert(1)</script>')
  assert.match(html, /value="&quot;&gt;&lt;script&gt;/)
})
