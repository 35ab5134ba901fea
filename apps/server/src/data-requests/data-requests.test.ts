import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { type DataRequestReport, DAY, REQUEST_ENTERED_DAYS, type RequestSubject } from '@custodia/contract'
import { accessFixture, everyRow, type Person, problem } from '../testing/access-fixture.ts'
import { storePayload } from '../testing/stored-payload.ts'
import { watchDataRequests } from './store.ts'

const REASON = 'It was sent by letter'

const fixture = await accessFixture()
after(() => fixture.close())
const alice = fixture.alice
const client_id = await fixture.server.getId('acme')
const now = fixture.server.ctx.now()

describe('data subject requests', () => {
  let made = 0
  /** Creates a device user in a group. */
  async function person(group = 'North'): Promise<string> {
    const target = `request person ${++made}`
    await fixture.sql(
      `insert into device_users (client_id, device_user_reference, group_id, updated_at, updated_by)
       select client_id, $1, group_id, 0, 'test' from groups where client_id = $2 and group_reference = $3`,
      [target, client_id, group],
    )
    return target
  }
  const open = async (
    subject: string,
    more: {
      subject_type?: RequestSubject
      kind?: 'Access' | 'Copy' | 'Erasure'
      note?: string
      received_at?: number
    } = {},
  ) =>
    (
      await alice.api.openDataRequest({
        body: {
          kind: 'Access',
          law: 'GDPR',
          subject_type: 'DeviceUser',
          subject,
          received_at: now - DAY,
          ...more,
        },
      })
    ).data_request_id
  const of = (data_request_id: string) => ({ params: { data_request_id } })
  const getReport = (data_request_id: string, by: Person = alice) =>
    by.api.readDataRequestReport(of(data_request_id))
  const counts = ({ payloads }: DataRequestReport) =>
    Object.fromEntries(payloads.map(({ payload_type, count }) => [payload_type, count]))

  it('get their due date from the law and reject invalid laws, times and subjects', async () => {
    const subject = await person()
    const enter = (more: object) =>
      alice.api.openDataRequest({
        body: {
          kind: 'Access',
          law: 'LGPD',
          subject_type: 'DeviceUser',
          subject,
          received_at: now,
          ...more,
        } as never,
      })
    assert.equal((await enter({})).due_at, now + 15 * DAY)
    assert.equal((await enter({ due_at: now })).due_at, now)
    await assert.rejects(enter({ due_at: now - 1 }), problem('invalid_input', 'due_at'))
    await assert.rejects(enter({ due_at: now + 15 * DAY + 1 }), problem('invalid_input', 'due_at'))
    assert.equal((await enter({ kind: 'ClientCopy', law: 'MiFID II' })).due_at, null)
    await assert.rejects(enter({ kind: 'ClientCopy' }), problem('invalid_input', 'law'))
    await assert.rejects(enter({ law: 'MiFID II' }), problem('invalid_input', 'law'))
    const oldest = fixture.server.ctx.now() - REQUEST_ENTERED_DAYS * DAY
    await enter({ received_at: oldest + 60 })
    await assert.rejects(enter({ received_at: oldest - 60 }), problem('invalid_input', 'received_at'))
    await assert.rejects(enter({ received_at: now + 3600 }), problem('invalid_input', 'received_at'))
    await assert.rejects(enter({ subject: 'unknown' }), problem('not_found'))
    await assert.rejects(
      enter({ subject_type: 'PortalUser', subject: 'retention (system)' }),
      problem('invalid_input', 'subject'),
    )
    await assert.rejects(
      enter({ subject_type: 'Number', subject: '+++' }),
      problem('invalid_input', 'subject'),
    )
    assert.equal((await enter({ note: 'x'.repeat(2000) })).state, 'Open')
    await assert.rejects(enter({ note: 'x'.repeat(2001) }), problem('invalid_input', 'note'))
  })

  it('report stored payloads with retention, minimums and holds, and delete nothing', async () => {
    const subject = await person()
    const { ctx } = fixture.server
    const store = (at: number, more: object = {}) =>
      storePayload(ctx, { client: 'acme', group: 'North', device_user: subject, payload_time: at, ...more })
    await store(now - 100 * DAY)
    await store(now - 10 * DAY)
    const gone = await store(now - 5 * DAY, { payload_type: 'SMS' })
    await fixture.sql(
      `begin; set local session_replication_role = replica; update payloads set state = 10 where payload_reference = '${gone}'; commit`,
    )
    await store(now - 4 * DAY, { payload_type: 'Photo', payload_state: 'Uploaded' })
    await storePayload(ctx, { client: 'acme', group: 'North' })
    await fixture.sql(
      'begin; set local session_replication_role = replica; delete from retention_policies; commit',
    )
    await alice.api.saveRetention({
      body: {
        entries: [
          { entity_type: 'Payload', payload_type: 'Call', delete_after_days: 200, destroy_after_days: 30 },
        ],
        minimums: [{ payload_type: 'Call', days: 90, legal_basis: 'MiFID II art. 16(7)' }],
        applies_to_kept: true,
      },
    } as never)
    const data_request_id = await open(subject, { kind: 'Erasure' })
    const before = await getReport(data_request_id)
    assert.equal(before.is_confined, false)
    const [calls, photos] = before.payloads
    assert.deepEqual(
      { ...calls, waits: undefined },
      {
        payload_type: 'Call',
        count: 2,
        first_at: now - 100 * DAY,
        last_at: now - 10 * DAY,
        rule: {
          policy_version: calls?.rule?.policy_version,
          delete_after_days: 200,
          destroy_after_days: 30,
          retention_timestamp: 'payload_time',
        },
        minimum: { days: 90, legal_basis: 'MiFID II art. 16(7)', keeps: 1, until: now + 80 * DAY },
        deleted: 0,
        delete_at: { earliest: now + 100 * DAY, latest: now + 190 * DAY },
        destroy_at: { earliest: now + 130 * DAY, latest: now + 220 * DAY },
        held: 0,
        waits: undefined,
      },
    )
    assert.ok((calls?.rule?.policy_version ?? 0) > 0)
    assert.equal(photos?.payload_type, 'Photo')
    assert.deepEqual([photos?.rule, photos?.minimum, photos?.delete_at], [null, null, null])
    assert.deepEqual(photos?.waits, [{ reason: 'under_way', count: 1 }])
    assert.deepEqual(before.destroyed, [
      { payload_type: 'SMS', count: 1, first_at: now - 5 * DAY, last_at: now - 5 * DAY },
    ])
    await alice.api.setLegalHold({
      params: { target_type: 'DeviceUser', target: subject },
      body: { reason: 'A secret inquiry' },
    } as never)
    const held = await getReport(data_request_id)
    assert.deepEqual(
      held.payloads.map((each) => each.held),
      [2, 1],
    )
    assert.equal(JSON.stringify(held).includes('inquiry'), false)
    // A hold allows a copy; a request for erasure has none.
    await assert.rejects(
      alice.api.copyDataRequest({ ...of(data_request_id), body: {} }),
      problem('wrong_state'),
    )
    const copied = await alice.api.copyDataRequest({ ...of(await open(subject)), body: {} })
    assert.deepEqual([copied.items, copied.deleted], [3, 0])
    const { export_id } = await alice.api.copyDataRequest({
      ...of(await open(subject)),
      body: { evidence: true, locale: 'pt-BR' },
    })
    const getContents = async (id: string) =>
      (await alice.api.listExports({})).data.find((each) => each.export_id === id)?.contents
    assert.deepEqual(await getContents(copied.export_id), ['originals', 'csv', 'report'])
    assert.deepEqual(await getContents(export_id), ['originals', 'csv', 'report', 'playable', 'evidence'])
    const locales = await fixture.sql<{ locale: string }>(
      'select locale from data_exports where export_id = $1',
      [export_id],
    )
    assert.deepEqual(locales, [{ locale: 'pt-BR' }])
    const [{ n } = { n: 0 }] = await fixture.sql<{ n: number }>(
      `select count(*)::int as n from payloads join device_users using (client_id, device_user_id)
       where device_user_reference = $1 and state not in (9, 10)`,
      [subject],
    )
    assert.equal(n, 3)
  })

  it('count the activities and sessions of a portal user and refuse a copy', async () => {
    await fixture.sql(`update portal_sessions set display_name = 'Alice Ames' where user_reference = 'alice'`)
    const data_request_id = await open('alice', { subject_type: 'PortalUser' })
    assert.equal((await alice.api.readDataRequest(of(data_request_id))).subject_name, 'Alice Ames')
    const report = await getReport(data_request_id)
    assert.deepEqual(report.payloads, [])
    const kinds = new Map(report.records?.map((each) => [each.kind, each]))
    assert.ok((kinds.get('Activities')?.count ?? 0) > 0)
    assert.ok((kinds.get('Sessions')?.under_way ?? 0) > 0, 'the session that asks')
    await assert.rejects(
      alice.api.copyDataRequest({ ...of(await open('alice', { subject_type: 'PortalUser' })), body: {} }),
      problem('wrong_state'),
    )
  })

  it('show confined readers only payloads of their groups and mark the report as confined', async () => {
    const subject = await person()
    const { ctx } = fixture.server
    const store = (group: string, payload_type: 'Call' | 'SMS') =>
      storePayload(ctx, { client: 'acme', group, device_user: subject, payload_type })
    await store('North', 'Call')
    await store('South', 'SMS')
    const data_request_id = await open(subject)
    assert.deepEqual(counts(await getReport(data_request_id)), { Call: 1, SMS: 1 })
    const permission = (actions_matching: string[], group?: string) =>
      ({ actions_matching, ...(group && { conditions: [{ names_matching: [group] }] }) }) as never
    await fixture.giveRole('Requests, lists of North', [
      permission(['account.data_requests:*', 'users:read']),
      permission(['payloads:list', 'payloads:export', 'payloads:download'], 'North'),
    ])
    const confined = await fixture.personWith(['Requests, lists of North'])
    const report = await getReport(data_request_id, confined)
    assert.equal(report.is_confined, true)
    assert.deepEqual(counts(report), { Call: 1 })
    assert.deepEqual([report.records, report.payloads[0]?.held], [null, null])
    const other = await open(await person('South'))
    assert.deepEqual(
      { ...(await getReport(other, confined)), at: 0, data_request_id: '' },
      { data_request_id: '', at: 0, is_confined: true, payloads: [], destroyed: [], records: null },
    )
    // The copy contains what the user's lists show.
    assert.equal((await confined.api.copyDataRequest({ ...of(data_request_id), body: {} })).items, 1)
    assert.equal((await alice.api.copyDataRequest({ ...of(data_request_id), body: {} })).items, 2)
    await fixture.giveRole('Requests of North', [permission(['account.data_requests:*'], 'North')])
    const ofNorth = await fixture.personWith(['Requests of North'])
    await assert.rejects(getReport(data_request_id, ofNorth), problem('not_permitted'))
    await assert.rejects(ofNorth.api.listDataRequests({}), problem('not_permitted'))
  })

  it('can be read by auditors, and copied only with export permission', async () => {
    const data_request_id = await open(await person())
    const auditor = await fixture.personWith(['Auditor'])
    assert.equal((await auditor.api.readDataRequest(of(data_request_id))).state, 'Open')
    assert.equal((await getReport(data_request_id, auditor)).is_confined, false)
    const close = (by: Person) =>
      by.api.closeDataRequest({ ...of(data_request_id), body: { state: 'Answered', reason: REASON } })
    await assert.rejects(close(auditor), problem('not_permitted'))
    await fixture.giveRole('Requests alone', [{ actions_matching: ['account.data_requests:*'] } as never])
    const exclusively = await fixture.personWith(['Requests alone'])
    await assert.rejects(
      exclusively.api.copyDataRequest({ ...of(data_request_id), body: {} }),
      problem('not_permitted'),
    )
  })

  it('close once, keep their reason out of the audit log, and cannot be altered afterwards', async () => {
    const subject = await person()
    const note = 'Asked by her lawyer Quincy'
    const data_request_id = await open(subject, { note })
    await alice.api.copyDataRequest({ ...of(data_request_id), body: { from: '2026-01-01' } })
    const close = (state: 'Answered' | 'Refused', reason = `${REASON}, Quincy`) =>
      alice.api.closeDataRequest({ ...of(data_request_id), body: { state, reason } })
    await assert.rejects(close('Refused', 'no'), problem('invalid_input', 'reason'))
    assert.equal((await close('Refused')).state, 'Refused')
    await assert.rejects(close('Answered'), problem('wrong_state'))
    await assert.rejects(
      alice.api.copyDataRequest({ ...of(data_request_id), body: {} }),
      problem('wrong_state'),
    )
    const detail = await alice.api.readDataRequest(of(data_request_id))
    assert.deepEqual([detail.note, detail.reason, detail.copies.length], [note, `${REASON}, Quincy`, 1])
    await alice.api.listDataRequests({ query: { subject } })
    const logged = await fixture.sql<{ parameters: string }>(
      `select parameters::text from portal_activities where action like 'account.data_requests:%'`,
    )
    assert.ok(logged.length > 10)
    for (const { parameters } of logged)
      for (const secret of ['Quincy', 'request person', '+44'])
        assert.equal(parameters.includes(secret), false, parameters)
    for (const statement of [
      `update data_requests set state = 'Open', closed_at = null, closed_by = null, reason_id = null where data_request_id = '${data_request_id}'`,
      `update data_requests set due_at = null where state = 'Open'`,
      `delete from data_requests`,
      `delete from data_request_copies`,
      'truncate data_requests cascade',
    ])
      await assert.rejects(fixture.sql(statement), /requests of people are history/, statement)
  })

  it('are found by their number and listed by due date, open requests first', async () => {
    const subject = '+44 (0)7700 900-555'
    const enter = async (received_at: number, due_at?: number, law: 'GDPR' | 'MiFID II' = 'GDPR') =>
      (
        await alice.api.openDataRequest({
          body: {
            kind: law === 'GDPR' ? 'Access' : 'ClientCopy',
            law,
            subject_type: 'Number',
            subject,
            received_at,
            ...(due_at === undefined ? {} : { due_at }),
          },
        })
      ).data_request_id
    const later = await enter(now - 3 * DAY, now + 20 * DAY)
    const overdue = await enter(now - 60 * DAY, now - 30 * DAY)
    const ended = [await enter(now - 50 * DAY, now - 49 * DAY), await enter(now - 2 * DAY, now + 60)]
    const soon = await enter(now - DAY, now + DAY)
    // The law names no period, so the request is due on receipt.
    const atOnce = await enter(now - 5 * DAY, undefined, 'MiFID II')
    for (const [i, data_request_id] of ended.entries())
      await fixture.sql(
        `begin; set local session_replication_role = replica;
         with said as (insert into legal_hold_reasons select ${client_id}, 'why ${data_request_id}', '', '' returning reason_id)
         update data_requests set state = 'Answered', closed_at = ${now - 9 + i}, closed_by = 'alice', reason_id = said.reason_id from said
         where data_request_id = '${data_request_id}'; commit`,
      )
    const expected = [overdue, atOnce, soon, later, ended[1], ended[0]]
    for (const limit of [1, 5]) {
      const found = await everyRow((paging) =>
        alice.api.listDataRequests({ query: { subject, limit, ...paging } }),
      )
      assert.deepEqual(
        found.map(({ data_request_id }) => data_request_id),
        expected,
        `${limit} at a time`,
      )
    }
    const total = await alice.api.listDataRequests({ query: { subject, type: 'total' } })
    assert.deepEqual(total, { total: expected.length })
    assert.deepEqual((await getReport(soon)).destroyed, null)
  })

  it('count comments and receipts of a portal user, and deleted payloads left out of a copy', async () => {
    const subject = await person()
    const { ctx } = fixture.server
    const store = (at: number) =>
      storePayload(ctx, { client: 'acme', group: 'North', device_user: subject, payload_time: at })
    const commented = await store(now - 8 * DAY)
    const gone = await store(now - 7 * DAY)
    const others = await store(now - 6 * DAY)
    await store(now - 5 * DAY)
    await fixture.sql(
      `insert into payload_comments (client_id, comment_id, payload_id, group_id, type, raised_at, raised_by, comment_version, wrapped_key)
       select client_id, 'said ' || payload_reference, payload_id, group_id, type, ${now - 4 * DAY},
         case payload_reference when '${others}' then 'another' else 'quentin' end, 2, '\\x00'
       from payloads where payload_reference in ('${commented}', '${gone}', '${others}');
       insert into payload_comment_versions (client_id, comment_id, comment_version, sealed_body, updated_at, updated_by)
       select client_id, comment_id, n, '\\x00', ${now - 4 * DAY} + n, case when n = 2 and raised_by = 'another' then 'quentin' else raised_by end
       from payload_comments, generate_series(1, 2) n where comment_id like 'said %';
       insert into payload_receipts (client_id, payload_id, client_app_user, confirmed_at, is_person)
       select client_id, payload_id, 'quentin', ${now - 3 * DAY}, true from payloads where payload_reference = '${commented}'`,
    )
    await fixture.sql(
      `begin; set local session_replication_role = replica;
       update payloads set state = 10 where payload_reference = '${gone}';
       update payloads set state = 9 where payload_reference = '${others}'; commit`,
    )
    const readText = async () =>
      Object.fromEntries(
        (await getReport(await open('quentin', { subject_type: 'PortalUser' }))).records?.map(
          ({ kind, follows, count, never, held, first_at }) => [
            kind,
            { follows, count, never, held, first_at },
          ],
        ) ?? [],
      )
    assert.deepEqual(await readText(), {
      Comments: { follows: 'Payload', count: 3, never: 1, held: 0, first_at: now - 4 * DAY },
      Receipts: { follows: 'Payload', count: 1, never: 0, held: 0, first_at: now - 3 * DAY },
    })
    await alice.api.setLegalHold({
      params: { target_type: 'PortalUser', target: 'quentin' },
      body: { reason: 'What quentin wrote matters' },
    } as never)
    assert.deepEqual((await readText())['Comments']?.held, 2, 'destroyed comments are not held')
    // Two complete ones remain; deleted payloads are counted but not copied.
    const copied = await alice.api.copyDataRequest({ ...of(await open(subject)), body: {} })
    assert.deepEqual([copied.items, copied.deleted], [2, 1])
    const none = await alice.api.copyDataRequest({ ...of(await open(subject)), body: { from: '2037-01-01' } })
    assert.deepEqual([none.items, none.deleted], [0, 0])
  })

  it('raise an alert without the subject three days before the due date, until they close', async () => {
    const subject = await person()
    const soon = await open(subject, { received_at: now - 28 * DAY - 3600 })
    await alice.api.openDataRequest({
      body: {
        kind: 'Access',
        law: 'LGPD',
        subject_type: 'DeviceUser',
        subject,
        received_at: now,
        due_at: now + 3 * DAY + 3600,
      },
    })
    const look = () => watchDataRequests.run(fixture.server.ctx, {}, new AbortController().signal)
    const alerts = () =>
      fixture.sql<{ alert_key: string; alert_state: string; text: string }>(
        `select alert_key, alert_state, to_json(alerts)::text as text from alerts where alert_key like 'data_request %'`,
      )
    await look()
    await look()
    const result = await alerts()
    const mine = result.find(({ alert_key }) => alert_key === `data_request ${soon}`)
    assert.equal(mine?.alert_state, 'Triggered')
    assert.equal(
      result.some(({ text }) => text.includes(subject)),
      false,
    )
    const open_ = await fixture.sql<{ n: number }>(
      `select count(*)::int as n from data_requests where state = 'Open' and due_at <= $1`,
      [now + 3 * DAY],
    )
    assert.ok(Math.abs(result.length - (open_[0]?.n ?? 0)) <= 0, `${result.length}`)
    await alice.api.closeDataRequest({ ...of(soon), body: { state: 'Answered', reason: REASON } })
    const after = (await alerts()).find(({ alert_key }) => alert_key === `data_request ${soon}`)
    assert.notEqual(after?.alert_state, 'Triggered')
  })
})
