import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { makeClient } from '@custodia/client'
import type { ClientAppInput } from '@custodia/contract'
import {
  type AccessFixture,
  accessFixture,
  allow,
  codeOf,
  type Person,
  roleInput,
} from '../testing/access-fixture.ts'
import { requirePart } from '../testing/require-part.ts'
import { opensslAvailable, type TestIssuer, testIssuer } from '../testing/issuer.ts'

const HERE = '127.0.0.0/8'

describe('permissions granted to a client app', requirePart('openssl', opensslAvailable()), () => {
  let fixture: AccessFixture
  let issuer: TestIssuer
  before(async () => {
    issuer = await testIssuer()
    fixture = await accessFixture({ EGRESS_ALLOW: issuer.issuer })
    await fixture.giveRole('Lister', [allow('payloads:list')])
    await fixture.giveRole('Keeper', [allow('account.apps:*', 'payloads:list', 'roles:*', 'profile:read')])
  })
  after(async () => {
    await fixture?.close()
    await issuer?.close()
  })

  const input = (changes: Partial<ClientAppInput> = {}): ClientAppInput => ({
    oidc_config: { issuer: issuer.issuer, audience: 'lists', jwks_uri: issuer.jwks_uri },
    group: null,
    roles: ['Lister'],
    cidr_ranges: [],
    ...changes,
  })
  const params = (app_reference: string) => ({ params: { app_reference }, query: {} })
  const limits = async (person: Pick<Person, 'api'>, app: string, body: ClientAppInput) =>
    (await person.api.reviewClientApp({ ...params(app), body })).impact.escalations.map(
      ({ action, limit }) => `${action} ${limit}`,
    )

  it('are limited to the networks in which the author holds them', async () => {
    await fixture.giveRole('Office Keeper', [allow('account.apps:*', 'payloads:list')], {
      cidr_ranges: [HERE],
    })
    const person = await fixture.personWith(['Office Keeper'])
    const create = (body: ClientAppInput) => person.api.createClientApp({ ...params('Lists'), body })
    assert.deepEqual(await limits(person, 'Lists', input()), ['payloads:list networks'])
    assert.equal(await codeOf(create(input())), 'escalation')
    assert.equal(await codeOf(create(input({ cidr_ranges: [HERE, '10/8'] }))), 'escalation')
    await create(input({ cidr_ranges: ['127.0/16'] }))
    assert.equal(
      await codeOf(person.api.updateClientApp({ ...params('Lists'), body: input() })),
      'escalation',
    )
    await person.api.deleteClientApp(params('Lists'))
  })

  it('cannot be widened or passed on by the app outside its own networks', async () => {
    const own = (cidr_ranges: string[]) => input({ roles: ['Keeper'], cidr_ranges })
    await fixture.alice.api.createClientApp({ ...params('Self'), body: own([HERE]) })
    await fixture.newAlerts()
    const at = Math.floor(Date.now() / 1000)
    const token = await issuer.sign({ iss: issuer.issuer, aud: 'lists', iat: at, exp: at + 600 })
    const api = makeClient({
      baseUrl: fixture.server.url,
      client: () => 'acme',
      credentials: async () => ({ token }),
    })
    for (const wider of [[], [HERE, '10/8']])
      assert.equal(
        await codeOf(api.updateClientApp({ ...params('Self'), body: own(wider) })),
        'escalation',
        wider.join(),
      )
    assert.ok((await limits({ api }, 'Self', own([]))).includes('payloads:list networks'))
    const role = (cidr_ranges: string[]) =>
      api.saveRole({
        params: { role_reference: 'Given' },
        query: {},
        body: roleInput([allow('payloads:list')], { cidr_ranges }),
      })
    assert.equal(await codeOf(role([])), 'escalation')
    await role([HERE])
    await api.updateClientApp({ ...params('Self'), body: own(['127.0.0.0/9']) })
    assert.deepEqual(await fixture.newAlerts(), [])
  })

  it('have no network limit when the author has none', async () => {
    const person = await fixture.personWith(['Keeper'])
    assert.deepEqual(await limits(person, 'Lists', input()), [])
  })
})
