import type { Queryable, Tx } from '../ports/database/lease.ts'

/** A wrapped key of device reports. */
export interface ReportKey {
  device_id: number
  /** SHA-256 of the key as the device wrapped it. */
  digest: Buffer
  wrapped_key: Buffer
}

/** A stored key of a device; undefined for a new one. */
export async function findReportKey(
  q: Queryable,
  device_id: number,
  digest: Buffer,
): Promise<Buffer | undefined> {
  const { rows } = await q.query<Pick<ReportKey, 'wrapped_key'>>(
    'select wrapped_key from report_keys where client_id = $1 and device_id = $2 and digest = $3',
    [q.client_id, device_id, digest],
    'report_key_find',
  )
  return rows[0]?.wrapped_key
}

/** Stores keys once; resolves to their ids, in order. */
export async function keepReportKeys(tx: Tx, keys: readonly ReportKey[], now: number): Promise<number[]> {
  const { rows } = await tx.query<{ report_key_id: number }>(
    KEEP,
    [
      tx.client_id,
      keys.map(({ device_id }) => device_id),
      keys.map(({ digest }) => digest),
      keys.map(({ wrapped_key }) => wrapped_key),
      now,
    ],
    'report_keys_keep',
  )
  return rows.map(({ report_key_id }) => report_key_id)
}

// The no-op update also returns a row that a parallel transaction inserted.
const KEEP = `
  with given as materialized (
    select * from unnest($2::int[], $3::bytea[], $4::bytea[]) with ordinality as g (device_id, digest, wrapped_key, place)
  ), known as (
    select k.device_id, k.digest, k.report_key_id from given g join report_keys k on k.client_id = $1 and k.device_id = g.device_id and k.digest = g.digest
  ), kept as (
    insert into report_keys as k (client_id, device_id, digest, wrapped_key, made_at)
    select distinct on (device_id, digest) $1::int, device_id, digest, wrapped_key, $5::bigint from given
    where (device_id, digest) not in (select device_id, digest from known) order by device_id, digest
    on conflict (client_id, device_id, digest) do update set made_at = k.made_at
    returning device_id, digest, report_key_id
  ), ids as (select * from kept union select * from known)
  select ids.report_key_id from given g join ids using (device_id, digest) order by g.place`
