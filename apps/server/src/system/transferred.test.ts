/** What waits for the customer's storage goes once it lies there, and not before. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { carryOut } from '../retention/engine.ts'
import { transferredOf } from '../retention/store.ts'
import { requirePart } from '../testing/require-part.ts'
import { sshdAvailable } from '../testing/sshd.ts'
import { type TransferWorld, transferWorld } from '../testing/transfer-world.ts'
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

  it('lets go what was delivered, by the run that delivered it', async () => {
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
})
