import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { ApiProblem, type Client, makeClient } from '@custodia/client'
import type { ClientAppInput } from '@custodia/contract'
import type { JWTPayload } from 'jose'
import {
  accessFixture,
  type AccessFixture,
  allow,
  getCode,
  type Person,
  roleInput,
} from '../testing/access-fixture.ts'
import { opensslAvailable, testIssuer, type TestIssuer } from '../testing/issuer.ts'
import { requirePart } from '../testing/require-part.ts'
import { type TestServer } from '../testing/server.ts'
import { storePayload } from '../testing/stored-payload.ts'
import { ruleOfTwo } from '../testing/test-context.ts'
import { readSlowly } from '../testing/waits.ts'

const AUDIENCE = 'receipts-of-acme'
const APP = 'Archive'

/** Bytes: more than fit between a server and a client that does not read. */
const SIZE = 40_000_000

const withOpenssl = requirePart('openssl', opensslAvailable())
let fixture: AccessFixture
let server: TestServer
let issuer: TestIssuer
let alice: Person
before(async () => {
  if (withOpenssl.skip) return
  issuer = await testIssuer()
  fixture = await accessFixture({ EGRESS_ALLOW: issuer.issuer })
  ;({ server, alice } = fixture)
})
after(async () => {
  await fixture?.close()
  await issuer?.close()
})

describe('client apps', withOpenssl, () => {
  const now = () => server.ctx.now()
  const input = (changes: Partial<ClientAppInput> = {}): ClientAppInput => ({
    oidc_config: { issuer: issuer.issuer, audience: AUDIENCE, jwks_uri: issuer.jwks_uri },
    group: 'North',
    roles: ['Receipt App'],
    cidr_ranges: [],
    ...changes,
  })
  const params = (app_reference = APP) => ({ params: { app_reference }, query: {} })
  const create = (body = input(), app_reference = APP, person = alice) =>
    person.api.createClientApp({ ...params(app_reference), body })
  const update = (body: ClientAppInput, if_match?: string) =>
    alice.api.updateClientApp({ ...params(), body }, { if_match })
  const remove = (app_reference = APP) => alice.api.deleteClientApp(params(app_reference))
  const identity = (audience: string) => ({ ...input().oidc_config, audience })
  const refused = (made: Promise<unknown>, code: string, ...faults: string[]) =>
    assert.rejects(made, (error) => {
      assert.ok(error instanceof ApiProblem, String(error))
      assert.equal(error.code, code, error.message)
      assert.deepEqual(
        error.faults.map((each) => `${each.path} ${each.code}`),
        faults,
      )
      return true
    })
  const token = (claims: JWTPayload = {}, how: Parameters<TestIssuer['sign']>[1] = {}) =>
    issuer.sign({ iss: issuer.issuer, aud: AUDIENCE, iat: now(), exp: now() + 600, ...claims }, how)
  const as = (given: string, client = 'acme'): Client =>
    makeClient({ baseUrl: server.url, client: () => client, credentials: async () => ({ token: given }) })

  describe('client app settings', () => {
    it('are created, read, listed, changed and removed', async () => {
      const made = await create()
      assert.deepEqual(
        [made.app_reference, made.group, made.roles, made.last_seen, made.updated_by],
        [APP, 'North', ['Receipt App'], null, 'alice'],
      )
      assert.deepEqual(await alice.api.readClientApp(params()), made)
      await create(input({ oidc_config: identity('another'), group: null }), 'Zebra')
      assert.deepEqual(await alice.api.listClientApps({ query: { type: 'total' } }), { total: 2 })
      const page = await alice.api.listClientApps({ query: { limit: 1 } })
      assert.ok(page.last_key)
      const rest = await alice.api.listClientApps({ query: { limit: 1, last_key: page.last_key } })
      assert.deepEqual(
        [...page.data, ...rest.data].map((each) => each.app_reference),
        [APP, 'Zebra'],
      )
      assert.deepEqual(await alice.api.listClientApps({ query: { search: 'ZEB', type: 'total' } }), {
        total: 1,
      })
      await remove('Zebra')
      await refused(remove('Zebra'), 'not_found')
      await refused(alice.api.readClientApp(params('Zebra')), 'not_found')
      const changed = await update(input({ cidr_ranges: ['10/8'] }), made.version)
      assert.deepEqual(changed.cidr_ranges, ['10.0.0.0/8'])
      assert.notEqual(changed.version, made.version)
      await refused(update(input(), made.version), 'changed_meanwhile')
      await refused(alice.api.deleteClientApp(params(), { if_match: made.version }), 'changed_meanwhile')
      await remove()
    })

    it('are rejected with a fault for each invalid field', async () => {
      await create()
      await refused(create(), 'already_exists')
      await refused(alice.api.updateClientApp({ ...params('Nowhere'), body: input() }), 'not_found')
      await refused(create(input(), 'Duplicate'), 'invalid_input', 'oidc_config.audience same_identity')
      await update(input())
      const unknown = input({
        oidc_config: identity('third'),
        roles: ['Auditor', 'No Such'],
        group: 'Nowhere',
      })
      await refused(
        create(unknown, 'Third'),
        'invalid_input',
        'roles.1 unknown_reference',
        'group unknown_reference',
      )
      const local = { issuer: 'https://127.0.0.1/x', audience: 'local', jwks_uri: 'https://10.1.2.3/keys' }
      await refused(
        create(input({ oidc_config: local }), 'Local'),
        'invalid_input',
        'oidc_config.issuer address_forbidden',
        'oidc_config.jwks_uri address_forbidden',
      )
      const silent = { ...identity('silent'), jwks_uri: `${issuer.issuer}/nothing` }
      issuer.publish('nothing')
      await create(input({ oidc_config: silent }), 'Silent')
      issuer.publish([issuer.key.jwk])
      await remove('Silent')
      await remove()
    })

    it('reject names with the suffixes (support), (app) and (provider)', async () => {
      for (const name of ['erin (support)', 'Loader (App)', 'dave( provider )'])
        await refused(create(input(), name), 'invalid_input', 'app_reference reserved_name')
    })

    it('cannot grant more than the user holds, unless the user may escalate', async () => {
      await fixture.giveRole('App Keeper', [allow('account.apps:*', 'profile:*', 'payloads:list')])
      await fixture.giveRole('Lister', [allow('payloads:list')])
      const keeper = await fixture.personWith(['App Keeper'])
      const { impact } = await keeper.api.reviewClientApp({ ...params(), body: input() })
      assert.ok(!impact.may_escalate && impact.escalations.length > 0, 'the review warns before the save')
      await refused(create(input(), APP, keeper), 'escalation')
      await create(input({ roles: ['Lister'] }), APP, keeper)
      const widen = (by: Person) => by.api.updateClientApp({ ...params(), body: input() })
      await refused(widen(keeper), 'escalation')
      await fixture.newAlerts()
      await widen(await fixture.personWith(['Account Administrator']))
      const [alert, ...others] = await fixture.newAlerts()
      assert.match(alert ?? '', /^High: carol saved the client app/)
      assert.deepEqual(others, [])
      await remove()
    })
  })

  describe('client apps as callers', () => {
    before(() => create())
    after(() => remove())

    it('may do what their roles allow in their client, and appear in its audit log', async () => {
      const app = as(await token())
      await app.listPayloads({})
      await refused(app.listRoles({}), 'not_permitted')
      await refused(as(await token(), 'globex').listPayloads({}), 'authentication_required')
      const rows = await server.sql(
        `select distinct user_reference, user_group, roles, is_client_app from portal_activities where is_client_app`,
      )
      assert.deepEqual(rows, [
        { user_reference: APP, user_group: 'North', roles: ['Receipt App'], is_client_app: true },
      ])
      assert.ok(Math.abs(((await alice.api.readClientApp(params())).last_seen ?? 0) - now()) < 10)
    })

    it('are rejected without a client, in the internal area and with invalid tokens', async () => {
      const status = async (path: string, given: string) =>
        (await fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${given}` } })).status
      const good = await token()
      assert.equal(await status('/client/v1/api/payloads?client=acme', good), 200)
      assert.equal(await status('/client/v1/api/payloads', good), 401)
      assert.equal(await status('/client/v1/api/payloads?client=unknown', good), 401)
      assert.equal(await status('/admin/v1/internal/clients/acme/supportaccess', good), 404)
      assert.equal(await status('/client/v1/api/payloads?client=acme', await token({ aud: 'another' })), 401)
    })

    it('cannot take part in dual control, whatever their roles allow', async () => {
      const target = {
        params: { target_type: 'PortalUser' as const, target: 'held@acme.example' },
        query: {},
      }
      await alice.api.setLegalHold(target)
      await ruleOfTwo(server.sql, true)
      await update(input({ group: null, roles: ['Compliance Manager'] }))
      const app = as(await token())
      const release = { ...target, query: { reason: 'The inquiry is over' } }
      await refused(app.releaseLegalHold(release), 'person_required')
      const proposed = await alice.api.releaseLegalHold(release)
      assert.ok('proposal_id' in proposed)
      const one = { params: { proposal_id: proposed.proposal_id } }
      await refused(app.confirmProposal(one), 'person_required')
      await refused(app.rejectProposal({ ...one, body: { reason: 'Not by an app' } }), 'person_required')
      assert.equal((await alice.api.readProposal(one)).state, 'waiting')
      assert.ok((await alice.api.readLegalHold(target)).is_active)
      await ruleOfTwo(server.sql, false)
      await update(input())
    })

    it('are limited to their own networks and to those of the account', async () => {
      const list = async () => as(await token()).listPayloads({})
      await update(input({ cidr_ranges: ['10.0.0.0/8'] }))
      await refused(list(), 'network_not_permitted')
      await update(input({ cidr_ranges: ['127.0.0.0/8'] }))
      await list()
      const confine = async (ranges: string[]) => {
        await server.sql(
          `update account_defaults set cidr_ranges = $1 where client_id = (select client_id from clients where client = 'acme')`,
          [ranges],
        )
        await server.sql(`update clients set access_epoch = access_epoch + 1 where client = 'acme'`)
      }
      await confine(['10.0.0.0/8'])
      await refused(list(), 'network_not_permitted')
      await confine([])
      await list()
    })

    it('follow changed roles, a changed identity and deletion at the next request', async () => {
      const app = as(await token())
      await app.listPayloads({})
      await update(input({ roles: ['Auditor'] }))
      await app.listPayloads({})
      await refused(app.confirmReceipts({ body: { payload_references: ['0'.repeat(26)] } }), 'not_permitted')
      await update(input({ oidc_config: identity('renamed') }))
      await refused(app.listPayloads({}), 'authentication_required')
      await update(input())
      await app.listPayloads({})
      await remove()
      await refused(app.listPayloads({}), 'authentication_required')
      await create()
    })

    it('use data addresses with their own token only, and are cut off on deletion', async () => {
      const bytes = randomBytes(SIZE)
      const payload_reference = await storePayload(server.ctx, { client: 'acme', group: 'North', bytes })
      const given = await token()
      const getAddress = async () => {
        const answer = await as(given).readPayloadData({ params: { payload_reference } })
        assert.equal(answer.status, 'Ok')
        return answer.s3_url ?? ''
      }
      const url = await getAddress()
      assert.equal((await fetch(url)).status, 403, 'without token')
      assert.equal((await alice.fetch(url)).status, 403, 'a person')
      const own = { authorization: `Bearer ${given}` }
      const whole = await fetch(url, { headers: own })
      assert.equal(whole.status, 200)
      assert.ok(bytes.equals(Buffer.from(await whole.arrayBuffer())))
      await create(input({ oidc_config: identity('other-app') }), 'Other')
      const other = { authorization: `Bearer ${await token({ aud: 'other-app' })}` }
      assert.equal((await fetch(url, { headers: other })).status, 403, 'another app')
      await remove('Other')
      const reader = await readSlowly(await getAddress(), own)
      await remove()
      await reader.closed()
      const { is_whole, bytes: read } = await reader.finish()
      assert.ok(!is_whole && read < SIZE, `${read} bytes arrived`)
      assert.equal((await fetch(url, { headers: own })).status, 403)
      await create()
    })
  })

  it('are tested with a token step by step, and the audit log keeps no token', async () => {
    const test = async (given: string, oidc_config = input().oidc_config, person = alice) =>
      person.api.testClientAppToken({ ...params('Not Saved'), body: { token: given, oidc_config } })
    const good = await token()
    const accepted = await test(good)
    assert.equal(accepted.is_accepted, true)
    assert.deepEqual(
      accepted.checks.map((each) => each.check),
      ['shape', 'algorithm', 'issuer', 'audience', 'keys', 'signature', 'time'],
    )
    assert.equal((await test(await token({ exp: now() - 99 }))).checks.at(-1)?.check, 'time')
    const forbidden = { ...input().oidc_config, jwks_uri: 'https://169.254.169.254/latest' }
    const closed = await test(good, forbidden)
    assert.deepEqual([closed.is_accepted, closed.checks.at(-1)?.check], [false, 'keys'])
    const rows = await server.sql(
      `select count(*)::int as n from portal_activities where strpos(parameters, $1) > 0 or strpos(parameters, $2) > 0`,
      [good, good.split('.')[2]],
    )
    assert.equal(rows[0]?.n, 0)
    const logged = await server.sql(
      `select count(*)::int as n from portal_activities where action = 'account.apps:test'`,
    )
    assert.equal(logged[0]?.n, 3)
  })
})

const HERE = '127.0.0.0/8'

describe('permissions granted to a client app', withOpenssl, () => {
  before(async () => {
    await fixture.giveRole('Lister', [allow('payloads:list')])
    await fixture.giveRole('Keeper', [allow('account.apps:*', 'payloads:list', 'roles:*', 'profile:read')])
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
    assert.equal(await getCode(create(input())), 'escalation')
    assert.equal(await getCode(create(input({ cidr_ranges: [HERE, '10/8'] }))), 'escalation')
    await create(input({ cidr_ranges: ['127.0/16'] }))
    assert.equal(
      await getCode(person.api.updateClientApp({ ...params('Lists'), body: input() })),
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
        await getCode(api.updateClientApp({ ...params('Self'), body: own(wider) })),
        'escalation',
        wider.join(),
      )
    assert.ok((await limits({ api }, 'Self', own([]))).includes('payloads:list networks'))
    const role = (cidr_ranges: string[]) =>
      api.saveRole({
        params: { role_reference: 'Given' },
        body: roleInput([allow('payloads:list')], { cidr_ranges }),
      })
    assert.equal(await getCode(role([])), 'escalation')
    await role([HERE])
    await api.updateClientApp({ ...params('Self'), body: own(['127.0.0.0/9']) })
    assert.deepEqual(await fixture.newAlerts(), [])
  })
})
