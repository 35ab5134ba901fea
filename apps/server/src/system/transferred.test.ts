import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { AuditLog } from '../http/audit.ts'
import { deletePayloads, restorePayloads } from '../payloads/deletion-store.ts'
import { destroyDueRecords } from '../retention/records/engine.ts'
import { requirePart } from '../testing/require-part.ts'
import { sshdAvailable } from '../testing/sshd.ts'
import { processAt } from '../testing/stored-payload.ts'
import { type TransferFixture, transferFixture } from '../testing/transfer-fixture.ts'
import { LATE } from '../transfers/item-store.ts'

const NEVER = new AbortController().signal

describe('transfers of payloads that retention deletes', requirePart('sshd', sshdAvailable()), () => {
  let fixture: TransferFixture
  before(async () => void (fixture = await transferFixture()))
  after(() => fixture?.close())

  it('are kept on record, so that no payload is sent again after transfer runs expire', async () => {
    await fixture.sql(`insert into retention_policies values ($1, 2, $2, '[]', true, null, 2, 'alice')`, [
      fixture.account.client_id,
      JSON.stringify([{ entity_type: 'Transfer', destroy_after_days: 0 }]),
    ])
    const [there = ''] = await fixture.upload(1)
    await fixture.sql(processAt('processed_at - 10'))
    await fixture.config('archive')
    const first = await fixture.start('archive')
    await fixture.carryOut(first)
    const files = (await fixture.files()).size
    /** Retention as on the next day, then a run over everything from the beginning, as kinds that are added ask for; how many it sends. */
    const again = async () => {
      await fixture.sql('delete from retention_record_positions')
      await fixture.sql(
        'update transfer_runs set created_at = 1, completed_at = 2 where completed_at is not null',
      )
      const parts = { db: fixture.ctx.db, audit: new AuditLog(fixture.ctx.db) }
      await destroyDueRecords(parts, fixture.account, NEVER)
      await fixture.sql(
        `update transfer_configs set gathered_to = null where transfer_config_reference = 'archive'`,
      )
      const next = await fixture.start('archive')
      await fixture.carryOut(next)
      const [run] = await fixture.sql<{ payload_count: number }>(
        'select payload_count from transfer_runs where transfer_id = $1',
        [next],
      )
      assert.equal((await fixture.files()).size, files)
      return run?.payload_count
    }
    const runs = async () =>
      (
        await fixture.sql<{ transfer_id: string }>(
          `select transfer_id from transfer_runs where transfer_config_reference = 'archive' order by transfer_id`,
        )
      ).map(({ transfer_id }) => transfer_id)
    assert.equal(await again(), 0)
    assert.equal(await again(), 0)
    const [kept, ...later] = await runs()
    assert.deepEqual([kept, later.length], [first, 2], 'what brought nothing went; the last window stays')
    const delivered = await fixture.sql(
      'select from transfer_items join payloads using (payload_id) where payload_reference = $1 and transferred_at is not null',
      [there],
    )
    assert.ok(delivered.length > 0)
    await fixture.sql(
      'begin; set local session_replication_role = replica; update payloads set state = 10; commit',
    )
    assert.equal(await again(), 0, 'what is destroyed is not sent')
    assert.ok(!(await runs()).includes(first), 'once its recordings are destroyed it goes')
    assert.deepEqual(await fixture.sql('select from transfer_attempts where transfer_id = $1', [first]), [])
  })

  /** What the next run brings. */
  async function uploaded(): Promise<string[]> {
    fixture.fixture.advance(10)
    const transfer_id = await fixture.start('bank')
    await fixture.carryOut(transfer_id)
    const items = await fixture.sql<{ item: string }>(
      `select item from transfer_items where transfer_id = $1 and transfer_state = 'Succeeded' order by item`,
      [transfer_id],
    )
    return items.map(({ item }) => item)
  }

  it('send a deleted payload once, in the run after the payload is restored', async () => {
    await fixture.config('bank')
    const [gone = '', there = ''] = await fixture.upload(2)
    const ids = (
      await fixture.sql<{ id: number }>(
        'select payload_id::int as id from payloads where payload_reference = $1',
        [gone],
      )
    ).map(({ id }) => id)
    const act = (how: typeof restorePayloads) =>
      fixture.ctx.db.write(fixture.account.client_id, (tx) =>
        how(tx, ids, { now: fixture.ctx.now(), by: 'alice' }),
      )
    fixture.fixture.advance(10)
    assert.equal((await act(deletePayloads)).length, 1)
    assert.deepEqual(await uploaded(), [there])
    fixture.fixture.advance(3 * LATE)
    assert.deepEqual(await uploaded(), [])
    assert.equal((await act(restorePayloads)).length, 1)
    assert.deepEqual(await uploaded(), [gone])
    assert.deepEqual(await uploaded(), [])
  })
})
