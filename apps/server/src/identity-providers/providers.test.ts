import assert from 'node:assert/strict'
import { after, before, describe, it, test } from 'node:test'
import { DEFAULT_CLAIM_MAPPING } from '@custodia/contract'
import { decodeJwt, type JWTPayload } from 'jose'
import { Problem } from '../http/problem.ts'
import type { Browser } from '../testing/browser.ts'
import { testProvider, type TestProvider } from '../testing/identity-provider.ts'
import { signInFixture, type SignInFixture } from '../testing/sign-in-fixture.ts'
import { checkClientProvider, type ClientProvider, saveClientProvider } from './settings.ts'

const provider = await testProvider('acme-portal')
const other = await testProvider()
/** Not among the origins that the operator admits. */
const hidden = await testProvider()
const acmes = await testProvider('acme-portal')
const globexs = await testProvider('globex-portal')
const portal = await signInFixture({
  env: {
    EGRESS_ALLOW:
      [provider, other, acmes, globexs].map(({ issuer }) => issuer).join() + ',http://127.0.0.1:9',
  },
})
after(async () => {
  await portal.close()
  for (const each of [provider, other, hidden, acmes, globexs]) await each?.close()
})

interface Begun {
  browser: Browser
  nonce: string
  returned: URL
}

/** A sign-in to `client` up to the moment at which its provider has returned. */
async function begin(client: string, provider: TestProvider): Promise<Begun> {
  const browser = portal.browser()
  const { body } = await browser.json(`/admin/v1/api/${client}/url`)
  const url = new URL(String(body.url))
  assert.equal(url.origin, provider.issuer)
  const returned = new URL(`${portal.publicUrl}/sign-in?code=code-of-the-provider`)
  returned.searchParams.set('state', url.searchParams.get('state') ?? '')
  return { browser, nonce: url.searchParams.get('nonce') ?? '', returned }
}

const answerWith = (provider: TestProvider, id_token: () => Promise<string>) => {
  provider.answer = async () => ({
    access_token: 'a',
    token_type: 'bearer',
    refresh_token: 'r',
    expires_in: 600,
    id_token: await id_token(),
  })
}

async function signIn(client: string, provider: TestProvider, person: JWTPayload) {
  const { browser, nonce, returned } = await begin(client, provider)
  answerWith(provider, () => provider.sign({ ...person, nonce }))
  return { browser, ...(await browser.exchange(client, returned)) }
}

const refused = ({ status, body }: { status: number; body: Record<string, unknown> }, name: string) =>
  assert.deepEqual([status, body.code], [400, 'sign_in_refused'], name)

/** Gives a client a provider of its own, as its screen does: read first, then saved. */
async function saveProviderOf(
  { ctx, client_id }: SignInFixture,
  client: string,
  provider: ClientProvider,
): Promise<void> {
  const checked = await checkClientProvider(ctx, provider)
  await ctx.db.write(await client_id(client), (tx) => saveClientProvider(ctx, tx, checked))
}

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

describe('two clients with a provider each', () => {
  before(async () => {
    await saveProviderOf(portal, 'acme', { issuer: acmes.issuer, oidc_client_id: 'acme-portal' })
    await saveProviderOf(portal, 'globex', { issuer: globexs.issuer, oidc_client_id: 'globex-portal' })
  })

  it('two clients sign in at two providers at the same time', async () => {
    const [one, two] = await Promise.all([
      signIn('acme', acmes, { sub: 'ada', roles: ['Auditor'] }),
      signIn('globex', globexs, { sub: 'ada', roles: ['Compliance Reviewer'] }),
    ])
    assert.deepEqual([one.status, two.status], [200, 200])
    const profiles = [
      await one.browser.profile('acme', String(one.body.id_token)),
      await two.browser.profile('globex', String(two.body.id_token)),
    ]
    assert.deepEqual(
      profiles.map(({ body }) => [body.client, body.user_reference, body.roles]),
      [
        ['acme', 'ada', ['Auditor']],
        ['globex', 'ada', ['Compliance Reviewer']],
      ],
    )
  })

  it('a code that another provider issued never reaches the provider that sent the browser there', async () => {
    // Globex's provider sends the browser on to that of acme, which names itself (RFC 9207).
    const begun = await begin('globex', globexs)
    answerWith(globexs, () => globexs.sign({ sub: 'gloria', nonce: begun.nonce }))
    const before = globexs.secrets.length
    refused(await begun.browser.exchange('globex', begun.returned, { iss: acmes.issuer }), 'mixed up')
    assert.equal(globexs.secrets.length, before, 'its token endpoint was not asked')
    const own = await begin('globex', globexs)
    answerWith(globexs, () => globexs.sign({ sub: 'gloria', roles: [], nonce: own.nonce }))
    const named = await own.browser.exchange('globex', own.returned, { iss: globexs.issuer })
    assert.equal(named.status, 200)
  })

  it('tokens and codes of one client do not sign in to another client', async () => {
    const { browser, status, body } = await signIn('globex', globexs, { sub: 'gloria', roles: [] })
    assert.equal(status, 200)
    const [id_token, refresh_token] = [String(body.id_token), String(body.refresh_token)]
    assert.equal((await browser.profile('acme', id_token)).status, 404, 'as if there were no such client')
    assert.equal((await browser.refresh('acme', refresh_token)).status, 401)

    const other = await begin('globex', globexs)
    answerWith(globexs, () => globexs.sign({ sub: 'gloria', nonce: other.nonce }))
    refused(await other.browser.exchange('acme', other.returned), 'a code of the other provider')

    const mixed = await begin('acme', acmes)
    answerWith(acmes, () => globexs.sign({ sub: 'gloria', nonce: mixed.nonce }))
    const answer = await mixed.browser.exchange('acme', mixed.returned)
    assert.ok(answer.status >= 400, "the other provider's token, issuer and audience its own")

    const forged = await begin('acme', acmes)
    const lie = { sub: 'gloria', iss: acmes.issuer, aud: 'acme-portal', nonce: forged.nonce }
    answerWith(acmes, () => globexs.sign(lie))
    refused(await forged.browser.exchange('acme', forged.returned), 'signed by the other provider')
  })

  it('portal tokens are not accepted as provider tokens, and provider tokens not as portal tokens', async () => {
    const { browser, body } = await signIn('acme', acmes, { sub: 'ada', roles: ['Auditor'] })
    const ours = String(body.id_token)
    const again = await begin('acme', acmes)
    answerWith(acmes, async () => ours)
    assert.ok((await again.browser.exchange('acme', again.returned)).status >= 400)

    const claims = decodeJwt(ours)
    const theirs = [
      await acmes.sign({ sub: 'ada', client: 'acme' }),
      await acmes.sign(claims),
      await acmes.sign({ ...claims, aud: 'custodia-portal', token_use: 'portal' }, { typ: 'JWT' }),
    ]
    for (const token of theirs) {
      const { status, body } = await browser.profile('acme', token)
      assert.deepEqual([status, body.code], [401, 'authentication_required'])
    }
    assert.equal((await browser.profile('acme', ours)).status, 200)
  })

  it('a person with too many groups is refused, and the reason is recorded', async () => {
    const groups = Array.from({ length: 250 }, (_, i) => `Group ${i}`)
    refused(await signIn('acme', acmes, { sub: 'everywhere', groups }), 'too many')
    const [entry, ...others] = await portal.activities('acme', `user_reference = 'everywhere'`)
    assert.deepEqual(others, [])
    assert.deepEqual([entry?.action, entry?.is_allowed, entry?.status_code], ['session:sign_in', false, 400])
    assert.match(entry?.denial_reason ?? '', /groups: Items: at most 200/)
    assert.match(portal.logged.at(-1) ?? '', /groups: Items: at most 200/)
    assert.equal((await signIn('acme', acmes, { sub: 'everywhere', groups: groups.slice(50) })).status, 200)
  })

  it('a provider shared by two clients must name the client of each person', async () => {
    await saveProviderOf(portal, 'admin', { issuer: acmes.issuer, oidc_client_id: 'acme-portal' })
    refused(await signIn('acme', acmes, { sub: 'ada' }), 'whose?')
    refused(await signIn('admin', acmes, { sub: 'ada', client: 'acme' }), "acme's")
    assert.equal((await signIn('acme', acmes, { sub: 'ada', client: 'acme' })).status, 200)
  })

  it('the first administrator stays known at a shared provider when the mapping names people otherwise', async (t) => {
    const set = (first: string | null, mapping: object | null) =>
      portal.ctx.db.globalWrite((tx) =>
        tx.query(`update clients set first_administrator = $1, claim_mapping = $2 where client = 'acme'`, [
          first,
          mapping && JSON.stringify(mapping),
        ]),
      )
    await set('ada', { ...DEFAULT_CLAIM_MAPPING, user_reference: 'email' })
    t.after(() => set(null, null))
    assert.equal((await signIn('acme', acmes, { sub: 'ada', email: 'ada@acme.example' })).status, 200)
    refused(await signIn('acme', acmes, { sub: 'eve', email: 'ada' }), 'another person of that name')
  })

  it('a session ends when its client changes provider, and the new provider sees no token', async (t) => {
    const { browser, body } = await signIn('globex', globexs, { sub: 'gloria' })
    const begun = await begin('globex', globexs)
    const next = await testProvider('globex-portal')
    t.after(() => next.close())
    await portal.ctx.db.globalWrite((tx) =>
      tx.query(`update clients set oidc_issuer = $1 where client = 'globex'`, [next.issuer]),
    )
    refused(await begun.browser.exchange('globex', begun.returned), 'began at the former provider')
    portal.advance(295)
    const refresh = await browser.refresh('globex', String(body.refresh_token))
    assert.deepEqual([refresh.status, refresh.body.code], [401, 'session_ended'])
    assert.equal(next.requests(), 0)
    const [entry] = await portal.activities('globex', `action = 'session:refresh'`)
    assert.match(entry?.denial_reason ?? '', /another identity provider now/)
  })
})
