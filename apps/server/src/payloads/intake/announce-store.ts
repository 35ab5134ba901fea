import { AHEAD_SECONDS, type Announcement, type PayloadType } from '@custodia/contract'
import { type INITIAL_STATES, isLate, recordedEnd } from '@custodia/domain'
import type { Holding } from '../../device-records/store.ts'
import type { DeviceCaller } from '../../http/context.ts'
import { getServiceCode, STATE_CODES, TYPE_CODES } from '../../payload-records/codes.ts'
import type { Queryable, Tx } from '../../ports/database/lease.ts'
import type { KeptDeviceDek } from '../../ports/keys/device-dek.ts'
import type { CounterKeys } from '../state-store.ts'

/** The stored facts of an announced payload. */
export interface KnownPayload {
  payload_id: number
  payload_reference: string
  state: number
  state_before_deletion: number | null
  device_id: number
  /** Devices with the same hardware, announced or confirmed. */
  same_hardware: number[]
  group_id: number
  failure: string | null
  fingerprint: Buffer
  rejected_count: number
  checksum: string | null
  size: number | null
}

/** Payloads of the tenant with these references, other devices' included. */
export async function findAnnounced(
  q: Queryable,
  references: readonly string[],
): Promise<Map<string, KnownPayload>> {
  const { rows } = await q.query<KnownPayload>(
    `select p.payload_id, p.payload_reference, p.state, p.state_before_deletion, p.device_id, p.group_id, p.failure, p.rejected_count, e.fingerprint, encode(e.checksum, 'hex') as checksum, e.size,
       array(select o.device_id from devices o where o.client_id = p.client_id and o.same_hardware_as = p.device_id
         union select o.same_hardware_as from devices o where o.client_id = p.client_id and o.device_id = p.device_id
           and o.same_hardware_as is not null) as same_hardware
     from payloads p join payload_envelopes e using (payload_id)
     where p.client_id = $1 and p.payload_reference = any($2)`,
    [q.client_id, references],
  )
  return new Map(rows.map((row) => [row.payload_reference, row]))
}

/** An announcement ready to be stored. */
export interface NewPayload {
  announcement: Announcement
  device: Pick<DeviceCaller, 'client_id' | 'device_id' | 'device_reference'>
  /** Epoch seconds. */
  now: number
  ip: string | null
  /**
   * The migration run, when the legacy platform is the source: such a payload is never late and has no device upload.
   */
  by_migration?: string
  fingerprint: Buffer
  holder: Pick<Holding, 'device_user_id' | 'group_id'>
  state: (typeof INITIAL_STATES.device)[number]
  /** Its data key in stored form. */
  kept: KeptDeviceDek
}

/** A newly stored payload, with its counter keys. */
export type StoredPayload = KnownPayload & CounterKeys

/**
 * Stores new payloads with all their rows; the number of statements does not grow with the payloads.
 * `countPayloads` adds the totals. Leaves out references that another request stored first.
 */
export async function insertPayloads(tx: Tx, items: readonly NewPayload[]): Promise<StoredPayload[]> {
  const rows = items.map(getRow)
  const { rows: made } = await tx.query<{ payload_id: number; payload_reference: string }>(INSERT_PAYLOADS, [
    JSON.stringify(rows),
  ])
  const ids = new Map(made.map((row) => [row.payload_reference, row.payload_id]))
  const stored = rows.flatMap((row) => {
    const payload_id = ids.get(row.payload_reference)
    return payload_id === undefined ? [] : [{ ...row, payload_id }]
  })
  if (stored.length > 0) await tx.query(INSERT_DEPENDENT_ROWS, [JSON.stringify(stored)])
  const fingerprints = new Map(
    items.map(({ announcement, fingerprint }) => [announcement.payload_reference, fingerprint]),
  )
  return stored.map((row) => ({
    ...row,
    fingerprint: fingerprints.get(row.payload_reference) ?? Buffer.alloc(0),
    same_hardware: [],
    state_before_deletion: null,
    failure: null,
    rejected_count: 0,
  }))
}

/**
 * Whether an announced time is so far ahead that the device's clock must be wrong. `now` in epoch seconds.
 */
export const isAhead = (
  { payload_time, payload_end_time = payload_time }: Announcement,
  now: number,
): boolean => Math.max(payload_time, payload_end_time) > now + AHEAD_SECONDS

/** The time by which a payload is listed: the announced one, or its arrival when that is impossible. */
export const listedTime = (announcement: Announcement, now: number): number =>
  isAhead(announcement, now) ? Math.min(announcement.payload_time, now) : announcement.payload_time

function getRow({
  announcement,
  device,
  now,
  ip,
  fingerprint,
  holder,
  state,
  kept,
  by_migration,
}: NewPayload) {
  const { payload_time, payload_end_time } = announcement
  const claimed_time = isAhead(announcement, now) ? payload_time : null
  const isUploaded = state === 'Uploaded'
  return {
    client_id: device.client_id,
    payload_reference: announcement.payload_reference,
    service: getServiceCode(announcement.payload_type),
    type: TYPE_CODES[announcement.payload_type satisfies PayloadType],
    state: STATE_CODES[state],
    payload_time: listedTime(announcement, now),
    claimed_time,
    payload_end_time: payload_end_time ?? null,
    ...holder,
    device_id: device.device_id,
    announced_at: now,
    uploaded_at: isUploaded ? now : null,
    is_legacy: by_migration !== undefined,
    is_late:
      isUploaded &&
      by_migration === undefined &&
      isLate({
        recorded_end: recordedEnd({ payload_time, payload_end_time, announced_at: now }),
        uploaded_at: now,
      }),
    updated_at: now,
    key_id: announcement.key_id,
    encrypted_dek: `\\x${kept.encrypted_dek.toString('hex')}`,
    dek_key: kept.dek_key && `\\x${kept.dek_key.toString('hex')}`,
    iv: announcement.iv,
    sealed_meta: `\\x${Buffer.from(announcement.meta, 'base64').toString('hex')}`,
    checksum: announcement.checksum ?? null,
    size: announcement.size ?? null,
    device_ip: ip,
    fingerprint: `\\x${fingerprint.toString('hex')}`,
    by: by_migration ?? device.device_reference,
  }
}

const PAYLOAD_COLUMNS =
  'client_id, payload_reference, service, type, state, payload_time, claimed_time, payload_end_time, group_id, device_id, device_user_id, is_late, is_legacy, announced_at, uploaded_at, updated_at'
// In a fixed order, so that two batches with the same references cannot deadlock.
const INSERT_PAYLOADS = `
  insert into payloads (${PAYLOAD_COLUMNS})
  select ${PAYLOAD_COLUMNS} from jsonb_populate_recordset(null::payloads, $1::jsonb) order by payload_reference
  on conflict (client_id, payload_reference) do nothing
  returning payload_id, payload_reference`

const INSERT_DEPENDENT_ROWS = `
  with item as (
    select * from jsonb_to_recordset($1::jsonb) as x(
      payload_id bigint, client_id int, service smallint, type smallint, state smallint, group_id int, announced_at bigint,
      key_id text, encrypted_dek bytea, dek_key bytea, iv text, sealed_meta bytea, checksum text, size bigint, device_ip inet, fingerprint bytea, by text)
  ), envelope as (
    insert into payload_envelopes (payload_id, client_id, key_id, encrypted_dek, dek_key, iv, sealed_meta, checksum, size, device_ip, fingerprint)
    select payload_id, client_id, key_id, encrypted_dek, dek_key, iv, sealed_meta, decode(checksum, 'hex'), size, device_ip, fingerprint from item
  ), work as (
    insert into payload_work (client_id, payload_id, since) select client_id, payload_id, announced_at from item
  ), change as (
    insert into payload_changes (payload_id, client_id, service, group_id, type, updated_at)
    select payload_id, client_id, service, group_id, type, announced_at from item
  )
  insert into payload_history (client_id, payload_id, at, from_state, to_state, by)
  select client_id, payload_id, announced_at, null, state, by from item`

/**
 * Completes the envelope of a recording without one; the database permits it only for the legacy platform.
 */
export async function fillEnvelope(
  tx: Tx,
  payload_id: number,
  checksum: string,
  size: number,
): Promise<void> {
  await tx.query('select fill_legacy_envelope($1, $2, $3, $4)', [tx.client_id, payload_id, checksum, size])
}

/** The data key of a payload in stored form. */
export function findEnvelope(
  q: Queryable,
  payload_id: number,
): Promise<(KeptDeviceDek & { key_id: string; payload_reference: string }) | undefined> {
  return q.row<KeptDeviceDek & { key_id: string; payload_reference: string }>(
    `select e.key_id, e.encrypted_dek, e.dek_key, p.payload_reference from payload_envelopes e join payloads p using (client_id, payload_id)
     where e.client_id = $1 and e.payload_id = $2`,
    [q.client_id, payload_id],
  )
}
