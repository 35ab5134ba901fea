import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { HOLD_GRACE_SECONDS } from '@custodia/domain'
import { lockSubjects } from '../held-records/store.ts'
import { setHold } from '../legal-holds/routes.ts'
import { deletePayloads } from '../payloads/deletion-store.ts'
import type { Tx } from '../ports/database/lease.ts'
import { accessFixture, type Person } from '../testing/access-fixture.ts'
import { storePayload } from '../testing/stored-payload.ts'

const fixture = await accessFixture()
after(() => fixture.close())

describe('payloads under legal hold', () => {
  let client_id: number
  let template: number
  before(async () => {
    client_id = await fixture.server.getId('acme')
    const reference = await storePayload(fixture.server.ctx, { client: 'acme', group: 'North' })
    template = await getId(reference)
  })

  const getId = async (reference: string) => {
    const [row] = await fixture.sql<{ id: number }>(
      'select payload_id::int as id from payloads where payload_reference = $1',
      [reference],
    )
    return row?.id ?? 0
  }
  let made = 0
  /** A new person with `count` payloads in their final state. */
  async function person(count = 1): Promise<{ target: string; ids: number[] }> {
    const target = `raced ${++made}`
    const rows = await fixture.sql<{ id: number }>(
      `with u as (
         insert into device_users (client_id, device_user_reference, group_id, updated_at, updated_by)
         select client_id, $1, group_id, 0, 'test' from payloads where payload_id = $2 returning client_id, device_user_id)
       insert into payloads (client_id, payload_reference, service, type, state, payload_time, group_id, device_id, device_user_id, announced_at,
         uploaded_at, processed_at, updated_at)
       select p.client_id, $3 || '-' || i, p.service, p.type, p.state, p.payload_time, p.group_id, p.device_id, u.device_user_id,
         p.announced_at, p.uploaded_at, p.processed_at, p.updated_at
       from payloads p, u, generate_series(1, $4) i where p.payload_id = $2 returning payload_id::int as id`,
      [target, template, `raced-${String(made).padStart(20, '0')}`, count],
    )
    return { target, ids: rows.map(({ id }) => id) }
  }
  const write = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => fixture.server.ctx.db.write(client_id, work)
  const doing = () => ({ now: fixture.server.ctx.now(), by: 'retention' })
  const remove = (...ids: number[]) => write((tx) => deletePayloads(tx, ids, doing()))
  const hold = (target: string, target_type: 'DeviceUser' | 'PortalUser' = 'DeviceUser') =>
    write((tx) => setHold(tx, { target_type, target }, { by: 'alice', reason: undefined }))
  const release = (target: string) =>
    fixture.alice.api.releaseLegalHold({
      params: { target_type: 'DeviceUser', target },
      query: { reason: 'It is over' },
    })
  const isDeleted = async (id: number) => {
    const [row] = await fixture.sql<{ state: number }>('select state from payloads where payload_id = $1', [
      id,
    ])
    return row?.state === 9
  }

  it('are not deleted, while other payloads in the same batch are', async () => {
    const [held, free] = [await person(2), await person(2)]
    await hold(held.target)
    const taken = await remove(...held.ids, ...free.ids)
    assert.deepEqual(taken.map(({ payload_id }) => payload_id).toSorted(), free.ids.toSorted())
    for (const id of held.ids) assert.equal(await isDeleted(id), false)
  })

  it('are kept for seven days after the release, by the clock of the database', async () => {
    const { target, ids } = await person()
    await hold(target)
    await release(target)
    assert.deepEqual(await remove(...ids), [])
    // The caller's clock may be a year off.
    for (const days of [-400, 400]) {
      const now = fixture.server.ctx.now() + days * 86_400
      assert.deepEqual(await write((tx) => deletePayloads(tx, ids, { now, by: 'retention' })), [])
    }
    // As if it had been released then.
    const released = async (seconds: number) =>
      fixture.sql(
        `set session_replication_role = replica;
         update legal_hold_events set at = extract(epoch from clock_timestamp())::bigint - ${seconds} where act = 'released' and target = '${target}';
         reset session_replication_role`,
      )
    await released(HOLD_GRACE_SECONDS - 60)
    assert.deepEqual(await remove(...ids), [])
    await released(HOLD_GRACE_SECONDS + 60)
    assert.equal((await remove(...ids)).length, 1)
  })

  it('include payloads with a comment, mark or receipt of a held portal user', async () => {
    const acts = [
      `insert into payload_comments (client_id, comment_id, payload_id, group_id, type, raised_at, raised_by)
       select client_id, 'c' || payload_id, payload_id, group_id, type, 1, 'zoe' from payloads where payload_id = $1`,
      `with c as (
         insert into payload_comments (client_id, comment_id, payload_id, group_id, type, raised_at, raised_by)
         select client_id, 'v' || payload_id, payload_id, group_id, type, 1, 'another user' from payloads where payload_id = $1 returning *)
       insert into payload_comment_versions (client_id, comment_id, comment_version, sealed_body, updated_at, updated_by)
       select client_id, comment_id, 1, '', 1, 'zoe' from c`,
      `insert into payload_marks (client_id, mark_id, payload_id, mark, marked_at, marked_by)
       select client_id, 'm' || payload_id, payload_id, 'flagged', 1, 'zoe' from payloads where payload_id = $1`,
      `insert into payload_receipts (client_id, payload_id, client_app_user, confirmed_at, is_person)
       select client_id, payload_id, 'zoe', 1, true from payloads where payload_id = $1`,
    ]
    const app = `insert into payload_receipts (client_id, payload_id, client_app_user, confirmed_at, is_person)
      select client_id, payload_id, 'zoe', 1, false from payloads where payload_id = $1`
    await hold('zoe', 'PortalUser')
    for (const act of acts) {
      const { ids } = await person()
      await fixture.sql(act, ids)
      assert.deepEqual(await remove(...ids), [], act)
    }
    const { ids } = await person()
    await fixture.sql(app, ids)
    assert.equal((await remove(...ids)).length, 1, 'an app is no person')
  })

  it('include a payload that a held user comments on during its deletion', async () => {
    const { ids } = await person()
    const [id = 0] = ids
    await hold('yan', 'PortalUser')
    let deletion: Promise<unknown[]> | undefined
    // The comment is written, but not committed, when the deletion checks for holds.
    await write(async (tx) => {
      await tx.query('select from payloads where payload_id = $1 for share', [id])
      await tx.query(
        `insert into payload_comments (client_id, comment_id, payload_id, group_id, type, raised_at, raised_by)
         select client_id, 'late', payload_id, group_id, type, 1, 'yan' from payloads where payload_id = $1`,
        [id],
      )
      deletion = remove(id)
      await sleep(300)
    })
    assert.deepEqual(await deletion, [])
    assert.equal(await isDeleted(id), false)
  })

  it('do not block holds on other users', async () => {
    const [one, other] = [await person(), await person()]
    await write(async (tx) => {
      await lockSubjects(tx, [{ target_type: 'DeviceUser', target: one.target }])
      await hold(other.target)
      assert.deepEqual(await remove(...other.ids), [])
    })
  })
})

describe('users and devices under legal hold', () => {
  let fleet: Person
  let target: string
  let device_reference: string
  before(async () => {
    fleet = await fixture.personWith(['Fleet Administrator'])
    target = 'Zoe Held'
    await fixture.alice.api.createDeviceUser({
      params: { device_user_reference: target },
      body: { group: 'North', services: [], email: 'zoe@acme.example', first_name: 'Zoe', surname: 'Held' },
    })
    device_reference = await phone()
    await had(device_reference, null)
  })

  /** A phone that recorded something. */
  async function phone(): Promise<string> {
    const reference = await storePayload(fixture.server.ctx, { client: 'acme', group: 'North' })
    const [row] = await fixture.sql<{ device_reference: string }>(
      'select device_reference from payloads join devices using (client_id, device_id) where payload_reference = $1',
      [reference],
    )
    return row?.device_reference ?? ''
  }
  /** As if the person had had a phone until then; null: they have it. */
  const had = (reference: string, to: number | null) =>
    fixture.sql(
      `insert into device_history (client_id, device_id, from_at, to_at, device_user_id, group_id)
       select d.client_id, d.device_id, 1000, $3, u.device_user_id, u.group_id from devices d join device_users u using (client_id)
       where d.device_reference = $1 and u.device_user_reference = $2`,
      [reference, target, to],
    )

  const subject = () => ({ target_type: 'DeviceUser' as const, target })
  const removals = ({ api }: Person) => [
    () => api.deleteDeviceUser({ params: { device_user_reference: target } }),
    () => api.deleteDevice({ params: { device_reference } }),
  ]
  async function staysFor(person: Person, code: string) {
    for (const remove of removals(person)) await assert.rejects(remove(), { code })
    const { is_active } = await person.api.readDeviceUser({ params: { device_user_reference: target } })
    const device = await person.api.readDevice({ params: { device_reference } })
    assert.deepEqual([is_active, device.is_deactivated], [true, false])
  }

  it('cannot be deleted manually, and only users who may see holds learn the reason', async () => {
    await fixture.alice.api.setLegalHold({ params: subject() })
    await staysFor(fixture.alice, 'held')
    await staysFor(fleet, 'wrong_state')
  })

  it('cannot be deleted in the days after the release', async () => {
    await fixture.alice.api.releaseLegalHold({ params: subject(), query: { reason: 'It is over' } })
    await staysFor(fixture.alice, 'held')
  })

  it('include a device that the held user had before', async () => {
    await fixture.alice.api.setLegalHold({ params: subject() })
    const other = await phone()
    await had(other, 2000)
    const params = { device_reference: other }
    await assert.rejects(fixture.alice.api.deleteDevice({ params }), { code: 'held' })
  })

  it('can be deleted manually once the days after the release are over', async () => {
    await fixture.alice.api.releaseLegalHold({ params: subject(), query: { reason: 'It is over' } })
    await fixture.sql(
      `set session_replication_role = replica;
       update legal_hold_events set at = at - 8 * 86400 where target = '${target}';
       update legal_holds set updated_at = updated_at - 8 * 86400 where target = '${target}';
       reset session_replication_role`,
    )
    for (const remove of removals(fixture.alice).reverse()) assert.deepEqual(await remove(), {})
  })
})
