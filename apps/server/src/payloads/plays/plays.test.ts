import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { PLAYED_PARTS_LIMIT, type PlayedPart } from '@custodia/contract'
import { openPerson, type Person, problem } from '../../testing/access-fixture.ts'
import { enterPlayback } from '../../testing/heard.ts'
import { testServer } from '../../testing/server.ts'
import { storePayload } from '../../testing/stored-payload.ts'

const server = await testServer()
after(() => server.close())
const client_id = await server.getId('acme')
const alice = await openPerson(server, 'acme', 'alice')
const bob = await openPerson(server, 'acme', 'bob')

describe('played parts', () => {
  const store = (more: Partial<Parameters<typeof storePayload>[1]> = {}) =>
    storePayload(server.ctx, {
      client: 'acme',
      group: 'North',
      bytes: Buffer.from('sound'),
      document: { duration: 40 },
      ...more,
    })
  const played = async (by: string, payload_reference: string, ago = 1000) => {
    const [row] = await server.sql<{ payload_id: number }>(
      'select payload_id from payloads where payload_reference = $1',
      [payload_reference],
    )
    const id = Number(row?.payload_id)
    await server.ctx.db.write(client_id, (tx) => enterPlayback(tx, id, by, server.ctx.now() - ago))
    return id
  }
  const part = (from: number, to: number): PlayedPart => ({ from, to })
  const report = async (by: Person, payload_reference: string, ...parts: PlayedPart[]) =>
    (await by.api.reportPlay({ params: { payload_reference }, body: { parts } })).parts
  const heardBy = async (by: Person, payload_reference: string) =>
    (await by.api.listMarks({ params: { payload_reference } })).heard

  it('grow with each report and end with the recording, whatever a player sends', async () => {
    const call = await store()
    await played('bob', call)
    assert.deepEqual(await report(bob, call, part(10, 12.04), part(0, 3)), [part(0, 3), part(10, 12)])
    assert.deepEqual(await report(bob, call, part(2.5, 10)), [part(0, 12)])
    assert.deepEqual(await report(bob, call, part(38, 1_000_000), part(41, 50)), [part(0, 12), part(38, 40)])
    assert.deepEqual(await report(bob, call, part(20, 10), part(100, 200)), [part(0, 12), part(38, 40)])
    const hostile: unknown[] = [
      [],
      [part(-1, 2)],
      [part(0, 1_000_001)],
      [{ from: '0', to: '9' }],
      [{ from: 0, to: null }],
      [{ from: 0, to: 9, share: 100 }],
      Array.from({ length: PLAYED_PARTS_LIMIT + 1 }, () => part(0, 1)),
    ]
    for (const parts of hostile)
      await assert.rejects(report(bob, call, ...(parts as PlayedPart[])), problem('invalid_input'))
    const listening = await alice.api.listMarks({ params: { payload_reference: call } })
    const audit = await alice.api.readPayloadAudit({ params: { payload_reference: call } })
    assert.deepEqual([audit.listeners, audit.length], [listening.listeners, 40])
    assert.equal(listening.length, 40)
    assert.deepEqual(
      listening.listeners.map(({ heard_by, parts }) => [heard_by, parts]),
      [['bob', [part(0, 12), part(38, 40)]]],
    )
    const { review } = await bob.api.readPayload({ params: { payload_reference: call } })
    assert.deepEqual([review?.parts, review?.length], [[part(0, 12), part(38, 40)], 40])
  })

  it('are added and never removed, and there are not too many of them', async () => {
    const long = await store({ document: { duration: 100_000 } })
    const id = await played('bob', long)
    const every = (step: number) =>
      Array.from({ length: PLAYED_PARTS_LIMIT }, (_, i) => part(i * 4 + step, i * 4 + step + 1))
    assert.equal((await report(bob, long, ...every(0))).length, PLAYED_PARTS_LIMIT)
    assert.equal((await report(bob, long, ...every(2))).length, PLAYED_PARTS_LIMIT)
    await assert.rejects(
      server.sql(`update payload_plays set parts = '{[0,5)}' where payload_id = $1`, [id]),
      /never removed/,
    )
  })

  it('are no more than a player can have played since the first playback', async () => {
    const hour = await store({ document: { duration: 3600 } })
    await played('bob', hour, 20)
    await assert.rejects(report(bob, hour, part(0, 3600)), problem('wrong_state'))
    assert.deepEqual(await report(bob, hour, part(0, 60)), [part(0, 60)])
    await assert.rejects(report(bob, hour, part(60, 120)), problem('wrong_state'))
    const { review } = await bob.api.readPayload({ params: { payload_reference: hour } })
    assert.deepEqual(review?.parts, [part(0, 60)])
  })

  it('leave the playback as the only entry of the audit', async () => {
    const call = await store()
    await played('bob', call)
    const entries = async () => {
      const { records } = await alice.api.readPayloadAudit({ params: { payload_reference: call } })
      const activities = await server.sql('select from portal_activities where parameters::text like $1', [
        `%${call}%`,
      ])
      return [records.map(({ action }) => action), activities.length]
    }
    const before = await entries()
    for (const to of [2, 4, 6]) await report(bob, call, part(0, to))
    const [actions, activities] = await entries()
    assert.deepEqual([actions, activities], [['payloads:play'], Number(before[1]) + 1])
    const [mine] = await server.sql(
      `select count(*)::int as count from portal_activities where user_reference = 'bob' and parameters::text like $1`,
      [`%${call}%`],
    )
    assert.equal(mine?.count, 0)
  })

  it('count as heard from one second on, or when a shorter recording was played whole', async () => {
    const [call, short] = [await store(), await store({ document: { duration: 0.6 } })]
    await played('bob', call)
    await played('bob', short)
    assert.equal(await heardBy(bob, call), 'none')
    await report(bob, call, part(0, 0.3))
    await report(bob, short, part(0, 0.4))
    assert.deepEqual([await heardBy(bob, call), await heardBy(bob, short)], ['none', 'none'])
    await report(bob, call, part(10, 10.8))
    await report(bob, short, part(0, 0.7))
    assert.deepEqual([await heardBy(bob, call), await heardBy(alice, short)], ['me', 'others'])
    const week = (await alice.api.countReviews({})).weeks.find(({ person }) => person === 'bob')
    assert.ok((week?.listened ?? 0) >= 1)
  })

  it('need the right to play, a playback, and a recording that plays', async () => {
    const call = await store()
    await assert.rejects(report(bob, call, part(0, 5)), problem('wrong_state'))
    await played('bob', call)
    const south = await openPerson(server, 'acme', 'bob', { groups: ['South'] })
    await assert.rejects(report(south, call, part(0, 5)), problem('not_found'))
    const auditor = await openPerson(server, 'acme', 'bob', { roles: ['Auditor'] })
    await assert.rejects(report(auditor, call, part(0, 5)), problem('not_permitted'))
    const photo = await store({ payload_type: 'Photo' })
    await played('bob', photo)
    await assert.rejects(report(bob, photo, part(0, 5)), problem('wrong_state'))
    assert.equal(await heardBy(alice, call), 'none')
    assert.equal(await heardBy(alice, photo), 'others')
  })
})
