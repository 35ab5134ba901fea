import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { accessFixture, allow } from '../testing/access-fixture.ts'
import { storePayload } from '../testing/stored-payload.ts'

const fixture = await accessFixture()
after(() => fixture.close())
await fixture.giveRole('Listener', [allow('payloads*', 'profile:read')])
const carol = await fixture.personWith(['Listener'])
const stored = { client: 'acme', group: 'North', bytes: Buffer.from('a recorded call') }
const payload_reference = await storePayload(fixture.server.ctx, stored)

describe('refreshes of a portal', () => {
  const entries = async (action: string, user_reference = 'carol') => {
    const rows = await fixture.sql(
      'select from portal_activities where user_reference = $1 and action = $2',
      [user_reference, action],
    )
    return rows.length
  }
  /** Entries that calls leave. */
  const left = async (action: string, work: () => Promise<unknown>) => {
    const before = await entries(action)
    await work()
    return (await entries(action)) - before
  }
  const is_refresh = true
  const list = (query: { limit?: number; search?: string }, person = carol) =>
    person.api.listPayloads({ query: { service: 'calls', ...query } }, { is_refresh })

  it('leave no entry when the session has the view on record, and one entry otherwise', async () => {
    const counts = [
      await left('payloads:list', () => list({ limit: 50 })),
      await left('payloads:list', () => list({ limit: 50 })),
      await left('payloads:list', () => list({ limit: 20 })),
      await left('payloads:list', () => list({ limit: 51 })),
      await left('payloads:list', () => list({ limit: 50, search: '+4477' })),
      await left('payloads:list', () => carol.api.listPayloads({ query: { service: 'calls', limit: 50 } })),
    ]
    assert.deepEqual(counts, [1, 0, 0, 1, 1, 1])
    const total = () => carol.api.listPayloads({ query: { service: 'calls', type: 'total' } }, { is_refresh })
    assert.equal(await left('payloads:list', total), 0, 'rows on record cover their total')
    const others = { service: 'messages' } as const
    const isTotal = { query: { ...others, type: 'total' } } as const
    assert.equal(await left('payloads:list', () => carol.api.listPayloads(isTotal, { is_refresh })), 1)
    const rows = () => carol.api.listPayloads({ query: others }, { is_refresh })
    assert.equal(await left('payloads:list', rows), 1, 'a total on record covers no rows')
    // Another session of the same person, and wider rights of the same session.
    const other = await fixture.personWith(['Listener'])
    assert.equal(await left('payloads:list', () => list({ limit: 50 }, other)), 1)
    await fixture.giveRole('Listener', [allow('payloads*', 'profile:read', 'groups:list')])
    assert.equal(await left('payloads:list', () => list({ limit: 50 })), 1)
  })

  it('differ from what a portal loads before it is opened', async () => {
    const stored = { client: 'acme', group: 'North', bytes: Buffer.from('a call that follows') }
    const params = { payload_reference: await storePayload(fixture.server.ctx, stored) }
    const of = async (how: object) => {
      const read = () => carol.api.readPayload({ params }, how)
      let views = 0
      const ahead = await left('payloads:preload', async () => {
        views = await left('payloads:read', read)
      })
      return { ahead, views }
    }
    assert.deepEqual(await of({ is_ahead: true }), { ahead: 1, views: 0 })
    assert.deepEqual(await of({ is_refresh }), { ahead: 0, views: 1 }, 'it covers no view')
    assert.deepEqual(await of({ is_ahead: true, is_refresh }), { ahead: 1, views: 0 })
    const playing = () => carol.api.readPayloadData({ params, query: { action: 'play' } }, { is_ahead: true })
    assert.equal(await left('payloads:play', playing), 1, 'data is never loaded in advance')
  })

  it('never hide that content was read', async () => {
    const params = { payload_reference }
    for (const _ of [1, 2]) {
      const query = { action: 'play' } as const
      const playing = left('payloads:play', () =>
        carol.api.readPayloadData({ params, query }, { is_refresh }),
      )
      assert.equal(await playing, 1)
    }
    const poll = () => left('payloads:read', () => carol.api.readPayload({ params }, { is_refresh }))
    assert.deepEqual([await poll(), await poll()], [1, 0], 'a poll that shows the same')
    await fixture.sql('update payloads set updated_at = updated_at + 1 where payload_reference = $1', [
      payload_reference,
    ])
    assert.deepEqual([await poll(), await poll()], [1, 0], 'a poll that shows something new')
    const opening = left('payloads:read', () => carol.api.readPayload({ params }))
    assert.equal(await opening, 1, 'a recording that is opened')
    const marks = () => left('payloads.marks:list', () => carol.api.listMarks({ params }, { is_refresh }))
    assert.deepEqual([await marks(), await marks()], [1, 0])
    const body = { mark: 'flagged', note: 'a new text' } as const
    await fixture.alice.api.addMark({ params, body })
    assert.deepEqual([await marks(), await marks()], [1, 0], 'a new text is on record')
    const stranger = { payload_reference: 'Z'.repeat(26) }
    for (const _ of [1, 2])
      assert.equal(
        await left('payloads.marks:list', () =>
          carol.api.listMarks({ params: stranger }, { is_refresh }).catch(() => undefined),
        ),
        1,
        'a refusal is on record',
      )
  })
})
