import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { type ClaimMapping, type ClaimRule, DEFAULT_CLAIM_MAPPING, isProposed } from '@custodia/contract'
import {
  type AccessFixture,
  accessFixture,
  allow,
  codeOf,
  doneOf,
  openPerson,
  type Person,
  signIn,
} from '../testing/access-fixture.ts'
import { Browser } from '../testing/browser.ts'
import { ruleOfTwo } from '../testing/test-context.ts'

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
  let fixture: AccessFixture
  before(async () => {
    fixture = await accessFixture()
  })
  after(() => fixture?.close())
  beforeEach(async () => {
    await fixture.sql(`update clients set claim_mapping = null where client = 'acme'`)
    await fixture.newAlerts()
  })

  const save = (body: ClaimMapping, by: Person = fixture.alice) =>
    by.api.saveClaimMapping({ query: {}, body })
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
    await doneOf(save({ ...MAPPED, rules: [] }))
    assert.deepEqual(await fixture.newAlerts(), [], 'it gives nothing')
    const author = await fixture.personWith(['Sign-in'])
    const withRules = (...rules: ClaimRule[]) => ({ ...MAPPED, rules })
    assert.equal(await codeOf(save(MAPPED, author)), 'escalation')
    assert.equal(await codeOf(save({ ...MAPPED, accepts_names: true, rules: [] }, author)), 'escalation')
    const small = withRules(rule('/small', { roles: ['Small'] }))
    await doneOf(save(small, author))
    const escalates = await fixture.personWith(['Account Administrator'])
    await doneOf(save(withRules(rule('/apps', { roles: ['Receipt App'] })), escalates))
    const [alert, ...others] = await fixture.newAlerts()
    assert.match(alert ?? '', /^High: carol changed the mapping of claims.*receipts:confirm/)
    assert.deepEqual(others, [])
    const { impact } = await author.api.reviewClaimMapping({
      query: {},
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
    const { roles: reasons } = await fixture.alice.api.readPerson({
      params: { user_reference: 'bob' },
      query: {},
    })
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
      (await author.api.reviewClaimMapping({ query: {}, body })).impact.locks_out
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
    assert.equal(await codeOf(save(noName, author)), 'locks_out')
    await doneOf(author.api.saveClaimMapping({ query: { confirm_lockout: true }, body: noName }))
  })

  it('names roles and groups that there are, and is not overwritten unseen', async () => {
    const wrong = { ...MAPPED, rules: [rule('x', { roles: ['Unknown'], groups: ['Nowhere'] })] }
    const { problems } = await fixture.alice.api.reviewClaimMapping({ query: {}, body: wrong })
    assert.deepEqual(
      problems.map(({ path, code }) => `${path} ${code}`),
      ['rules.0.roles.0 unknown_reference', 'rules.0.groups.0 unknown_reference'],
    )
    assert.equal(await codeOf(save(wrong)), 'invalid_input')
    const { version } = await read()
    await save(MAPPED)
    const late = fixture.alice.api.saveClaimMapping({ query: {}, body: MAPPED }, { if_match: version })
    assert.equal(await codeOf(late), 'changed_meanwhile')
  })

  it('waits for a second person where two people decide', async (t) => {
    await ruleOfTwo(fixture.sql, true)
    t.after(() => ruleOfTwo(fixture.sql, false))
    const proposed = await save(MAPPED)
    assert.ok(isProposed(proposed), 'it was done, not proposed')
    assert.deepEqual((await read()).mapping, DEFAULT_CLAIM_MAPPING)
    const one = { params: { proposal_id: proposed.proposal_id } }
    assert.equal(await codeOf(fixture.alice.api.confirmProposal(one)), 'same_person')
    const ines = await openPerson(fixture.server, 'acme', 'ines')
    assert.equal((await ines.api.confirmProposal(one)).state, 'confirmed')
    assert.deepEqual((await read()).mapping, MAPPED)
    assert.ok((await fixture.newAlerts()).some((each) => each.startsWith('High: The claims of')))
  })

  it('previews the user of an id token, stores nothing, and names the reason of a refusal', async () => {
    const preview = async (claims: object, mapping = MAPPED) => {
      const token = JSON.stringify({ sub: 'secret-subject', ...claims })
      const jwt = `e30.${Buffer.from(token).toString('base64url')}.c2ln`
      const [plain, signed] = [
        await fixture.alice.api.previewClaims({ query: {}, body: { token, mapping } }),
        await fixture.alice.api.previewClaims({ query: {}, body: { token: jwt, mapping } }),
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
    const bad = fixture.alice.api.previewClaims({ query: {}, body: { token: 'no token', mapping: MAPPED } })
    assert.equal(await codeOf(bad), 'invalid_input')
    const kept = await fixture.sql<{ parameters: string }>(
      `select parameters from portal_activities where action = 'account.identity:preview'`,
    )
    assert.ok(kept.length > 0 && !JSON.stringify(kept).includes('secret-subject'))
    const people = await fixture.sql(`select from portal_people where subject = 'secret-subject'`)
    assert.deepEqual(people, [])
  })
})
