import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { RESERVED_GROUP } from '@custodia/contract'
import { ulid } from 'ulid'
import { openPerson, type Person, problem } from '../testing/access-fixture.ts'
import { testServer } from '../testing/server.ts'
import { storePayload } from '../testing/stored-payload.ts'
import { until } from '../testing/waits.ts'
import { reassignBatch } from './intake/reassign-store.ts'
import { storeMark } from './marks/write.ts'

const server = await testServer()
after(() => server.close())
const client_id = await server.getId('acme')
/** Supervisors, of all groups and of one. */
const alice = await openPerson(server, 'acme', 'alice')
/** A reviewer who marks and does not decide. */
const bob = await openPerson(server, 'acme', 'bob')
const manager = (user: string, group: string) =>
  openPerson(server, 'acme', user, { roles: ['Compliance Manager'], groups: [group] })
const north = await manager('carol', 'North')
const south = await manager('hugo', 'South')

describe('an escalation', () => {
  const store = (group: string) => storePayload(server.ctx, { client: 'acme', group })
  const escalate = async (by: Person, payload_reference: string) =>
    (await by.api.addMark({ params: { payload_reference }, body: { mark: 'escalated' } })).mark_id
  const decide = (by: Person, payload_reference: string, mark_id: string) =>
    by.api.decideMark({ params: { payload_reference, mark_id }, body: { result: 'Seen' } })
  /** The alert in the list of `by`; undefined when they do not see it. */
  const alertFor = async (by: Person, payload_reference: string) => {
    const found = await by.api.listAlerts({ query: { limit: 200 } })
    return found.data.find(({ alert_key }) => alert_key === `escalated ${payload_reference}`)
  }
  const stateFor = async (by: Person, payload_reference: string) =>
    (await alertFor(by, payload_reference))?.alert_state
  it('raises an alert for the compliance managers of its group, and not for those of another group', async () => {
    const [here, there] = [await store('North'), await store('South')]
    await escalate(bob, here)
    await escalate(alice, there)
    const readState = async (payload_reference: string) => [
      await stateFor(alice, payload_reference),
      await stateFor(north, payload_reference),
      await stateFor(south, payload_reference),
    ]
    assert.deepEqual(await readState(here), ['Triggered', 'Triggered', undefined])
    assert.deepEqual(await readState(there), ['Triggered', undefined, 'Triggered'])
    assert.equal((await alertFor(north, here))?.related_entities[0]?.entity_id, here)
  })

  it('stays open when another escalation is decided or its alert is cleared by hand', async () => {
    const call = await store('North')
    const [first, second] = [await escalate(bob, call), await escalate(alice, call)]
    await assert.rejects(decide(bob, call, first), problem('not_permitted'))
    await assert.rejects(decide(south, call, first), problem('not_found'))
    await decide(north, call, first)
    assert.equal(await stateFor(alice, call), 'Triggered')

    const { alert_reference = '' } = (await alertFor(alice, call)) ?? {}
    await alice.api.clearAlerts({ body: { alert_references: [alert_reference], cleared_reason: 'Seen' } })
    const open = async () => {
      const { marks } = await alice.api.listMarks({ params: { payload_reference: call } })
      return marks.filter(({ decided_at }) => decided_at === null).map(({ mark_id }) => mark_id)
    }
    assert.deepEqual(await open(), [second])
    // A new escalation raises a new alert.
    const third = await escalate(bob, call)
    assert.equal(await stateFor(north, call), 'Triggered')
    await decide(north, call, second)
    assert.equal(await stateFor(north, call), 'Triggered')
    await decide(north, call, third)
    assert.deepEqual(await open(), [])
    assert.equal(await stateFor(alice, call), 'Cleared')
  })

  it('keeps its alert when it is made while another escalation is decided', async () => {
    const call = await store('North')
    const first = await escalate(bob, call)
    const [row] = await server.sql<{ payload_id: number }>(
      'select payload_id from payloads where payload_reference = $1',
      [call],
    )
    const payload = { payload_id: row?.payload_id ?? 0, payload_reference: call }
    const [made, may] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const mark = {
      mark_id: ulid(),
      mark: 'escalated',
      reason: null,
      sealed_note: null,
      wrapped_key: null,
    } as const
    const escalating = server.ctx.db.write(client_id, async (tx) => {
      await storeMark(tx, payload, { ...mark, marked_at: server.ctx.now(), marked_by: 'alice' }, 'alice')
      made.resolve()
      await may.promise
    })
    await made.promise
    const deciding = decide(alice, call, first)
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await until('the decision to wait for the escalation', async () => (await server.sql(waiting)).length > 0)
    may.resolve()
    await Promise.all([escalating, deciding])
    assert.equal(await stateFor(alice, call), 'Triggered')
    // Two concurrent decisions: one of them is the last.
    const second = await escalate(bob, call)
    await Promise.all([decide(alice, call, mark.mark_id), decide(north, call, second)])
    assert.equal(await stateFor(alice, call), 'Cleared')
  })

  it('moves with its recording when that is reassigned to another group', async () => {
    const call = await store(RESERVED_GROUP)
    await escalate(alice, call)
    assert.equal(await stateFor(north, call), undefined)
    const [row] = await server.sql<{ device_id: number }>(
      `insert into device_history (client_id, device_id, from_at, group_id)
       select p.client_id, p.device_id, 0, g.group_id from payloads p join groups g using (client_id)
       where payload_reference = $1 and group_reference = 'North' returning device_id`,
      [call],
    )
    const device = { device_id: row?.device_id ?? 0, requested_by: 'test' }
    const filed = await server.ctx.db.write(client_id, (tx) =>
      reassignBatch(tx, device, { most: 10, now: server.ctx.now() }),
    )
    assert.equal(filed, 1)
    assert.deepEqual([await stateFor(north, call), await stateFor(south, call)], ['Triggered', undefined])
  })
})
