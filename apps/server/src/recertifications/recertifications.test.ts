import assert from 'node:assert/strict'
import { createPublicKey } from 'node:crypto'
import { after, test } from 'node:test'
import { DEFAULT_CLAIM_MAPPING } from '@custodia/contract'
import { accessFixture, getCode, openPerson, type Person } from '../testing/access-fixture.ts'
import { assertVerifiedOffline } from '../testing/offline-verifier.ts'
import { untilBlocked } from '../testing/waits.ts'
import { checkRecertification } from './routes.ts'
import { lockRecertification, watchRecertifications } from './store.ts'

const fixture = await accessFixture({}, { patience: 60 })
after(() => fixture.close())
const alice = fixture.alice
const ines = await openPerson(fixture.server, 'acme', 'ines')
const administrator = [{ role: 'Account Administrator', assigned_at: 1, assigned_by: 'test' }]
for (const name of ['alice', 'ines'])
  await fixture.sql(
    `insert into role_assignments (client_id, user_reference, roles) select client_id, '${name}', $1 from clients where client = 'acme'`,
    [JSON.stringify(administrator)],
  )
await fixture.sql(`update portal_sessions set roles = '{Account Administrator}'`)
await fixture.sql(`update clients set claim_mapping = $1 where client = 'acme'`, [
  { ...DEFAULT_CLAIM_MAPPING, roles_from: 'portal' },
])

const due_at = () => fixture.server.ctx.now() + 7 * 86_400
const start = async (name: string) =>
  (await alice.api.startRecertification({ body: { name, due_at: due_at() } })).recertification_reference
const decide = (
  by: Person,
  recertification_reference: string,
  user_references: string[],
  decision: 'confirmed' | 'revoked' = 'confirmed',
) =>
  by.api.decideRecertification({
    params: { recertification_reference },
    body: { user_references, decision, reason: 'Left the desk in October' },
  })
const getPeople = async (recertification_reference: string) => {
  return (await alice.api.listRecertifiedPeople({ params: { recertification_reference } })).data
}

test('freezes people and roles; a revocation removes the assigned roles at once, and no person decides about themselves', async () => {
  await alice.api.savePersonRoles({
    params: { user_reference: 'hugo' },
    body: { roles: ['Compliance Reviewer'], groups: ['North'], ends_at: due_at() },
  })
  const reference = await start('Autumn 2026')
  const params = { recertification_reference: reference }
  // Changed later: the frozen roles stay.
  await fixture.sql(`update role_assignments set groups = null where user_reference = 'hugo'`)
  const people = await getPeople(reference)
  assert.deepEqual(
    people.map(({ user_reference }) => user_reference),
    ['alice', 'hugo', 'ines'],
  )
  const hugo = people.find(({ user_reference }) => user_reference === 'hugo')
  assert.deepEqual([hugo?.roles, hugo?.groups, hugo?.last_seen], [['Compliance Reviewer'], ['North'], null])
  assert.ok(hugo?.ends_at, 'the end of temporary access is frozen')

  assert.equal(await getCode(decide(alice, reference, ['alice'])), 'same_person')
  assert.equal(await getCode(decide(alice, reference, ['no such person'])), 'wrong_state')
  await decide(alice, reference, ['ines'])
  assert.equal(
    await getCode(decide(alice, reference, ['ines'], 'revoked')),
    'wrong_state',
    'a decision is final',
  )
  const after = await decide(ines, reference, ['hugo'], 'revoked')
  assert.deepEqual([after.people, after.confirmed, after.revoked], [3, 1, 1])
  const getAssignment = async (user_reference: string) =>
    (await alice.api.readPerson({ params: { user_reference } })).assignment
  assert.equal(await getAssignment('hugo'), null)
  assert.ok(await getAssignment('ines'), 'other people keep their roles')

  assert.equal(await getCode(alice.api.readRecertificationReport({ params })), 'wrong_state')
  const ended = await ines.api.endRecertification({ params })
  assert.equal(ended.ended_by, 'ines')
  assert.equal(await getCode(decide(ines, reference, ['alice'])), 'wrong_state')
  const text = JSON.stringify(await alice.api.readRecertificationReport({ params }))
  const { keys } = await alice.api.readCertificateKeys({})
  const check = (file: string) =>
    checkRecertification(
      file,
      keys.map(({ public_key_pem }) => createPublicKey(public_key_pem)),
    )
  const good = check(text)
  assert.ok(good.outcome === 'good')
  assert.deepEqual(
    good.result.people.map(({ user_reference, decision }) => [user_reference, decision]),
    [
      ['alice', null],
      ['hugo', 'revoked'],
      ['ines', 'confirmed'],
    ],
  )
  assert.equal(check(text.replace('"revoked"', '"confirmed"')).outcome, 'altered')
  const report = await alice.api.readRecertificationReport({ params })
  await assertVerifiedOffline(fixture.server.ctx.keys, report, 'Recertification of access')
})

test('a person whose roles were revoked meanwhile decides about no other', async () => {
  const { ctx, getId } = fixture.server
  const reference = await start('Two decisions')
  const decided = await ctx.db.write(await getId('acme'), async (tx) => {
    await lockRecertification(tx, reference)
    const revoked = decide(alice, reference, ['ines'], 'revoked')
    await untilBlocked(fixture.sql, 1)
    const waited = getCode(decide(ines, reference, ['alice']))
    await untilBlocked(fixture.sql, 2)
    return [revoked, waited] as const
  })
  assert.equal((await decided[0]).revoked, 1)
  assert.equal(await decided[1], 'not_permitted')
  await fixture.sql(
    `insert into role_assignments (client_id, user_reference, roles) select client_id, 'ines', $1 from clients where client = 'acme'`,
    [JSON.stringify(administrator)],
  )
  await fixture.sql(
    `update portal_sessions set roles = '{Account Administrator}' where user_reference = 'ines'`,
  )
})

test('the last administrator keeps the role, and the decision is not kept', async () => {
  const manager = [{ role: 'Compliance Manager', assigned_at: 1, assigned_by: 'test' }]
  await fixture.sql(`update role_assignments set roles = $1 where user_reference = 'ines'`, [
    JSON.stringify(manager),
  ])
  await fixture.sql(`update portal_sessions set roles = '{Compliance Manager}' where user_reference = 'ines'`)
  const reference = await start('Winter')
  assert.equal(await getCode(decide(ines, reference, ['alice'], 'revoked')), 'last_administrator')
  assert.deepEqual(
    (await getPeople(reference)).map(({ decision }) => decision),
    [null, null],
  )
})

test('an open recertification raises an alert from three days before its due date until it ends', async () => {
  const { ctx } = fixture.server
  const reference = await start('Due')
  const params = { recertification_reference: reference }
  const states = async () => {
    const rows = await fixture.sql<{ alert_state: string }>(
      `select alert_state from alerts where alert_key = 'recertification ${reference}'`,
    )
    return rows.map(({ alert_state }) => alert_state)
  }
  const watch = () => watchRecertifications.run(ctx, {}, new AbortController().signal)
  await watch()
  assert.deepEqual(await states(), [])
  await fixture.sql(`update recertifications set due_at = due_at - 5 * 86400`)
  await watch()
  assert.deepEqual(await states(), ['Triggered'])
  await alice.api.endRecertification({ params })
  assert.deepEqual(await states(), ['Cleared'])
})
