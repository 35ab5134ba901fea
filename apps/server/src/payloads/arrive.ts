import { isLate } from '@custodia/domain'
import type { House } from '../house.ts'
import type { Tx } from '../ports/database/lease.ts'
import { STATE_CODES } from './codes.ts'
import { RESENDABLE } from './failures.ts'
import { processPayload } from './process-job.ts'
import { moveState } from './move-state.ts'
import { originalKey } from './original-key.ts'

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
 * The data of a payload is durable: the payload is `Uploaded` and its processing asked for, both or neither. Repeating it
 * changes nothing. False when the payload awaits no data. `along` writes in the same transaction, if there is anything to write.
 */
export async function noteArrival(
  house: House,
  { client_id, payload_id, size }: Awaited,
  by: string,
  along?: (tx: Tx) => Promise<void>,
): Promise<boolean> {
  const now = house.now()
  return house.db.write(client_id, async (tx) => {
    const moved = await moveState(tx, {
      client_id,
      payload_id,
      from: ['Recorded', 'Failed'],
      to: 'Uploaded',
      now,
      by,
    })
    if (!moved) return false
    const { rows } = await tx.query<{ recorded_end: number }>(
      'select least(coalesce(payload_end_time, payload_time), announced_at) as recorded_end from payloads where payload_id = $1',
      [payload_id],
      'arrive_end',
    )
    if (isLate({ recorded_end: rows[0]?.recorded_end ?? now, uploaded_at: now })) {
      await tx.query('update payloads set is_late = true where payload_id = $1', [payload_id], 'arrive_late')
    }
    await tx.query(
      `insert into payload_work (client_id, payload_id, since) values ($1, $2, $3)
       on conflict (client_id, payload_id) do update set since = excluded.since, nudges = 0`,
      [client_id, payload_id, now],
      'arrive_work',
    )
    await house.jobs.send(tx, processPayload, { client_id, payload_id, size })
    await along?.(tx)
    return true
  })
}

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
    if (object && (await noteArrival(house, payload, 'upload'))) noticed++
  }
  return noticed
}
