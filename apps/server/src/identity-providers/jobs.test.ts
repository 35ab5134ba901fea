import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { IDENTITY_DELAY_SECONDS, isProposed, type Proposed } from '@custodia/contract'
import {
  accessFixture,
  type AccessFixture,
  codeOf,
  openPerson,
  type Person,
} from '../testing/access-fixture.ts'
import { pastTriggers } from '../testing/test-context.ts'
import { changeIdentityProviders } from './jobs.ts'

const OLD = 'https://id.acme.example'

describe('a change of the identity provider of a client', () => {
  let fixture: AccessFixture
  let dave: Person
  let erin: Person
  let alice: Person
  before(async () => {
    fixture = await accessFixture()
    dave = await openPerson(fixture.server, 'admin', 'dave')
    erin = await openPerson(fixture.server, 'admin', 'erin', { roles: ['Provider Administrator'] })
  })
  after(() => fixture?.close())

  const setIssuer = (issuer: string | null) =>
    fixture.sql(`update clients set oidc_issuer = $1, oidc_client_id = $2 where client = 'acme'`, [
      issuer,
      issuer && 'portal',
    ])
  beforeEach(async () => {
    await setIssuer(OLD)
    alice = await openPerson(fixture.server, 'acme', 'alice')
  })

  const params = { client: 'acme' }
  /** To the provider of the installation, of which all demo people are. */
  const propose = async (by = dave): Promise<Proposed> => {
    const answer = await by.api.saveClientIdentity({ params, body: { identity: null } })
    assert.ok(isProposed(answer), 'it was done, not proposed')
    return answer
  }
  const second = ({ proposal_id }: Proposed, by = erin) =>
    by.api.secondClientIdentity({ params, body: { proposal_id } })
  const one = ({ proposal_id }: Proposed) => ({ params: { proposal_id } })
  const account = async () => {
    const page = await dave.api.listClients({ query: { search: 'acme' } })
    assert.ok('data' in page && page.data[0])
    return page.data[0]
  }
  const runJob = () => changeIdentityProviders.run(fixture.server.ctx, {}, AbortSignal.timeout(60_000))
  const makeDue = ({ proposal_id }: Proposed) =>
    pastTriggers(
      fixture.sql,
      ['identity_changes'],
      `update identity_changes set takes_effect_at = 1 where proposal_id = '${proposal_id}'`,
    )
  const changes = (client: string) =>
    fixture.sql<{ parameters: string }>(
      `select parameters from portal_activities join clients using (client_id) where client = $1 and action = 'identity:change'`,
      [client],
    )

  it('waits until an administrator confirms it who signed in through the present provider', async () => {
    const it = await propose()
    assert.equal((await account()).oidc_issuer, OLD)
    assert.equal((await account()).identity_change?.proposed_by, 'dave (provider)')
    assert.equal(await codeOf(dave.api.confirmProposal(one(it))), 'not_found')
    const auditor = await openPerson(fixture.server, 'acme', 'hugo', { roles: ['Compliance Manager'] })
    assert.equal(await codeOf(auditor.api.confirmProposal(one(it))), 'not_permitted')
    await setIssuer(null)
    const stranger = await openPerson(fixture.server, 'acme', 'ines')
    await setIssuer(OLD)
    assert.equal(await codeOf(stranger.api.confirmProposal(one(it))), 'not_permitted')
    assert.equal((await account()).oidc_issuer, OLD)
    assert.equal((await alice.api.confirmProposal(one(it))).state, 'confirmed')
    const { oidc_issuer, identity_change } = await account()
    assert.deepEqual([oidc_issuer, identity_change], [null, null])
  })

  it('never takes effect when the client rejects it or the provider withdraws it', async () => {
    const rejected = await propose()
    await second(rejected)
    await alice.api.rejectProposal({ ...one(rejected), body: { reason: 'We can sign in' } })
    const withdrawn = await propose()
    await second(withdrawn)
    await erin.api.withdrawClientIdentity({ params })
    for (const it of [rejected, withdrawn]) await makeDue(it)
    await runJob()
    assert.equal((await account()).oidc_issuer, OLD)
    assert.equal((await account()).identity_change, null)
  })

  it('needs two people of the provider and 72 hours when the client cannot sign in', async () => {
    const it = await propose()
    assert.equal(await codeOf(second(it, dave)), 'same_person')
    const { identity_change } = await second(it)
    assert.equal(await codeOf(second(it)), 'wrong_state')
    const seen = await alice.api.readProposal(one(it))
    assert.deepEqual([seen.state, seen.seconded_by], ['waiting', 'erin (provider)'])
    assert.equal(seen.takes_effect_at, identity_change?.takes_effect_at)
    assert.ok(Math.abs((seen.takes_effect_at ?? 0) - seen.proposed_at - IDENTITY_DELAY_SECONDS) < 60)
    await runJob()
    assert.equal((await account()).oidc_issuer, OLD, 'its time has not come')
    const before = [(await changes('acme')).length, (await changes('admin')).length]
    await makeDue(it)
    await runJob()
    await runJob()
    assert.equal((await account()).oidc_issuer, null)
    const { state, decided_by } = await alice.api.readProposal(one(it))
    assert.deepEqual([state, decided_by], ['confirmed', 'erin (provider)'])
    assert.deepEqual(
      [(await changes('acme')).length, (await changes('admin')).length],
      before.map((count) => count + 1),
    )
    const [alert] = await fixture.sql<{ alert_reference: string; alert_severity: string }>(
      'select alert_reference, alert_severity from alerts where alert_key = $1',
      [`identity provider ${it.proposal_id}`],
    )
    assert.equal(alert?.alert_severity, 'High')
    const clear = async (by: Person) => {
      const body = { alert_references: [alert?.alert_reference ?? ''], cleared_reason: 'Known to us' }
      return (await by.api.clearAlerts({ query: {}, body })).alerts[0]?.status
    }
    assert.equal(await clear(await openPerson(fixture.server, 'acme', 'ines')), 'NotPermitted')
    assert.equal(await clear(alice), 'Ok', 'she signed in through the provider of before')
  })

  it('is superseded when the provider was changed otherwise meanwhile', async () => {
    const it = await propose()
    await second(it)
    await setIssuer('https://other.example')
    await makeDue(it)
    await runJob()
    assert.equal((await account()).oidc_issuer, 'https://other.example')
    assert.equal((await alice.api.readProposal(one(it))).state, 'superseded')
  })
})
