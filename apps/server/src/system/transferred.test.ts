/** What waits for the customer's storage goes once it lies there, and not before. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { AuditLog } from '../http/audit.ts'
import { destroyDueRecords } from '../retention/beside/engine.ts'
import { deletePayloads, restorePayloads } from '../payloads/deletion-store.ts'
import { carryOut } from '../retention/engine.ts'
import { transferredOf } from '../retention/store.ts'
import { requirePart } from '../testing/require-part.ts'
import { sshdAvailable } from '../testing/sshd.ts'
import { type TransferWorld, transferWorld } from '../testing/transfer-world.ts'
import { LATE } from '../transfers/item-store.ts'
import { reopenFailed } from '../transfers/run-store.ts'

const NEVER = new AbortController().signal
const RULE = {
  entity_type: 'Payload',
  payload_type: 'SMS',
  delete_after_days: 0,
  retention_timestamp: 'transferred_at',
  required_receipts: [],
  required_transfers: ['bank'],
}

describe('retention that waits for transfers', requirePart('sshd', sshdAvailable()), () => {
  let world: TransferWorld
  before(async () => void (world = await transferWorld()))
  after(() => world?.close())

  /** Carries retention out as on the next day, and says what is deleted. */
  async function deleted(): Promise<string[]> {
    await world.sql('update retention_positions set began_at = 0, ended_at = 0')
    await carryOut(world.house, world.account, NEVER)
    const rows = await world.sql<{ payload_reference: string }>(
      'select payload_reference from payloads where state = 9 order by payload_reference',
    )
    return rows.map(({ payload_reference }) => payload_reference)
  }

  it('deletes payloads only after the required transfer has delivered them', async () => {
    const [gone = '', there = ''] = await world.bring(2)
    await world.config('bank')
    await world.config('other')
    await world.sql(`insert into retention_policies values ($1, 1, $2, '[]', true, null, 1, 'alice')`, [
      world.account.client_id,
      JSON.stringify([RULE]),
    ])
    await world.sql('update payloads set processed_at = processed_at - 10')
    assert.deepEqual(await deleted(), [])
    const other = await world.start('other')
    await world.carryOut(other)
    assert.deepEqual(await deleted(), [], 'another config counts for nothing')
    const [object] = await world.world.objectsOf(gone)
    await world.sql(`update payload_objects set object_key = 'nowhere/at/all' where object_key = $1`, [
      object?.object_key,
    ])
    const bank = await world.start('bank')
    await world.carryOut(bank)
    assert.deepEqual(await deleted(), [there])
    const [first] = await world.sql<{ at: number }>(
      `select min(transferred_at)::int as at from transfer_items where transfer_config_reference = 'bank'`,
    )
    const [row] = await world.sql<Parameters<typeof transferredOf>[1] & { type: number }>(
      `select payload_id::int, 'SMS' as payload_type, 'Processed' as payload_state, null as state_before_deletion, payload_time::int, announced_at::int
       from payloads where payload_reference = $1`,
      [there],
    )
    assert.ok(row && first)
    const at = await world.house.db.read(world.account.client_id, (q) => transferredOf(q, row))
    assert.equal(at, first.at)
    await world.sql(`update payload_objects set object_key = $1 where object_key = 'nowhere/at/all'`, [
      object?.object_key,
    ])
    await world.house.db.write(world.account.client_id, (tx) => reopenFailed(tx, bank, 'bob'))
    await world.carryOut(bank)
    assert.deepEqual(await deleted(), [there, gone].toSorted())
  })
  it('keeps delivery records, so that no payload is sent again after transfer runs expire', async () => {
    await world.sql(`insert into retention_policies values ($1, 2, $2, '[]', true, null, 2, 'alice')`, [
      world.account.client_id,
      JSON.stringify([{ entity_type: 'Transfer', destroy_after_days: 0 }]),
    ])
    const [there = ''] = await world.bring(1)
    await world.sql('update payloads set processed_at = processed_at - 10')
    await world.config('archive')
    const first = await world.start('archive')
    await world.carryOut(first)
    const files = (await world.files()).size
    /** Retention as on the next day, then a run over everything from the beginning, as kinds that are added ask for; how many it sends. */
    const again = async () => {
      await world.sql('delete from retention_record_positions')
      await world.sql(
        'update transfer_runs set created_at = 1, completed_at = 2 where completed_at is not null',
      )
      const parts = { db: world.house.db, audit: new AuditLog(world.house.db) }
      await destroyDueRecords(parts, world.account, NEVER)
      await world.sql(
        `update transfer_configs set gathered_to = null where transfer_config_reference = 'archive'`,
      )
      const next = await world.start('archive')
      await world.carryOut(next)
      const [run] = await world.sql<{ payload_count: number }>(
        'select payload_count from transfer_runs where transfer_id = $1',
        [next],
      )
      assert.equal((await world.files()).size, files)
      return run?.payload_count
    }
    const runs = async () =>
      (
        await world.sql<{ transfer_id: string }>(
          `select transfer_id from transfer_runs where transfer_config_reference = 'archive' order by transfer_id`,
        )
      ).map(({ transfer_id }) => transfer_id)
    assert.equal(await again(), 0)
    assert.equal(await again(), 0)
    const [kept, ...later] = await runs()
    assert.deepEqual([kept, later.length], [first, 2], 'what brought nothing went; the last window stays')
    const delivered = await world.sql(
      'select from transfer_items join payloads using (payload_id) where payload_reference = $1 and transferred_at is not null',
      [there],
    )
    assert.ok(delivered.length > 0)
    await world.sql(
      'begin; set local session_replication_role = replica; update payloads set state = 10; commit',
    )
    assert.equal(await again(), 0, 'what is destroyed is not sent')
    assert.ok(!(await runs()).includes(first), 'once its recordings are destroyed it goes')
    assert.deepEqual(await world.sql('select from transfer_attempts where transfer_id = $1', [first]), [])
  })
})

describe('a transfer of a deleted payload', requirePart('sshd', sshdAvailable()), () => {
  let world: TransferWorld
  before(async () => void (world = await transferWorld()))
  after(() => world?.close())

  /** What the next run brings. */
  async function brought(): Promise<string[]> {
    world.world.advance(10)
    const transfer_id = await world.start('bank')
    await world.carryOut(transfer_id)
    const items = await world.sql<{ item: string }>(
      `select item from transfer_items where transfer_id = $1 and transfer_state = 'Succeeded' order by item`,
      [transfer_id],
    )
    return items.map(({ item }) => item)
  }

  it('happens once, in the run after the payload is restored', async () => {
    await world.config('bank')
    const [gone = '', there = ''] = await world.bring(2)
    const ids = (
      await world.sql<{ id: number }>(
        'select payload_id::int as id from payloads where payload_reference = $1',
        [gone],
      )
    ).map(({ id }) => id)
    const act = (how: typeof restorePayloads) =>
      world.house.db.write(world.account.client_id, (tx) =>
        how(tx, ids, { now: world.house.now(), by: 'alice' }),
      )
    world.world.advance(10)
    assert.equal((await act(deletePayloads)).length, 1)
    assert.deepEqual(await brought(), [there])
    world.world.advance(3 * LATE)
    assert.deepEqual(await brought(), [])
    assert.equal((await act(restorePayloads)).length, 1)
    assert.deepEqual(await brought(), [gone])
    assert.deepEqual(await brought(), [])
  })
})
