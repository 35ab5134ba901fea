import { type Holder, type KnownDevice, firstDevice } from '../../device-records/store.ts'
import type { Tx } from '../../ports/database/lease.ts'

export interface WaitingDevice extends KnownDevice {
  requested_user_reference: string | null
  previous_user_id: number | null
  previous_group_id: number | null
  /** Holder of the claimed device. */
  holder_of_other: number | null
}

export type ChangeStamp = { updated_at: number; updated_by: string }

/** Locks and returns a device unless deleted. */
export async function findWaitingDevice(
  tx: Tx,
  device_reference: string,
): Promise<WaitingDevice | undefined> {
  const device = await firstDevice(tx, 'device_reference = $1 and deleted_at is null', [device_reference])
  if (!device) return undefined
  const before = await tx.row<Omit<WaitingDevice, keyof KnownDevice>>(
    `select d.previous_user_id, d.previous_group_id, r.device_user_reference as requested_user_reference, o.device_user_id as holder_of_other
     from devices d left join device_users r on r.client_id = d.client_id and r.device_user_id = d.requested_user_id
     left join devices o on o.client_id = d.client_id and o.device_id = d.same_hardware_as
     where d.client_id = $1 and d.device_id = $2`,
    [tx.client_id, device.device_id],
  )
  return before && { ...device, ...before }
}

/** Returns at most two waiting devices with this serial number. */
export function findWaitingBySerial(tx: Tx, serial_number: string): Promise<string[]> {
  return tx.column<string>(
    `select device_reference from devices
     where client_id = $1 and serial_number = $2 and waiting_since is not null and blocked_at is null and deleted_at is null limit 2`,
    [tx.client_id, serial_number],
  )
}

/** Returns a user with their group, also a deleted user. */
export function readHolder(tx: Tx, device_user_id: number): Promise<Holder | undefined> {
  return tx.row<Holder>(
    'select device_user_id, group_id from device_users where client_id = $1 and device_user_id = $2',
    [tx.client_id, device_user_id],
  )
}

/** Ends the waiting of a device. `is_itself`: its hardware is confirmed too. */
export async function endWaiting(
  tx: Tx,
  { device_id }: Pick<KnownDevice, 'device_id'>,
  state: Holder & { unlicensed_services: readonly string[]; is_itself: boolean },
  by: ChangeStamp,
): Promise<void> {
  await tx.query(
    `update devices set device_user_id = $3, group_id = $4, unlicensed_services = $5, waiting_since = null, waiting_reason = null,
       requested_user_id = null, previous_user_id = null, previous_group_id = null,
       same_hardware_as = case when $6 then null else same_hardware_as end, updated_at = $7, updated_by = $8
     where client_id = $1 and device_id = $2`,
    [
      tx.client_id,
      device_id,
      state.device_user_id,
      state.group_id,
      state.unlicensed_services,
      state.is_itself,
      by.updated_at,
      by.updated_by,
    ],
  )
}

/** Assigns the waiting time to the holder, so that late payloads of that time follow. */
export async function reassignHistory(
  tx: Tx,
  device_id: number,
  reserved_group: number,
  { device_user_id, group_id }: Holder,
): Promise<void> {
  await tx.query(
    `update device_history set device_user_id = $4, group_id = $5
     where client_id = $1 and device_id = $2 and group_id = $3`,
    [tx.client_id, device_id, reserved_group, device_user_id, group_id],
  )
}

/** A device whose payloads are to be reassigned. */
export interface Reassignment {
  reassignment_id: number
  device_id: number
  requested_by: string
}

/** Requests a reassignment of a device's payloads, with an audit entry. */
export async function insertReassignment(
  tx: Tx,
  { device_id, at, by }: { device_id: number; at: number; by: string },
): Promise<void> {
  await tx.query(
    'insert into device_reassignments (client_id, device_id, requested_at, requested_by) values ($1, $2, $3, $4)',
    [tx.client_id, device_id, at, by],
  )
}

/** Open reassignments, and done ones that a concurrent announcement may have missed. */
export function findReassignments(tx: Tx, done_since: number): Promise<Reassignment[]> {
  return tx.rows<Reassignment>(
    `select reassignment_id, device_id, requested_by from device_reassignments
     where client_id = $1 and (done_at is null or done_at > $2) order by reassignment_id`,
    [tx.client_id, done_since],
  )
}

/** Stores the progress of a reassignment. */
export async function noteReassignment(
  tx: Tx,
  reassignment_id: number,
  { moved, done_at }: { moved: number; done_at: number | null },
): Promise<void> {
  await tx.query(
    `update device_reassignments set moved = moved + $3, done_at = coalesce(done_at, $4)
     where client_id = $1 and reassignment_id = $2 and ($3 > 0 or done_at is null)`,
    [tx.client_id, reassignment_id, moved, done_at],
  )
}
