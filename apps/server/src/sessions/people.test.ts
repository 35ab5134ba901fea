import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { decodeJwt } from 'jose'
import { type AccessFixture, accessFixture, allow, codeOf } from '../testing/access-fixture.ts'
import { Browser } from '../testing/browser.ts'
import { storePayload } from '../testing/stored-payload.ts'

describe('the people of a client', () => {
  let fixture: AccessFixture
  before(async () => {
    fixture = await accessFixture()
  })
  after(() => fixture?.close())

  const list = async (query: Parameters<AccessFixture['alice']['api']['listPeople']>[0]['query'] = {}) => {
    const page = await fixture.alice.api.listPeople({ query })
    assert.ok('data' in page)
    return page
  }
  const namesOf = async (query: Parameters<typeof list>[0]) =>
    (await list(query)).data.map(({ user_reference }) => user_reference)
  const read = (user_reference: string) =>
    fixture.alice.api.readPerson({ params: { user_reference }, query: {} })

  it('are those who signed in and those of the embedded provider, with the roles they have and why', async () => {
    const browser = new Browser(fixture.server.url)
    await browser.signIn('acme', 'hugo')
    const { data } = await list()
    assert.deepEqual(data.map(({ user_reference }) => user_reference).toSorted(), [
      'alice',
      'bob',
      'carol',
      'hugo',
      'ines',
    ])
    const hugo = data.find(({ user_reference }) => user_reference === 'hugo')
    assert.deepEqual(hugo?.roles, [
      { role: 'Desk Reviewer', source: 'claim', value: 'Desk Reviewer', exists: false },
    ])
    assert.ok(hugo?.open_sessions === 1 && hugo.last_seen !== null && hugo.email === 'hugo@acme.example')
    const bob = data.find(({ user_reference }) => user_reference === 'bob')
    assert.deepEqual([bob?.last_seen, bob?.groups, bob?.open_sessions], [null, ['North'], 0])
  })

  it('are found by name, role and open sessions, and paged by when they were here', async () => {
    assert.deepEqual(await namesOf({ search: 'ALI' }), ['alice'])
    assert.deepEqual(await namesOf({ role: 'Compliance Reviewer' }), ['bob'])
    assert.deepEqual(new Set(await namesOf({ has_sessions: true })), new Set(['alice', 'hugo']))
    assert.deepEqual(await namesOf({ from: '2999-01-01' }), [])
    for (const order of ['newest', 'oldest'] as const) {
      const whole = await namesOf({ order })
      const first = await list({ order, limit: 2 })
      const next = await list({ order, limit: 3, last_key: first.last_key })
      assert.deepEqual(
        [...first.data, ...next.data].map(({ user_reference }) => user_reference),
        whole,
      )
      assert.equal(next.last_key, undefined)
    }
    assert.deepEqual(await fixture.alice.api.listPeople({ query: { type: 'total' } }), { total: 5 })
  })

  it('lose a session that an administrator ends, on record, and none of another client', async () => {
    const browser = new Browser(fixture.server.url)
    const tokens = await browser.signIn('acme', 'bob')
    const [session] = (await read('bob')).sessions
    assert.equal(session?.session_id, decodeJwt(tokens.id_token).sid)
    assert.equal(
      (await read('alice')).sessions.some(({ is_own }) => is_own),
      true,
    )
    const params = { user_reference: 'bob', session_id: session?.session_id ?? '' }
    const auditor = await fixture.personWith(['Auditor'])
    assert.equal(await codeOf(auditor.api.endPersonSession({ params, query: {} })), 'not_permitted')
    await fixture.sql(
      `update portal_sessions set roles = '{Account Administrator}' where user_reference = 'gina'`,
    )
    assert.equal(await codeOf(fixture.gina.api.endPersonSession({ params, query: {} })), 'not_found')
    await fixture.alice.api.endPersonSession({ params, query: {} })
    assert.equal((await browser.profile('acme', tokens.id_token)).status, 401)
    assert.equal((await browser.refresh('acme', tokens.refresh_token)).status, 401)
    assert.equal(await codeOf(fixture.alice.api.endPersonSession({ params, query: {} })), 'not_found')
    const [entry] = await fixture.sql<{ parameters: string }>(
      `select parameters from portal_activities where action = 'people.sessions:end' and is_allowed`,
    )
    assert.match(entry?.parameters ?? '', /bob/)
  })

  it('are shown to who may list people of the whole account only', async () => {
    await fixture.giveRole('Partial', [
      { actions_matching: ['people:*'], conditions: [{ names_matching: ['North'] }] },
    ])
    await fixture.giveRole('Lister', [allow('people:list')])
    const partial = await fixture.personWith(['Partial'])
    assert.equal(await codeOf(partial.api.listPeople({ query: {} })), 'not_permitted')
    const lister = await fixture.personWith(['Lister'])
    assert.ok('data' in (await lister.api.listPeople({ query: {} })))
    assert.equal(
      await codeOf(lister.api.readPerson({ params: { user_reference: 'bob' }, query: {} })),
      'not_permitted',
    )
  })

  it('are named with role and rule when they may hear a recording, as the calls then decide', async () => {
    const payload_reference = await storePayload(fixture.server.ctx, {
      client: 'acme',
      group: 'North',
      bytes: Buffer.from('sound'),
    })
    await fixture.giveRole('Deny North', [
      allow('payloads:list'),
      { ...allow('payloads:play'), is_denied: true, conditions: [{ names_matching: ['North'] }] },
    ])
    const reader = (await fixture.personWith(['Compliance Manager'])).api
    const whoMay = async (query: { user_reference?: string } = {}) =>
      (await reader.listPayloadAccess({ params: { payload_reference }, query })).data
    const explained = async (user_reference: string) => (await whoMay({ user_reference }))[0]
    const listed = await whoMay()
    assert.ok(listed.every(({ is_allowed, decision }) => is_allowed && decision === 'granted'))
    const bob = listed.find(({ user_reference }) => user_reference === 'bob')
    assert.deepEqual(bob?.roles, [
      { role: 'Compliance Reviewer', outcome: 'grants', rules: [1], networks: [] },
    ])
    for (const [roles, groups, decision, reason] of [
      [['Compliance Reviewer'], ['North'], 'granted', 'grants'],
      [['Compliance Reviewer'], ['South'], 'outside_groups', 'grants'],
      [['Auditor'], null, 'not_granted', 'not_granted'],
      [['Compliance Reviewer', 'Deny North'], null, 'denied', 'denies'],
    ] as const) {
      // The answer and the call itself.
      const person = await fixture.personWith(roles, groups)
      const carol = await explained('carol')
      assert.equal(carol?.decision, decision)
      assert.ok(carol?.roles.some(({ outcome }) => outcome === reason))
      const called = await person.api
        .readPayloadData({ params: { payload_reference }, query: { action: 'play' } })
        .then(({ status }) => status === 'Ok')
        .catch(() => false)
      assert.equal(called, carol?.is_allowed, roles.join())
      if (decision === 'denied') assert.deepEqual(carol?.roles[1]?.rules, [2])
    }
    const { data } = await fixture.alice.api.readPersonAccess({
      params: { user_reference: 'carol' },
      query: {},
    })
    const play = data.find(({ action }) => action === 'payloads:play')
    assert.ok(play?.is_allowed && !play.groups.is_all && !play.groups.first.includes('North'))
    const other = { params: { payload_reference }, query: {} }
    await fixture.sql(
      `update portal_sessions set roles = '{Compliance Manager}' where user_reference = 'gina'`,
    )
    assert.equal(await codeOf(fixture.gina.api.listPayloadAccess(other)), 'not_found')
  })
})
