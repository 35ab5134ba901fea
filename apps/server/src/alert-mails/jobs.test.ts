import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { requirePart } from '../testing/require-part.ts'
import { smtpdAvailable } from '../testing/smtpd.ts'
import type { NamedClient } from '../testing/alert-fixture.ts'
import { PAUSES } from '../alerts/attempts.ts'
import { purgeMails } from './jobs.ts'
import { AT_ONCE, type MailFixture, mailFixture } from './mail-fixture.test-support.ts'

const DAY = 86_400

describe('alert e-mails', requirePart('exim4-daemon-light', smtpdAvailable()), () => {
  let fixture: MailFixture
  before(async () => {
    fixture = await mailFixture()
  })
  after(() => fixture?.close())
  beforeEach(async () => {
    await fixture.owner('delete from alert_subscriptions')
    await fixture.owner('delete from alerts')
  })
  /** A subscriber with a role who gets mails at once unless `change` differs. */
  async function subscriber(change: object = {}, role = 'Account Administrator') {
    const person = await fixture.person('Account Administrator')
    await person.saveAlertSubscription({ body: { ...AT_ONCE, ...change } })
    await fixture.owner('update portal_sessions set roles = $2 where user_reference = $1', [
      person.name,
      [role],
    ])
    return person
  }
  const linkTo = (alert_reference: string) =>
    `${fixture.server.ctx.config.adminPortalUrl}/dashboard/account/alerts?preview=${alert_reference}`
  const addressOf = ({ name }: NamedClient) => `${name.replace(' ', '.')}@acme.example`

  it('contain severity, kind and link in the reader’s language, and no other details', async () => {
    const [anna, bia] = [await subscriber(), await subscriber({ language: 'pt-BR' })]
    const reference = await fixture.raise('secret title', {
      alert_severity: 'High',
      values: { message: 'Tom Fletcher, +44 7700 900123' },
      related_entities: [{ entity_type: 'DeviceUser', entity_id: 'tom.fletcher' }],
    })
    await fixture.deliver()
    await fixture.deliver()
    const mails = await fixture.next(2)
    const to = (person: NamedClient) => mails.find(({ to: [each] }) => each === addressOf(person))
    const subjects = [anna, bia].map((each) => to(each)?.headers['subject'])
    assert.deepEqual(subjects, [
      'Custodia: an alert of severity High',
      'Custodia: um alerta de gravidade Alta',
    ])
    assert.ok(to(anna)?.text.startsWith(`High · Recording\n${linkTo(reference)}\n\n`), to(anna)?.text)
    assert.ok(to(bia)?.text.startsWith(`Alta · Gravação\n${linkTo(reference)}\n\n`), to(bia)?.text)
    for (const { headers, text } of mails)
      assert.doesNotMatch(
        JSON.stringify(headers) + text,
        /Tom|Fletcher|7700|900123|secret title|acme(?!\.example)/,
      )
    assert.equal(fixture.unread(), 0)
    assert.deepEqual(await fixture.states(anna), ['delivered'])
  })

  it('are sent at once, with the next daily digest or never, by severity', async () => {
    const hour = (new Date().getUTCHours() + 2) % 24
    const anna = await subscriber({ low: 'never', medium: 'daily', high: 'at_once', digest_hour: hour })
    const references = []
    for (const [i, alert_severity] of (['Low', 'Medium', 'High', 'Medium'] as const).entries())
      references.push(await fixture.raise(`severity ${i}`, { alert_severity }))
    await fixture.deliver()
    const [first] = await fixture.next()
    assert.ok(first?.text.includes(linkTo(references[2] ?? '')))
    assert.equal(first?.text.includes(linkTo(references[1] ?? '')), false)
    const untilThen =
      Math.ceil((Date.now() / 1000 - hour * 3600) / DAY) * DAY + hour * 3600 - Date.now() / 1000
    await fixture.deliver(untilThen - 2)
    assert.equal(fixture.unread(), 0)
    assert.deepEqual(await fixture.states(anna), ['waiting', 'delivered', 'waiting'])
    await fixture.deliver(untilThen + 1)
    const [digest] = await fixture.next()
    assert.equal(digest?.headers['subject'], 'Custodia: 2 alerts, the highest severity is Medium')
    for (const i of [1, 3]) assert.ok(digest?.text.includes(linkTo(references[i] ?? '')))
  })

  it('combine alerts, most severe first, and go out at most every 30 seconds', async () => {
    await subscriber()
    for (let i = 0; i < 60; i++) await fixture.raise(`many ${i}`)
    const worst = await fixture.raise('the worst', { alert_severity: 'High' })
    await fixture.deliver()
    const [{ headers, text } = { headers: {} as Record<string, string>, text: '' }] = await fixture.next()
    assert.equal(headers['subject'], 'Custodia: 61 alerts, the highest severity is High')
    assert.ok(text.startsWith(`High · Recording\n${linkTo(worst)}\n`))
    assert.equal(text.match(/preview=/g)?.length, 50)
    assert.match(text, /And 11 more: \S+\/dashboard\/account\/alerts\n/)
    await fixture.raise('a moment later')
    await fixture.deliver()
    assert.equal(fixture.unread(), 0)
    await fixture.deliver(31)
    await fixture.next()
  })

  it('leave out alerts that the reader may not see or that are dismissed or cleared', async () => {
    const [north, all, blind] = [
      await subscriber({}, 'North sec'),
      await subscriber(),
      await subscriber({}, 'Blind'),
    ]
    await fixture.raise('of South', { group_id: fixture.group('South') })
    const seen = await fixture.raise('of North', { group_id: fixture.group('North') })
    await fixture.raise('of the account')
    await fixture.raise('operational', { alert_scopes: ['ops'] })
    const dismissed = await fixture.raise('dismissed', { group_id: fixture.group('North') })
    await north.dismissAlerts({ body: { alert_references: [dismissed] } })
    const cleared = await fixture.raise('cleared', { group_id: fixture.group('North') })
    await all.clearAlerts({ body: { alert_references: [cleared], cleared_reason: 'Seen' } })
    await fixture.deliver()
    const mails = await fixture.next(2)
    const to = (person: NamedClient) => mails.find(({ to: [each] }) => each === addressOf(person))?.text
    assert.deepEqual(to(north)?.match(/preview=\w+/g), [`preview=${seen}`])
    assert.equal(to(all)?.match(/preview=/g)?.length, 5)
    assert.equal(fixture.unread(), 0)
    assert.deepEqual(new Set(await fixture.states(blind)), new Set(['withheld']))
  })

  it('follow the roles, groups and network of the last sign-in at the time of sending', async () => {
    const anna = await subscriber()
    const sign = (values: string) =>
      fixture.owner(`update portal_sessions set ${values} where user_reference = $1`, [anna.name])
    await fixture.raise('one')
    await sign(`roles = '{Compliance Reviewer}'`)
    await fixture.deliver()
    assert.deepEqual(await fixture.states(anna), ['withheld'])
    await sign(`roles = '{Account Administrator}', groups = '{North}'`)
    await fixture.raise('two', { group_id: fixture.group('South') })
    await fixture.deliver()
    assert.deepEqual(await fixture.states(anna), ['withheld', 'withheld'])
    await sign(`groups = null`)
    await fixture.owner(`update account_defaults set cidr_ranges = '{10.0.0.0/8}' where client_id = $1`, [
      fixture.client('acme'),
    ])
    await fixture.owner('update clients set access_epoch = access_epoch + 1')
    try {
      await fixture.raise('three')
      await fixture.deliver()
      assert.equal((await fixture.states(anna)).at(-1), 'withheld', 'from outside of the account’s networks')
      await sign(`ip = '10.1.2.3'`)
      await fixture.raise('four')
      await fixture.deliver()
      assert.equal((await fixture.states(anna)).at(-1), 'delivered')
      await fixture.next()
    } finally {
      await fixture.owner(`update account_defaults set cidr_ranges = '{}'`)
      await fixture.owner('update clients set access_epoch = access_epoch + 1')
    }
  })

  it('stop thirty days after the last sign-in and resume with the next', async () => {
    const anna = await subscriber()
    await fixture.owner('update portal_sessions set created_at = created_at - $2 where user_reference = $1', [
      anna.name,
      30 * DAY,
    ])
    assert.equal((await anna.readAlertSubscription({})).mailed_until, null)
    await fixture.raise('too late')
    await anna.testAlertSubscription({})
    await fixture.deliver()
    assert.deepEqual(await fixture.states(anna), ['withheld', 'withheld'])
    await fixture.owner('update portal_sessions set created_at = created_at + 60 where user_reference = $1', [
      anna.name,
    ])
    await fixture.raise('in time')
    await fixture.deliver()
    await fixture.next()
    assert.equal((await fixture.states(anna)).at(-1), 'delivered')
  })

  it('are retried on a temporary SMTP error and fail with an alert on a permanent one', async () => {
    const [later, never] = [await subscriber(), await subscriber()]
    for (const [person, local] of [
      [later, 'later'],
      [never, 'never'],
    ] as const)
      await fixture.owner('update portal_sessions set email = $2 where user_reference = $1', [
        person.name,
        `${local}@acme.example`,
      ])
    await fixture.raise('refused')
    await fixture.deliver()
    assert.deepEqual(await fixture.states(later), ['waiting smtp_451', 'waiting'])
    assert.deepEqual(await fixture.states(never), ['dead smtp_550', 'waiting'])
    const { dead, last_error } = await never.readAlertSubscription({})
    assert.deepEqual([dead, last_error], [1, 'smtp_550'])
    assert.ok((await fixture.keys(later)).includes(`mail ${never.name}`))
    let ahead = 0
    for (const pause of PAUSES) await fixture.deliver((ahead += pause + 1))
    assert.equal((await fixture.states(later))[0], 'dead smtp_451')
    assert.equal(fixture.unread(), 0)
  })

  it('keep their Message-ID across attempts, also when a worker dies in between', async () => {
    await subscriber()
    await fixture.raise('sent, and not written down')
    const { ctx } = fixture.server
    const broken = new Error('killed')
    const write = ctx.db.write.bind(ctx.db)
    let left = 1
    ctx.db.write = ((...parts: Parameters<typeof write>) =>
      left-- > 0 ? write(...parts) : Promise.reject(broken)) as typeof write
    try {
      await assert.rejects(fixture.deliver(), broken)
    } finally {
      ctx.db.write = write
    }
    await fixture.deliver()
    const [first] = await fixture.next()
    assert.equal(fixture.unread(), 0, 'another worker waits before it takes over')
    await fixture.deliver(61)
    const [second] = await fixture.next()
    assert.equal(first?.headers['message-id'], second?.headers['message-id'])
    assert.equal(first?.text, second?.text)
  })

  it('do not delay the transaction that raises an alert', async () => {
    const anna = await subscriber()
    await fixture.server.ctx.db.write(fixture.client('acme'), async (tx) => {
      await tx.query('select from alert_subscriptions where client_id = $1 for update', [tx.client_id])
      // A subscription that changes at this moment gets no mail.
      await fixture.raise('meanwhile')
    })
    assert.deepEqual(await fixture.states(anna), [])
  })

  it('lose their subscription and address ninety days after the last sign-in', async () => {
    const [anna, bia] = [await subscriber(), await subscriber()]
    await fixture.owner('update alert_subscriptions set updated_at = 0')
    await fixture.owner('update portal_sessions set created_at = created_at - $2 where user_reference = $1', [
      anna.name,
      91 * DAY,
    ])
    await purgeMails.run(fixture.server.ctx, {}, new AbortController().signal)
    const left = await fixture.owner<{ user_reference: string }>(
      'select user_reference from alert_subscriptions',
    )
    assert.deepEqual(left, [{ user_reference: bia.name }])
  })
})
