import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { ApiProblem } from '@custodia/client'
import {
  carrierEndpoints,
  clientEndpoints,
  internalLicenseEndpoints,
  internalRoleEndpoints,
  isProposed,
  staffEndpoints,
  statisticsEndpoints,
} from '@custodia/contract'
import { forEachService } from '../licenses/store.ts'
import { makeEgress } from '../ports/egress/guard.ts'
import { openPerson, type Person, roleInput } from '../testing/access-fixture.ts'
import { Browser } from '../testing/browser.ts'
import { makeCertificate, opensslAvailable, startTlsServer } from '../testing/issuer.ts'
import { phoneWith } from '../testing/phones.ts'
import { testServer } from '../testing/server.ts'

const withStatus = (status: number) => (error: unknown) =>
  error instanceof ApiProblem && error.status === status

const server = await testServer()
after(() => server.close())
const dave = await openPerson(server, 'admin', 'dave')
const erin = await openPerson(server, 'admin', 'erin')
const alice = await openPerson(server, 'acme', 'alice')

describe('the provider area', () => {
  /** Entries of the log of a client for an action, newest first. */
  const activities = async (client: string, action: string) => {
    const rows = await server.sql(
      `select user_reference, is_allowed, status_code, parameters, log_id from portal_activities join clients using (client_id)
       where client = $1 and action = $2 order by log_id desc`,
      [client, action],
    )
    return rows as { user_reference: string; parameters: string; log_id: string }[]
  }

  it('returns 404 to users of clients for every endpoint', async () => {
    const identity = { issuer: 'https://idp.example', oidc_client_id: 'x' }
    const limits = forEachService(() => 1)
    const client = { client: 'globex' }
    const calls: Record<string, () => Promise<unknown>> = {
      listClients: () => alice.api.listClients({}),
      listClientsTotal: () => alice.api.listClients({ query: { type: 'total' } }),
      createClient: () =>
        alice.api.createClient({
          body: { client: 'more', client_name: 'More', limits, identity: null, first_administrator: 'alice' },
        }),
      suspendClient: () => alice.api.suspendClient({ params: client, body: { reason: 'Because' } }),
      resumeClient: () => alice.api.resumeClient({ params: client }),
      proposeClientDeletion: () => alice.api.proposeClientDeletion({ params: client }),
      confirmClientDeletion: () => alice.api.confirmClientDeletion({ params: client }),
      withdrawClientDeletion: () => alice.api.withdrawClientDeletion({ params: client }),
      saveClientIdentity: () => alice.api.saveClientIdentity({ params: client, body: { identity } }),
      removeClientIdentity: () => alice.api.saveClientIdentity({ params: client, body: { identity: null } }),
      ownIdentity: () =>
        alice.api.saveClientIdentity({ params: { client: 'acme' }, body: { identity: null } }),
      secondClientIdentity: () =>
        alice.api.secondClientIdentity({ params: client, body: { proposal_id: '0'.repeat(26) } }),
      withdrawClientIdentity: () => alice.api.withdrawClientIdentity({ params: client }),
      listRolesOfClient: () => alice.api.listRolesOfClient({ params: client }),
      ownRoles: () => alice.api.listRolesOfClient({ params: { client: 'acme' } }),
      listCountries: () => alice.api.listCountries({}),
      readStatistics: () => alice.api.readStatistics({}),
      listStaff: () => alice.api.listStaff({}),
      listLicenses: () => alice.api.listLicenses({}),
      saveLicenses: () => alice.api.saveLicenses({ params: client, body: { limits } }),
      ownLicenses: () => alice.api.saveLicenses({ params: { client: 'acme' }, body: { limits } }),
    }
    const guarded = {
      ...clientEndpoints,
      ...internalRoleEndpoints,
      ...carrierEndpoints,
      ...statisticsEndpoints,
      ...staffEndpoints,
      ...internalLicenseEndpoints,
    }
    assert.deepEqual(
      Object.keys(guarded).filter((name) => !(name in calls)),
      [],
    )
    for (const [name, call] of Object.entries(calls)) await assert.rejects(call(), withStatus(404), name)
    assert.equal((await alice.api.readLicenses({})).limits.calls, 100, 'nothing was saved')
  })

  it('lists all clients with the size of their fleets, open alerts and waiting uploads, page by page', async () => {
    await server.sql(
      `insert into alerts (client_id, alert_reference, alert_scope, alert_type, alert_subject, alert_key, alert_message, alert_severity,
         first_occurrence, last_occurrence, alert_target)
       select client_id, target, 'ops', 'OtherAlert', 'Test', 'listed', 'Test', 'Low', 1, 1, target
       from clients cross join unnest('{client,admin}'::text[]) target where client = 'globex'`,
    )
    const all = await dave.api.listClients({})
    assert.deepEqual(
      all.data.map(({ client, is_provider, devices, device_users, open_alerts, waiting_uploads }) => [
        client,
        is_provider,
        devices,
        device_users,
        open_alerts,
        waiting_uploads,
      ]),
      [
        ['acme', false, 0, 9, 0, 0],
        ['admin', true, 0, 0, 0, 0],
        ['globex', false, 0, 3, 1, 0],
      ],
    )
    await server.sql(`delete from alerts where alert_key = 'listed'`)
    const first = await erin.api.listClients({ query: { limit: 2 } })
    assert.ok(first.last_key)
    const second = await erin.api.listClients({ query: { limit: 2, last_key: first.last_key } })
    assert.deepEqual([second.data.map(({ client }) => client), second.last_key], [['globex'], undefined])
    const found = await dave.api.listClients({ query: { search: 'CAPITAL' } })
    assert.deepEqual(
      found.data.map(({ client }) => client),
      ['acme'],
    )
    assert.deepEqual(await dave.api.listClients({ query: { type: 'total', search: 'b' } }), { total: 1 })
    // A key of one list opens no other one.
    await assert.rejects(
      dave.api.listClients({ query: { search: 'a', last_key: first.last_key } }),
      withStatus(400),
    )
  })

  it('lists the roles of a client together with the system roles', async () => {
    const [own] = await server.sql(
      `insert into roles select client_id, 'Night desk', $1, 7, 'gina' from clients where client = 'globex' returning role_reference`,
      [
        {
          role_reference: 'Night desk',
          ...roleInput([{ actions_matching: ['payloads:list'] }]),
          is_system: false,
        },
      ],
    )
    const list = async (client: string) => {
      return (await erin.api.listRolesOfClient({ params: { client } })).data
    }
    const roles = await list('globex')
    const found = roles.find(({ role_reference }) => role_reference === own?.role_reference)
    assert.deepEqual([found?.updated_at, found?.updated_by, found?.is_system], [7, 'gina', false])
    assert.match(found?.version ?? '', /^[0-9a-f]{16}$/)
    const references = roles.map(({ role_reference }) => role_reference)
    assert.ok(references.includes('Support Metadata'))
    assert.ok(!references.includes('Provider Administrator'))
    assert.deepEqual(references, references.toSorted())
    assert.ok(!(await list('acme')).some(({ role_reference }) => role_reference === 'Night desk'))
    await assert.rejects(list('unknown'), withStatus(404))
  })

  it(
    'changes the identity provider of a client once the client confirms it, and records it in both logs without the secret',
    { skip: !opensslAvailable() && 'openssl is not installed' },
    async (t) => {
      const provider = await tlsProvider()
      t.after(() => provider.close())
      const { issuer, egress } = provider
      Object.assign(server.ctx, { egress })
      const identity = { issuer, oidc_client_id: 'globex-portal', client_secret: 'never to be seen' }
      const params = { client: 'globex' }
      const proposed = await dave.api.saveClientIdentity({ params, body: { identity } })
      assert.ok(isProposed(proposed))
      const origin = async () => {
        const { body } = await new Browser(server.url).json('/admin/v1/api/globex/url')
        return new URL(String(body.url)).origin
      }
      assert.equal(await origin(), server.url, 'nothing has changed yet')
      const gina = await openPerson(server, 'globex', 'gina', { roles: ['Account Administrator'] })
      const { proposal_id } = proposed
      await gina.api.confirmProposal({ params: { proposal_id } })
      assert.equal(await origin(), issuer)
      for (const client of ['admin', 'globex']) {
        const [entry, ...others] = await activities(client, 'internal.clients:update')
        assert.ok(entry, client)
        assert.deepEqual([entry.user_reference, others], ['dave', []])
        assert.ok(entry.parameters.includes(issuer) && !entry.parameters.includes('never to be seen'))
      }
      const changes = [
        ...(await activities('admin', 'identity:change')),
        ...(await activities('globex', 'identity:change')),
      ]
      assert.equal(changes.length, 2)
      for (const { parameters } of changes)
        assert.ok(
          ['dave (provider)', 'gina', issuer].every((each) => parameters.includes(each)),
          parameters,
        )
      const again = await dave.api.saveClientIdentity({
        params,
        body: { identity: { ...identity, client_secret: 'new' } },
      })
      assert.ok(!isProposed(again), 'another secret changes no person')
    },
  )

  it('rejects forbidden issuers, unknown clients and read-only staff', async () => {
    const save = (person: Person, client: string, issuer: string) =>
      person.api.saveClientIdentity({
        params: { client },
        body: { identity: { issuer, oidc_client_id: 'x' } },
      })
    await assert.rejects(save(dave, 'acme', 'https://127.0.0.1'), withStatus(400))
    await assert.rejects(save(dave, 'acme', 'http://idp.example'), withStatus(400))
    await assert.rejects(save(dave, 'unknown', 'https://idp.example'), withStatus(404))
    await assert.rejects(save(erin, 'acme', 'https://idp.example'), withStatus(403))
  })

  it('creates a client with secrets that are in the answer only', async () => {
    const body = {
      client: 'initech',
      client_name: 'Initech',
      limits: forEachService(() => 5),
      identity: null,
      first_administrator: 'peter',
    }
    await assert.rejects(erin.api.createClient({ body }), withStatus(403))
    const { account, account_key, enrolment } = await dave.api.createClient({ body })
    assert.deepEqual(
      [account.client, account.first_administrator, account.suspended_at],
      ['initech', 'peter', null],
    )
    assert.equal(Buffer.from(account_key, 'base64').length, 32)
    await assert.rejects(dave.api.createClient({ body }), withStatus(409))
    const licences = await dave.api.listLicenses({ query: { search: 'initech' } })
    assert.ok(licences.data[0]?.limits.calls === 5)
    const logged = await Promise.all(
      ['admin', 'initech'].map((client) => activities(client, 'internal.clients:create')),
    )
    // Of the provider, with the refusals.
    assert.deepEqual(
      logged.map(({ length }) => length),
      [3, 1],
    )
    assert.ok(logged.flat().every(({ parameters }) => !parameters.includes(account_key)))
    const phone = await phoneWith(enrolment)
    assert.equal((await phone.authenticate()).install_state, 'NewInstall')
  })

  it('suspends a client: its sessions end and sign-in is refused until it is resumed, while devices deliver', async () => {
    const params = { client: 'acme' }
    const body = { reason: 'Invoices are not paid' }
    const { text } = await alice.api.createEnrolment({ body: { expires_in_days: 1 } })
    await assert.rejects(erin.api.suspendClient({ params, body }), withStatus(403))
    const suspended = await dave.api.suspendClient({ params, body })
    assert.deepEqual(
      [suspended.suspended_by, suspended.suspended_reason],
      ['dave (provider)', 'Invoices are not paid'],
    )
    await assert.rejects(dave.api.suspendClient({ params, body }), withStatus(409))
    await assert.rejects(alice.api.readProfile({}), withStatus(401))
    const address = '/admin/v1/api/acme/url'
    const refused = await new Browser(server.url).json(address)
    assert.deepEqual([refused.status, refused.body.code], [403, 'account_suspended'])
    await (await phoneWith(text)).authenticate()
    assert.equal((await dave.api.resumeClient({ params })).suspended_at, null)
    await assert.rejects(dave.api.resumeClient({ params }), withStatus(409))
    await assert.rejects(alice.api.readProfile({}), withStatus(401), 'a session that ended stays so')
    assert.equal((await new Browser(server.url).json(address)).status, 200)
    for (const client of ['admin', 'acme'])
      for (const verb of ['suspend', 'resume'])
        assert.ok((await activities(client, `internal.clients:${verb}`)).length > 0, `${client} ${verb}`)
    await assert.rejects(dave.api.suspendClient({ params: { client: 'admin' }, body }), withStatus(404))
  })

  it('exchanges codes and refresh tokens at its own endpoint', async () => {
    const browser = new Browser(server.url)
    const returned = await browser.authorise('admin', 'erin')
    const query = new URLSearchParams({
      code: returned.searchParams.get('code') ?? '',
      state: returned.searchParams.get('state') ?? '',
      redirect_uri: `${server.url}/sign-in`,
    })
    const tokens = await browser.json(`/admin/v1/internal/exchange?${query}`)
    assert.equal(tokens.status, 200, JSON.stringify(tokens.body))
    const refreshed = await browser.json(
      `/admin/v1/internal/exchange?refresh_token=${String(tokens.body.refresh_token)}`,
    )
    assert.equal(refreshed.status, 200)
    const profile = await browser.profile('admin', `Bearer ${String(refreshed.body.id_token)}`)
    assert.equal(profile.body.user_reference, 'erin')
    assert.equal((await browser.json('/admin/v1/internal/exchange')).status, 400)
  })

  it('lists only the provider’s own staff', async () => {
    const { data } = await erin.api.listStaff({})
    assert.deepEqual(
      data.map(({ user_reference, roles }) => [user_reference, roles]),
      [
        ['dave', ['Provider Administrator', 'Account Administrator']],
        ['erin', ['Provider Support']],
      ],
    )
    const now = server.ctx.now()
    for (const person of data) {
      assert.ok(person.active_sessions >= 1)
      assert.ok(person.last_seen !== null && Math.abs(now - person.last_seen) < 120)
    }
  })
})

/** A provider that describes itself over https, and a guard that knows its name and its authority. */
async function tlsProvider() {
  const certificate = makeCertificate('idp.test')
  const provider = await startTlsServer(certificate, (request, response) => {
    const keys = [{ kty: 'RSA', n: 'AQAB', e: 'AQAB' }]
    const description = {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
    }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(request.url === '/jwks' ? { keys } : description))
  })
  const issuer = `https://idp.test:${provider.port}`
  const egress = makeEgress({
    ca: certificate.cert,
    isPublic: () => true,
    resolve: async () => ['127.0.0.1'],
  })
  return { issuer, egress, close: provider.close }
}
