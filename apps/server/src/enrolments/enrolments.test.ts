import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { EnrolmentText } from '@custodia/contract'
import { type Mail, MailProblem } from '../ports/mail/port.ts'
import { accessFixture, allow, getCode, type Person, everyRow } from '../testing/access-fixture.ts'
import { phoneWith } from '../testing/phones.ts'
import { mailEnrolment } from './jobs.ts'

const mails: Mail[] = []
/** The mail server’s answer to the next mails. */
let refusal: MailProblem | undefined
const mail = {
  send: async (each: Mail) => {
    if (refusal) throw refusal
    mails.push(each)
  },
}
const fixture = await accessFixture({}, { mail })
after(() => fixture.close())
await fixture.giveRole('North desk', [
  {
    actions_matching: [
      'devices.enrolments:*',
      'users.enrolments:*',
      'users:update',
      'users:delete',
      'users:read',
    ],
    conditions: [{ names_matching: ['North'] }],
  },
])

const of = (device_user_reference: string) => ({ params: { device_user_reference }, query: {} })
const at = (enrolment_reference: string) => ({ params: { enrolment_reference }, query: {} })
const makeFor = (person: Person, whose: string, expires_in_days = 7) =>
  person.api.createEnrolmentOfUser({ ...of(whose), body: { expires_in_days } })
const list = async (person: Person, query: Parameters<Person['api']['listEnrolments']>[0]['query'] = {}) => {
  const answer = await person.api.listEnrolments({ query })
  assert.ok('data' in answer)
  assert.deepEqual(await person.api.listEnrolments({ query: { ...query, type: 'total' } }), {
    total: answer.data.length,
  })
  return answer.data
}
/** Carries out the mails that were asked for. */
async function sendMails(): Promise<void> {
  const jobs = await fixture.sql<{ id: string; data: Parameters<typeof mailEnrolment.run>[1] }>(
    'delete from pgboss.job where name = $1 returning id, data',
    [mailEnrolment.name],
  )
  for (const { data } of jobs) await mailEnrolment.run(fixture.server.ctx, data, new AbortController().signal)
}

/** Opens the page of a code, as a browser without a session. */
async function openLink(code: { account_reference: string; enrolment: string }): Promise<[number, string]> {
  const { account_reference, enrolment } = code
  const response = await fetch(`${fixture.server.url}/client/v1/api/enrolments/opened`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ account_reference, enrolment }),
  })
  return [response.status, await response.text()]
}

/** The state changes with the right secret only, each answer is the same, and the audit log has one entry. */
async function assertOpenedOnce(text: string, enrolment_reference: string): Promise<void> {
  const code = EnrolmentText.parse(JSON.parse(text))
  const getState = async () =>
    (await fixture.alice.api.readEnrolment(at(enrolment_reference))).enrolment_state
  for (const wrong of [
    { ...code, account_reference: 'no-such-account' },
    { ...code, account_reference: 'globex' },
    { ...code, enrolment: `${enrolment_reference}.${'A'.repeat(43)}` },
    { ...code, enrolment: `01ARZ3NDEKTSV4RRFFQ69G5FAV.${'A'.repeat(43)}` },
  ])
    assert.deepEqual(await openLink(wrong), [200, '{}'])
  assert.equal(await getState(), 'open')
  assert.deepEqual(
    [await openLink(code), await openLink(code)],
    [
      [200, '{}'],
      [200, '{}'],
    ],
  )
  assert.equal(await getState(), 'opened')
  assert.deepEqual(
    (await list(fixture.alice, { states: ['opened'] })).map((each) => each.enrolment_reference),
    [enrolment_reference],
  )
  const entries = await fixture.sql<{ user_reference: string; user_group: string; parameters: string }>(
    `select user_reference, user_group, parameters from portal_activities where action = 'POST enrolments/opened'`,
  )
  assert.deepEqual(
    entries.map(({ parameters, ...each }) => ({ ...each, names: parameters.includes(enrolment_reference) })),
    [{ user_reference: 'enrolment link (system)', user_group: 'North', names: true }],
  )
}

describe('enrolments', () => {
  it('are created for a device user, show their secret once, and list the enrolled device', async () => {
    const made = await makeFor(fixture.alice, 'Molly Pearce')
    assert.deepEqual(
      [made.enrolment_state, made.device_user_reference, made.group, made.max_uses, made.uses, made.devices],
      ['open', 'Molly Pearce', 'North', 1, 0, []],
    )
    assert.equal(made.expires_at - made.created_at, 7 * 86_400)
    const stated = EnrolmentText.parse(JSON.parse(made.text))
    assert.deepEqual([stated.server_url, stated.account_reference], [fixture.server.url, 'acme'])
    const { enrolment_reference } = made
    const secret = stated.enrolment.split('.')[1] ?? ''
    for (const result of [
      await fixture.alice.api.readEnrolment(at(enrolment_reference)),
      await list(fixture.alice),
    ])
      assert.ok(!JSON.stringify(result).includes(secret) && !JSON.stringify(result).includes('"text"'))
    const phone = await phoneWith(made.text)
    const { device_reference, install_state } = await phone.authenticate()
    assert.equal(install_state, 'NewInstall')
    const used = await fixture.alice.api.readEnrolment(at(enrolment_reference))
    assert.deepEqual([used.enrolment_state, used.uses], ['used', 1])
    assert.deepEqual(
      used.devices.map(({ used_at, ...result }) => [used_at >= made.created_at, result]),
      [
        [
          true,
          {
            device_reference,
            model: 'Pretend 1',
            device_name: 'Molly Pearce · Pretend 1',
            device_user_reference: 'Molly Pearce',
            is_waiting: false,
          },
        ],
      ],
    )
    // The device may repeat its used enrolment.
    assert.equal((await phone.authenticate()).install_state, 'NoChange')
    await assert.rejects((await phoneWith(made.text)).authenticate(), { code: 'enrolment_refused' })
    const entries = await fixture.sql<{ parameters: string }>(
      `select parameters from portal_activities where action = 'users.enrolments:create'
       union all select parameters from device_activities where action = 'POST authenticate'`,
    )
    assert.ok(
      entries.some(({ parameters }) => parameters.includes(`"enrolment_reference":"${enrolment_reference}"`)),
    )
    assert.ok(entries.every(({ parameters }) => !parameters.includes(secret)))
  })

  it('are revoked by hand and on offboarding or deletion of their user', async () => {
    await fixture.newAlerts()
    const made = await makeFor(fixture.alice, 'Molly Pearce')
    const revoked = await fixture.alice.api.revokeEnrolment(at(made.enrolment_reference))
    assert.deepEqual(
      [revoked.enrolment_state, revoked.revoked_by, revoked.updated_by],
      ['revoked', 'alice', 'alice'],
    )
    assert.deepEqual(await fixture.alice.api.revokeEnrolment(at(made.enrolment_reference)), revoked)
    await assert.rejects((await phoneWith(made.text)).authenticate(), { code: 'enrolment_refused' })
    assert.deepEqual(await fixture.newAlerts(), [
      `High: A phone tried the revoked enrolment ${made.enrolment_reference} of Molly Pearce. It was refused.`,
    ])
    const person = 'Sofia Duarte'
    for (const leave of [
      async () => {
        const { version, services, group } = await fixture.alice.api.readDeviceUser(of(person))
        const body = {
          services,
          group,
          email: null,
          first_name: 'Sofia',
          surname: 'Duarte',
          is_active: false,
        }
        await fixture.alice.api.updateDeviceUser({ ...of(person), body }, { if_match: version })
        assert.equal(await getCode(makeFor(fixture.alice, person)), 'wrong_state')
        await fixture.sql(`update device_users set is_active = true where device_user_reference = $1`, [
          person,
        ])
      },
      () => fixture.alice.api.deleteDeviceUser(of(person)),
    ]) {
      const { enrolment_reference, text } = await makeFor(fixture.alice, person)
      await leave()
      const { enrolment_state } = await fixture.alice.api.readEnrolment(at(enrolment_reference))
      assert.equal(enrolment_state, 'revoked')
      await assert.rejects((await phoneWith(text)).authenticate(), { code: 'enrolment_refused' })
    }
    assert.equal(await getCode(makeFor(fixture.alice, person)), 'not_found')
  })

  it('of the account name users by email only where the maker chose so', async () => {
    const made = await fixture.alice.api.createEnrolment({
      body: { expires_in_days: 30, max_uses: 2, description: 'Roll-out in spring', matches_email: true },
    })
    assert.deepEqual([made.device_user_reference, made.group, made.max_uses], [null, null, 2])
    const byDefault = await fixture.alice.api.createEnrolment({ body: { expires_in_days: 30 } })
    assert.deepEqual([made.matches_email, byDefault.matches_email], [true, false])
  })

  it('are limited to the reader’s groups, and those of the account to permissions without conditions', async () => {
    const north = await fixture.personWith(['North desk'])
    const mine = await makeFor(north, 'Harriet Cole')
    const south = await makeFor(fixture.alice, 'Beatriz Ramos')
    const account = await fixture.alice.api.createEnrolment({ body: { expires_in_days: 1 } })
    assert.equal(await getCode(makeFor(north, 'Beatriz Ramos')), 'not_found')
    assert.equal(await getCode(north.api.createEnrolment({ body: { expires_in_days: 1 } })), 'not_permitted')
    for (const { enrolment_reference } of [south, account])
      for (const call of ['readEnrolment', 'revokeEnrolment'] as const)
        assert.equal(await getCode(north.api[call](at(enrolment_reference))), 'not_found')
    const seen = await list(north)
    assert.ok(seen.every(({ group }) => group === 'North'))
    assert.ok(seen.some(({ enrolment_reference }) => enrolment_reference === mine.enrolment_reference))
    assert.equal(await getCode(fixture.gina.api.readEnrolment(at(mine.enrolment_reference))), 'not_permitted')
    // A device that moved out of reach is returned without its reference.
    const { device_reference } = await (await phoneWith(mine.text)).authenticate()
    await fixture.sql(
      `update devices set group_id = (select group_id from groups g where g.client_id = devices.client_id and group_reference = 'South')
       where device_reference = $1`,
      [device_reference],
    )
    const [phone] = (await north.api.readEnrolment(at(mine.enrolment_reference))).devices
    assert.deepEqual(
      [phone?.device_reference, phone?.model, phone?.device_user_reference],
      [null, null, null],
    )
    assert.equal((await north.api.revokeEnrolment(at(mine.enrolment_reference))).enrolment_state, 'used')
    await fixture.giveRole('Reader', [allow('devices.enrolments:list')])
    const reader = await fixture.personWith(['Reader'])
    assert.equal(await getCode(makeFor(reader, 'Harriet Cole')), 'not_permitted')
  })

  it('are listed newest first, page by page, by user and by state', async () => {
    const mine = await list(fixture.alice, { device_user_reference: 'Molly Pearce' })
    assert.deepEqual(
      mine.map(({ enrolment_state }) => enrolment_state),
      ['revoked', 'used'],
    )
    assert.deepEqual(
      (await list(fixture.alice, { device_user_reference: 'Molly Pearce', states: ['used'] })).length,
      1,
    )
    const all = (await list(fixture.alice)).map(({ enrolment_reference }) => enrolment_reference)
    const paged = await everyRow((paging) =>
      fixture.alice.api.listEnrolments({ query: { limit: 2, ...paging } }),
    )
    assert.deepEqual(
      paged.map(({ enrolment_reference }) => enrolment_reference),
      all,
    )
    for (const wrong of [0, 366, 1.5])
      assert.equal(await getCode(makeFor(fixture.alice, 'Molly Pearce', wrong)), 'invalid_input')
  })

  it('are made for several people at once, as sheets or as mails with a code of their own', async () => {
    const north = await fixture.personWith(['North desk'])
    await fixture.sql(`update device_users set email = null where device_user_reference = 'Molly Pearce'`)
    const ask = (channel: 'mail' | 'sheet') =>
      north.api.enrolUsers({
        body: {
          device_user_references: ['Harriet Cole', 'Molly Pearce', 'Beatriz Ramos', 'unknown'],
          channel,
          expires_in_days: 7,
        },
      })
    const sheets = await ask('sheet')
    assert.deepEqual(
      sheets.data.map(({ status }) => status),
      ['Ok', 'Ok', 'NoMatchingRecord', 'NoMatchingRecord'],
    )
    const [harriet] = sheets.data
    await (await phoneWith(harriet?.enrolment?.text ?? '')).authenticate()

    const sent = await ask('mail')
    assert.deepEqual(
      sent.data.map(({ status, enrolment }) => [status, enrolment]),
      ['Ok', 'NoAddress', 'NoMatchingRecord', 'NoMatchingRecord'].map((status) => [status, undefined]),
    )
    refusal = new MailProblem('smtp_451', false)
    await assert.rejects(sendMails(), refusal)
    refusal = undefined
    await ask('mail')
    await sendMails()
    const [mail, ...others] = mails
    assert.deepEqual(others, [])
    const [newest, before] = await list(north, { device_user_reference: 'Harriet Cole' })
    assert.equal(mail?.to, newest?.sent_to)
    assert.deepEqual([newest?.enrolment_state, before?.enrolment_state], ['open', 'revoked'])
    const [, fragment = ''] = /\/en-GB\/enrol#(\S+)$/m.exec(mail?.text ?? '') ?? []
    const code = Buffer.from(fragment, 'base64url').toString()
    assert.ok(code.includes(newest?.enrolment_reference ?? '?'))
    await assertOpenedOnce(code, newest?.enrolment_reference ?? '')
    await (await phoneWith(code)).authenticate()
    const [used] = await list(north, { device_user_reference: 'Harriet Cole', states: ['used'] })
    assert.equal(used?.enrolment_reference, newest?.enrolment_reference)
    const all = await fixture.alice.api.enrolUsers({
      query: { search: 'harriet' },
      body: { channel: 'mail', expires_in_days: 7, all: true },
    })
    assert.deepEqual(all, { data: [{ device_user_reference: 'Harriet Cole', status: 'Ok' }], is_cut: false })
  })
})
