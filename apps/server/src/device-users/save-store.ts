import { IS_ACTIVE_DEVICE } from '../device-records/store.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'
import { SAVED, SAVED_TYPES, type Saved } from './store.ts'

/** Active users with these emails: a device could not identify its holder by a shared one. */
export async function findNamesakes(
  q: Queryable,
  emails: readonly string[],
): Promise<{ email: string; device_user_reference: string }[]> {
  const { rows } = await q.query<{ email: string; device_user_reference: string }>(
    `select lower(email) as email, device_user_reference from device_users
     where client_id = $1 and email is not null and lower(email) in (select lower(e) from unnest($2::text[]) e)
       and is_active and deleted_at is null`,
    [q.client_id, emails],
    'device_users_namesakes',
  )
  return rows
}

/** Returns the references in use, also by deleted users. */
export async function findTaken(
  q: Queryable,
  device_user_references: readonly string[],
): Promise<Set<string>> {
  const { rows } = await q.query<{ device_user_reference: string }>(
    'select device_user_reference from device_users where client_id = $1 and device_user_reference = any($2)',
    [q.client_id, device_user_references],
    'device_users_taken',
  )
  return new Set(rows.map(({ device_user_reference }) => device_user_reference))
}

/** Unlicensed services of active devices, by user. */
export async function findPhonesOf(
  q: Queryable,
  device_user_ids: readonly number[],
): Promise<Map<number, string[][]>> {
  const { rows } = await q.query<{ device_user_id: number; unlicensed_services: string[] }>(
    `select device_user_id, unlicensed_services from devices d
     where client_id = $1 and device_user_id = any($2) and ${IS_ACTIVE_DEVICE}`,
    [q.client_id, device_user_ids],
    'device_users_phones',
  )
  const phones = new Map<number, string[][]>()
  for (const { device_user_id, unlicensed_services } of rows)
    phones.set(device_user_id, [...(phones.get(device_user_id) ?? []), unlicensed_services])
  return phones
}

/** Inserts users; returns those whose reference was free. */
export async function insertUsers(
  tx: Tx,
  users: readonly (Saved & { device_user_reference: string })[],
  by: { updated_at: number; updated_by: string },
): Promise<{ device_user_id: number; device_user_reference: string }[]> {
  if (users.length === 0) return []
  const { rows } = await tx.query<{ device_user_id: number; device_user_reference: string }>(
    `insert into device_users (client_id, device_user_reference, ${SAVED.join(', ')}, updated_at, updated_by)
     select $1, device_user_reference, ${SAVED.join(', ')}, $2, $3 from jsonb_to_recordset($4) as x (device_user_reference text, ${SAVED_TYPES})
     on conflict do nothing returning device_user_id, device_user_reference`,
    [tx.client_id, by.updated_at, by.updated_by, JSON.stringify(users)],
    'device_users_insert',
  )
  return rows
}
