import { isLate } from '@custodia/domain'
import type { House } from '../../house.ts'
import type { Tx } from '../../ports/database/lease.ts'
import { STATE_CODES } from '../codes.ts'
import { RESENDABLE } from '../failures.ts'
import { processPayload } from '../processing/process-job.ts'
import { moveStates } from '../move-state.ts'
import { originalKey } from '../original-key.ts'

/** A payload whose data is awaited. */
export interface Awaited {
  client_id: number
  client: string
  payload_id: number
  payload_reference: string
  rejected_count: number
  size: number
}

const AWAITED = `
  select p.client_id, c.client, p.payload_id, p.payload_reference, p.rejected_count, e.size
  from payloads p join clients c using (client_id) join payload_envelopes e using (payload_id)
  where p.client_id = $1 and e.size is not null and (
    p.state = ${STATE_CODES.Recorded} or (p.state = ${STATE_CODES.Failed} and p.failure = any($3)))`

/** The awaited ones among these references. */
export async function findAwaited(
  house: House,
  client_id: number,
  references: readonly string[],
): Promise<Awaited[]> {
  const { rows } = await house.db.read(client_id, (q) =>
    q.query<Awaited>(
      `${AWAITED} and p.payload_reference = any($2)`,
      [client_id, references, [...RESENDABLE]],
      'arrive_find',
    ),
  )
  return rows
}

/**
 * The data of these payloads of one client is durable: each is `Uploaded` and its processing asked for, both or neither. Repeating it
 * changes nothing. Resolves to those that awaited data; `along` writes about them in the same transaction.
 */
export async function noteArrivals(
  house: House,
  client_id: number,
  awaited: readonly Awaited[],
  by: string,
  along?: (tx: Tx, arrived: readonly Awaited[]) => Promise<void>,
): Promise<readonly Awaited[]> {
  const now = house.now()
  return house.db.write(client_id, async (tx) => {
    const moved = await moveStates(tx, {
      client_id,
      payload_ids: awaited.map(({ payload_id }) => payload_id),
      from: ['Recorded', 'Failed'],
      to: 'Uploaded',
      now,
      by,
    })
    if (moved.size === 0) return []
    const { rows } = await tx.query<{ payload_id: number; recorded_end: number }>(
      WORK,
      [client_id, [...moved], now],
      'arrive_work',
    )
    const late = rows.filter(({ recorded_end }) => isLate({ recorded_end, uploaded_at: now }))
    if (late.length > 0) {
      await tx.query('update payloads set is_late = true where payload_id = any($1)', [
        late.map(({ payload_id }) => payload_id),
      ])
    }
    const arrived = awaited.filter(({ payload_id }) => moved.has(payload_id))
    const inputs = arrived.map(({ payload_id, size }) => ({ client_id, payload_id, size }))
    await house.jobs.send(tx, processPayload, ...inputs)
    await along?.(tx, arrived)
    return arrived
  })
}

/** Looked after by the sweep from now on; and when what was recorded ended. */
const WORK = `
  with work as (
    insert into payload_work (client_id, payload_id, since) select $1, payload_id, $3 from unnest($2::bigint[]) as payload_id
    on conflict (client_id, payload_id) do update set since = excluded.since, nudges = 0
  )
  select payload_id, least(coalesce(payload_end_time, payload_time), announced_at) as recorded_end
  from payloads where payload_id = any($2)`

/**
 * Looks whether the object store already has the data of awaited payloads: phones put it there by themselves, or we ended before
 * we said so, perhaps before it was durable. Whether it is the right data is for the processing to find out; a phone could not
 * replace it anyhow.
 */
export async function noticeArrivals(house: House, awaited: readonly Awaited[]): Promise<number> {
  let noticed = 0
  for (const payload of awaited) {
    const object = await house.objects.ensureDurable(
      originalKey(payload.client, payload.payload_reference, payload.rejected_count),
    )
    if (object) noticed += (await noteArrivals(house, payload.client_id, [payload], 'upload')).length
  }
  return noticed
}
