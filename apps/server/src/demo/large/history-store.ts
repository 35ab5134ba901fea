import type { PayloadMeta, PayloadType } from '@custodia/contract'
import { noteActivityBaselines } from '../../device-records/activity-baseline-store.ts'
import { getServiceCode, STATE_CODES, TYPE_CODES } from '../../payload-records/codes.ts'
import { insertDocuments } from '../../payloads/processing/documents-store.ts'
import { countPayloads } from '../../payloads/state-store.ts'
import type { Tx } from '../../ports/database/lease.ts'
import { BY, type StoredDevice } from './fleet-store.ts'

/** A recording of the system before this one: its data is in the company's old archive. */
export interface FormerRecording extends StoredDevice {
  payload_type: PayloadType
  state: 'Transferred' | 'NotRecorded'
  payload_end_time: number | null
  metadata: PayloadMeta
}

/** Whether an earlier start added recordings of this time. */
export async function hasRecordings(tx: Tx, from: number, to: number): Promise<boolean> {
  const { rowCount } = await tx.query(
    `select from payloads where client_id = $1 and service = any(array(select distinct service from payload_types)) and updated_by = '${BY}'
       and payload_time >= $2 and payload_time < $3 limit 1`,
    [tx.client_id, from, to],
  )
  return rowCount > 0
}

/** Adds recordings with everything that lists, searches and counts read. */
export async function insertRecordings(
  tx: Tx,
  recordings: readonly FormerRecording[],
  now: number,
): Promise<void> {
  const given = recordings.map(({ metadata, payload_type, state, ...recording }) => ({
    ...recording,
    payload_reference: metadata.payload_reference,
    payload_time: metadata.payload_time,
    service: getServiceCode(payload_type),
    type: TYPE_CODES[payload_type],
    state: STATE_CODES[state],
  }))
  const { rows } = await tx.query<{ payload_id: number; payload_reference: string }>(INSERT, [
    tx.client_id,
    JSON.stringify(given),
  ])
  const ids = new Map(rows.map((row) => [row.payload_reference, row.payload_id]))
  const stored = given.map((row) => ({
    ...row,
    client_id: tx.client_id,
    payload_id: ids.get(row.payload_reference) ?? 0,
  }))
  await insertDocuments(
    tx,
    stored.map((subject, i) => ({ subject, metadata: (recordings[i] as FormerRecording).metadata })),
    now,
  )
  // Their texts are in the old archive, so the word index has nothing to read.
  await tx.query(
    `with waiting as (delete from content_work where client_id = $1 and payload_id = any($2) and comment_id = '' returning payload_id)
     insert into content_indexed (client_id, payload_id, word_count) select $1, payload_id, 0 from waiting`,
    [tx.client_id, stored.map(({ payload_id }) => payload_id)],
  )
  await noteActivityBaselines(tx, stored)
  await countPayloads(tx, stored)
}

const INSERT = `
  with x as materialized (
    select * from jsonb_to_recordset($2::jsonb) as x(payload_reference text, service smallint, type smallint, state smallint, payload_time bigint,
      payload_end_time bigint, group_id int, device_id int, device_user_id int)
  ), made as (
    insert into payloads (client_id, payload_reference, service, type, state, payload_time, payload_end_time, group_id, device_id, device_user_id,
      is_legacy, announced_at, updated_at, updated_by)
    select $1, payload_reference, service, type, state, payload_time, payload_end_time, group_id, device_id, device_user_id,
      true, coalesce(payload_end_time, payload_time) + 60, coalesce(payload_end_time, payload_time) + 60, '${BY}'
    from x order by payload_time
    returning payload_id, payload_reference, service, type, state, group_id, updated_at
  ), change as (
    insert into payload_changes (payload_id, client_id, service, group_id, type, updated_at)
    select payload_id, $1, service, group_id, type, updated_at from made
  ), history as (
    insert into payload_history (client_id, payload_id, at, from_state, to_state, by)
    select $1, payload_id, updated_at, null, state, '${BY}' from made
  )
  select payload_id, payload_reference from made`
