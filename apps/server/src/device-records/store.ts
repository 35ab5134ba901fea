import type { AuthenticateRequest, WaitingReason } from '@custodia/contract'
import type { DeviceCaller } from '../http/context.ts'
import type { Bind } from '../ports/database/binder.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'
import type { Hardware } from './hardware.ts'
import { endTokens } from './token-store.ts'

export { noteActivityBaselines } from './activity-baseline-store.ts'

export interface KnownDevice {
  device_id: number
  device_reference: string
  device_user_id: number | null
  group_id: number
  services: string[]
  imeis: string[]
  installation_id: string | null
  activated_at: number | null
  is_deactivated: boolean
  blocked_at: number | null
  unlicensed_services: string[]
  serial_number: string | null
  email: string | null
  device_key: string | null
  waiting_since: number | null
  waiting_reason: WaitingReason | null
  requested_user_id: number | null
  /** The claimed device. */
  same_hardware_as: number | null
}

/** SQL: whether device `d` is active: activated and not deactivated since. */
export const IS_ACTIVE_DEVICE = '(d.activated_at is not null and not d.is_deactivated)'

/** Seconds without contact before a device is silent. */
export const SILENT_SECONDS = 86_400

/** The holder of a device and the group of its payloads. */
export interface Holder {
  device_user_id: number | null
  group_id: number
}

/** A user with the email that a device gives. */
export interface NamedHolder extends Holder {
  device_user_id: number
  device_user_reference: string
  expected_device_count: number
}

/** Marks a ULID as used. False on reuse; a parallel replay waits for the first call and fails. */
export async function useUlid(tx: Tx, ulid: string, now: number): Promise<boolean> {
  const { rowCount } = await tx.query(
    'insert into device_ulids (client_id, ulid, used_at) values ($1, $2, $3) on conflict do nothing',
    [tx.client_id, ulid, now],
  )
  return rowCount === 1
}

/** Serialises authentications of one device, so that a new device is created once. */
export async function lockHardware(tx: Tx, hardware: Hardware, device_key: string): Promise<void> {
  const names = [hardware.serial_number, ...hardware.imeis, hardware.installation_id, device_key]
    .filter((name) => name !== null)
    .map((name) => `device:${tx.client_id}:${name}`)
  await lockNames(tx, names)
}

/** Takes advisory locks on names until the transaction ends. */
export async function lockNames(tx: Tx, names: readonly string[]): Promise<void> {
  // Sorted, to avoid deadlocks.
  await tx.query(
    `select pg_advisory_xact_lock(key)
     from (select distinct hashtextextended(name, 0) as key from unnest($1::text[]) as name order by key) as keys`,
    [names],
  )
}

/** Locks and returns the first device that matches a condition, the last seen first. */
export function firstDevice(
  tx: Tx,
  condition: string,
  values: readonly (string | number | string[] | null)[],
): Promise<KnownDevice | undefined> {
  return tx.row<KnownDevice>(
    `select device_id, device_reference, device_user_id, group_id, services, imeis, installation_id, activated_at,
       is_deactivated, blocked_at, unlicensed_services, serial_number, email, device_key, waiting_since, waiting_reason,
       requested_user_id, same_hardware_as
     from devices where ${condition} order by last_seen desc nulls last, device_id limit 1 for update`,
    values,
  )
}

/**
 * Finds the user with this email, active users first. An offboarded or deleted user matches only their own device.
 * @param holder current holder of the device
 */
export function findDeviceUser(
  tx: Tx,
  email: string,
  holder: number | null = null,
): Promise<NamedHolder | undefined> {
  return tx.row<NamedHolder>(
    `select device_user_id, device_user_reference, group_id, case when is_active then expected_device_count else 0 end as expected_device_count
     from device_users where client_id = $3 and email_text = sort_text($1) and lower(email) = lower($1)
       and (deleted_at is null or device_user_id = $2)
     order by deleted_at is null desc, is_active desc, device_user_id limit 1`,
    [email, holder, tx.client_id],
  )
}

/** Services of a holder. */
export async function readServices(tx: Tx, device_user_id: number): Promise<string[]> {
  return (
    (await tx.value<string[]>(
      `select case when is_active then services else '{}' end as services from device_users where device_user_id = $1`,
      [device_user_id],
    )) ?? []
  )
}

/** Group of devices without a holder. */
export async function readDefaultGroup(tx: Tx): Promise<number> {
  const row = await tx.row<{ group_id: number }>(
    'select group_id from account_defaults where client_id = $1',
    [tx.client_id],
  )
  if (!row) throw new Error(`client ${tx.client_id} has no default group`)
  return row.group_id
}

/** Number of devices in these groups that wait for confirmation. */
export function countWaiting(q: Queryable, groups: readonly number[] | 'all'): Promise<number> {
  return q.count(
    `select count(*)::int as count from devices
     where client_id = $1 and waiting_since is not null and blocked_at is null and deleted_at is null
       and ($2::int[] is null or group_id = any($2))`,
    [q.client_id, groups === 'all' ? null : groups],
  )
}

/** State of a device as stored. */
export interface DeviceState extends Holder, Hardware {
  request: AuthenticateRequest
  unlicensed_services: readonly string[]
  now: number
}

const STATE_COLUMNS = [
  'device_user_id',
  'group_id',
  'imeis',
  'email',
  'last_seen',
  'model',
  'os_version',
  'app_version',
  'serial_number',
  'fcm_token',
  'installation_id',
  'unlicensed_services',
  'updated_at',
] as const

const stateValues = ({ request, now, ...state }: DeviceState): unknown[] => [
  state.device_user_id,
  state.group_id,
  state.imeis,
  request.email ?? null,
  now,
  request.model,
  request.os_version,
  request.app_version,
  state.serial_number,
  request.fcm_token ?? null,
  state.installation_id,
  state.unlicensed_services,
  now,
]

export async function insertDevice(tx: Tx, device_reference: string, state: DeviceState): Promise<number> {
  const places = STATE_COLUMNS.map((_, i) => `$${i + 3}`)
  const row = await tx.row<{ device_id: number }>(
    `insert into devices (client_id, device_reference, activated_at, updated_by, ${STATE_COLUMNS.join(', ')})
     values ($1, $2, ${places[STATE_COLUMNS.indexOf('last_seen')]}, 'device', ${places.join(', ')}) returning device_id`,
    [tx.client_id, device_reference, ...stateValues(state)],
  )
  if (!row) throw new Error('the device was not stored')
  return row.device_id
}

/** Updates and activates a known device, also a deleted one. Hardware numbers that it no longer reports are kept. */
export async function updateDevice(tx: Tx, device_id: number, state: DeviceState): Promise<void> {
  const kept = new Set(['email', 'serial_number', 'fcm_token', 'installation_id'])
  const assignments = STATE_COLUMNS.map((column, i) =>
    kept.has(column) ? `${column} = coalesce($${i + 2}, ${column})` : `${column} = $${i + 2}`,
  )
  const NOW = STATE_COLUMNS.indexOf('last_seen') + 2
  await tx.query(
    // A device that was away for a day or had nothing to record starts its quiet time anew.
    `update devices set awake_since = case when is_deactivated or activated_at is null or last_seen < $${NOW} - ${SILENT_SECONDS} then $${NOW} else awake_since end,
       ${assignments.join(', ')}, is_deactivated = false, deactivation_date = null, deleted_at = null, is_legacy = false,
       activated_at = coalesce(activated_at, $${NOW}), updated_by = 'device'
     where device_id = $1`,
    [device_id, ...stateValues(state)],
  )
}

/** Deactivates and hides devices. References and payloads remain, and the next authentication reactivates a device. */
export async function hideDevices(
  tx: Tx,
  device_ids: readonly number[],
  { updated_at, updated_by }: { updated_at: number; updated_by: string },
): Promise<void> {
  await tx.query(
    `update devices set is_deactivated = true, deactivation_date = coalesce(deactivation_date, $3), deleted_at = $3, updated_at = $3, updated_by = $4
     where client_id = $1 and device_id = any($2)`,
    [tx.client_id, device_ids, updated_at, updated_by],
  )
  // A new authentication must not make a stolen token valid.
  await endTokens(tx, device_ids)
}

/** Updates the device's history: closes the former holder's period and opens one for this holder. */
export const recordHolder = (tx: Tx, device_id: number, holder: Holder, now: number): Promise<void> =>
  recordHolders(tx, [{ ...holder, device_id }], now)

async function recordHolders(
  tx: Tx,
  devices: readonly (Holder & { device_id: number })[],
  now: number,
): Promise<void> {
  const held = [
    tx.client_id,
    now,
    devices.map(({ device_id }) => device_id),
    devices.map(({ device_user_id }) => device_user_id),
    devices.map(({ group_id }) => group_id),
  ]
  await tx.query(
    `with closed as (
       update device_history h set to_at = $2 from unnest($3::int[], $4::int[], $5::int[]) as x (device_id, device_user_id, group_id)
       where h.client_id = $1 and h.device_id = x.device_id and h.to_at is null
         and (h.device_user_id, h.group_id) is distinct from (x.device_user_id, x.group_id)
       returning h.device_id, h.device_user_id is distinct from x.device_user_id as is_anothers
     )
     -- The new holder has no payloads from this device yet.
     update devices d set awake_since = $2 from closed c
     where d.client_id = $1 and d.device_id = c.device_id and c.is_anothers`,
    held,
  )
  await tx.query(
    `insert into device_history (client_id, device_id, from_at, device_user_id, group_id)
     select $1::int, device_id, $2::bigint, device_user_id, group_id
     from unnest($3::int[], $4::int[], $5::int[]) as x (device_id, device_user_id, group_id)
     where not exists (select from device_history h where h.client_id = $1 and h.device_id = x.device_id and h.to_at is null)
     on conflict (client_id, device_id, from_at)
     do update set device_user_id = excluded.device_user_id, group_id = excluded.group_id, to_at = null`,
    held,
  )
}

/** Moves the devices of users to other groups from now on; earlier payloads stay. */
export async function moveDevicesOf(
  tx: Tx,
  moves: readonly { device_user_id: number; group_id: number }[],
  by: { updated_at: number; updated_by: string },
): Promise<void> {
  if (moves.length === 0) return
  const { rows } = await tx.query<Holder & { device_id: number }>(
    `update devices d set group_id = x.group_id, updated_at = $2, updated_by = $3
     from unnest($4::int[], $5::int[]) as x (device_user_id, group_id)
     where d.client_id = $1 and d.device_user_id = x.device_user_id and d.group_id <> x.group_id
     returning d.device_id, d.device_user_id, d.group_id`,
    [
      tx.client_id,
      by.updated_at,
      by.updated_by,
      moves.map(({ device_user_id }) => device_user_id),
      moves.map(({ group_id }) => group_id),
    ],
  )
  if (rows.length > 0) await recordHolders(tx, rows, by.updated_at)
}

/** Newest public key of a client for its devices. */
export function readKek(q: Queryable): Promise<{ key_id: string; public_key: string } | undefined> {
  return q.row<{ key_id: string; public_key: string }>(
    `select key_id, public_key from client_keys
     where client_id = $1 and retired_at is null order by created_at desc, key_id limit 1`,
    [q.client_id],
  )
}

/** Whether a key was created for the tenant's devices, also a replaced one. */
export async function hasKek(q: Queryable, key_id: string): Promise<boolean> {
  const { rowCount } = await q.query('select from client_keys where client_id = $1 and key_id = $2', [
    q.client_id,
    key_id,
  ])
  return rowCount === 1
}

/** A device with its current group, also a deleted one; undefined for an unknown reference. */
export function findGroupOfDevice(
  q: Queryable,
  device_reference: string,
): Promise<{ device_id: number; group_id: number } | undefined> {
  return q.row<{ device_id: number; group_id: number }>(
    'select device_id, group_id from devices where client_id = $1 and device_reference = $2',
    [q.client_id, device_reference],
  )
}

/** References of a device's holder and group. */
export function findBelonging(
  q: Queryable,
  device_id: number,
): Promise<Pick<DeviceCaller, 'device_user_reference' | 'group_reference' | 'group_id'> | undefined> {
  return q.row<Pick<DeviceCaller, 'device_user_reference' | 'group_reference' | 'group_id'>>(
    `select u.device_user_reference, g.group_reference, g.group_id from devices d
     join groups g using (client_id, group_id) left join device_users u using (client_id, device_user_id)
     where d.device_id = $1`,
    [device_id],
  )
}

/** Ids of existing groups with these references. */
export function findGroupIds(q: Queryable, references: readonly string[]): Promise<number[]> {
  return q.column<number>('select group_id from groups where client_id = $1 and group_reference = any($2)', [
    q.client_id,
    references,
  ])
}

/** A period in which a user held a device. */
export interface Holding {
  device_id: number
  from_at: number
  to_at: number | null
  device_user_id: number | null
  group_id: number
}

/** Holder periods by device. */
export async function findHoldings(
  q: Queryable,
  device_ids: readonly number[],
): Promise<Map<number, Holding[]>> {
  const { rows } = await q.query<Holding>(
    `select device_id, from_at, to_at, device_user_id, group_id from device_history
     where client_id = $1 and device_id = any($2) order by device_id, from_at`,
    [q.client_id, device_ids],
  )
  return Map.groupBy(rows, ({ device_id }) => device_id)
}

/** The holder at a time. Times before the first period belong to its holder. */
export function holderAt(
  holdings: readonly Holding[] | undefined,
  at: number,
): Pick<Holding, 'device_user_id' | 'group_id'> {
  const held = holdings?.findLast(({ from_at }) => from_at <= at) ?? holdings?.[0]
  if (!held) throw new Error('the device has no history')
  return { device_user_id: held.device_user_id, group_id: held.group_id }
}

/** SQL condition: the user held the device at the time of the row. */
export const heldBy =
  (device_user_reference: string) =>
  (bind: Bind): string =>
    `r.device_user_id = (select u.device_user_id from device_users u
      where u.client_id = r.client_id and u.device_user_reference = ${bind(device_user_reference, 'text')})`
