import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { CODE_SECONDS, CODE_TRIES, CODES_A_DAY, TESTS_A_MINUTE } from '@custodia/contract'
import { requirePart } from '../testing/require-part.ts'
import { smtpdAvailable } from '../testing/smtpd.ts'
import { alertFixture, code } from '../testing/alert-fixture.ts'
import { AT_ONCE, type MailFixture, mailFixture } from './mail-fixture.test-support.ts'

describe('a subscription to alerts', requirePart('exim4-daemon-light', smtpdAvailable()), () => {
  let fixture: MailFixture
  before(async () => {
    fixture = await mailFixture()
  })
  after(() => fixture?.close())
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
    await anna.saveAlertSubscription({ body: AT_ONCE })
    const changed = { ...AT_ONCE, low: 'daily', language: 'pt-BR' } as const
    assert.deepEqual((await anna.saveAlertSubscription({ body: changed })).settings, changed)
    const bia = await fixture.person('Compliance Reviewer')
    assert.equal((await bia.readAlertSubscription({})).settings, null, 'of nobody else')
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
  })

  it('keeps the daily limit of codes when a user ends and restarts it', async () => {
    const bob = await fixture.person('Compliance Reviewer')
    for (let i = 0; i < CODES_A_DAY; i++) {
      await ask(bob, `stranger.${i}@elsewhere.example`)
      await bob.deleteAlertSubscription({})
    }
    await assert.rejects(ask(bob, 'stranger@elsewhere.example'), code('too_many_requests'))
    await bob.saveAlertSubscription({ body: AT_ONCE })
    await assert.rejects(ask(bob, 'stranger@elsewhere.example'), code('too_many_requests'))
    // Nothing but the times is kept, and nobody is mailed.
    const kept = await fixture.owner<{ address: string; code_hash: unknown }>(
      'select address, code_hash from alert_address_checks where user_reference = $1',
      [bob.name],
    )
    assert.deepEqual(kept, Array(CODES_A_DAY).fill({ address: '', code_hash: null }))
    await fixture.mailCodes()
    assert.equal(fixture.unread(), 0)
    assert.equal((await bob.readAlertSubscription({})).check, null)
    await fixture.owner('update alert_address_checks set asked_at = asked_at - 86400')
    assert.equal((await ask(bob, 'stranger@elsewhere.example')).check?.state, 'waiting')
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
    await fixture.owner('update alert_deliveries set occurred_at = occurred_at - 60')
    assert.equal((await kim.testAlertSubscription({})).waiting, TESTS_A_MINUTE + 1)
    await fixture.deliver()
    assert.equal((await fixture.next()).length, 1, 'in one mail')
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
