import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { ApiProblem } from '@custodia/client'
import { PLAYHEAD_DAYS } from '@custodia/contract'
import { openPerson, type Person } from '../../testing/access-fixture.ts'
import { testServer } from '../../testing/server.ts'
import { storePayload } from '../../testing/stored-payload.ts'
import { deletePayloads, restorePayloads } from '../deletion-store.ts'
import { purgePlayheads } from './routes.ts'

const server = await testServer()
after(() => server.close())
const client_id = await server.getId('acme')
/** Users of all groups, of North, and of South. */
const alice = await openPerson(server, 'acme', 'alice')
const bob = await openPerson(server, 'acme', 'bob')
const south = await openPerson(server, 'acme', 'bob', { groups: ['South'] })

describe('the playback position', () => {
  const store = (more: Partial<Parameters<typeof storePayload>[1]> = {}) =>
    storePayload(server.ctx, { client: 'acme', group: 'North', ...more })
  const save = async (by: Person, payload_reference: string, playhead: number | null) =>
    (await by.api.savePlayhead({ params: { payload_reference }, body: { playhead } })).playhead
  const read = async (by: Person, payload_reference: string) =>
    (await by.api.readPayload({ params: { payload_reference } })).playhead
  const refused = (code: string) => (error: unknown) => error instanceof ApiProblem && error.code === code
  const kept = async () =>
    (await server.sql<{ count: number }>('select count(*)::int as count from payload_playheads'))[0]?.count

  it('is saved per user, updated, and deleted on request', async () => {
    const call = await store()
    assert.equal(await read(bob, call), undefined)
    assert.equal(await save(bob, call, 754), 754)
    assert.equal(await save(alice, call, 12), 12)
    assert.equal(await save(bob, call, 760), 760)
    assert.deepEqual([await read(bob, call), await read(alice, call)], [760, 12])
    assert.equal(await save(bob, call, null), null)
    assert.deepEqual([await read(bob, call), await read(alice, call)], [undefined, 12])
    for (const wrong of [0, -1, 1.5, 1_000_001, '5'])
      await assert.rejects(save(bob, call, wrong as number), refused('invalid_input'))
  })

  it('does not count as a play, and is not in the payload audit', async () => {
    const call = await store()
    await save(bob, call, 30)
    const { records } = await alice.api.readPayloadAudit({ params: { payload_reference: call } })
    assert.deepEqual(records, [])
    assert.equal((await alice.api.listMarks({ params: { payload_reference: call } })).heard, 'none')
    const entries = await server.sql(
      `select action from portal_activities where user_reference = 'bob' and parameters::text like $1 order by 1`,
      [`%${call}%`],
    )
    assert.deepEqual(entries, [{ action: 'payloads.playhead:update' }])
    const [days] = await server.sql(`select count(*)::int as count from access_days where person = 'bob'`)
    assert.equal(days?.count, 0)
  })

  it('requires access to the recording, and a permission of its own', async () => {
    const call = await store()
    await save(bob, call, 30)
    // The same person, by now of another group.
    await assert.rejects(save(south, call, 40), refused('not_found'))
    await assert.rejects(read(south, call), refused('not_found'))
    assert.equal(await read(bob, call), 30)
    const auditor = await openPerson(server, 'acme', 'bob', { roles: ['Auditor'] })
    await assert.rejects(save(auditor, call, 40), refused('not_permitted'))
    assert.equal(await read(auditor, call), undefined)
    await assert.rejects(save(bob, '01K00000000000000000000000', 3), refused('not_found'))
  })

  it('is kept only for playable types, and is deleted with the recording', async () => {
    const photo = await store({ payload_type: 'Photo' })
    assert.equal(await save(bob, photo, 30), null)
    const [interview, video] = [
      await store({ payload_type: 'Interview' }),
      await store({ payload_type: 'Video' }),
    ]
    const before = await kept()
    await save(bob, interview, 30)
    await save(bob, video, 30)
    const ids = (
      await server.sql<{ payload_id: number }>(
        'select payload_id from payloads where payload_reference = any($1)',
        [[interview, video]],
      )
    ).map(({ payload_id }) => payload_id)
    const act = (work: typeof deletePayloads) =>
      server.ctx.db.write(client_id, (tx) => work(tx, ids, { now: server.ctx.now(), by: 'test' }))
    await act(deletePayloads)
    assert.equal(await kept(), before)
    assert.equal(await save(bob, video, 31), null)
    await act(restorePayloads)
    assert.deepEqual([await read(bob, interview), await read(bob, video)], [undefined, undefined])
  })

  it(`is deleted after ${PLAYHEAD_DAYS} days`, async () => {
    const [old, young] = [await store(), await store()]
    await save(bob, old, 30)
    await save(bob, young, 30)
    const age = (payload_reference: string, seconds: number) =>
      server.sql(
        `update payload_playheads set kept_at = $2
         where payload_id = (select payload_id from payloads where payload_reference = $1)`,
        [payload_reference, server.ctx.now() - seconds],
      )
    const days = PLAYHEAD_DAYS * 86_400
    await age(old, days)
    await age(young, days - 3600)
    assert.deepEqual([await read(bob, old), await read(bob, young)], [undefined, 30])
    const before = (await kept()) ?? 0
    await purgePlayheads.run(server.ctx, {}, AbortSignal.timeout(60_000))
    assert.equal(await kept(), before - 1)
    assert.equal(await read(bob, young), 30)
  })
})
