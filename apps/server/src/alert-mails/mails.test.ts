import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { CODE_SECONDS, CODE_TRIES, CODES_A_DAY, DAY, TESTS_A_MINUTE } from '@custodia/contract'
import { PAUSES } from '../alerts/attempts.ts'
import { clientsWithDue } from '../alerts/delivery-store.ts'
import type { AlertEvent } from '../alerts/raise.ts'
import { alertFixture, code, type NamedClient } from '../testing/alert-fixture.ts'
import { requirePart } from '../testing/require-part.ts'
import { smtpdAvailable, startSmtpd, type TakenMail } from '../testing/smtpd.ts'
import { until } from '../testing/waits.ts'
import { clientsWithDueCodes } from './check-store.ts'
import { deliverMails, purgeMails } from './jobs.ts'
import { mailCodes } from './texts.ts'

/** What a person has mailed to themselves, unless a test says otherwise. */
const AT_ONCE = {
  language: 'en-GB',
  low: 'never',
  medium: 'at_once',
  high: 'at_once',
  digest_hour: 6,
  address_source: 'claimed',
} as const

/** An alert fixture that mails through a server of its own, when a test says so. */
async function mailFixture(env: Record<string, string> = {}) {
  await using made = new AsyncDisposableStack()
  const smtpd = await startSmtpd()
  made.defer(() => smtpd.stop())
  const fixture = await alertFixture({
    SMTP_URL: `smtp://127.0.0.1:${smtpd.port}?tls=never`,
    SMTP_FROM: 'custodia@bank.example',
    ...env,
  })
  made.defer(() => fixture.close())
  await fixture.server.ctx.jobs.stop()
  let seen = 0
  const at = (ahead: number) => ({ ...fixture.server.ctx, now: () => Math.floor(Date.now() / 1000 + ahead) })
  const signal = new AbortController().signal
  const all = made.move()
  return {
    ...fixture,
    smtpd,
    /** Sends mails that are due within `ahead` seconds. */
    deliver: async (ahead = 0) => {
      for (const { client_id } of await clientsWithDue(at(ahead).db, at(ahead).now()))
        await deliverMails(at(ahead), client_id, signal)
    },
    mailCodes: async (ahead = 0) => {
      for (const client_id of await clientsWithDueCodes(at(ahead).db, at(ahead).now()))
        await mailCodes(at(ahead), client_id, signal)
    },
    /** The next mails, of which there are so many; later ones are next time's. */
    async next(count = 1): Promise<readonly TakenMail[]> {
      const mails = (await smtpd.taken(seen + count)).slice(seen)
      seen += mails.length
      return mails
    },
    /** The number of mails that the test has not read. */
    unread: () => smtpd.mails.length - seen,
    /** What became of all deliveries to a person, in the order in which they were queued. */
    states: async ({ name }: NamedClient) =>
      (
        await fixture.owner<{ delivery_state: string; last_error: string | null }>(
          `select delivery_state, last_error from alert_deliveries join alert_subscriptions using (client_id, subscription_id)
           where user_reference = $1 order by delivery_id`,
          [name],
        )
      ).map(({ delivery_state, last_error }) =>
        last_error === null ? delivery_state : `${delivery_state} ${last_error}`,
      ),
    close: () => all.disposeAsync(),
  }
}
type MailFixture = Awaited<ReturnType<typeof mailFixture>>

const withSmtpd = requirePart('exim4-daemon-light', smtpdAvailable())
let fixture: MailFixture
before(async () => {
  if (!withSmtpd.skip) fixture = await mailFixture()
})
after(() => fixture?.close())

describe('a subscription to alerts', withSmtpd, () => {
  beforeEach(async () => {
    await fixture.owner('delete from alert_address_checks')
    await fixture.owner('delete from alert_subscriptions')
  })
  const ask = (person: { checkAlertAddress: (typeof anna)['checkAlertAddress'] }, address: string) =>
    person.checkAlertAddress({ body: { address, language: 'en-GB' } })
  let anna: Awaited<ReturnType<MailFixture['person']>>
  before(async () => {
    anna = await fixture.person('Compliance Reviewer')
  })
  /** The code that was mailed last. */
  const mailedCode = async () => {
    await fixture.mailCodes()
    const [mail] = await fixture.next()
    return { to: mail?.to, code: /\b\d{8}\b/.exec(mail?.text ?? '')?.[0] ?? '' }
  }
  const confirm = (code: string) => anna.confirmAlertAddress({ body: { code } })

  it('can be created, changed, tested and ended by any user for themselves', async () => {
    const nothing = await anna.readAlertSubscription({})
    assert.deepEqual([nothing.can_send, nothing.settings], [true, null])
    await assert.rejects(anna.testAlertSubscription({}), code('not_found'))
    const { db } = fixture.server.ctx
    const first = await db.write(fixture.client('acme'), async (tx) => {
      // Saves can read the table until this ends, and not write to it.
      await tx.query('lock table alert_subscriptions in share mode')
      const waiting = () =>
        fixture.server.sql(
          `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
        )
      const saves = [6, 7].map((digest_hour) =>
        anna.saveAlertSubscription({ body: { ...AT_ONCE, digest_hour } }, { if_match: nothing.version }),
      )
      const done = Promise.allSettled(saves)
      await until('two first saves', waiting, ({ length }) => length === 2)
      return { done }
    })
    const states = (await first.done).map(({ status }) => status)
    assert.deepEqual(states.toSorted(), ['fulfilled', 'rejected'], 'a first save overwrites no other')
    const changed = { ...AT_ONCE, low: 'daily', language: 'pt-BR' } as const
    assert.deepEqual((await anna.saveAlertSubscription({ body: changed })).settings, changed)
    await assert.rejects(
      anna.saveAlertSubscription({ body: AT_ONCE }, { if_match: nothing.version }),
      code('changed_meanwhile'),
    )
    const bia = await fixture.person('Compliance Reviewer')
    assert.equal((await bia.readAlertSubscription({})).settings, null, 'of no other person')
    assert.equal((await anna.testAlertSubscription({})).waiting, 1)
    await fixture.deliver()
    const [test] = await fixture.next()
    assert.equal(test?.headers['subject'], 'Custodia: um teste')
    assert.deepEqual(test?.to, [nothing.claimed_address])
    assert.equal((await anna.deleteAlertSubscription({})).settings, null)
    await assert.rejects(anna.deleteAlertSubscription({}), code('not_found'))
  })

  it('sends to another address only after its code is confirmed', async () => {
    await assert.rejects(
      anna.saveAlertSubscription({ body: { ...AT_ONCE, address_source: 'confirmed' } }),
      code('wrong_state'),
    )
    await assert.rejects(confirm('12345678'), code('wrong_state'))
    const asked = await ask(anna, 'anna@elsewhere.example')
    assert.deepEqual(
      [asked.check?.address, asked.check?.state, asked.confirmed_address],
      ['anna@elsewhere.example', 'waiting', null],
    )
    const mailed = await mailedCode()
    assert.deepEqual(mailed.to, ['anna@elsewhere.example'])
    assert.equal((await anna.readAlertSubscription({})).check?.state, 'sent')
    await assert.rejects(confirm('00000000'), code('invalid_input'))
    const done = await confirm(` ${mailed.code.slice(0, 4)} ${mailed.code.slice(4)} `)
    assert.deepEqual(
      [done.confirmed_address, done.settings?.address_source, done.check],
      ['anna@elsewhere.example', 'confirmed', null],
    )
    await assert.rejects(confirm(mailed.code), code('wrong_state'))
    await anna.saveAlertSubscription({ body: { ...AT_ONCE, address_source: 'confirmed' } })
    await anna.testAlertSubscription({})
    await fixture.deliver()
    assert.deepEqual((await fixture.next())[0]?.to, ['anna@elsewhere.example'])
    const back = await anna.saveAlertSubscription({ body: AT_ONCE })
    assert.deepEqual(
      [back.settings?.address_source, back.confirmed_address],
      ['claimed', 'anna@elsewhere.example'],
    )
  })

  it('rejects codes after five wrong attempts, of an earlier address, and expired ones', async () => {
    await ask(anna, 'first@elsewhere.example')
    const first = await mailedCode()
    await ask(anna, 'second@elsewhere.example')
    const second = await mailedCode()
    await assert.rejects(confirm(first.code), code('invalid_input'))
    for (let i = 1; i < CODE_TRIES; i++) await assert.rejects(confirm('00000000'), code('invalid_input'))
    await assert.rejects(confirm(second.code), code('invalid_input'), 'the sixth try')
    await ask(anna, 'third@elsewhere.example')
    const third = await mailedCode()
    await fixture.owner('update alert_address_checks set asked_at = asked_at - $1', [CODE_SECONDS])
    await assert.rejects(confirm(third.code), code('invalid_input'))
    assert.equal((await anna.readAlertSubscription({})).confirmed_address, null)
  })

  it('mails at most five codes a day and shows when an address rejects mail', async () => {
    await ask(anna, 'never@elsewhere.example')
    await fixture.mailCodes()
    const { check } = await anna.readAlertSubscription({})
    assert.deepEqual([check?.state, check?.last_error], ['failed', 'smtp_550'])
    await ask(anna, 'later@elsewhere.example')
    await fixture.mailCodes()
    assert.equal((await anna.readAlertSubscription({})).check?.state, 'waiting')
    for (let i = 2; i < CODES_A_DAY; i++) await ask(anna, `${i}@elsewhere.example`)
    await assert.rejects(ask(anna, 'sixth@elsewhere.example'), code('too_many_requests'))
    // Ending the subscription does not begin a new day.
    const bob = await fixture.person('Compliance Reviewer')
    for (let i = 0; i < CODES_A_DAY; i++) {
      await ask(bob, `stranger.${i}@elsewhere.example`)
      await bob.deleteAlertSubscription({})
    }
    await assert.rejects(ask(bob, 'stranger@elsewhere.example'), code('too_many_requests'))
  })

  it('accepts single plain addresses only, from users and identity providers', async () => {
    const hostile = [
      'a@b.example\r\nBcc: c@d.example',
      'a\u0085b@c.example',
      'a\u202e@c.example',
      'a\u2028b@c.example',
      '<a@c.example>',
      'a@c.example>',
      '"a"<b>@c.example',
      'a;b@c.example',
      'a:b@c.example',
      '@b.example:a@c.example',
      'a(b)@c.example',
      'a\\@c.example',
      'root@[127.0.0.1]',
    ]
    const eve = await fixture.person('Account Administrator')
    for (const address of hostile)
      await assert.rejects(ask(eve, address), code('invalid_input'), JSON.stringify(address))
    await eve.saveAlertSubscription({ body: AT_ONCE })
    for (const address of hostile) {
      await fixture.owner('update portal_sessions set email = $1 where user_reference = $2', [
        address,
        eve.name,
      ])
      assert.equal((await eve.readAlertSubscription({})).claimed_address, null, JSON.stringify(address))
    }
    await eve.testAlertSubscription({})
    await fixture.deliver()
    assert.equal(fixture.unread(), 0)
  })

  it('can be tested at most ten times a minute', async () => {
    const kim = await fixture.person('Compliance Reviewer')
    await kim.saveAlertSubscription({ body: AT_ONCE })
    for (let i = 0; i < TESTS_A_MINUTE; i++) await kim.testAlertSubscription({})
    await assert.rejects(kim.testAlertSubscription({}), code('too_many_requests'))
  })

  it('leaves no address and no code in the audit log', async () => {
    await ask(anna, 'secret.place@elsewhere.example')
    const mailed = await mailedCode()
    await confirm(mailed.code)
    const rows = await fixture.owner<{ parameters: unknown }>(
      `select parameters from portal_activities where action like 'profile.alert_subscription:%'`,
    )
    assert.ok(rows.length > 0)
    assert.doesNotMatch(JSON.stringify(rows), new RegExp(`secret\\.place|${mailed.code}`))
  })

  it('is available only on installations with a mail server', async () => {
    const other = await alertFixture()
    try {
      const person = await other.person('Account Administrator')
      assert.equal((await person.readAlertSubscription({})).can_send, false)
      await assert.rejects(person.saveAlertSubscription({ body: AT_ONCE }), code('wrong_state'))
      await assert.rejects(ask(person, 'anna@elsewhere.example'), code('wrong_state'))
    } finally {
      await other.close()
    }
  })
})

describe('alert e-mails', withSmtpd, () => {
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
  const getAddress = ({ name }: NamedClient) => `${name.replace(' ', '.')}@acme.example`

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
    const to = (person: NamedClient) => mails.find(({ to: [each] }) => each === getAddress(person))
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

  it('report an incident once: not each further device, but those of others, higher severities and a new begin', async () => {
    const [all, south] = [await subscriber(), await subscriber()]
    await fixture.owner(`update portal_sessions set groups = '{South}' where user_reference = $1`, [
      south.name,
    ])
    const silent = (device_reference: string, group: string, change: Partial<AlertEvent> = {}) =>
      fixture.raise(`silent ${device_reference}`, {
        text: 'device_silent',
        alert_type: 'DeviceAlert',
        values: { device_reference, unseen: '30' },
        group_id: fixture.group(group),
        ...change,
      })
    const many = [await silent('m1', 'North'), await silent('m2', 'North'), await silent('m3', 'North')]
    await fixture.deliver()
    const [first] = await fixture.next()
    assert.equal(first?.headers['subject'], 'Custodia: 3 alerts, the highest severity is Medium')
    assert.match(
      first?.text ?? '',
      /^Medium · Device · 3 alerts\n\S+\/dashboard\/account\/alerts\?states=Triggered&scopes=sec&incident_kinds=device_silent\n\n/,
    )
    const further = await silent('m4', 'South')
    await fixture.deliver(31)
    const [second] = await fixture.next()
    assert.deepEqual([second?.to, second?.text.includes(linkTo(further))], [[getAddress(south)], true])
    assert.deepEqual((await fixture.states(all)).at(-1), 'withheld')
    const worst = await silent('m5', 'North', { alert_severity: 'High' })
    await fixture.deliver(62)
    const [third] = await fixture.next()
    assert.deepEqual(
      [third?.to, third?.headers['subject']],
      [[getAddress(all)], 'Custodia: an alert of severity High'],
    )
    const body = { alert_references: [...many, further, worst], cleared_reason: 'Seen' }
    await all.clearAlerts({ body })
    const again = await silent('m1', 'North')
    await fixture.deliver(93)
    const [fourth] = await fixture.next()
    assert.ok(fourth?.text.includes(linkTo(again)))
    assert.equal(fixture.unread(), 0)
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
    const to = (person: NamedClient) => mails.find(({ to: [each] }) => each === getAddress(person))?.text
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
    // Of this worker alone: the server writes meanwhile, too.
    let left = 1
    const write: typeof ctx.db.write = (...parts) =>
      left-- > 0 ? ctx.db.write(...parts) : Promise.reject(broken)
    const worker = { ...ctx, db: { ...ctx.db, write } }
    const { signal } = new AbortController()
    await assert.rejects(deliverMails(worker, fixture.client('acme'), signal), broken)
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
