import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { requirePart } from '../../testing/require-part.ts'
import { smtpdAvailable } from '../../testing/smtpd.ts'
import type { NamedClient } from '../alert-world.test-support.ts'
import { PAUSES } from '../attempts.ts'
import { purgeMails } from './jobs.ts'
import { AT_ONCE, type MailWorld, mailWorld } from './mail-world.test-support.ts'

const DAY = 86_400

describe('alert e-mails', requirePart('exim4-daemon-light', smtpdAvailable()), () => {
  let world: MailWorld
  before(async () => {
    world = await mailWorld()
  })
  after(() => world?.close())
  beforeEach(async () => {
    await world.owner('delete from alert_subscriptions')
    await world.owner('delete from alerts')
  })
  /** Somebody of a role who is mailed at once, unless told. */
  async function subscriber(change: object = {}, role = 'Account Administrator') {
    const person = await world.person('Account Administrator')
    await person.saveAlertSubscription({ body: { ...AT_ONCE, ...change } })
    await world.owner('update portal_sessions set roles = $2 where user_reference = $1', [
      person.name,
      [role],
    ])
    return person
  }
  const linkTo = (alert_reference: string) =>
    `${world.server.house.config.adminPortalUrl}/dashboard/account/alerts?preview=${alert_reference}`
  const addressOf = ({ name }: NamedClient) => `${name.replace(' ', '.')}@acme.example`

  it('contain severity, kind and link in the reader’s language, and no other details', async () => {
    const [anna, bia] = [await subscriber(), await subscriber({ language: 'pt-BR' })]
    const reference = await world.raise('told', {
      alert_severity: 'High',
      values: { message: 'Tom Fletcher, +44 7700 900123' },
      related_entities: [{ entity_type: 'DeviceUser', entity_id: 'tom.fletcher' }],
    })
    await world.deliver()
    await world.deliver()
    const mails = await world.next(2)
    const to = (person: NamedClient) => mails.find(({ to: [each] }) => each === addressOf(person))
    const subjects = [anna, bia].map((each) => to(each)?.headers['subject'])
    assert.deepEqual(subjects, [
      'Custodia: an alert of severity High',
      'Custodia: um alerta de gravidade Alta',
    ])
    assert.ok(to(anna)?.text.startsWith(`High · Recording\n${linkTo(reference)}\n\n`), to(anna)?.text)
    assert.ok(to(bia)?.text.startsWith(`Alta · Gravação\n${linkTo(reference)}\n\n`), to(bia)?.text)
    for (const { headers, text } of mails)
      assert.doesNotMatch(JSON.stringify(headers) + text, /Tom|Fletcher|7700|900123|told|acme(?!\.example)/)
    assert.equal(world.unread(), 0)
    assert.deepEqual(await world.states(anna), ['delivered'])
  })

  it('are sent at once, with the next daily digest or never, by severity', async () => {
    const hour = (new Date().getUTCHours() + 2) % 24
    const anna = await subscriber({ low: 'never', medium: 'daily', high: 'at_once', digest_hour: hour })
    const references = []
    for (const [i, alert_severity] of (['Low', 'Medium', 'High', 'Medium'] as const).entries())
      references.push(await world.raise(`severity ${i}`, { alert_severity }))
    await world.deliver()
    const [first] = await world.next()
    assert.ok(first?.text.includes(linkTo(references[2] ?? '')))
    assert.equal(first?.text.includes(linkTo(references[1] ?? '')), false)
    const untilThen =
      Math.ceil((Date.now() / 1000 - hour * 3600) / DAY) * DAY + hour * 3600 - Date.now() / 1000
    await world.deliver(untilThen - 2)
    assert.equal(world.unread(), 0)
    assert.deepEqual(await world.states(anna), ['waiting', 'delivered', 'waiting'])
    await world.deliver(untilThen + 1)
    const [digest] = await world.next()
    assert.equal(digest?.headers['subject'], 'Custodia: 2 alerts, the highest severity is Medium')
    for (const i of [1, 3]) assert.ok(digest?.text.includes(linkTo(references[i] ?? '')))
  })

  it('combine alerts, most severe first, and go out at most every 30 seconds', async () => {
    await subscriber()
    for (let i = 0; i < 60; i++) await world.raise(`many ${i}`)
    const worst = await world.raise('the worst', { alert_severity: 'High' })
    await world.deliver()
    const [{ headers, text } = { headers: {} as Record<string, string>, text: '' }] = await world.next()
    assert.equal(headers['subject'], 'Custodia: 61 alerts, the highest severity is High')
    assert.ok(text.startsWith(`High · Recording\n${linkTo(worst)}\n`))
    assert.equal(text.match(/preview=/g)?.length, 50)
    assert.match(text, /And 11 more: \S+\/dashboard\/account\/alerts\n/)
    await world.raise('a moment later')
    await world.deliver()
    assert.equal(world.unread(), 0)
    await world.deliver(31)
    await world.next()
  })

  it('leave out alerts that the reader may not see or that are dismissed or cleared', async () => {
    const [north, all, blind] = [
      await subscriber({}, 'North sec'),
      await subscriber(),
      await subscriber({}, 'Blind'),
    ]
    await world.raise('of South', { group_id: world.group('South') })
    const seen = await world.raise('of North', { group_id: world.group('North') })
    await world.raise('of the account')
    await world.raise('operational', { alert_scopes: ['ops'] })
    const dismissed = await world.raise('dismissed', { group_id: world.group('North') })
    await north.dismissAlerts({ body: { alert_references: [dismissed] } })
    const cleared = await world.raise('cleared', { group_id: world.group('North') })
    await all.clearAlerts({ body: { alert_references: [cleared], cleared_reason: 'Seen' } })
    await world.deliver()
    const mails = await world.next(2)
    const to = (person: NamedClient) => mails.find(({ to: [each] }) => each === addressOf(person))?.text
    assert.deepEqual(to(north)?.match(/preview=\w+/g), [`preview=${seen}`])
    assert.equal(to(all)?.match(/preview=/g)?.length, 5)
    assert.equal(world.unread(), 0)
    assert.deepEqual(new Set(await world.states(blind)), new Set(['withheld']))
  })

  it('follow the roles, groups and network of the last sign-in at the time of sending', async () => {
    const anna = await subscriber()
    const sign = (values: string) =>
      world.owner(`update portal_sessions set ${values} where user_reference = $1`, [anna.name])
    await world.raise('one')
    await sign(`roles = '{Compliance Reviewer}'`)
    await world.deliver()
    assert.deepEqual(await world.states(anna), ['withheld'])
    await sign(`roles = '{Account Administrator}', groups = '{North}'`)
    await world.raise('two', { group_id: world.group('South') })
    await world.deliver()
    assert.deepEqual(await world.states(anna), ['withheld', 'withheld'])
    await sign(`groups = null`)
    await world.owner(`update account_defaults set cidr_ranges = '{10.0.0.0/8}' where client_id = $1`, [
      world.client('acme'),
    ])
    await world.owner('update clients set access_epoch = access_epoch + 1')
    try {
      await world.raise('three')
      await world.deliver()
      assert.equal((await world.states(anna)).at(-1), 'withheld', 'from outside of the account’s networks')
      await sign(`ip = '10.1.2.3'`)
      await world.raise('four')
      await world.deliver()
      assert.equal((await world.states(anna)).at(-1), 'delivered')
      await world.next()
    } finally {
      await world.owner(`update account_defaults set cidr_ranges = '{}'`)
      await world.owner('update clients set access_epoch = access_epoch + 1')
    }
  })

  it('stop thirty days after the last sign-in and resume with the next', async () => {
    const anna = await subscriber()
    await world.owner('update portal_sessions set created_at = created_at - $2 where user_reference = $1', [
      anna.name,
      30 * DAY,
    ])
    assert.equal((await anna.readAlertSubscription({})).mailed_until, null)
    await world.raise('too late')
    await anna.testAlertSubscription({})
    await world.deliver()
    assert.deepEqual(await world.states(anna), ['withheld', 'withheld'])
    await world.owner('update portal_sessions set created_at = created_at + 60 where user_reference = $1', [
      anna.name,
    ])
    await world.raise('in time')
    await world.deliver()
    await world.next()
    assert.equal((await world.states(anna)).at(-1), 'delivered')
  })

  it('are retried on a temporary SMTP error and fail with an alert on a permanent one', async () => {
    const [later, never] = [await subscriber(), await subscriber()]
    for (const [person, local] of [
      [later, 'later'],
      [never, 'never'],
    ] as const)
      await world.owner('update portal_sessions set email = $2 where user_reference = $1', [
        person.name,
        `${local}@acme.example`,
      ])
    await world.raise('refused')
    await world.deliver()
    assert.deepEqual(await world.states(later), ['waiting smtp_451', 'waiting'])
    assert.deepEqual(await world.states(never), ['dead smtp_550', 'waiting'])
    const { dead, last_error } = await never.readAlertSubscription({})
    assert.deepEqual([dead, last_error], [1, 'smtp_550'])
    assert.ok((await world.keys(later)).includes(`mail ${never.name}`))
    let ahead = 0
    for (const pause of PAUSES) await world.deliver((ahead += pause + 1))
    assert.equal((await world.states(later))[0], 'dead smtp_451')
    assert.equal(world.unread(), 0)
  })

  it('keep their Message-ID across attempts, also when a worker dies in between', async () => {
    await subscriber()
    await world.raise('sent, and not written down')
    const { house } = world.server
    const broken = new Error('killed')
    const write = house.db.write.bind(house.db)
    let left = 1
    house.db.write = ((...parts: Parameters<typeof write>) =>
      left-- > 0 ? write(...parts) : Promise.reject(broken)) as typeof write
    try {
      await assert.rejects(world.deliver(), broken)
    } finally {
      house.db.write = write
    }
    await world.deliver()
    const [first] = await world.next()
    assert.equal(world.unread(), 0, 'another worker waits before it takes over')
    await world.deliver(61)
    const [second] = await world.next()
    assert.equal(first?.headers['message-id'], second?.headers['message-id'])
    assert.equal(first?.text, second?.text)
  })

  it('do not delay the transaction that raises an alert', async () => {
    const anna = await subscriber()
    await world.server.house.db.write(world.client('acme'), async (tx) => {
      await tx.query('select from alert_subscriptions where client_id = $1 for update', [tx.client_id])
      // Whoever changes their subscription at this moment is left out.
      await world.raise('meanwhile')
    })
    assert.deepEqual(await world.states(anna), [])
  })

  it('lose their subscription and address ninety days after the last sign-in', async () => {
    const [anna, bia] = [await subscriber(), await subscriber()]
    await world.owner('update alert_subscriptions set updated_at = 0')
    await world.owner('update portal_sessions set created_at = created_at - $2 where user_reference = $1', [
      anna.name,
      91 * DAY,
    ])
    await purgeMails.run(world.server.house, {}, new AbortController().signal)
    const left = await world.owner<{ user_reference: string }>(
      'select user_reference from alert_subscriptions',
    )
    assert.deepEqual(left, [{ user_reference: bia.name }])
  })
})
