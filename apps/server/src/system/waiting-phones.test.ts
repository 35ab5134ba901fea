import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, describe, it } from 'node:test'
import {
  type DecideHolderBody,
  type Device,
  type HolderDecision,
  type HolderRow,
  type HoldersAnswer,
  RESERVED_GROUP,
} from '@custodia/contract'
import { compileNetworks, compileRole, evaluate, indexGroups } from '@custodia/domain'
import { ulid } from 'ulid'
import { confirmHolder } from '../devices/fleet/confirm-holder.ts'
import { decideHolders, reviewHolders } from '../devices/fleet/routes.ts'
import { reassignClient } from '../devices/reassign.ts'
import { findHeld } from '../held-records/store.ts'
import type { PortalContext } from '../http/context.ts'
import { setHold } from '../legal-holds/routes.ts'
import { listHolds } from '../legal-holds/store.ts'
import { insertComment } from '../payloads/comments/store.ts'
import { deletePayloads, restorePayloads } from '../payloads/deletion-store.ts'
import type { Tx } from '../ports/database/lease.ts'
import { RECORD_KINDS } from '../retention/records/kind-store.ts'
import { ingestFixture, sealRecording, type TestPhone } from '../testing/ingest-fixture.ts'
import { addPerson, type SigningPhone, signingPhone } from '../testing/signing-phone.ts'
import { until } from '../testing/waits.ts'
import { verifyArchive } from '../verify/verify.ts'

let asked = 0
const fixture = await ingestFixture()
after(() => fixture.close())
for (const name of ['vera', 'bea']) await addPerson(fixture, name, 2)

const unique = () => randomBytes(6).toString('hex')
const endless = new AbortController().signal
const reassign = (most?: number, ctx: Parameters<typeof reassignClient>[0] = fixture.ctx) =>
  reassignClient(ctx, fixture.accounts.acme.client_id, endless, most)

interface Rights {
  conditions?: { names_matching: string[] }[]
  /** A second permission. */
  second?: { actions_matching: string[]; conditions?: { names_matching: string[] }[] }
}

/** A context of a user with this role only. */
async function decider({ conditions, second }: Rights = {}) {
  const groups = await fixture.sql<{ group_id: number; group_reference: string; is_reserved: boolean }>(
    'select group_id, group_reference, is_reserved from groups where client_id = $1',
    [fixture.accounts.acme.client_id],
  )
  const permission = {
    actions_matching: ['devices.holder:*', 'devices:list'],
    ...(conditions ? { conditions } : {}),
  }
  const alert_permissions = { ops_read: false, ops_write: false, sec_read: false, sec_write: false }
  const role = {
    role_reference: 'R',
    permissions: [permission, ...(second ? [second] : [])],
    payload_types: [],
    cidr_ranges: [],
    alert_permissions,
  }
  const groupIndex = indexGroups(groups.map((group) => ({ ...group, tags: [] })))
  const compiled = compileRole({ ...role, is_alertable: false }, groupIndex, [
    'devices:list',
    'devices.holder:confirm',
    'devices.holder:decide',
    'devices.holder:review',
    'payloads:list',
  ])
  const access = evaluate({ roles: [compiled], ip: '10.0.0.1' }, { networks: compileNetworks([]) })
  const context = {
    now: fixture.ctx.now(),
    caller: { kind: 'user', user_reference: 'alice', access },
    noteFacts: () => undefined,
    write: (act: (tx: Tx) => Promise<unknown>) => fixture.ctx.db.write(fixture.accounts.acme.client_id, act),
  } as unknown as PortalContext
  const jobs = { ...fixture.ctx.jobs, send: async () => void (asked += 1) }
  return { context, jobs }
}

async function decide(device_reference: string, body: DecideHolderBody, rights?: Rights): Promise<Device> {
  const { context, jobs } = await decider(rights)
  const input = { params: { client: 'acme', device_reference }, query: {}, body }
  return confirmHolder({ jobs })(
    { ...context, action: 'devices.holder:confirm' } as never,
    input as never,
  ) as Promise<Device>
}

async function decideMany(decision: HolderDecision, rows: HolderRow[] | undefined, isReview = false) {
  const { context, jobs } = await decider()
  const handler = isReview ? reviewHolders : decideHolders({ jobs })
  const action = isReview ? 'devices.holder:review' : 'devices.holder:decide'
  const answer = await handler(
    { ...context, action } as never,
    { params: { client: 'acme' }, query: {}, body: { decision, rows } } as never,
  )
  return (answer as HoldersAnswer).rows.map(({ outcome, device, problem, faults }) =>
    [outcome, device?.device_user_reference, problem ?? faults[0]?.code].filter(Boolean).join(' '),
  )
}

const sms = (phone: TestPhone, text = 'hello') =>
  fixture.upload(phone, 'SMS', Buffer.from(JSON.stringify({ text })), {
    payload_time: fixture.ctx.now(),
    change: (meta) => ({
      ...meta,
      message_parties: [{ phone_number: '+447700900555', contact_name: 'Ben Ward' }],
    }),
  })
const places = async (device_reference: string) =>
  (
    await fixture.sql<{ who: string | null; place: string; n: number }>(
      `select u.device_user_reference as who, g.group_reference as place, count(*)::int as n
       from payloads p join groups g using (client_id, group_id) join devices d on d.device_id = p.device_id
       left join device_users u on u.device_user_id = p.device_user_id where d.device_reference = $1 group by 1, 2 order by 1, 2`,
      [device_reference],
    )
  ).map(({ who, place, n }) => `${who} ${place} ${n}`)
const isClean = async () => {
  const report = await verifyArchive(fixture.ctx)
  assert.deepEqual(report.findings, [], report.problem)
}

const isAnyoneDelayed = async () =>
  (
    await fixture.sql(
      `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
    )
  ).length > 0

/** A phone of vera's with one message, which asks for bea and records more while it waits. */
async function changingHands(): Promise<{
  phone: TestPhone
  device_reference: string
  signing: SigningPhone
}> {
  await fixture.sql('update devices set is_deactivated = true')
  const signing = signingPhone(fixture, { serial_number: unique() })
  await sms(await signing.enrol('vera'))
  fixture.advance(10)
  const phone = await signing.open({ email: 'bea@acme.example' })
  fixture.advance(10)
  for (const text of ['one', 'two', 'three', 'four', 'five']) await sms(phone, text)
  const { device_reference } = phone
  assert.deepEqual(await places(device_reference), ['vera North 1', `null ${RESERVED_GROUP} 5`])
  return { phone, device_reference, signing }
}

describe('a device that waits for a decision about its user', () => {
  it('is assigned to the claimed user with all its payloads, even when the job is killed', async () => {
    const { phone, device_reference } = await changingHands()
    const duringTheWait = await sealRecording(phone, 'SMS', Buffer.from('{"text":"late"}'), {
      payload_time: fixture.ctx.now(),
    })
    fixture.advance(10)
    const device = await decide(device_reference, { decision: 'confirm' })
    assert.deepEqual(
      [device.device_user_reference, device.group, device.waiting_since, device.services],
      ['bea', 'North', null, ['sms']],
    )
    assert.equal(asked, 1)
    // Recorded while it waited, handed over later.
    await phone.deliver(duringTheWait)
    await sms(phone, 'six')
    await fixture.work()
    assert.deepEqual(await places(device_reference), [
      'bea North 2',
      'vera North 1',
      `null ${RESERVED_GROUP} 5`,
    ])
    let looks = 0
    const dying = {
      ...fixture.ctx,
      now: () => {
        looks += 1
        if (looks === 3) throw new Error('killed')
        return fixture.ctx.now()
      },
    }
    await assert.rejects(reassign(2, dying), /killed/)
    assert.deepEqual(await places(device_reference), [
      'bea North 4',
      'vera North 1',
      `null ${RESERVED_GROUP} 3`,
    ])
    await isClean()
    await reassign(2)
    assert.deepEqual(await places(device_reference), ['bea North 7', 'vera North 1'])
    await isClean()
    await reassign(2)
    const [record] = await fixture.sql(
      `select moved, done_at is not null as is_done, requested_by from device_reassignments order by reassignment_id desc limit 1`,
    )
    assert.deepEqual(record, { moved: 5, is_done: true, requested_by: 'alice' })
    assert.equal((await fixture.sql(`select from payload_reassignments where by = 'alice'`)).length, 5)
  })

  it('is reassigned with the comments and restores that its payloads got meanwhile', async () => {
    const { device_reference } = await changingHands()
    const { client_id } = fixture.accounts.acme
    const waiting = await fixture.sql<{ payload_id: number }>(
      'select payload_id from payloads join groups using (client_id, group_id) where is_reserved and client_id = $1 order by 1',
      [client_id],
    )
    const [restored, commented] = waiting.map(({ payload_id }) => payload_id) as [number, number]
    const doing = { now: fixture.ctx.now(), by: 'test' }
    await fixture.ctx.db.write(client_id, (tx) => deletePayloads(tx, [restored], doing))
    await decide(device_reference, { decision: 'confirm' })
    const [given, may] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const giving = fixture.ctx.db.write(client_id, async (tx) => {
      await restorePayloads(tx, [restored], doing)
      const sealed = { wrapped_key: randomBytes(40), sealed_body: randomBytes(40), comment_duration: null }
      const first = { comment_id: ulid(), comment_version: 1, ...sealed, ...doing }
      await insertComment(tx, { payload_id: commented }, first)
      given.resolve()
      await may.promise
    })
    await given.promise
    const filing = reassign()
    await until('the reassignment to wait', isAnyoneDelayed)
    may.resolve()
    await Promise.all([giving, filing])
    assert.deepEqual(await places(device_reference), ['bea North 5', 'vera North 1'])
    const comments = await fixture.sql(
      'select group_reference from payload_comments join groups using (client_id, group_id) where payload_id = $1',
      [commented],
    )
    assert.deepEqual(comments, [{ group_reference: 'North' }])
    // The bytes are random, so no key opens this comment.
    for (const table of ['payload_comment_versions', 'payload_comments'])
      await fixture.sql(`delete from ${table}`)
    await isClean()
  })

  it('records under the legal holds of its former and of its claimed user', async () => {
    const { client_id } = fixture.accounts.acme
    const write = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => fixture.ctx.db.write(client_id, work)
    const { device_reference } = await changingHands()
    const rows = await fixture.sql<{ id: number }>(
      `select p.payload_id::int as id from payloads p join devices d using (client_id, device_id)
       where d.device_reference = $1 and p.device_user_id is null order by 1`,
      [device_reference],
    )
    const ids = rows.map(({ id }) => id)
    const doing = { now: fixture.ctx.now(), by: 'retention' }
    for (const target of ['vera', 'bea']) {
      const subject = { target_type: 'DeviceUser', target } as const
      await write((tx) => setHold(tx, subject, { by: 'alice', reason: undefined }))
      assert.deepEqual(await write((tx) => deletePayloads(tx, ids, doing)), [], target)
      const held = await fixture.ctx.db.read(client_id, (q) => findHeld(q, ids))
      assert.deepEqual([...held].toSorted(), ids, target)
      const all = await fixture.sql<{ id: number }>(
        'select payload_id::int as id from payloads where client_id = $1',
        [client_id],
      )
      const [shown] = await fixture.ctx.db.read(client_id, (q) =>
        listHolds(q, {}, { after: undefined, limit: 1, counted: { most: 1000 } }),
      )
      const kept = await fixture.ctx.db.read(client_id, (q) =>
        findHeld(
          q,
          all.map(({ id }) => id),
        ),
      )
      assert.equal(shown?.protected, kept.size, `what the hold of ${target} says`)
      // Positions have the columns of payloads that say whose they are.
      const { subjects } =
        RECORD_KINDS.find(({ table }) => table === 'gps_points') ?? assert.fail('no positions')
      const found = await fixture.sql<{ target: string }>(
        `select s.target from payloads p cross join lateral (${subjects}) s where p.payload_id = any($1)`,
        [ids],
      )
      assert.equal(found.filter((each) => each.target === target).length, ids.length)
      await fixture.sql(`alter table legal_holds disable trigger user; alter table legal_hold_events disable trigger user;
        delete from legal_hold_events; delete from legal_holds;
        alter table legal_holds enable trigger user; alter table legal_hold_events enable trigger user`)
    }
    assert.equal((await write((tx) => deletePayloads(tx, ids.slice(0, 1), doing))).length, 1)
    await decide(device_reference, { decision: 'reject' })
    await reassign()
  })

  it('leaves its alerts and log entries in the reserved group', async () => {
    const { device_reference } = await changingHands()
    const apart = () =>
      fixture.sql<{ entries: number; alerts: number }>(
        `select (select count(*)::int from device_activities where device_reference = $1 and group_reference = $2) as entries,
           (select count(*)::int from alerts join groups using (client_id, group_id) where alert_key like '%' || $1 and group_reference = $2) as alerts`,
        [device_reference, RESERVED_GROUP],
      )
    const [before] = await apart()
    assert.ok(before && before.entries > 0)
    assert.equal(before.alerts, 1)
    await decide(device_reference, { decision: 'confirm' })
    await reassign()
    assert.deepEqual(await apart(), [before])
  })

  it('returns to its former user after a rejection', async () => {
    const { device_reference, signing } = await changingHands()
    const device = await decide(device_reference, { decision: 'reject' })
    assert.deepEqual(
      [device.device_user_reference, device.group, device.waiting_reason],
      ['vera', 'North', null],
    )
    await reassign()
    assert.deepEqual(await places(device_reference), ['vera North 6'])
    assert.equal((await signing.open()).device_reference, device_reference)
    await isClean()
  })

  it('is assigned to the user that the decision names', async () => {
    const { device_reference } = await changingHands()
    const device = await decide(device_reference, { decision: 'confirm', device_user_reference: 'nina' })
    assert.equal(device.device_user_reference, 'nina')
    await reassign()
    assert.deepEqual(await places(device_reference), ['nina North 5', 'vera North 1'])
  })

  it('replaces the device with the same hardware', async () => {
    await fixture.sql('update devices set is_deactivated = true')
    const hardware = { serial_number: unique() }
    const before = await signingPhone(fixture, hardware).enrol('vera')
    const reset = signingPhone(fixture, hardware)
    const { device_reference } = await reset.open()
    const device = await decide(device_reference, { decision: 'confirm' })
    assert.deepEqual([device.device_user_reference, device.same_hardware_as], ['vera', null])
    const [old] = await fixture.sql('select is_deactivated from devices where device_reference = $1', [
      before.device_reference,
    ])
    assert.deepEqual(old, { is_deactivated: true })
    assert.equal(
      (await fixture.app.inject({ url: '/device/v1/key', headers: before.headers })).statusCode,
      401,
    )
    assert.equal((await reset.open()).device_reference, device_reference)
    await isClean()
  })

  it('is blocked after a rejection, while the device it claimed to be is not', async () => {
    const hardware = { serial_number: unique() }
    const victim = signingPhone(fixture, hardware)
    const thief = signingPhone(fixture, hardware)
    const mine = await victim.enrol('vera')
    const theirs = await thief.open()
    await sms(theirs)
    const device = await decide(theirs.device_reference, { decision: 'reject' })
    assert.equal(device.device_state, 'blocked')
    await reassign()
    assert.deepEqual(await places(theirs.device_reference), [`null ${RESERVED_GROUP} 1`])
    assert.equal((await thief.authenticate()).statusCode, 401)
    assert.equal(
      (await fixture.app.inject({ url: '/device/v1/key', headers: theirs.headers })).statusCode,
      401,
    )
    assert.equal((await victim.open()).device_reference, mine.device_reference)
    await assert.rejects(decide(theirs.device_reference, { decision: 'confirm' }), {
      code: 'changed_meanwhile',
    })
    await isClean()
    // Unblocking the device reopens the decision, which then moves its recordings.
    await fixture.sql('update devices set blocked_at = null where device_reference = $1', [
      theirs.device_reference,
    ])
    assert.equal((await thief.open()).device_reference, theirs.device_reference)
    const late = await decide(theirs.device_reference, { decision: 'confirm', device_user_reference: 'bea' })
    assert.deepEqual([late.device_user_reference, late.waiting_since], ['bea', null])
    await reassign()
    assert.deepEqual(await places(theirs.device_reference), ['bea North 1'])
    await isClean()
  })

  it('returns to a former user who has left, and records nothing more', async () => {
    const { device_reference, signing } = await changingHands()
    await fixture.sql(`update device_users set is_active = false where device_user_reference = 'vera'`)
    // Until a decision, the phone keeps its services.
    assert.deepEqual((await signing.authenticate()).json().enabled_services, ['sms'])
    await decide(device_reference, { decision: 'reject' })
    assert.deepEqual((await signing.authenticate()).json().enabled_services, [])
    await reassign()
    assert.deepEqual(await places(device_reference), ['vera North 6'])
    await fixture.sql(`update device_users set is_active = true where device_user_reference = 'vera'`)
  })

  it('is decided row by row in a bulk decision', async () => {
    const [first, second] = [await changingHands(), await changingHands()]
    const [{ serial_number } = { serial_number: '' }] = await fixture.sql<{ serial_number: string }>(
      'select serial_number from devices where device_reference = $1',
      [first.device_reference],
    )
    const rows = [
      { serial_number },
      { serial_number },
      { serial_number: 'unknown serial' },
      {},
      { device_reference: second.device_reference, device_user_reference: 'unknown' },
      { device_reference: second.device_reference, device_user_reference: ' nina ' },
    ]
    const result = [
      'decided bea',
      'refused unknown_reference',
      'refused unknown_reference',
      'refused required',
      'refused unknown_reference',
      'decided nina',
    ]
    assert.deepEqual(await decideMany('confirm', rows, true), result)
    const matching = await decideMany('confirm', undefined, true)
    assert.equal(matching.filter((each) => each === 'decided bea').length, 2, 'all that wait')
    assert.deepEqual(await places(first.device_reference), ['vera North 1', `null ${RESERVED_GROUP} 5`])
    assert.deepEqual(await decideMany('confirm', rows), result)
    await reassign()
    assert.deepEqual(await places(first.device_reference), ['bea North 5', 'vera North 1'])
    assert.deepEqual(await places(second.device_reference), ['nina North 5', 'vera North 1'])
    // Two phones with the same number: only their references differ.
    const hardware = { serial_number: unique() }
    await signingPhone(fixture, hardware).open()
    for (const phone of [signingPhone(fixture, hardware), signingPhone(fixture, hardware)]) await phone.open()
    assert.deepEqual(await decideMany('reject', [hardware]), ['refused ambiguous_serial_number'])
  })

  it('is not assigned to a group that would give the deciding user new read access', async () => {
    const { device_reference } = await changingHands()
    const second = { actions_matching: ['payloads:list'], conditions: [{ names_matching: ['North'] }] }
    await assert.rejects(decide(device_reference, { decision: 'confirm' }, { second }), {
      code: 'escalation',
    })
    await decide(device_reference, { decision: 'reject' }, { second })
    await reassign()
  })

  it('is decided once, and only by users with unconditional permission', async () => {
    const { device_reference } = await changingHands()
    const body = { decision: 'confirm' } as const
    await assert.rejects(decide(device_reference, body, { conditions: [{ names_matching: ['*'] }] }), {
      code: 'not_found',
    })
    await assert.rejects(decide('unknown', body), { code: 'not_found' })
    await assert.rejects(decide(device_reference, { ...body, device_user_reference: 'unknown' }), {
      code: 'invalid_input',
    })
    await decide(device_reference, body)
    await assert.rejects(decide(device_reference, body), { code: 'changed_meanwhile' })
    await reassign()
  })
})
