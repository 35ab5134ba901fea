import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { after, before, beforeEach, describe, it } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { TESTS_A_MINUTE } from '@custodia/contract'
import { Webhook } from 'standardwebhooks'
import { PAUSES } from '../alerts/attempts.ts'
import { getProblem } from '../testing/access-fixture.ts'
import { type AlertFixture, alertFixture, code, type NamedClient } from '../testing/alert-fixture.ts'
import { makeCertificate, opensslAvailable, startTlsServer, type TlsServer } from '../testing/issuer.ts'
import { requirePart } from '../testing/require-part.ts'
import { until } from '../testing/waits.ts'
import { deliverWebhook } from './deliver.ts'
import { dueWebhooks } from './delivery-store.ts'

interface ReceivedRequest {
  headers: Record<string, string>
  body: string
}

describe('an alert webhook of an account', requirePart('openssl', opensslAvailable()), () => {
  let fixture: AlertFixture
  let receiver: TlsServer
  let url: string
  let root: NamedClient
  const received: ReceivedRequest[] = []
  /** The receiver's answer: a status, silence, or a redirect. */
  let answer: number | 'silence' | 'elsewhere' = 200

  before(async () => {
    const certificate = makeCertificate('localhost')
    setDefaultCACertificates([...getCACertificates('default'), certificate.cert])
    receiver = await startTlsServer(certificate, async (request: IncomingMessage, response) => {
      let body = ''
      for await (const chunk of request) body += String(chunk)
      received.push({ headers: request.headers as Record<string, string>, body })
      if (answer === 'silence') return
      if (answer === 'elsewhere') return void response.writeHead(307, { location: '/' }).end()
      response.writeHead(answer).end('what the receiver says')
    })
    url = `https://localhost:${receiver.port}/hook`
    fixture = await alertFixture({ EGRESS_ALLOW: new URL(url).origin })
    // The tests control when deliveries are sent.
    await fixture.server.ctx.jobs.stop()
    root = await fixture.person('Account Administrator')
  })
  after(async () => {
    await fixture?.close()
    await receiver?.close()
  })
  beforeEach(async () => {
    await fixture.owner('delete from alert_webhooks')
    received.length = 0
    answer = 200
  })

  const settings = {
    description: 'Our desk',
    alert_scopes: ['ops', 'sec'] as ('ops' | 'sec')[],
    min_severity: 'Low' as const,
    is_active: true,
  }
  const make = (change: object = {}) => root.createAlertWebhook({ body: { ...settings, url, ...change } })
  const deliver = (ahead = 0) =>
    deliverDue({ ...fixture.server.ctx, now: () => Math.floor(Date.now() / 1000) + ahead })
  async function deliverDue(ctx: AlertFixture['server']['ctx']): Promise<void> {
    const account = { client: 'acme', client_id: fixture.client('acme') }
    const due = await ctx.db.read(account.client_id, (q) => dueWebhooks(q, ctx.now()))
    const { signal } = new AbortController()
    await Promise.all(
      due.map((webhook_reference) => deliverWebhook(ctx, { ...account, webhook_reference }, signal)),
    )
  }
  const deliveries = async (webhook_reference: string) => {
    return (await root.listAlertDeliveries({ params: { webhook_reference } })).data
  }
  const stands = async (webhook_reference: string) =>
    (await deliveries(webhook_reference)).map(({ delivery_state, attempts, last_error }) => [
      delivery_state,
      attempts,
      last_error,
    ])

  it('sends type, scope, severity, time and link of an alert with a verifiable signature', async () => {
    const { secret } = await make()
    const alert_reference = await fixture.raise('delivered once', {
      values: { message: 'about +44 7700 900123' },
    })
    const { last_occurrence: raised } = await root.readAlert({ params: { alert_reference } })
    await deliver()
    await deliver()
    assert.equal(received.length, 1)
    const [{ headers, body } = { headers: {}, body: '' }] = received
    assert.deepEqual(new Webhook(secret).verify(body, headers), {
      type: 'alert.triggered',
      timestamp: new Date(raised * 1000).toISOString(),
      data: {
        alert_type: 'PayloadAlert',
        alert_scope: 'sec',
        alert_severity: 'Medium',
        link: `${fixture.server.ctx.config.adminPortalUrl}/dashboard/account/alerts?preview=${alert_reference}`,
      },
    })
    assert.throws(() => new Webhook(secret).verify(`${body} `, headers))
    assert.throws(() => new Webhook(`whsec_${Buffer.alloc(32).toString('base64')}`).verify(body, headers))
    const { data } = await root.listAlertWebhooks({})
    assert.ok(!JSON.stringify(data).includes(secret), 'the secret is returned once')
  })

  it('sends matching alerts that trigger, trigger again or become more severe, and no others', async () => {
    const { webhook_reference } = await make({ alert_scopes: ['sec'], min_severity: 'Medium' })
    const count = async () => (await deliveries(webhook_reference)).length
    await fixture.raise('too mild', { alert_severity: 'Low' })
    await fixture.raise('another scope', { alert_scopes: ['ops'] })
    await fixture.raise('of the provider', { alert_targets: ['admin'] })
    await fixture.raise('of another client', {}, 'globex')
    assert.equal(await count(), 0)
    const reference = await fixture.raise('goes on')
    await fixture.raise('goes on')
    assert.equal(await count(), 1, 'an occurrence of what stands already')
    await fixture.raise('goes on', { alert_severity: 'High' })
    assert.equal(await count(), 2, 'more severe')
    await root.clearAlerts({ body: { alert_references: [reference], cleared_reason: 'Seen' } })
    assert.equal(await count(), 2)
    await fixture.raise('goes on')
    assert.equal(await count(), 3, 'afresh')
    const { data } = await root.listAlertWebhooks({})
    const seen = data.find((each) => each.webhook_reference === webhook_reference)?.version
    const save = () =>
      root.updateAlertWebhook(
        { params: { webhook_reference }, body: { ...settings, url, is_active: false } },
        { if_match: seen },
      )
    await save()
    await assert.rejects(save(), code('changed_meanwhile'))
    await fixture.raise('while switched off')
    assert.equal(await count(), 3)
  })

  it('retries a delivery under one id, fails with an alert, and can send again', async () => {
    const { webhook_reference, secret } = await make()
    await fixture.raise('refused')
    answer = 500
    let ahead = 0
    for (const pause of [...PAUSES, 0]) {
      await deliver(ahead)
      await deliver(ahead)
      ahead += pause + 2
    }
    const dead = (await deliveries(webhook_reference)).at(-1)
    // Its failure raised another alert, which follows.
    const tried = received.filter(({ headers }) => headers['webhook-id'] === dead?.delivery_reference)
    assert.equal(tried.length, PAUSES.length + 1)
    assert.equal(new Set(tried.map(({ body }) => body)).size, 1)
    assert.deepEqual(
      [dead?.delivery_state, dead?.attempts, dead?.last_error, dead?.next_at],
      ['dead', PAUSES.length + 1, 'http_500', null],
    )
    const [webhook] = (await root.listAlertWebhooks({})).data
    assert.equal(webhook?.dead, 1)
    assert.ok((await fixture.keys(root)).includes(`webhook ${webhook_reference}`))
    answer = 204
    received.length = 0
    const params = { webhook_reference, delivery_reference: dead?.delivery_reference ?? '' }
    await root.resendAlertDelivery({ params })
    await assert.rejects(root.resendAlertDelivery({ params }), code('wrong_state'))
    await deliver(ahead)
    const again = received.find(({ headers }) => headers['webhook-id'] === dead?.delivery_reference)
    assert.ok(again)
    assert.deepEqual((await deliveries(webhook_reference)).at(-1)?.delivery_state, 'delivered')
    assert.throws(
      () => new Webhook(secret).verify(again.body, again.headers),
      /timestamp/,
      'signed at its time',
    )
  })

  it('follows no redirect and records why a delivery failed', async () => {
    for (const [given, reason] of [
      ['elsewhere', 'redirected'],
      [404, 'http_404'],
      [410, 'http_410'],
    ] as const) {
      await fixture.owner('delete from alert_webhooks')
      const { webhook_reference } = await make()
      answer = given
      await root.testAlertWebhook({ params: { webhook_reference } })
      await deliver()
      assert.deepEqual(await stands(webhook_reference), [['waiting', 1, reason]])
    }
  })

  it('times out when the receiver does not answer', async () => {
    const { webhook_reference } = await make()
    answer = 'silence'
    await root.testAlertWebhook({ params: { webhook_reference } })
    await deliver()
    assert.deepEqual(await stands(webhook_reference), [['waiting', 1, 'too_slow']])
  })

  it('rejects addresses in the operator’s network when saved and when delivering', async () => {
    for (const hostile of [
      'https://localhost/',
      'https://127.0.0.1/',
      'https://169.254.169.254/latest/meta-data',
      'https://user:secret@example.com/',
      'https://[::ffff:7f00:1]/',
    ])
      await assert.rejects(make({ url: hostile }), code('invalid_input'), hostile)
    const { faults } = await getProblem(make({ url: 'http://example.com/' }))
    assert.deepEqual(
      faults.map(({ path, code: why }) => [path, why]),
      [['url', 'https_address']],
    )
    await assert.rejects(make({ url: `https://example.com/${'x'.repeat(2048)}` }), code('invalid_input'))
    const { webhook_reference } = await make()
    // As if the guard had let it pass: a name that leads inside.
    await fixture.owner('update alert_webhooks set url = $1', [`https://127.0.0.1:${receiver.port}/`])
    await root.testAlertWebhook({ params: { webhook_reference } })
    await deliver()
    assert.deepEqual(await stands(webhook_reference), [['waiting', 1, 'forbidden_address']])
    assert.equal(received.length, 0)
  })

  it('accepts only scopes that the user may read, up to ten webhooks', async () => {
    await fixture.role('Ops hooks', ['account.webhooks:*'], {
      ops_read: true,
      ops_write: false,
      sec_read: false,
      sec_write: false,
    })
    const clerk = await fixture.person('Ops hooks')
    await assert.rejects(clerk.createAlertWebhook({ body: { ...settings, url } }), code('escalation'))
    const { webhook_reference } = await clerk.createAlertWebhook({
      body: { ...settings, url, alert_scopes: ['ops'] },
    })
    await assert.rejects(
      clerk.updateAlertWebhook({ params: { webhook_reference }, body: { ...settings, url } }),
      code('escalation'),
    )
    for (let i = 1; i < 10; i++) await make()
    await assert.rejects(make(), code('wrong_state'))
  })

  it('cannot be changed or deleted without read permission for its scopes', async () => {
    await fixture.role('Ops only', ['account.webhooks:*'], {
      ops_read: true,
      ops_write: true,
      sec_read: false,
      sec_write: false,
    })
    const clerk = await fixture.person('Ops only')
    const { webhook_reference } = await make({ alert_scopes: ['sec'] })
    await fixture.raise('for those who may see it')
    const params = { webhook_reference }
    const elsewhere = { ...settings, alert_scopes: ['ops' as const], url: 'https://elsewhere.example/' }
    await assert.rejects(clerk.updateAlertWebhook({ params, body: elsewhere }), code('escalation'))
    await assert.rejects(clerk.deleteAlertWebhook({ params }), code('escalation'))
    await deliver()
    assert.deepEqual(await stands(webhook_reference), [['delivered', 1, null]])
    const nowhere = { webhook_reference: '0'.repeat(26) }
    await assert.rejects(clerk.deleteAlertWebhook({ params: nowhere }), code('not_found'))
  })

  it('gets nothing that waits for it once its scopes or its least severity leave that out', async () => {
    const { webhook_reference } = await make()
    const params = { webhook_reference }
    const narrow = async (change: object) => {
      const { data } = await root.listAlertWebhooks({})
      const if_match = data.find((each) => each.webhook_reference === webhook_reference)?.version
      await root.updateAlertWebhook({ params, body: { ...settings, url, ...change } }, { if_match })
    }
    await fixture.raise('of security', { alert_severity: 'High' })
    await fixture.raise('of operations', { alert_scopes: ['ops'] })
    await fixture.raise('severe', { alert_scopes: ['ops'], alert_severity: 'High' })
    await narrow({ alert_scopes: ['ops'], min_severity: 'High' })
    await deliver()
    assert.deepEqual(await stands(webhook_reference), [['delivered', 1, null]])
    assert.equal(received.length, 1)
    assert.match(received[0]?.body ?? '', /"alert_scope":"ops","alert_severity":"High"/)
  })

  it('can be deleted during a delivery, without an alert about the failed delivery', async () => {
    const { webhook_reference } = await make()
    await fixture.raise('on its way')
    await fixture.owner('update alert_deliveries set attempts = $1', [PAUSES.length])
    answer = 'silence'
    const sent = deliver()
    await until('the delivery', () => received.length === 1)
    await root.deleteAlertWebhook({ params: { webhook_reference } })
    await sent
    assert.ok(!(await fixture.keys(root)).includes(`webhook ${webhook_reference}`))
    const left = 'select from alert_deliveries where webhook_reference = $1'
    assert.deepEqual(await fixture.owner(left, [webhook_reference]), [])
  })

  it('can be tested at most ten times a minute', async () => {
    const { webhook_reference } = await make()
    const params = { webhook_reference }
    const tried = await Promise.allSettled(
      Array.from({ length: TESTS_A_MINUTE + 5 }, () => root.testAlertWebhook({ params })),
    )
    assert.equal(tried.filter(({ status }) => status === 'fulfilled').length, TESTS_A_MINUTE)
    await assert.rejects(root.testAlertWebhook({ params }), code('too_many_requests'))
    await fixture.owner('update alert_deliveries set occurred_at = occurred_at - 60')
    await root.testAlertWebhook({ params })
  })

  it('keeps one delivery for each alert when a worker dies, and does not delay new alerts', async () => {
    const { webhook_reference } = await make()
    await fixture.raise('the worker dies')
    const broken = new Error('killed')
    const { ctx } = fixture.server
    await assert.rejects(
      // The process sends it, and dies before it writes the result.
      deliverDue({ ...ctx, db: { ...ctx.db, write: dyingAfter(1, ctx.db.write.bind(ctx.db), broken) } }),
      broken,
    )
    assert.equal(received.length, 1)
    await deliver()
    assert.equal(received.length, 1, 'another worker waits before it takes over')
    await deliver(61)
    assert.equal(received.length, 2)
    assert.equal(received[0]?.headers['webhook-id'], received[1]?.headers['webhook-id'])
    assert.deepEqual(await stands(webhook_reference), [['delivered', 2, null]])
    await fixture.server.ctx.db.write(fixture.client('acme'), async (tx) => {
      await tx.query('select from alert_webhooks where client_id = $1 for update', [tx.client_id])
      // The webhook is removed at this moment: the alert is raised at once, without it.
      await fixture.raise('meanwhile')
    })
    assert.equal((await deliveries(webhook_reference)).length, 1)
  })

  it('delivers two hundred alerts at once, each once', async () => {
    const { webhook_reference } = await make()
    await fixture.owner(
      `insert into alerts (client_id, alert_reference, alert_target, alert_scope, alert_type, alert_subject, alert_key, alert_message, alert_severity,
           first_occurrence, last_occurrence)
         select $1, '01J' || lpad(i::text, 23, '0'), 'client', 'ops', 'PayloadAlert', 'x', 'many ' || i, 'x', 'Low', 1, 1
         from generate_series(1, 200) i`,
      [fixture.client('acme')],
    )
    for (let i = 0; i < 2; i++) await deliver()
    assert.equal(received.length, 200)
    assert.equal(new Set(received.map(({ headers }) => headers['webhook-id'])).size, 200)
    const total = await root.listAlertDeliveries({
      params: { webhook_reference },
      query: { type: 'total', states: ['waiting'] },
    })
    assert.deepEqual(total, { total: 0 })
  })
})

/** Writes so often, and then fails as if the process had ended. */
function dyingAfter<F extends (...parts: never[]) => Promise<unknown>>(
  times: number,
  write: F,
  error: Error,
): F {
  let left = times
  return ((...parts: Parameters<F>) => (left-- > 0 ? write(...parts) : Promise.reject(error))) as F
}
