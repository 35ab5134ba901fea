import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ApiProblem } from '@custodia/client'
import { LATE_AFTER_SECONDS } from '@custodia/contract'
import { STATE_CODES } from '../../payload-records/codes.ts'
import { accessFixture, type AccessFixture } from '../../testing/access-fixture.ts'
import { storePayload } from '../../testing/stored-payload.ts'
import { sweepPayloads } from './sweep.ts'

describe('written-off payloads', () => {
  let fixture: AccessFixture
  before(async () => {
    fixture = await accessFixture()
  })
  after(() => fixture?.close())

  /** An expected payload in a state, by its age in seconds and whether the sweep has seen it. */
  async function awaited(state: 'Recorded' | 'Failed' | 'Processed', age: number, group = 'North') {
    const payload_reference = await storePayload(fixture.server.ctx, { client: 'acme', group })
    const at = fixture.server.ctx.now() - age
    const uploaded_at = state === 'Recorded' ? 'null' : at
    await fixture.sql(
      `begin; set local session_replication_role = replica;
       with p as (update payloads set state = ${STATE_CODES[state]}, payload_time = ${at}, announced_at = ${at}, payload_end_time = null,
         is_late = false, uploaded_at = ${uploaded_at} where payload_reference = '${payload_reference}' returning *)
       insert into payload_work (client_id, payload_id, since) select client_id, payload_id, ${at} from p on conflict do nothing;
       commit`,
    )
    await sweepPayloads.run(fixture.server.ctx, {}, new AbortController().signal)
    return { payload_reference }
  }
  const LATE = LATE_AFTER_SECONDS + 60
  const problem = (code: string) => (error: unknown) => error instanceof ApiProblem && error.code === code
  const readState = async (params: { payload_reference: string }) => {
    const { written_off_at, written_off_by } = await fixture.alice.api.readPayload({ params })
    return { written_off_at, written_off_by }
  }

  for (const state of ['Recorded', 'Failed'] as const)
    it(`keep the user who wrote them off first, when they are ${state} and late`, async () => {
      const params = await awaited(state, LATE)
      assert.deepEqual(await readState(params), { written_off_at: undefined, written_off_by: undefined })
      const { written_off_at } = await fixture.alice.api.writeOffPayload({ params })
      const other = await fixture.personWith(['Compliance Manager'])
      assert.deepEqual((await other.api.writeOffPayload({ params })).written_off_at, written_off_at)
      assert.deepEqual(await readState(params), { written_off_at, written_off_by: 'alice' })
      const [row] = await fixture.sql<{ state: number }>(
        'select state from payloads where payload_reference = $1',
        [params.payload_reference],
      )
      assert.equal(row?.state, STATE_CODES[state], 'nothing else comes of it')
      const trail = await fixture.alice.api.readPayloadAudit({ params })
      assert.ok(trail.records.some(({ action }) => action === 'payloads:write_off'))
    })

  it('are no longer written off once an upload arrives', async () => {
    const params = await awaited('Failed', LATE)
    await fixture.alice.api.writeOffPayload({ params })
    await fixture.sql('update payloads set uploaded_at = $2 where payload_reference = $1', [
      params.payload_reference,
      fixture.server.ctx.now() + 5,
    ])
    assert.equal((await readState(params)).written_off_at, undefined)
    await fixture.alice.api.writeOffPayload({ params })
    assert.notEqual((await readState(params)).written_off_at, undefined)
  })

  it('must be late, not processed, and within reach of the user', async () => {
    const { api } = fixture.alice
    await assert.rejects(
      api.writeOffPayload({ params: await awaited('Recorded', 60) }),
      problem('wrong_state'),
    )
    await assert.rejects(
      api.writeOffPayload({ params: await awaited('Processed', LATE) }),
      problem('wrong_state'),
    )
    const south = await awaited('Recorded', LATE, 'South')
    const confined = await fixture.personWith(['Compliance Manager'], ['North'])
    await assert.rejects(confined.api.writeOffPayload({ params: south }), problem('not_found'))
    const reviewer = await fixture.personWith(['Compliance Reviewer'])
    await assert.rejects(
      reviewer.api.writeOffPayload({ params: await awaited('Recorded', LATE) }),
      problem('not_permitted'),
    )
  })

  it('keep a record that cannot be changed or deleted in the database', async () => {
    await fixture.alice.api.writeOffPayload({ params: await awaited('Recorded', LATE) })
    for (const sql of ['delete from payload_write_offs', 'update payload_write_offs set at = 0'])
      await assert.rejects(fixture.sql(sql), /history/)
  })
})
