import type { WaitingReason } from '@custodia/contract'
import type { Hardware } from '../device-records/hardware.ts'
import { firstDevice, type Holder, IS_ACTIVE_DEVICE, type KnownDevice } from '../device-records/store.ts'
import type { Tx } from '../ports/database/lease.ts'

/** SQL: state of device `d`. */
export const DEVICE_STATE = `case when d.blocked_at is not null then 'blocked' when d.is_deactivated then 'deactivated'
  when d.activated_at is null then 'pending' else 'activated' end`

export const findDeviceByKey = (tx: Tx, device_key: string): Promise<KnownDevice | undefined> =>
  firstDevice(tx, 'device_key = $1', [device_key])

/** SQL: whether a device has one of these IMEIs. The first condition finds it by indexes. */
const hasImei = (imeis: string): string =>
  `((imeis[1] collate "C" = any(${imeis}::text[]) or imeis[2] collate "C" = any(${imeis}::text[]) or imeis[3] collate "C" is not null)
    and imeis && ${imeis}::text[])`

/** Hardware numbers identify confirmed devices only. A new or claimed device is identified by its key alone. */
const ITSELF = 'same_hardware_as is null and (waiting_since is null or previous_group_id is not null)'

/**
 * Finds a device by serial number, else IMEI, else installation. A restored backup copies the installation id, so
 * hardware numbers count first.
 */
export async function findDeviceByHardware(
  tx: Tx,
  { serial_number, imeis, installation_id }: Hardware,
): Promise<KnownDevice | undefined> {
  return (
    (await findDeviceByNumbers(tx, { serial_number, imeis })) ??
    (await firstDevice(tx, `${ITSELF} and ${SAME_INSTALLATION}`, [installation_id, serial_number, imeis]))
  )
}

const SAME_INSTALLATION = `installation_id = $1
  and (serial_number is null or $2::text is null) and (imeis = '{}' or $3::text[] = '{}')`

/** Finds a device by serial number, else by IMEI. */
export async function findDeviceByNumbers(
  tx: Tx,
  { serial_number, imeis }: Pick<Hardware, 'serial_number' | 'imeis'>,
): Promise<KnownDevice | undefined> {
  return (
    (await firstDevice(tx, `${ITSELF} and serial_number = $1`, [serial_number])) ??
    (await firstDevice(tx, `${ITSELF} and ${hasImei('$1')}`, [imeis]))
  )
}

/** Finds a blocked device with any of these hardware numbers. */
export const findBlocked = (
  tx: Tx,
  { serial_number, imeis, installation_id }: Hardware,
): Promise<KnownDevice | undefined> =>
  firstDevice(
    tx,
    `${ITSELF} and blocked_at is not null and (serial_number = $2 or ${hasImei('$3')} or (${SAME_INSTALLATION}))`,
    [installation_id, serial_number, imeis],
  )

/**
 * Counts the active devices of a user, without one of them. Locks the user, so that devices are counted one after
 * another.
 */
export async function countDevicesOf(
  tx: Tx,
  device_user_id: number,
  but_for: number | undefined,
): Promise<number> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [
    `devices of:${tx.client_id}:${device_user_id}`,
  ])
  return tx.count(
    `select count(*)::int as count from devices d
     where d.client_id = $1 and d.device_user_id = $2 and ${IS_ACTIVE_DEVICE} and d.device_id is distinct from $3::int`,
    [tx.client_id, device_user_id, but_for ?? null],
  )
}

/** Group of devices that wait for confirmation. */
export async function readReservedGroup(tx: Tx): Promise<number> {
  const row = await tx.row<{ group_id: number }>(
    'select group_id from groups where client_id = $1 and is_reserved',
    [tx.client_id],
  )
  if (!row) throw new Error(`client ${tx.client_id} has no reserved group`)
  return row.group_id
}

/** Pins a device's key unless it has one. */
export async function pinKey(tx: Tx, device_id: number, device_key: string, now: number): Promise<void> {
  await tx.query(
    `update devices set device_key = $3, key_pinned_at = $4
     where client_id = $1 and device_id = $2 and device_key is null`,
    [tx.client_id, device_id, device_key, now],
  )
}

/** Stores the time of the first hardware attestation of a key. */
export async function noteAttested(tx: Tx, device_id: number, now: number): Promise<void> {
  await tx.query(
    'update devices set attested_at = $3 where client_id = $1 and device_id = $2 and attested_at is null',
    [tx.client_id, device_id, now],
  )
}

/** Why a device waits. */
export interface WaitingState {
  reason: WaitingReason
  requested_user_id: number | null
  /** Former holder; null for a new device. */
  before: Holder | null
  same_hardware_as: number | null
  /** Services meanwhile. */
  services: readonly string[]
}

/** Makes a device wait for confirmation. */
export async function beginWaiting(
  tx: Tx,
  device_id: number,
  waiting: WaitingState,
  now: number,
): Promise<void> {
  await tx.query(
    `update devices set waiting_since = $3, waiting_reason = $4, requested_user_id = $5, previous_user_id = $6, previous_group_id = $7,
       same_hardware_as = $8, services = $9
     where client_id = $1 and device_id = $2`,
    [
      tx.client_id,
      device_id,
      now,
      waiting.reason,
      waiting.requested_user_id,
      waiting.before?.device_user_id ?? null,
      waiting.before?.group_id ?? null,
      waiting.same_hardware_as,
      waiting.services,
    ],
  )
}

/** Stores the holder that a waiting device requests now. */
export async function askForHolder(tx: Tx, device_id: number, requested_user_id: number): Promise<void> {
  await tx.query('update devices set requested_user_id = $3 where client_id = $1 and device_id = $2', [
    tx.client_id,
    device_id,
    requested_user_id,
  ])
}

/** Moves the hardware numbers to another device: deactivates this one, which its key alone identifies. */
export async function replaceDevice(
  tx: Tx,
  device_id: number,
  replaced_by: number,
  by: { updated_at: number; updated_by: string },
): Promise<void> {
  await tx.query(
    `update devices set same_hardware_as = $3, is_deactivated = true, deactivation_date = coalesce(deactivation_date, $4),
       updated_at = $4, updated_by = $5
     where client_id = $1 and device_id = $2`,
    [tx.client_id, device_id, replaced_by, by.updated_at, by.updated_by],
  )
}
