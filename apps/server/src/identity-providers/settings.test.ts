import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Problem } from '../http/problem.ts'
import { testProvider, type TestProvider } from '../testing/identity-provider.ts'
import { type SignInFixture, signInFixture } from '../testing/sign-in-fixture.ts'
import { checkClientProvider, saveClientProvider } from './settings.ts'
import { saveProviderOf } from './provider.test-support.ts'

let portal: SignInFixture
let provider: TestProvider
let other: TestProvider
/** Not among the origins that the operator admits. */
let hidden: TestProvider
before(async () => {
  provider = await testProvider('acme-portal')
  other = await testProvider()
  hidden = await testProvider()
  portal = await signInFixture({
    env: { EGRESS_ALLOW: `${provider.issuer},${other.issuer},http://127.0.0.1:9` },
  })
})
after(async () => {
  await portal?.close()
  await provider?.close()
  await other?.close()
  await hidden?.close()
})

async function refusal(issuer: string): Promise<string> {
  let problem: unknown
  await checkClientProvider(portal.ctx, { issuer, oidc_client_id: 'x' }).catch((error: unknown) => {
    problem = error
  })
  assert.ok(problem instanceof Problem, `${issuer} was not refused: ${String(problem)}`)
  const [fault] = problem.faults
  assert.deepEqual([problem.code, problem.faults.length, fault?.path], ['invalid_input', 1, 'issuer'])
  return `${fault?.code} ${fault?.values?.reason}`
}

test('an unreachable or forbidden issuer is refused with the cause', async () => {
  const expected: Record<string, string> = {
    'https://127.0.0.1': 'address_forbidden forbidden_address',
    'https://localhost': 'address_forbidden forbidden_address',
    'https://169.254.169.254': 'address_forbidden forbidden_address',
    'https://user:pw@idp.example': 'address_forbidden credentials_in_address',
    'http://idp.example': 'https_address not_https',
    'https://nowhere.invalid': 'address_unreachable unknown_host',
    'http://127.0.0.1:9': 'address_unreachable unreachable',
    nonsense: 'address_forbidden forbidden_address',
    [hidden.issuer]: 'https_address not_https',
    [`${provider.issuer}/elsewhere`]: 'address_unreachable wrong_status',
  }
  for (const [issuer, cause] of Object.entries(expected)) assert.equal(await refusal(issuer), cause, issuer)
  assert.equal(hidden.requests(), 0)
})

test('a provider description with forbidden addresses or another issuer is refused', async () => {
  const inside = `${hidden.issuer}/inside`
  const cases: [Record<string, string>, string][] = [
    [{ jwks_uri: inside }, 'https_address not_https'],
    [{ jwks_uri: 'https://10.0.0.1/keys' }, 'address_forbidden forbidden_address'],
    [{ token_endpoint: inside }, 'address_forbidden forbidden_endpoint'],
    [{ authorization_endpoint: 'javascript:alert(1)' }, 'address_forbidden forbidden_endpoint'],
    [{ issuer: 'https://other-issuer.example' }, 'address_unreachable another_issuer'],
    [{ jwks_uri: `${provider.issuer}/.well-known/openid-configuration` }, 'address_unreachable no_keys'],
  ]
  for (const [described, cause] of cases) {
    provider.described = described
    assert.equal(await refusal(provider.issuer), cause, JSON.stringify(described))
  }
  provider.described = {}
  assert.equal(hidden.requests(), 0)
})

const stored = async () => {
  const { rows } = await portal.ctx.db.global((q) =>
    q.query<{ oidc_issuer: string; oidc_client_secret: Buffer | null }>(
      `select oidc_issuer, oidc_client_secret from clients where client = 'acme'`,
    ),
  )
  return rows[0]
}
/** The client secret that the server sends now. */
const usedSecret = async () => {
  const browser = portal.browser()
  const { body } = await browser.json('/admin/v1/api/acme/url')
  const returned = new URL(`${portal.publicUrl}/sign-in?code=12345678`)
  returned.searchParams.set('state', new URL(String(body.url)).searchParams.get('state') ?? '')
  await browser.exchange('acme', returned)
  return provider.secrets.at(-1)
}

test('a saved provider applies from the next sign-in in every process', async () => {
  const another = await portal.startAnother()
  const { issuer } = provider
  const signInAt = async (browser = portal.browser()) => {
    const { body } = await browser.json('/admin/v1/api/acme/url')
    return new URL(String(body.url))
  }
  assert.equal((await signInAt()).origin, portal.publicUrl)
  assert.equal((await signInAt(another.browser())).origin, portal.publicUrl)
  await saveProviderOf(portal, 'acme', { issuer: `${issuer}/`, oidc_client_id: 'acme-portal' })
  for (const url of [await signInAt(), await signInAt(another.browser())]) {
    assert.equal(url.origin, issuer)
    assert.equal(url.searchParams.get('client_id'), 'acme-portal')
  }
  assert.equal((await stored())?.oidc_issuer, issuer, 'as its tokens say')
  await saveProviderOf(portal, 'acme', { issuer, oidc_client_id: 'renamed' })
  assert.equal((await signInAt(another.browser())).searchParams.get('client_id'), 'renamed')
})

test('a client secret is sealed, kept, replaced and removed, and not sent to another issuer', async () => {
  const { issuer } = provider
  const save = (client_secret?: string | null) =>
    saveProviderOf(portal, 'acme', { issuer, oidc_client_id: 'acme-portal', client_secret })
  await save('the-first-secret')
  assert.ok(!(await stored())?.oidc_client_secret?.includes('the-first-secret'))
  assert.equal(await usedSecret(), 'the-first-secret')
  await save()
  assert.equal(await usedSecret(), 'the-first-secret')
  await save('the-second-secret')
  assert.equal(await usedSecret(), 'the-second-secret')
  await save(null)
  assert.equal(await usedSecret(), undefined)

  await save('the-third-secret')
  await saveProviderOf(portal, 'acme', { issuer: other.issuer, oidc_client_id: 'acme-portal' })
  assert.deepEqual(await stored(), { oidc_issuer: other.issuer, oidc_client_secret: null })
})

test('saving a provider for an unknown client fails', async () => {
  const checked = await checkClientProvider(portal.ctx, { issuer: provider.issuer, oidc_client_id: 'x' })
  await assert.rejects(
    portal.ctx.db.write(999_999, (tx) => saveClientProvider(portal.ctx, tx, checked)),
    { code: 'not_found' },
  )
})
