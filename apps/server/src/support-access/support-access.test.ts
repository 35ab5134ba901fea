import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { ApiProblem } from '@custodia/client'
import {
  APPROVAL_STATES,
  DAY,
  HOUR,
  SUPPORT_REQUEST_DAYS,
  type SupportAccess,
  type SupportAccessDecision,
} from '@custodia/contract'
import { stateAt } from '@custodia/domain'
import { ulid } from 'ulid'
import { openPerson, type Person } from '../testing/access-fixture.ts'
import { testServer } from '../testing/server.ts'
import { paged } from '../testing/test-context.ts'
import { secondsInSupportMode } from './session.ts'

it('counts support mode from each start to its end, and to the end of the access without one', () => {
  const start = (at: number) => ({ at, is_start: true })
  const end = (at: number) => ({ at, is_start: false })
  assert.equal(secondsInSupportMode([start(10), end(70), start(100)], 130), 90)
  assert.equal(secondsInSupportMode([start(10), start(20), end(200), end(210)], 100), 90)
})

const server = await testServer()
after(() => server.close())
const alice = await openPerson(server, 'acme', 'alice')
const dave = await openPerson(server, 'admin', 'dave')
const erin = await openPerson(server, 'admin', 'erin')

describe('a support access request', () => {
  const now = () => server.ctx.now()
  const ask = (body: Partial<SupportAccess> = {}, client = 'acme', staff = erin) =>
    staff.api.requestSupportAccess({
      params: { client },
      body: {
        role: 'Support Metadata',
        request_description: 'A phone does not upload',
        requested_expiry: now() + 2 * HOUR,
        ...body,
      },
    })
  const decide = ({ request_reference }: SupportAccess, body: SupportAccessDecision, person = alice) =>
    person.api.decideSupportAccess({ params: { request_reference }, body } as Parameters<
      Person['api']['decideSupportAccess']
    >[0])
  const approve = (request: SupportAccess, approval_expiry = now() + HOUR) =>
    decide(request, { approval_state: 'approved', approval_expiry })
  const cancel = ({ request_reference, client }: SupportAccess, staff = erin) =>
    staff.api.cancelSupportAccess({ params: { client, request_reference } })
  const readAs = ({ request_reference }: SupportAccess, person = alice) =>
    person.api.readSupportAccess({ params: { request_reference } })
  const refused = (call: Promise<unknown>, code: string, fault?: string) =>
    assert.rejects(call, (error) => {
      assert.ok(error instanceof ApiProblem, String(error))
      assert.equal(error.code, code, error.message)
      if (fault)
        assert.deepEqual(
          error.faults.map((each) => `${each.path} ${each.code}`),
          [fault],
        )
      return true
    })

  it('is made by the provider and decided by the client', async () => {
    const asked = await ask()
    assert.deepEqual([asked.approval_state, asked.requested_by, asked.client], ['pending', 'erin', 'acme'])
    assert.deepEqual(await readAs(asked), asked)
    const approved = await approve(asked)
    assert.deepEqual([approved.approval_state, approved.approved_by], ['approved', 'alice'])
    assert.deepEqual(await readAs(asked), approved)
    const revoked = await decide(asked, { approval_state: 'revoked' })
    assert.deepEqual([revoked.approval_state, revoked.updated_by], ['revoked', 'alice'])
    const rejected = await decide(await ask(), { approval_state: 'rejected', rejection_reason: 'Not needed' })
    assert.deepEqual([rejected.approval_state, rejected.rejection_reason], ['rejected', 'Not needed'])
    const canceled = await cancel(await ask())
    assert.deepEqual([canceled.approval_state, canceled.updated_by], ['canceled', 'erin'])
    const { approved_by_name, ...toProvider } = revoked
    assert.equal(approved_by_name, 'Alice Carter')
    assert.deepEqual(
      await dave.api.readSupportAccessOfClient({
        params: { client: 'acme', request_reference: asked.request_reference },
      }),
      toProvider,
    )
  })

  it('rejects invalid values and states, and names the field', async () => {
    const asked = await ask()
    await refused(approve(asked, now() - 1), 'invalid_input', 'approval_expiry expiry_in_past')
    await refused(approve(asked, now() + 3 * HOUR), 'invalid_input', 'approval_expiry expiry_too_late')
    const long = await ask({ requested_expiry: now() + SUPPORT_REQUEST_DAYS * DAY })
    await refused(approve(long, now() + 8 * DAY), 'invalid_input', 'approval_expiry expiry_too_late')
    await refused(decide(asked, { approval_state: 'revoked' }), 'wrong_state')
    await approve(asked)
    await refused(approve(asked), 'wrong_state')
    await refused(cancel(asked), 'wrong_state')
    await refused(decide(asked, { approval_state: 'rejected', rejection_reason: 'Too late' }), 'wrong_state')
    await refused(ask({ requested_expiry: now() }), 'invalid_input', 'requested_expiry expiry_in_past')
    const tooFar = now() + SUPPORT_REQUEST_DAYS * DAY + 60
    await refused(ask({ requested_expiry: tooFar }), 'invalid_input', 'requested_expiry expiry_too_far')
    await refused(ask({ role: 'No Such Role' }), 'invalid_input', 'role unknown_reference')
    await refused(ask({ role: 'Provider Support' }), 'invalid_input', 'role unknown_reference')
    await refused(ask({}, 'nowhere'), 'not_found')
    await refused(ask({}, 'admin'), 'not_found')
  })

  it('accepts only a role of the same client', async () => {
    await server.sql(
      `insert into roles select client_id, 'Own Role', '{"role_reference":"Own Role"}', 0, 'test' from clients where client = 'globex'`,
    )
    await refused(ask({ role: 'Own Role' }), 'invalid_input', 'role unknown_reference')
    assert.equal((await ask({ role: 'Own Role' }, 'globex')).role, 'Own Role')
    await server.sql(`delete from roles`)
  })

  it('can be cancelled only by its requester', async () => {
    const asked = await ask()
    await refused(cancel(asked, dave), 'not_permitted')
    assert.equal((await readAs(asked)).approval_state, 'pending')
    assert.equal((await cancel(asked)).approval_state, 'canceled')
  })

  it('cannot be approved by its requester, whatever each of them is called', async () => {
    const identify = (client: string, user_reference: string, subject: string) =>
      server.sql(
        `insert into portal_people (client_id, user_reference, issuer, subject, created_at)
         select client_id, $2, 'https://id.example', $3, 0 from clients where client = $1`,
        [client, user_reference, subject],
      )
    await identify('admin', 'erin', 'subject of erin')
    await identify('acme', 'alice', 'subject of erin')
    await refused(approve(await ask()), 'invalid_input', 'approval_state self_approval')
    await server.sql(`update portal_people set subject = 'subject of alice' where user_reference = 'alice'`)
    const asked = await ask()
    await server.sql(`update support_access set requested_by = 'alice' where request_reference = $1`, [
      asked.request_reference,
    ])
    assert.equal((await approve(asked)).approval_state, 'approved')
    await server.sql('delete from portal_people')
  })

  it('accepts one of several concurrent decisions', async () => {
    const asked = await ask()
    const outcomes = await Promise.allSettled([
      approve(asked),
      cancel(asked),
      decide(asked, { approval_state: 'rejected', rejection_reason: 'At once' }),
    ])
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
  })

  it('has the same state as in the domain, in filters, totals and pages', async () => {
    const at = now()
    await server.sql('delete from support_access')
    const rows = await server.sql<{ client_id: number }>(
      `select client_id from clients where client in ('acme', 'globex') order by client`,
    )
    const times = [at - HOUR, at, at + HOUR]
    for (const { client_id } of rows) {
      for (const state of APPROVAL_STATES) {
        for (const requested_expiry of times) {
          for (const approval_expiry of times.filter((time) => time <= requested_expiry)) {
            await server.sql(
              `insert into support_access values ($1, $2, 'Auditor', 'made up for a test', $3, 'erin', $4, $5, $6, 'alice', null, $4, 'x')`,
              [client_id, ulid(), requested_expiry, at - DAY, state, approval_expiry],
            )
          }
        }
      }
    }
    const walk = async (query: Parameters<Person['api']['listSupportAccess']>[0]['query']) => {
      const pages = await paged(async (from) => {
        const page = await alice.api.listSupportAccess({ query: { limit: 7, ...query, ...from } })
        assert.ok('data' in page)
        return page
      })
      return pages.flatMap(({ data }) => data)
    }
    const all = await walk({})
    assert.equal(all.length, 36)
    assert.equal(new Set(all.map((each) => each.request_reference)).size, 36)
    assert.deepEqual(
      all.map((each) => each.request_reference),
      all
        .map((each) => each.request_reference)
        .toSorted()
        .toReversed(),
    )
    for (const state of APPROVAL_STATES) {
      const expected = all.filter((each) => stateAt(each, at) === state)
      assert.deepEqual(await walk({ states: [state] }), expected, state)
      assert.deepEqual(await alice.api.listSupportAccess({ query: { states: [state], type: 'total' } }), {
        total: expected.length,
      })
      const across = await erin.api.listSupportAccessByState({
        params: { approval_status: state },
        query: { limit: 200 },
      })
      assert.equal(across.count, 2 * expected.length, state)
    }
    assert.ok(all.some((each) => each.approval_state === 'approved'))
    const ofClient = await erin.api.listSupportAccessOfClient({
      params: { client: 'globex' },
      query: { states: ['pending', 'approved'] },
    })
    assert.ok(ofClient.data.every(({ client }) => client === 'globex'))
  })

  it('is recorded in both audit logs, and raises an alert for the client', async () => {
    const asked = await ask()
    const rows = await server.sql(
      `select c.client, a.user_reference, a.is_allowed from portal_activities a join clients c using (client_id)
       where a.action = 'internal.supportaccess:request' and a.is_allowed
         and a.activity_time >= $1 and a.request_id = (
           select request_id from portal_activities where action = 'internal.supportaccess:request' and is_allowed
           order by activity_time desc, log_id desc limit 1)
       order by c.client`,
      [asked.requested_at],
    )
    assert.deepEqual(rows, [
      { client: 'acme', user_reference: 'erin', is_allowed: true },
      { client: 'admin', user_reference: 'erin', is_allowed: true },
    ])
    const alerts = await server.sql(
      `select c.client, a.alert_scope, a.alert_severity, a.related_entities from alerts a join clients c using (client_id)
       where a.alert_key = $1`,
      [`support-access:${asked.request_reference}`],
    )
    assert.deepEqual(alerts, [
      {
        client: 'acme',
        alert_scope: 'sec',
        alert_severity: 'Medium',
        related_entities: [{ entity_id: asked.request_reference, entity_type: 'SupportAccessRequest' }],
      },
    ])
    await approve(asked, now() + HOUR)
    const [result] = await server.sql(
      `select alert_message, occurrence_count from alerts where alert_key = $1`,
      [`support-access:${asked.request_reference}`],
    )
    assert.match(
      result?.alert_message,
      /^alice approved access of erin of the provider with the role .+ until /,
    )
    assert.equal(result?.occurrence_count, 2)
  })
})
