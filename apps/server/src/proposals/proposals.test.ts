import assert from 'node:assert/strict'
import { after, beforeEach, describe, it } from 'node:test'
import { isProposed, type ProposalAnswer } from '@custodia/contract'
import { PROPOSAL_SECONDS } from '@custodia/domain'
import { lockSubjects } from '../held-records/store.ts'
import {
  accessFixture,
  allow,
  getCode,
  assertDone,
  openPerson,
  type Person,
  roleInput,
  save,
  transferInput,
} from '../testing/access-fixture.ts'
import { pastTriggers, ruleOfTwo } from '../testing/test-context.ts'
import { untilBlocked } from '../testing/waits.ts'

const REASON = 'The inquiry is over'
const PHOTOS = { entity_type: 'Payload', payload_type: 'Photo' } as const

const TARGET = {
  target_type: 'SFTP',
  server: 'files.example',
  port: 22,
  username: 'archive',
  root_directory: '/in',
  host_key: `SHA256:${'A'.repeat(43)}`,
} as const

const fixture = await accessFixture({}, { patience: 60 })
after(() => fixture.close())
const alice = fixture.alice
const ines = await openPerson(fixture.server, 'acme', 'ines')

describe('an approval', () => {
  const rule = (is_required: boolean) => ruleOfTwo(fixture.sql, is_required)
  beforeEach(() => rule(true))

  let made = 0
  const held = async () => {
    const params = { target_type: 'PortalUser' as const, target: `two ${++made}@acme.example` }
    await alice.api.setLegalHold({ params })
    return params
  }
  const isHeld = async (params: { target_type: 'PortalUser'; target: string }) =>
    (await alice.api.readLegalHold({ params })).is_active
  const proposed = async (call: Promise<unknown>): Promise<ProposalAnswer> => {
    const answer = await call
    assert.ok(isProposed(answer), 'it was done, not proposed')
    return answer
  }
  type Params = { target_type: 'PortalUser'; target: string }
  const release = (params: Params, by = alice) =>
    by.api.releaseLegalHold({ params, query: { reason: REASON } })
  const one = ({ proposal_id }: ProposalAnswer) => ({ params: { proposal_id } })
  const confirm = (it: ProposalAnswer, by = ines) => by.api.confirmProposal(one(it))
  const getState = async (it: ProposalAnswer) => (await alice.api.readProposal(one(it))).state
  const waiting = async (who: Person) => (await who.api.readDashboard({})).waiting_proposals

  it('is not needed where dual control is off', async () => {
    await rule(false)
    const params = await held()
    assert.equal((await assertDone(release(params))).is_active, false)
  })

  it('releases a legal hold after another user confirms it, and names both users', async () => {
    const params = await held()
    const it = await proposed(release(params))
    assert.equal(it.expires_at - it.proposed_at, PROPOSAL_SECONDS)
    assert.ok(await isHeld(params), 'nothing was done yet')
    const [result] = await fixture.sql<{ related_entities: unknown }>(
      'select related_entities from alerts where alert_key = $1',
      [`proposal ${it.proposal_id}`],
    )
    assert.deepEqual(result?.related_entities, [{ entity_id: it.proposal_id, entity_type: 'Proposal' }])
    assert.match((await fixture.newAlerts()).join(), /Approvals page/)
    const read = await ines.api.readProposal(one(it))
    assert.deepEqual([read.state, read.reason, read.proposed_by], ['waiting', REASON, 'alice'])
    assert.equal(read.updated_by, 'alice')
    assert.deepEqual(read.act, { kind: 'ReleaseHold', ...params })
    const { state, decided_by, updated_by } = await confirm(it)
    assert.deepEqual([state, decided_by, updated_by], ['confirmed', 'ines', 'ines'])
    assert.equal(await isHeld(params), false)
    const [period] = (await alice.api.readLegalHold({ params })).periods
    assert.deepEqual(
      [period?.released_by, period?.release_confirmed_by, period?.release_reason],
      ['alice', 'ines', REASON],
    )
    assert.equal(await getCode(confirm(it)), 'wrong_state', 'once')
    const acts = await fixture.sql<{ user_reference: string; action: string; status_code: number }>(
      `select user_reference, action, status_code from portal_activities
       where is_allowed and (action = 'account.legal_holds:delete' or action = 'account.proposals:update') order by log_id desc limit 2`,
    )
    assert.deepEqual(
      acts.map(({ user_reference, action, status_code }) => [user_reference, action, status_code]),
      [
        ['ines', 'account.proposals:update', 200],
        ['alice', 'account.legal_holds:delete', 202],
      ],
      'both stand in the log, and that nothing was done yet',
    )
  })

  it('cannot be given by the requester in any session, or by a user without the permission', async () => {
    const params = await held()
    const it = await proposed(release(params))
    assert.equal(await getCode(confirm(it, alice)), 'same_person')
    assert.equal(await getCode(confirm(it, await openPerson(fixture.server, 'acme', 'alice'))), 'same_person')
    await fixture.giveRole('Only confirms', [allow('account.proposals:*', 'profile:*')])
    const other = await openPerson(fixture.server, 'acme', 'hugo', { roles: ['Only confirms'] })
    assert.equal(await getCode(confirm(it, other)), 'not_permitted')
    assert.equal(
      await getCode(other.api.rejectProposal({ ...one(it), body: { reason: 'No' + REASON } })),
      'not_permitted',
    )
    assert.ok(await isHeld(params))
    assert.equal(await getState(it), 'waiting')
  })

  it('that is refused keeps no right alive that a later change takes away', async () => {
    await fixture.giveRole('Only confirms', [allow('account.proposals:*', 'profile:*')])
    await fixture.giveRole('Only tags', [allow('tags:*', 'profile:*')])
    const [confirms, tags] = [
      await openPerson(fixture.server, 'acme', 'hugo', { roles: ['Only confirms'] }),
      await fixture.personWith(['Only tags']),
    ]
    const assigned = alice.api.savePersonRoles({
      params: { user_reference: 'bob' },
      body: { roles: ['Only tags'], groups: null },
    })
    assert.equal(await getCode(confirm(await proposed(assigned), confirms)), 'not_permitted')
    await tags.api.listTags({ query: {} })
    await assertDone(save(alice, 'Only tags', roleInput([allow('profile:*')])))
    assert.equal(await getCode(tags.api.listTags({ query: {} })), 'not_permitted')
  })

  it('is not given by a user who lost the permission while the confirmation waited', async () => {
    const { ctx, getId } = fixture.server
    const params = await held()
    const it = await proposed(release(params))
    const other = await openPerson(fixture.server, 'acme', 'hugo', { roles: ['Compliance Manager'] })
    const confirmed = await ctx.db.write(await getId('acme'), async (tx) => {
      await lockSubjects(tx, [params])
      const call = getCode(confirm(it, other))
      await untilBlocked(fixture.sql, 1)
      await fixture.sql(`update portal_sessions set roles = '{Auditor}' where user_reference = 'hugo'`)
      return [call]
    })
    assert.equal(await confirmed[0], 'not_permitted')
    assert.ok(await isHeld(params))
  })

  it('is counted on the dashboard of users who may confirm it, and of no others', async () => {
    const before = (await waiting(ines)) ?? assert.fail('ines may confirm')
    const it = await proposed(release(await held()))
    assert.equal(await waiting(ines), before + 1)
    await fixture.giveRole('Only looks', [allow('account.proposals:list', 'dashboard:*', 'profile:*')])
    assert.equal(
      await waiting(await openPerson(fixture.server, 'acme', 'hugo', { roles: ['Only looks'] })),
      null,
    )
    await confirm(it)
    assert.equal(await waiting(ines), before)
  })

  it('is visible only to users who may see or release legal holds', async () => {
    const it = await proposed(release(await held()))
    const seenBy = async (roles: readonly string[]) => {
      const who = await openPerson(fixture.server, 'acme', 'hugo', { roles })
      const page = await who.api.listProposals({ query: { state: 'waiting' } })
      const total = await who.api.listProposals({ query: { state: 'waiting', type: 'total' } })
      const { waiting_proposals } = await who.api.readDashboard({})
      return [
        page.data.some(({ proposal_id }) => proposal_id === it.proposal_id),
        total.total === page.data.length && waiting_proposals === total.total,
        await who.api.readProposal(one(it)).then(
          ({ state }) => state,
          ({ code }) => code,
        ),
      ]
    }
    assert.deepEqual(await seenBy(['Account Administrator']), [false, true, 'not_found'])
    assert.deepEqual(await seenBy(['Compliance Manager']), [true, true, 'waiting'])
    await fixture.giveRole('Releases', [
      allow('account.proposals:*', 'account.legal_holds:delete', 'dashboard:*', 'profile:*'),
    ])
    assert.deepEqual(await seenBy(['Releases']), [true, true, 'waiting'])
    // A user with the rights and a recent sign-in counts as a second person.
    await fixture.sql(`update portal_sessions set created_at = 0 where user_reference = 'hugo'`)
  })

  it('is superseded when the legal hold was released and placed again meanwhile', async () => {
    const params = await held()
    const it = await proposed(release(params))
    // Released and held again, as if another decision came in between.
    await rule(false)
    await assertDone(release(params, ines))
    await alice.api.setLegalHold({ params })
    await rule(true)
    assert.equal((await confirm(it)).state, 'superseded')
    assert.ok(await isHeld(params))
  })

  it('is superseded or withdrawn when a held person is placed on legal hold again', async () => {
    const params = await held()
    const before = await waiting(ines)
    const others = await proposed(release(params))
    // For another case: the answer says that it holds, and so it must.
    await ines.api.setLegalHold({ params, body: { reason: REASON } })
    assert.equal(await getState(others), 'superseded')
    assert.equal(await getCode(confirm(others)), 'wrong_state')
    const own = await proposed(release(params))
    await alice.api.setLegalHold({ params })
    assert.equal(await getState(own), 'withdrawn')
    assert.ok(await isHeld(params))
    assert.equal(await waiting(ines), before)
    assert.equal((await confirm(await proposed(release(params)))).state, 'confirmed')
    assert.equal(await isHeld(params), false)
  })

  it('expires after seven days by the database clock, and may be requested again', async () => {
    const params = await held()
    const it = await proposed(release(params))
    assert.equal(await getCode(release(params, ines)), 'already_proposed')
    const age = (seconds: number) =>
      pastTriggers(
        fixture.sql,
        ['proposals'],
        `update proposals set proposed_at = floor(extract(epoch from clock_timestamp())) - ${seconds} where proposal_id = '${it.proposal_id}'`,
      )
    await age(PROPOSAL_SECONDS)
    assert.equal(await getState(it), 'expired')
    assert.equal(await getCode(confirm(it)), 'wrong_state')
    assert.ok(await isHeld(params))
    await proposed(release(params))
    const page = await alice.api.listProposals({ query: { state: 'expired' } })
    assert.ok(page.data.some(({ proposal_id }) => proposal_id === it.proposal_id))
  })

  it('can be rejected with a reason that is not logged, or withdrawn by its requester', async () => {
    const params = await held()
    const rejected = await proposed(release(params))
    const reason = 'Zephyr has not ended'
    assert.equal(
      await getCode(ines.api.rejectProposal({ ...one(rejected), body: { reason: '' } })),
      'invalid_input',
    )
    assert.equal(await getCode(ines.api.withdrawProposal(one(rejected))), 'not_permitted')
    await ines.api.rejectProposal({ ...one(rejected), body: { reason } })
    const read = await alice.api.readProposal(one(rejected))
    assert.deepEqual([read.state, read.rejected_reason, read.reason], ['rejected', reason, REASON])
    const [logged] = await fixture.sql<{ n: number }>(
      `select count(*)::int as n from portal_activities where parameters::text like '%Zephyr%'`,
    )
    assert.equal(logged?.n, 0)
    const again = await proposed(release(params))
    assert.equal((await alice.api.withdrawProposal(one(again))).state, 'withdrawn')
    assert.ok(await isHeld(params))
  })

  it('is superseded when the identity provider changed, because the requester has another name there', async (t) => {
    const setProvider = (issuer: string | null, client: string | null) =>
      fixture.sql(`update clients set oidc_issuer = $1, oidc_client_id = $2 where client = 'acme'`, [
        issuer,
        client,
      ])
    const signedInAt = (issuer: string) =>
      fixture.sql(`update portal_sessions set issuer = $1 where user_reference = 'ines'`, [issuer])
    const [session] = await fixture.sql<{ issuer: string }>(
      `select issuer from portal_sessions where user_reference = 'ines'`,
    )
    t.after(async () => {
      await setProvider(null, null)
      await signedInAt(session?.issuer ?? '')
    })
    const [first, second] = [await held(), await held()]
    const of = [await proposed(release(first)), await proposed(release(second))] as const
    await signedInAt('https://login.other.example')
    assert.equal((await confirm(of[0])).state, 'superseded')
    await signedInAt(session?.issuer ?? '')
    await setProvider('https://login.acme.example', 'another registration')
    assert.equal((await confirm(of[1])).state, 'superseded')
    assert.ok((await isHeld(first)) && (await isHeld(second)))
  })

  it('names the device user whose hold is to be released', async () => {
    const target = `two ${++made}`
    await fixture.sql(
      `insert into device_users (client_id, device_user_reference, first_name, surname, group_id, updated_at, updated_by)
       select client_id, $1, 'Ada', 'Byron', group_id, 0, 'test' from groups where group_reference = 'North' limit 1`,
      [target],
    )
    const params = { target_type: 'DeviceUser' as const, target }
    await alice.api.setLegalHold({ params })
    const it = await proposed(alice.api.releaseLegalHold({ params, query: { reason: REASON } }))
    const { act } = await ines.api.readProposal(one(it))
    assert.deepEqual(act, { kind: 'ReleaseHold', ...params, target_name: 'Ada Byron' })
    assert.equal((await confirm(it)).state, 'confirmed')
  })

  it('closes a legal matter only if its people have not changed since the request', async () => {
    const { matter_id } = await alice.api.openLegalMatter({ body: { name: `Two ${++made}` } })
    const people = [1, 2].map(() => ({
      target_type: 'PortalUser' as const,
      target: `two ${++made}@acme.example`,
    }))
    const hold = (held: typeof people) =>
      alice.api.holdMatterPeople({ params: { matter_id }, body: { people: held } })
    await hold(people.slice(0, 1))
    const close = () =>
      proposed(alice.api.closeLegalMatter({ params: { matter_id }, query: { reason: REASON } }))
    const first = await close()
    await hold(people.slice(1))
    assert.equal((await confirm(first)).state, 'superseded')
    assert.ok(await isHeld(people[0] as Params))
    // As many as before, and not the same.
    const third = { target_type: 'PortalUser' as const, target: `two ${++made}@acme.example` }
    await hold([third])
    const many = await close()
    await rule(false)
    await assertDone(
      alice.api.releaseMatterPerson({ params: { matter_id, ...third }, query: { reason: REASON } }),
    )
    await hold([third])
    await rule(true)
    assert.equal((await confirm(many)).state, 'superseded')
    const out = await proposed(
      alice.api.releaseMatterPerson({
        params: { matter_id, ...(people[0] as Params) },
        query: { reason: REASON },
      }),
    )
    assert.ok(await isHeld(people[0] as Params))
    assert.equal((await confirm(out)).state, 'confirmed')
    assert.equal(await isHeld(people[0] as Params), false)
    const second = await close()
    assert.equal((await alice.api.readLegalMatter({ params: { matter_id } })).closed_at, null)
    assert.equal((await confirm(second)).state, 'confirmed')
    const { closed_by, closed_confirmed_by } = await alice.api.readLegalMatter({ params: { matter_id } })
    assert.deepEqual([closed_by, closed_confirmed_by], ['alice', 'ines'])
    assert.equal(await isHeld(people[1] as Params), false)
    assert.equal(await isHeld(third), false)
  })

  it('is required to shorten retention, but not to lengthen it', async () => {
    const save = async (days: number | undefined, by = alice) =>
      by.api.saveRetention(
        { body: { entries: days === undefined ? [] : [{ ...PHOTOS, delete_after_days: days } as never] } },
        { if_match: (await alice.api.readRetention({})).version },
      )
    const getVersion = async () => (await alice.api.readRetention({})).policy_version
    await rule(false)
    await assertDone(save(100))
    await rule(true)
    const before = await getVersion()
    await assertDone(save(200))
    assert.equal(await getVersion(), before + 1)
    const stale = await proposed(save(50))
    assert.equal(await getVersion(), before + 1)
    assert.equal(await getCode(save(40, ines)), 'already_proposed')
    // Another user lengthens it meanwhile: the proposal was about an older policy.
    await assertDone(save(300))
    assert.equal((await confirm(stale)).state, 'superseded')
    assert.equal(await getVersion(), before + 2)
    const fresh = await proposed(save(60))
    assert.equal((await confirm(fresh)).state, 'confirmed')
    const page = await alice.api.listRetentionVersions({})
    const [version] = page.data
    assert.deepEqual(
      [version?.policy_version, version?.updated_by, version?.confirmed_by],
      [before + 3, 'alice', 'ines'],
    )
    // Without an entry it is kept permanently, so nothing is shorter.
    await assertDone(save(undefined))
  })

  it('does nothing once the requester may no longer do it, or no longer holds what a transfer would deliver', async () => {
    const reads = allow('payloads:read', 'payloads:download', 'payloads:list')
    await fixture.giveRole('Configures', [
      allow('transfer_configs:*', 'account.legal_holds:*', 'profile:*'),
      reads,
    ])
    const hugo = await openPerson(fixture.server, 'acme', 'hugo', { roles: ['Configures'] })
    await fixture.giveRole('Delivers', [reads])
    const transfer = {
      ...transferInput(TARGET),
      sftp_password: 'Xylophone 7',
      role_reference: 'Delivers',
    }
    const create = () =>
      proposed(
        hugo.api.createTransferConfig({
          params: { transfer_config_reference: `lost-${++made}` },
          body: transfer,
        }),
      )
    const kept = await create()
    assert.equal((await confirm(kept)).state, 'confirmed')
    const [first, held_] = [await create(), await held()]
    await fixture.giveRole('Configures', [allow('transfer_configs:*', 'account.legal_holds:*', 'profile:*')])
    assert.equal((await confirm(first)).state, 'superseded')
    const releasing = await proposed(release(held_, hugo))
    await openPerson(fixture.server, 'acme', 'hugo', { roles: ['Auditor'] })
    assert.equal((await confirm(releasing)).state, 'superseded')
    assert.ok(await isHeld(held_))
  })

  it('gives no roles that the requester no longer may give', async () => {
    await fixture.giveRole('Assigns', [allow('people*', 'profile:*')])
    const assigned = async (by: Person, user_reference: string, roles: string[]) =>
      proposed(by.api.savePersonRoles({ params: { user_reference }, body: { roles, groups: null } }))
    const openHugo = (role: string) => openPerson(fixture.server, 'acme', 'hugo', { roles: [role] })
    const wider = await assigned(await openHugo('Account Administrator'), 'gustav', ['Account Administrator'])
    const hugo = await openHugo('Assigns')
    const own = await assigned(hugo, 'gerda', ['Assigns'])
    assert.equal((await confirm(wider)).state, 'superseded')
    assert.equal((await confirm(own)).state, 'confirmed')
  })

  it('is required to create, activate or redirect a transfer config, and hides its secrets', async () => {
    const params = { transfer_config_reference: `two-${++made}` }
    const body = transferInput(TARGET)
    const secret = 'Xylophone 7'
    const read = () => alice.api.readTransferConfig({ params })
    const first = await proposed(
      alice.api.createTransferConfig({ params, body: { ...body, sftp_password: secret } }),
    )
    assert.equal(await getCode(read()), 'not_found')
    const result = await ines.api.readProposal(one(first))
    assert.ok(result.act.kind === 'SaveTransferConfig')
    assert.deepEqual([result.act.settings.params, result.act.new_secrets], [TARGET, ['sftp_password']])
    assert.ok(!JSON.stringify(result).includes('Xylophone'))
    const sealed = () =>
      fixture.sql<{ sealed: unknown; all: string }>(
        `select sealed, act::text || coalesce(sealed::text, '') as all from proposals where proposal_id = '${first.proposal_id}'`,
      )
    assert.ok(!(await sealed())[0]?.all.includes('Xylophone'))
    assert.equal((await confirm(first)).state, 'confirmed')
    assert.equal((await sealed())[0]?.sealed, null, 'nothing of it stays here')
    const { has_sftp_password, updated_by } = await read()
    assert.deepEqual([has_sftp_password, updated_by], [true, 'alice'])
    const save = (change: object) => alice.api.updateTransferConfig({ params, body: { ...body, ...change } })
    const elsewhere = { params: { ...TARGET, server: 'evil.example' }, sftp_password: secret }
    const away = await proposed(save(elsewhere))
    assert.deepEqual((await read()).params, TARGET)
    await assertDone(save({ is_active: false }))
    assert.equal((await confirm(away)).state, 'superseded')
  })

  it('is confirmed once, however many users confirm it at the same time', async () => {
    const others = await Promise.all(
      Array.from({ length: 6 }, () => openPerson(fixture.server, 'acme', 'ines')),
    )
    for (let round = 0; round < 2; round++) {
      const params = await held()
      const it = await proposed(release(params))
      const answers = await Promise.allSettled([
        ...others.map((by) => confirm(it, by)),
        alice.api.withdrawProposal(one(it)),
      ])
      assert.equal(answers.filter(({ status }) => status === 'fulfilled').length, 1)
      const [events] = await fixture.sql<{ n: number }>(
        `select count(*)::int as n from legal_hold_events where target = '${params.target}' and act = 'released'`,
      )
      const state = await getState(it)
      assert.equal(events?.n, state === 'confirmed' ? 1 : 0)
    }
  })

  describe('dual control', () => {
    it('is switched on and off by two users, if two users signed in recently', async () => {
      await rule(false)
      const set = (is_required: boolean, by = alice) => by.api.saveTwoPeople({ body: { is_required } })
      await fixture.sql(`update portal_sessions set created_at = 0 where user_reference <> 'alice'`)
      const people = (await alice.api.readTwoPeople({})).people
      assert.ok(
        people.every(({ count }) => count === 1),
        JSON.stringify(people),
      )
      assert.equal(await getCode(set(true)), 'too_few_people')
      await fixture.sql(
        `update portal_sessions set created_at = extract(epoch from now()) where user_reference = 'ines'`,
      )
      assert.equal((await assertDone(set(false))).is_required, false, 'as it is')
      const on = await proposed(set(true))
      assert.equal(await getCode(confirm(on, alice)), 'same_person')
      // One of the two is gone by now: dual control must not lock the account out.
      await fixture.sql(`update portal_sessions set created_at = 0 where user_reference = 'alice'`)
      assert.equal(await getCode(confirm(on)), 'too_few_people')
      await fixture.sql(
        `update portal_sessions set created_at = extract(epoch from now()) where user_reference = 'alice'`,
      )
      assert.equal((await confirm(on)).state, 'confirmed')
      const result = await alice.api.readTwoPeople({})
      assert.deepEqual([result.is_required, result.updated_by], [true, 'alice'])
      const off = await proposed(set(false, ines))
      assert.ok((await alice.api.readTwoPeople({})).is_required)
      assert.equal((await confirm(off, alice)).state, 'confirmed')
      assert.equal((await alice.api.readTwoPeople({})).is_required, false)
    })

    it('keeps a history that the table owner cannot change', async () => {
      const params = await held()
      const it = await proposed(release(params))
      for (const statement of [
        `update proposals set act = '{}' where proposal_id = '${it.proposal_id}'`,
        `update proposals set proposed_by = 'ines' where proposal_id = '${it.proposal_id}'`,
        `delete from proposals where proposal_id = '${it.proposal_id}'`,
        `delete from dual_control_versions`,
        `update dual_control_versions set is_required = false`,
      ])
        await assert.rejects(fixture.sql(statement), /proposals are history/, statement)
      await assert.rejects(
        fixture.sql(
          `update proposals set state = 'confirmed', decided_at = 1, decided_by = 'alice' where proposal_id = '${it.proposal_id}'`,
        ),
        /violates check constraint/,
      )
    })
  })
})
