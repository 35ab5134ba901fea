import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { DAY, REQUEST_KEPT_DAYS } from '@custodia/contract'
import { destroyDueRecords } from '../retention/records/engine.ts'
import { accessFixture, type AccessFixture, problem } from '../testing/access-fixture.ts'
import { storePayload } from '../testing/stored-payload.ts'
import { verifyArchive } from '../verify/verify.ts'

const NEVER = new AbortController().signal

describe('retention of records other than payloads', () => {
  let fixture: AccessFixture
  let client: { client_id: number; client: string }
  before(async () => {
    fixture = await accessFixture()
    client = { client_id: await fixture.server.getId('acme'), client: 'acme' }
    await asReplica(
      ['retention_policies', 'legal_holds', 'legal_hold_events', 'data_requests', 'portal_activities']
        .map((table) => `delete from ${table}`)
        .join('; '),
    )
  })
  after(() => fixture?.close())

  const asReplica = (sql: string) =>
    fixture.sql(`begin; set local session_replication_role = replica; ${sql}; commit`)
  const count = async (rows: string) => {
    const [row] = await fixture.sql<{ n: number }>(
      `select count(*)::int as n from ${rows} and client_id = ${client.client_id}`,
    )
    return row?.n ?? 0
  }
  const pass = async () => {
    await asReplica('delete from retention_record_positions')
    return destroyDueRecords(fixture.server.ctx, client, NEVER)
  }
  const gone = (kind: string, key: string, time: number) =>
    fixture.server.ctx.db.write(client.client_id, (tx) => {
      return tx.value<number>('select destroy_records($1, $2, $3) as gone', [kind, [key], [time]])
    })
  const verified = async () => {
    const { findings } = await verifyArchive(fixture.server.ctx)
    // The test moves entries in time, which contradicts the sealed log as far as it is sealed by then.
    return findings.map(({ check }) => check).filter((check) => check !== 'sealed_log_wrong')
  }

  it('destroys records only through the database function and only when a policy allows it', async () => {
    const payload_reference = await storePayload(fixture.server.ctx, {
      client: 'acme',
      group: 'North',
      bytes: Buffer.from('recording'),
    })
    const carol = await fixture.personWith(['Compliance Manager'])
    await carol.api.addMark({ params: { payload_reference }, body: { mark: 'flagged' } })
    const [entry] = await fixture.sql<{ log_id: string; activity_time: number }>(
      'select log_id, activity_time from portal_activities where client_id = $1 order by activity_time limit 1',
      [client.client_id],
    )
    assert.ok(entry)
    assert.equal(await pass(), 0, 'without a policy everything stays')
    assert.equal(await gone('portal_activities', entry.log_id, entry.activity_time), 0)
    await fixture.alice.api.saveRetention({
      body: {
        entries: [{ entity_type: 'PortalUser', destroy_after_days: 40 }],
        applies_to_kept: true,
      } as never,
    })
    await asReplica(
      `update portal_activities set activity_time = ${entry.activity_time} - 39 * ${DAY}, activity_end_time = null where log_id = '${entry.log_id}'`,
    )
    assert.equal(await gone('portal_activities', entry.log_id, entry.activity_time - 39 * DAY), 0)
    await assert.rejects(gone('payload_audit', entry.log_id, entry.activity_time), /no records of kind/)
    await assert.rejects(
      fixture.server.ctx.db.write(client.client_id, (tx) => tx.query('delete from portal_activities')),
      /permission denied|insufficient/,
    )
  })

  it('keeps records still in use and leaves a sound archive', async () => {
    await fixture.alice.api.saveRetention({
      body: {
        entries: [
          { entity_type: 'Device', destroy_after_days: 0 },
          { entity_type: 'PortalUser', destroy_after_days: 0 },
          { entity_type: 'SupportAccessRequest', destroy_after_days: 0 },
        ],
        applies_to_kept: true,
      } as never,
    })
    await asReplica(
      `update portal_activities set activity_time = activity_time - 7200, activity_end_time = activity_end_time - 7200;
       update payload_audit set at = at - 7200;
       update retention_policies set at = at - 7200, by = 'test (system)';
       insert into portal_sessions (client_id, session_id, user_reference, roles, refresh_hash, rotated_at, checked_at, created_at, expires_at, ended_at)
       select ${client.client_id}, name, 'walter', '{}', name::bytea, 1, 1, 1, case when name = 'live' then 4000000000 else 2 end, null
       from unnest(array['over', 'live']) name;
       insert into terms_acceptances values (${client.client_id}, 'walter', '1', 5), (${client.client_id}, 'wanda', '1', 5)`,
    )
    const open = await count(`device_commands where completed_at is null`)
    const asked = await count(
      `support_access where approval_state in ('pending', 'approved') and least(requested_expiry, approval_expiry) > extract(epoch from now())`,
    )
    const trails = await count('payload_audit where true')
    assert.ok(trails > 0)
    // A payload that no phone brought lacks this and that.
    const found = await verified()
    assert.ok((await pass()) > 0)
    await fixture.alice.api.readRetention({})
    assert.equal(await count(`portal_sessions where user_reference = 'walter'`), 1)
    assert.equal(await count(`portal_sessions where session_id = 'live'`), 1)
    assert.equal(await count(`terms_acceptances where user_reference = 'walter'`), 1)
    assert.equal(await count(`terms_acceptances where user_reference = 'wanda'`), 0)
    assert.deepEqual(
      [await count('device_commands where true'), await count('support_access where true')],
      [open, asked],
    )
    assert.equal(
      await count('payload_audit where true'),
      trails,
      'the trail of a payload follows its payload',
    )
    assert.ok((await count(`portal_activities where user_reference = 'retention (system)'`)) > 0)
    assert.equal(
      await count(
        `portal_activities where user_reference <> 'retention (system)' and activity_time < extract(epoch from now()) - 3700`,
      ),
      0,
    )
    assert.deepEqual(await verified(), found)
    // What the policy did not let go is missed.
    await asReplica(
      `insert into payload_audit select client_id, payload_id, extract(epoch from now())::bigint + 60, 'nowhere', 'alice', 'payloads:read'
       from payloads where client_id = ${client.client_id} limit 1`,
    )
    const now = await verified()
    assert.deepEqual(
      now.filter((check) => !found.includes(check)),
      ['audit_entry_wrong'],
    )
  })

  it('destroys data subject requests with their notes three years after they are answered', async () => {
    const { alice } = fixture
    const clock = Math.floor(Date.now() / 1000)
    const held = 'Nadia Volk'
    const of = (data_request_id: string) => ({ params: { data_request_id } })
    const ask = async (subject_type: 'Number' | 'DeviceUser', subject: string, note: string) =>
      (
        await alice.api.openDataRequest({
          body: { kind: 'Access', law: 'GDPR', subject_type, subject, received_at: clock - DAY, note },
        })
      ).data_request_id
    const close = (id: string) =>
      alice.api.closeDataRequest({ ...of(id), body: { state: 'Answered', reason: 'It was sent by letter' } })
    const seconds = REQUEST_KEPT_DAYS * DAY
    const ids = {
      due: await ask('Number', '+44 7700 900666', 'due'),
      early: await ask('Number', '+44 7700 900666', 'early'),
      held: await ask('DeviceUser', held, 'held'),
      open: await ask('Number', '+44 7700 900666', 'open'),
    }
    await alice.api.copyDataRequest({ ...of(ids.due), body: {} })
    await alice.api.copyDataRequest({ ...of(ids.early), body: {} })
    await alice.api.setLegalHold({
      params: { target_type: 'DeviceUser', target: held },
      body: { reason: 'Nothing of hers goes' },
    } as never)
    for (const id of [ids.due, ids.early, ids.held]) await close(id)
    const endedAt = (id: string, at: number) =>
      asReplica(
        `update data_requests set received_at = ${at - DAY}, due_at = ${at}, opened_at = ${at - DAY}, closed_at = ${at} where data_request_id = '${id}';
         update data_request_copies set made_at = ${at} where data_request_id = '${id}'`,
      )
    await endedAt(ids.due, clock - seconds - 5)
    await endedAt(ids.early, clock - seconds + 600)
    await endedAt(ids.held, clock - seconds - 5)
    await asReplica(
      `update data_requests set received_at = 1, due_at = 2 where data_request_id = '${ids.open}';
       delete from portal_activities where action = 'account.data_requests:create'`,
    )
    assert.equal((await alice.api.readDataRequest(of(ids.early))).destroy_at, clock + 600)
    const left = () =>
      fixture.sql<{ id: string; notes: number; copies: number }>(
        `select data_request_id as id, (select count(*)::int from legal_hold_reasons t where t.reason_id in (r.note_id, r.reason_id)) as notes,
           (select count(*)::int from data_request_copies c where c.data_request_id = r.data_request_id) as copies
         from data_requests r where data_request_id = any($1) order by notes, copies`,
        [Object.values(ids)],
      )
    const reasons = async () =>
      (await fixture.sql<{ n: number }>('select count(*)::int as n from legal_hold_reasons'))[0]?.n ?? 0
    const before = await reasons()
    // Who owns the tables removes none that is not due, nor what is noted of it.
    for (const statement of [
      `delete from data_requests where data_request_id = '${ids.early}'`,
      `delete from data_request_copies where data_request_id = '${ids.early}'`,
      `delete from legal_hold_reasons where reason_id in (select note_id from data_requests where data_request_id = '${ids.early}')`,
    ])
      await assert.rejects(fixture.sql(statement), /are history/, statement)
    await pass()
    assert.deepEqual(await left(), [
      { id: ids.open, notes: 1, copies: 0 },
      { id: ids.held, notes: 2, copies: 0 },
      { id: ids.early, notes: 2, copies: 1 },
    ])
    assert.equal(before - (await reasons()), 2, 'its note and its reason, and no other')
    const entries = await fixture.sql<{ body: object }>(
      `select parameters::jsonb -> 'body' as body from portal_activities where action = 'retention:destroy_data_requests'`,
    )
    assert.deepEqual(entries, [
      { body: { kept_days: REQUEST_KEPT_DAYS, until: clock - seconds - 5, destroyed: 1 } },
    ])
    await assert.rejects(alice.api.readDataRequest(of(ids.due)), problem('not_found'))
    // The application alone, and the function that it may call, let none go before its time.
    const { rows } = await fixture.server.ctx.db.write(client.client_id, (tx) =>
      tx.query<{ gone: number }>('select destroy_data_requests($1) as gone', [
        Object.values(ids).slice(1, 2),
      ]),
    )
    assert.deepEqual(rows, [{ gone: 0 }])
    const found = await verified()
    for (const check of ['request_wrong', 'retention_early', 'protection_missing'] as const)
      assert.equal(found.includes(check), false, check)
  })
})
