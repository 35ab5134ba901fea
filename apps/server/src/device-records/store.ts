import type { Bind } from '../ports/database/binder.ts'
import type { AuthenticateRequest, WaitingReason } from '@custodia/contract'
import type { Phone } from '../http/context.ts'
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
  /** The device that it says it is. */
  same_hardware_as: number | null
}

/** SQL: whether device `d` counts: activated, and not deactivated since. */
export const IS_ACTIVE_DEVICE = '(d.activated_at is not null and not d.is_deactivated)'

/** Seconds without a sign of life from which on a phone is silent. */
export const SILENT_SECONDS = 86_400

/** Who holds a device, and the group its payloads go to. */
export interface Holder {
  device_user_id: number | null
  group_id: number
}

/** Somebody whose address a phone gives. */
export interface NamedHolder extends Holder {
  device_user_id: number
  device_user_reference: string
  expected_device_count: number
}

/** Marks a ULID as used. False when it was used before; a replay at the same moment waits for the first and loses. */
export async function useUlid(tx: Tx, ulid: string, now: number): Promise<boolean> {
  const { rowCount } = await tx.query(
    'insert into device_ulids (client_id, ulid, used_at) values ($1, $2, $3) on conflict do nothing',
    [tx.client_id, ulid, now],
    'device_use_ulid',
  )
  return rowCount === 1
}

/** Lets authentications of one phone run one after another, so that a new phone is created once. */
export async function lockHardware(tx: Tx, hardware: Hardware, device_key: string): Promise<void> {
  const names = [hardware.serial_number, ...hardware.imeis, hardware.installation_id, device_key]
    .filter((name) => name !== null)
    .map((name) => `device:${tx.client_id}:${name}`)
  await lockNames(tx, names)
}

/** Lets whoever locks one of these names wait for the end of the transaction. */
export async function lockNames(tx: Tx, names: readonly string[]): Promise<void> {
  // In one order, so that two phones cannot wait for each other.
  await tx.query(
    `select pg_advisory_xact_lock(key)
     from (select distinct hashtextextended(name, 0) as key from unnest($1::text[]) as name order by key) as keys`,
    [names],
    'device_lock',
  )
}

/** The first device for which a condition on these values holds, locked; the one that was seen last. */
export async function firstDevice(
  tx: Tx,
  condition: string,
  values: readonly (string | number | string[] | null)[],
): Promise<KnownDevice | undefined> {
  const { rows } = await tx.query<KnownDevice>(
    `select device_id, device_reference, device_user_id, group_id, services, imeis, installation_id, activated_at,
       is_deactivated, blocked_at, unlicensed_services, serial_number, email, device_key, waiting_since, waiting_reason,
       requested_user_id, same_hardware_as
     from devices where ${condition} order by last_seen desc nulls last, device_id limit 1 for update`,
    values,
  )
  return rows[0]
}

/**
 * The device user with this address, one who is still recorded first. Of somebody offboarded no phones are expected; somebody deleted is
 * found for a phone only that is theirs already.
 *
 * @param holder whose the phone is
 */
export async function findDeviceUser(
  tx: Tx,
  email: string,
  holder: number | null = null,
): Promise<NamedHolder | undefined> {
  const { rows } = await tx.query<NamedHolder>(
    `select device_user_id, device_user_reference, group_id, case when is_active then expected_device_count else 0 end as expected_device_count
     from device_users where lower(email) = lower($1) and (deleted_at is null or device_user_id = $2)
     order by deleted_at is null desc, is_active desc, device_user_id limit 1`,
    [email, holder],
    'device_user_by_email',
  )
  return rows[0]
}

/** What a known holder of a device may record. */
export async function readServices(tx: Tx, device_user_id: number): Promise<string[]> {
  const { rows } = await tx.query<{ services: string[] }>(
    `select case when is_active then services else '{}' end as services from device_users where device_user_id = $1`,
    [device_user_id],
    'device_user_services',
  )
  return rows[0]?.services ?? []
}

/** The group of devices without a holder. */
export async function readDefaultGroup(tx: Tx): Promise<number> {
  const { rows } = await tx.query<{ group_id: number }>(
    'select group_id from account_defaults where client_id = $1',
    [tx.client_id],
    'device_default_group',
  )
  const [row] = rows
  if (!row) throw new Error(`client ${tx.client_id} has no default group`)
  return row.group_id
}

/** How many phones in these groups wait until somebody decides whose they are. */
export async function countWaiting(q: Queryable, groups: readonly number[] | 'all'): Promise<number> {
  const { rows } = await q.query<{ count: number }>(
    `select count(*)::int as count from devices
     where client_id = $1 and waiting_since is not null and blocked_at is null and deleted_at is null
       and ($2::int[] is null or group_id = any($2))`,
    [q.client_id, groups === 'all' ? null : groups],
    'devices_waiting_count',
  )
  return rows[0]?.count ?? 0
}

/** What a phone says about itself, as it is stored. */
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

/** Stores a phone that was never seen. */
export async function insertDevice(tx: Tx, device_reference: string, state: DeviceState): Promise<number> {
  const places = STATE_COLUMNS.map((_, i) => `$${i + 3}`)
  const { rows } = await tx.query<{ device_id: number }>(
    `insert into devices (client_id, device_reference, activated_at, updated_by, ${STATE_COLUMNS.join(', ')})
     values ($1, $2, ${places[STATE_COLUMNS.indexOf('last_seen')]}, 'device', ${places.join(', ')}) returning device_id`,
    [tx.client_id, device_reference, ...stateValues(state)],
    'device_insert',
  )
  const [row] = rows
  if (!row) throw new Error('the device was not stored')
  return row.device_id
}

/** Stores what a known phone says now; what it no longer says about its hardware is kept. Activates it, one that was deleted as well. */
export async function updateDevice(tx: Tx, device_id: number, state: DeviceState): Promise<void> {
  const kept = new Set(['email', 'serial_number', 'fcm_token', 'installation_id'])
  const assignments = STATE_COLUMNS.map((column, i) =>
    kept.has(column) ? `${column} = coalesce($${i + 2}, ${column})` : `${column} = $${i + 2}`,
  )
  const NOW = STATE_COLUMNS.indexOf('last_seen') + 2
  await tx.query(
    // One that was away for a day, or not to record, begins anew to be expected to bring something.
    `update devices set awake_since = case when is_deactivated or activated_at is null or last_seen < $${NOW} - ${SILENT_SECONDS} then $${NOW} else awake_since end,
       ${assignments.join(', ')}, is_deactivated = false, deactivation_date = null, deleted_at = null, is_legacy = false,
       activated_at = coalesce(activated_at, $${NOW}), updated_by = 'device'
     where device_id = $1`,
    [device_id, ...stateValues(state)],
    'device_update',
  )
}

/** Deactivates phones and hides them: the references stay theirs, and what they recorded stays. Each is activated again once it authenticates. */
export async function hideDevices(
  tx: Tx,
  device_ids: readonly number[],
  { updated_at, updated_by }: { updated_at: number; updated_by: string },
): Promise<void> {
  await tx.query(
    `update devices set is_deactivated = true, deactivation_date = coalesce(deactivation_date, $3), deleted_at = $3, updated_at = $3, updated_by = $4
     where client_id = $1 and device_id = any($2)`,
    [tx.client_id, device_ids, updated_at, updated_by],
    'devices_hide',
  )
  // What authenticating again makes valid must not be what somebody took.
  for (const device_id of device_ids) await endTokens(tx, device_id)
}

/** Continues the device's history: closes the period of another holder and opens one for this holder. */
export const recordHolder = (tx: Tx, device_id: number, holder: Holder, now: number): Promise<void> =>
  recordHolders(tx, [{ ...holder, device_id }], now)

/** The same of many devices. */
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
     -- Whoever gets it has brought nothing with it yet.
     update devices d set awake_since = $2 from closed c
     where d.client_id = $1 and d.device_id = c.device_id and c.is_anothers`,
    held,
    'device_history_close',
  )
  await tx.query(
    `insert into device_history (client_id, device_id, from_at, device_user_id, group_id)
     select $1::int, device_id, $2::bigint, device_user_id, group_id
     from unnest($3::int[], $4::int[], $5::int[]) as x (device_id, device_user_id, group_id)
     where not exists (select from device_history h where h.client_id = $1 and h.device_id = x.device_id and h.to_at is null)
     on conflict (client_id, device_id, from_at)
     do update set device_user_id = excluded.device_user_id, group_id = excluded.group_id, to_at = null`,
    held,
    'device_history_open',
  )
}

/** Gives the phones that people hold to other groups, from now on; what they recorded before stays where it was. */
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
    'devices_move',
  )
  if (rows.length > 0) await recordHolders(tx, rows, by.updated_at)
}

/** The newest public key of a client, for its phones. */
export async function readPhoneKey(
  q: Queryable,
): Promise<{ key_id: string; public_key: string } | undefined> {
  const { rows } = await q.query<{ key_id: string; public_key: string }>(
    `select key_id, public_key from client_keys
     where client_id = $1 and retired_at is null order by created_at desc, key_id limit 1`,
    [q.client_id],
    'device_phone_key',
  )
  return rows[0]
}

/** Whether a key was made for the phones of the tenant, also one that was replaced since. */
export async function hasPhoneKey(q: Queryable, key_id: string): Promise<boolean> {
  const { rowCount } = await q.query(
    'select from client_keys where client_id = $1 and key_id = $2',
    [q.client_id, key_id],
    'device_has_phone_key',
  )
  return rowCount === 1
}

/** A device and the group that it belongs to now, be it deleted; undefined where there is none of that name. */
export async function findGroupOfDevice(
  q: Queryable,
  device_reference: string,
): Promise<{ device_id: number; group_id: number } | undefined> {
  const { rows } = await q.query<{ device_id: number; group_id: number }>(
    'select device_id, group_id from devices where client_id = $1 and device_reference = $2',
    [q.client_id, device_reference],
    'device_group',
  )
  return rows[0]
}

/** Who holds a device, and the group that it belongs to, by their names. */
export async function findBelonging(
  q: Queryable,
  device_id: number,
): Promise<Pick<Phone, 'device_user_reference' | 'group_reference' | 'group_id'> | undefined> {
  const { rows } = await q.query<Pick<Phone, 'device_user_reference' | 'group_reference' | 'group_id'>>(
    `select u.device_user_reference, g.group_reference, g.group_id from devices d
     join groups g using (client_id, group_id) left join device_users u using (client_id, device_user_id)
     where d.device_id = $1`,
    [device_id],
    'device_audit_names',
  )
  return rows[0]
}

/** Ids of the groups of these references, as far as there are such. */
export async function findGroupIds(q: Queryable, references: readonly string[]): Promise<number[]> {
  const { rows } = await q.query<{ group_id: number }>(
    'select group_id from groups where client_id = $1 and group_reference = any($2)',
    [q.client_id, references],
    'device_groups_by_reference',
  )
  return rows.map(({ group_id }) => group_id)
}

/** A time for which somebody held a device. */
export interface Holding {
  device_id: number
  from_at: number
  to_at: number | null
  device_user_id: number | null
  group_id: number
}

/** Who held devices when, by device. */
export async function findHoldings(
  q: Queryable,
  device_ids: readonly number[],
): Promise<Map<number, Holding[]>> {
  const { rows } = await q.query<Holding>(
    `select device_id, from_at, to_at, device_user_id, group_id from device_history
     where client_id = $1 and device_id = any($2) order by device_id, from_at`,
    [q.client_id, device_ids],
    'device_holdings',
  )
  return Map.groupBy(rows, ({ device_id }) => device_id)
}

/** The holder at a moment; what was recorded before the device was known counts for its first holder. */
export function holderAt(
  holdings: readonly Holding[] | undefined,
  at: number,
): Pick<Holding, 'device_user_id' | 'group_id'> {
  const held = holdings?.findLast(({ from_at }) => from_at <= at) ?? holdings?.[0]
  if (!held) throw new Error('a device without history')
  return { device_user_id: held.device_user_id, group_id: held.group_id }
}

/** The condition that somebody held the phone at the time of the row. */
export const heldBy =
  (device_user_reference: string) =>
  (bind: Bind): string =>
    `r.device_user_id = (select u.device_user_id from device_users u
      where u.client_id = r.client_id and u.device_user_reference = ${bind(device_user_reference, 'text')})`
