import { DEVICE_SERVICES } from '@custodia/contract'
import { insertUserWords, type NamedUser } from '../../device-users/store.ts'
import type { Tx } from '../../ports/database/lease.ts'
import type { LargePerson } from './fleet.ts'

/** Who made the rows. */
export const BY = 'demo'

/** How references of made entries begin: the letters of a ULID, which has no L. */
const ENTRY = '01MADE'

/** Whether an earlier start added the people. */
export async function hasPerson(tx: Tx, device_user_reference: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    'select from device_users where client_id = $1 and device_user_reference = $2',
    [tx.client_id, device_user_reference],
  )
  return rowCount > 0
}

/** A stored device with its holder, as reports and recordings name them. */
export interface StoredDevice {
  device_reference: string
  device_id: number
  device_user_id: number
  group_id: number
}

/** Adds people and their search words. Resolves to their ids by reference. */
export async function insertPeople(
  tx: Tx,
  people: readonly LargePerson[],
  now: number,
): Promise<Map<string, number>> {
  const { rows } = await tx.query<NamedUser>(
    `insert into device_users (client_id, device_user_reference, group_id, services, email, first_name, surname, is_active,
       onboard_date, offboard_date, expected_device_count, updated_at, updated_by)
     select $1, device_user_reference, group_id, x.services, email, first_name, surname, offboard_date is null, onboard_date, offboard_date,
       expected_device_count, $3, '${BY}'
     from jsonb_to_recordset($2::jsonb) as x(device_user_reference text, group_reference text, services text[], email text, first_name text,
       surname text, onboard_date bigint, offboard_date bigint, expected_device_count int)
     join groups g on g.client_id = $1 and g.group_reference = x.group_reference
     returning device_user_id, device_user_reference, first_name, surname`,
    [
      tx.client_id,
      JSON.stringify(
        people.map(({ branch, device: _device, ...person }) => ({
          ...person,
          group_reference: branch.group_reference,
        })),
      ),
      now,
    ],
  )
  await insertUserWords(tx, rows)
  return new Map(rows.map((row) => [row.device_user_reference, row.device_user_id]))
}

/** Adds the devices of people, with holders and numbers. */
export async function insertDevices(
  tx: Tx,
  people: readonly LargePerson[],
  ids: ReadonlyMap<string, number>,
): Promise<void> {
  const given = people.flatMap(({ device, device_user_reference, email }) =>
    device === undefined
      ? []
      : [{ ...device, ...device.facts, email, device_user_id: ids.get(device_user_reference) }],
  )
  await tx.query(
    `with x as materialized (
       select * from jsonb_to_recordset($2::jsonb) as x(device_reference text, device_user_id int, imei text, email text, last_seen bigint,
         deactivation_date bigint, activated_at bigint, model text, os_version text, app_version text, serial_number text, phone_number text)
     ), made as (
       insert into devices (client_id, device_reference, device_user_id, group_id, services, imeis, email, last_seen, is_deactivated,
         deactivation_date, activated_at, model, os_version, app_version, serial_number, awake_since, updated_at, updated_by)
       select $1, device_reference, device_user_id, u.group_id, $3, array[imei], x.email, last_seen, deactivation_date is not null, deactivation_date,
         activated_at, model, os_version, app_version, serial_number, activated_at, activated_at, '${BY}'
       from x join device_users u using (device_user_id)
       returning device_id, device_reference, device_user_id, group_id, activated_at
     ), history as (
       insert into device_history (client_id, device_id, from_at, device_user_id, group_id)
       select $1, device_id, activated_at, device_user_id, group_id from made
     )
     insert into device_numbers (client_id, device_id, phone_number, slot_index, from_at, last_reported, first_verified, last_verified)
     select $1, device_id, phone_number, 0, made.activated_at, last_seen, made.activated_at, made.activated_at from made join x using (device_reference)`,
    [tx.client_id, JSON.stringify(given), DEVICE_SERVICES],
  )
}

/** The stored devices by serial number. */
export async function findDevices(tx: Tx): Promise<Map<string, StoredDevice>> {
  const { rows } = await tx.query<StoredDevice & { serial_number: string }>(
    `select serial_number, device_reference, device_id, device_user_id, group_id from devices where client_id = $1 and updated_by = '${BY}'`,
    [tx.client_id],
  )
  return new Map(rows.map(({ serial_number, ...device }) => [serial_number, device]))
}

/** Whether an earlier start added entries of the audit log. */
export async function hasEntries(tx: Tx): Promise<boolean> {
  const { rowCount } = await tx.query(
    `select from device_activities where client_id = $1 and log_id like '${ENTRY}%' limit 1`,
    [tx.client_id],
  )
  return rowCount > 0
}

/** Adds position keys of one day, one per device. Resolves to their ids by device. */
export async function insertKeysOfDay(
  tx: Tx,
  day: number,
  keys: readonly { device_id: number; wrapped_key: Buffer }[],
  now: number,
): Promise<Map<number, number>> {
  const { rows } = await tx.query<{ device_id: number; key_id: number }>(
    `insert into gps_keys (client_id, device_id, day, wrapped_key, created_at)
     select $1, device_id, $2, wrapped_key, $5 from unnest($3::int[], $4::bytea[]) as x (device_id, wrapped_key)
     returning device_id, key_id`,
    [tx.client_id, day, keys.map((key) => key.device_id), keys.map((key) => key.wrapped_key), now],
  )
  return new Map(rows.map((row) => [row.device_id, row.key_id]))
}

/** Calls of devices and of portal users, for their audit logs. */
const DEVICE_CALLS = ['POST payloads', 'PUT uploads', 'POST telemetry', 'POST gps', 'POST payloads/status']
const PORTAL_CALLS = ['payloads:list', 'devices:list', 'users:list', 'metrics:list', 'activities:list']
const PORTAL_USERS = ['alice', 'bob', 'ines']
const MONTH = 30 * 86_400
/** SQL: a reference of 26 characters from a prefix and a number. */
const numbered = (prefix: string, i: string) =>
  `'${prefix}' || lpad(upper(to_hex(${i})), ${26 - prefix.length}, '0')`

/** Adds entries of the last month to both audit logs, and commands with their results. */
export async function insertEntries(tx: Tx, entries: number, now: number): Promise<void> {
  const values = [tx.client_id, entries, now]
  // Devices in an order of their own, numbered from 0.
  const devices = `numbered as (
      select row_number() over (order by device_id) - 1 as place, d.device_id, d.device_reference, d.group_id,
        u.device_user_reference, g.group_reference
      from devices d join device_users u using (client_id, device_user_id) join groups g on g.client_id = d.client_id and g.group_id = d.group_id
      where d.client_id = $1 and not d.is_deactivated and d.updated_by = '${BY}'
    ), entry as (
      select i, $3::bigint - 3600 - (i * ${MONTH}::float8 / $2::int)::bigint as at, n.* from generate_series(1, $2::int) i
      join numbered n on n.place = i * 7919::bigint % (select count(*) from numbered)
    )`
  await tx.query(
    `with ${devices}
     insert into device_activities (log_id, client_id, device_ip, device_reference, device_user_reference, activity_time, activity_end_time,
       duration, group_reference, group_id, action, is_allowed, parameters, status_code, request_id)
     select ${numbered(ENTRY, 'i')}, $1, '192.0.2.' || i % 250, device_reference, device_user_reference, at, at, 0.02, group_reference,
       group_id, ($4::text[])[1 + i % cardinality($4::text[])], true, '{}', 200, ${numbered(`${ENTRY}R`, 'i')} from entry`,
    [...values, DEVICE_CALLS],
  )
  await tx.query(
    `insert into portal_activities (log_id, client_id, user_reference, user_ip, activity_time, activity_end_time, browser, duration, action,
       is_allowed, parameters, status_code, request_id)
     select ${numbered(ENTRY, 'i')}, $1, ($4::text[])[1 + i % cardinality($4::text[])], '127.0.0.1', at, at, 'Firefox', 0.03,
       ($5::text[])[1 + i / 3 % cardinality($5::text[])], true, '{}', 200, ${numbered(`${ENTRY}R`, 'i')}
     from generate_series(1, $2::int) i cross join lateral (select $3::bigint - 3600 - (i * ${MONTH}::float8 / $2::int)::bigint as at) t`,
    [...values, PORTAL_USERS, PORTAL_CALLS],
  )
  await tx.query(
    `with ${devices}
     insert into device_commands (client_id, command_reference, device_id, group_id, command, params, state, raised_by, sent_at,
       acknowledged_at, completed_at, failure)
     select $1, ${numbered(ENTRY, 'i')}, device_id, group_id, 'sync_data', '{}', state, 'alice', at, at + 2,
       at + 9, case state when 'Failed' then 'reported' end
     from entry cross join lateral (select case when i % 30 = 0 then 'Failed' else 'Completed' end as state) s where i % 10 = 0`,
    values,
  )
}

/** Devices that are in contact were seen just now. */
export async function keepDevicesAwake(tx: Tx, now: number): Promise<void> {
  await tx.query(
    `update devices set last_seen = $2::bigint - device_id % 3600
     where client_id = $1 and updated_by = '${BY}' and silence is null and not is_deactivated and deleted_at is null`,
    [tx.client_id, now],
  )
}
