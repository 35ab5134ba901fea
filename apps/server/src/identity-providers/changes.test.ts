import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import {
  type ClaimMapping,
  type ClaimRule,
  DEFAULT_CLAIM_MAPPING,
  IDENTITY_DELAY_SECONDS,
  isProposed,
  type ProposalAnswer,
} from '@custodia/contract'
import {
  accessFixture,
  allow,
  getCode,
  assertDone,
  openPerson,
  type Person,
  roleInput,
  save as saveRole,
  signIn,
} from '../testing/access-fixture.ts'
import { Browser } from '../testing/browser.ts'
import { pastTriggers, ruleOfTwo } from '../testing/test-context.ts'
import { changeIdentityProviders } from './jobs.ts'

const fixture = await accessFixture()
after(() => fixture.close())

const rule = (value: string, part: Partial<ClaimRule>): ClaimRule => ({
  value,
  roles: [],
  groups: [],
  all_groups: false,
  ...part,
})
const MAPPED: ClaimMapping = {
  ...DEFAULT_CLAIM_MAPPING,
  accepts_names: false,
  missing_groups: 'none',
  rules: [
    rule('/reviewers', { roles: ['Compliance Reviewer'] }),
    rule('/reviewers/north', { groups: ['North'] }),
  ],
}

describe('the claim mapping of a client', () => {
  beforeEach(async () => {
    await fixture.sql(`update clients set claim_mapping = null where client = 'acme'`)
    await fixture.newAlerts()
  })

  const save = (body: ClaimMapping, by: Person = fixture.alice) => by.api.saveClaimMapping({ body })
  const read = () => fixture.alice.api.readClaimMapping({})
  const notify = (roles: string[], groups: string[] | null) =>
    fixture.sql(
      `update oidc_people set roles = $1, groups = $2 where client = 'acme' and user_reference = 'bob'`,
      [roles, groups],
    )
  const signInAsBob = async () => {
    const browser = new Browser(fixture.server.url)
    const tokens = await browser.signIn('acme', 'bob')
    const profile = async () => {
      await fixture.sql('update portal_sessions set checked_at = checked_at - 300')
      const { body } = await browser.refresh('acme', tokens.refresh_token)
      return (await browser.profile('acme', String(body.id_token))).body
    }
    return { ...tokens, profile }
  }

  it('gives people roles and groups by the groups of their provider, also in sessions that are open', async () => {
    await save(MAPPED)
    await notify([], ['/reviewers', '/reviewers/north', '/canteen'])
    const { profile } = await signInAsBob()
    const { roles, groups, actions } = await profile()
    assert.deepEqual([roles, groups], [['Compliance Reviewer'], ['North']])
    assert.ok((actions as string[]).includes('payloads:play'))
    const [session] = await fixture.sql<{ role_sources: unknown }>(
      `select role_sources from portal_sessions where user_reference = 'bob' order by created_at desc limit 1`,
    )
    assert.deepEqual(session?.role_sources, [
      { role: 'Compliance Reviewer', source: 'mapping', value: '/reviewers' },
    ])

    await save({ ...MAPPED, rules: MAPPED.rules.filter(({ value }) => value !== '/reviewers/north') })
    assert.deepEqual((await profile()).groups, [], 'confined to no group: what confined before is gone')
    await notify(['Account Administrator'], ['/reviewers/north'])
    assert.deepEqual((await profile()).roles, [], 'a name that no rule accepts')
  })

  it('gives no more than its author holds, unless the author may escalate', async () => {
    await fixture.giveRole('Sign-in', [allow('account.identity:*', 'profile:read')])
    await fixture.giveRole('Small', [allow('profile:read')])
    await assertDone(save({ ...MAPPED, rules: [] }))
    assert.deepEqual(await fixture.newAlerts(), [], 'it gives nothing')
    const author = await fixture.personWith(['Sign-in'])
    const withRules = (...rules: ClaimRule[]) => ({ ...MAPPED, rules })
    assert.equal(await getCode(save(MAPPED, author)), 'escalation')
    assert.equal(await getCode(save({ ...MAPPED, accepts_names: true, rules: [] }, author)), 'escalation')
    const small = withRules(rule('/small', { roles: ['Small'] }))
    await assertDone(save(small, author))
    const escalates = await fixture.personWith(['Account Administrator'])
    await assertDone(save(withRules(rule('/apps', { roles: ['Receipt App'] })), escalates))
    const [alert, ...others] = await fixture.newAlerts()
    assert.match(alert ?? '', /^High: carol changed the mapping of claims.*receipts:confirm/)
    assert.deepEqual(others, [])
    const { impact } = await author.api.reviewClaimMapping({
      body: { ...MAPPED, rules: MAPPED.rules.map((each) => ({ ...each, all_groups: true })) },
    })
    assert.ok(impact.escalations.length > 0 && !impact.may_escalate)
  })

  it('leaves the first administrator of the account in charge, under the same reference', async (t) => {
    const name = (first: string | null) =>
      fixture.sql(`update clients set first_administrator = $1 where client = 'acme'`, [first])
    await name('bob')
    t.after(() => name(null))
    await notify(['/reviewers'], null)
    await save({ ...MAPPED, user_reference: 'email', rules: [rule('/other', {})] })
    const { profile } = await signInAsBob()
    const { user_reference, roles } = await profile()
    assert.deepEqual([user_reference, roles], ['bob', ['Account Administrator']])
    const { roles: reasons } = await fixture.alice.api.readPerson({ params: { user_reference: 'bob' } })
    assert.deepEqual(
      reasons.map(({ source }) => source),
      ['first_administrator'],
    )
  })

  it('needs confirmation before it takes the rights of its own author', async () => {
    const author = await signIn(fixture.server.url, 'acme', 'ines')
    const keepsHer = {
      ...MAPPED,
      rules: [rule('Account Administrator', { roles: ['Account Administrator'] })],
    }
    const locksOut = async (body: ClaimMapping) =>
      (await author.api.reviewClaimMapping({ body })).impact.locks_out
    const noName = { ...DEFAULT_CLAIM_MAPPING, user_reference: 'preferred_username' }
    assert.deepEqual(
      [
        await locksOut(DEFAULT_CLAIM_MAPPING),
        await locksOut(keepsHer),
        await locksOut(MAPPED),
        await locksOut(noName),
      ],
      [false, false, true, true],
    )
    assert.equal(await getCode(save(noName, author)), 'locks_out')
    await assertDone(author.api.saveClaimMapping({ query: { confirm_lockout: true }, body: noName }))
  })

  it('names roles and groups that there are, and is not overwritten unseen', async () => {
    const wrong = { ...MAPPED, rules: [rule('x', { roles: ['Unknown'], groups: ['Nowhere'] })] }
    const { problems } = await fixture.alice.api.reviewClaimMapping({ body: wrong })
    assert.deepEqual(
      problems.map(({ path, code }) => `${path} ${code}`),
      ['rules.0.roles.0 unknown_reference', 'rules.0.groups.0 unknown_reference'],
    )
    assert.equal(await getCode(save(wrong)), 'invalid_input')
    const { version } = await read()
    await save(MAPPED)
    const late = fixture.alice.api.saveClaimMapping({ body: MAPPED }, { if_match: version })
    assert.equal(await getCode(late), 'changed_meanwhile')
    // The author of the edit that it lost against.
    assert.equal((await read()).updated_by, 'alice')
  })

  it('waits for a second person where two people decide, as long as what its roles permit stays the same', async (t) => {
    await ruleOfTwo(fixture.sql, true)
    t.after(() => ruleOfTwo(fixture.sql, false))
    const small = roleInput([allow('groups:list')])
    await saveRole(fixture.alice, 'Small', small)
    const stale = await save({ ...MAPPED, rules: [rule('/small', { roles: ['Small'] })] })
    assert.ok(isProposed(stale), 'it was done, not proposed')
    await saveRole(fixture.alice, 'Small', { ...small, permissions: [allow('groups:*')] })
    const second = await openPerson(fixture.server, 'acme', 'ines')
    const answer = await second.api.confirmProposal({ params: { proposal_id: stale.proposal_id } })
    assert.equal(answer.state, 'superseded')
    const proposed = await save(MAPPED)
    assert.ok(isProposed(proposed), 'it was done, not proposed')
    assert.deepEqual((await read()).mapping, DEFAULT_CLAIM_MAPPING)
    const one = { params: { proposal_id: proposed.proposal_id } }
    assert.equal(await getCode(fixture.alice.api.confirmProposal(one)), 'same_person')
    const ines = await openPerson(fixture.server, 'acme', 'ines')
    assert.equal((await ines.api.confirmProposal(one)).state, 'confirmed')
    assert.deepEqual((await read()).mapping, MAPPED)
    assert.ok((await fixture.newAlerts()).some((each) => each.startsWith('High: The claims of')))
  })

  it('gives no role that its author may not give any more when a second person confirms it', async (t) => {
    await ruleOfTwo(fixture.sql, true)
    t.after(() => ruleOfTwo(fixture.sql, false))
    const ines = await openPerson(fixture.server, 'acme', 'ines')
    await fixture.giveRole('Maps', [allow('account.identity:*', 'profile:*')])
    const confirmedAfter = async (role: string) => {
      const author = await openPerson(fixture.server, 'acme', 'hugo', { roles: ['Account Administrator'] })
      const rules = [rule('/admins', { roles: ['Account Administrator'] })]
      const body = { ...DEFAULT_CLAIM_MAPPING, rules }
      const answer = await author.api.saveClaimMapping({ query: { confirm_lockout: true }, body })
      assert.ok(isProposed(answer), 'it was done, not proposed')
      await fixture.sql(`update portal_sessions set roles = $1 where user_reference = 'hugo'`, [[role]])
      return (await ines.api.confirmProposal({ params: { proposal_id: answer.proposal_id } })).state
    }
    assert.equal(await confirmedAfter('Maps'), 'superseded')
    assert.equal(await confirmedAfter('Account Administrator'), 'confirmed')
  })

  it('previews the user of an id token, stores nothing, and names the reason of a refusal', async () => {
    const preview = async (claims: object, mapping = MAPPED) => {
      const token = JSON.stringify({ sub: 'secret-subject', ...claims })
      const jwt = `e30.${Buffer.from(token).toString('base64url')}.c2ln`
      const [plain, signed] = [
        await fixture.alice.api.previewClaims({ body: { token, mapping } }),
        await fixture.alice.api.previewClaims({ body: { token: jwt, mapping } }),
      ]
      assert.deepEqual(plain, signed)
      return plain
    }
    const claims = {
      user_reference: 'ada',
      name: 'Ada',
      groups: ['/reviewers', '/reviewers/north', '/other'],
    }
    const { person } = await preview(claims)
    const role = { role: 'Compliance Reviewer', source: 'mapping', value: '/reviewers', exists: true }
    assert.deepEqual([person?.user_reference, person?.display_name, person?.roles], ['ada', 'Ada', [role]])
    assert.deepEqual([person?.groups, person?.unused], [['North'], ['/other']])
    assert.ok(person?.actions.includes('payloads:play'))
    assert.match((await preview({ groups: [1] })).refusal ?? '', /groups/)
    const bad = fixture.alice.api.previewClaims({ body: { token: 'no token', mapping: MAPPED } })
    assert.equal(await getCode(bad), 'invalid_input')
    const kept = await fixture.sql<{ parameters: string }>(
      `select parameters from portal_activities where action = 'account.identity:preview'`,
    )
    assert.ok(kept.length > 0 && !JSON.stringify(kept).includes('secret-subject'))
    const people = await fixture.sql(`select from portal_people where subject = 'secret-subject'`)
    assert.deepEqual(people, [])
  })
})

const OLD = 'https://id.acme.example'

describe('a change of the identity provider of a client', () => {
  let dave: Person
  let erin: Person
  let alice: Person
  before(async () => {
    dave = await openPerson(fixture.server, 'admin', 'dave')
    erin = await openPerson(fixture.server, 'admin', 'erin', { roles: ['Provider Administrator'] })
  })

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
  const propose = async (by = dave): Promise<ProposalAnswer> => {
    const answer = await by.api.saveClientIdentity({ params, body: { identity: null } })
    assert.ok(isProposed(answer), 'it was done, not proposed')
    return answer
  }
  const second = ({ proposal_id }: ProposalAnswer, by = erin) =>
    by.api.secondClientIdentity({ params, body: { proposal_id } })
  const one = ({ proposal_id }: ProposalAnswer) => ({ params: { proposal_id } })
  const account = async () => {
    const page = await dave.api.listClients({ query: { search: 'acme' } })
    assert.ok(page.data[0])
    return page.data[0]
  }
  const runJob = () => changeIdentityProviders.run(fixture.server.ctx, {}, AbortSignal.timeout(60_000))
  const makeDue = ({ proposal_id }: ProposalAnswer) =>
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
    const { version } = await account()
    const it = await propose()
    const again = dave.api.saveClientIdentity({ params, body: { identity: null } }, { if_match: version })
    assert.equal(await getCode(again), 'changed_meanwhile')
    assert.equal((await account()).oidc_issuer, OLD)
    assert.equal((await account()).identity_change?.proposed_by, 'dave (provider)')
    assert.equal(await getCode(dave.api.confirmProposal(one(it))), 'not_found')
    const auditor = await openPerson(fixture.server, 'acme', 'hugo', { roles: ['Compliance Manager'] })
    assert.equal(await getCode(auditor.api.confirmProposal(one(it))), 'not_permitted')
    await setIssuer(null)
    const stranger = await openPerson(fixture.server, 'acme', 'ines')
    await setIssuer(OLD)
    assert.equal(await getCode(stranger.api.confirmProposal(one(it))), 'not_permitted')
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
    assert.equal(await getCode(second(it, dave)), 'same_person')
    const { identity_change } = await second(it)
    assert.equal(await getCode(second(it)), 'wrong_state')
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
      return (await by.api.clearAlerts({ body })).alerts[0]?.status
    }
    assert.equal(await clear(await openPerson(fixture.server, 'acme', 'ines')), 'OtherIssuer')
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
