import { type DeviceUserInput, fault } from '@custodia/contract'
import { findGroup, type GroupRecord } from '../groups/store.ts'
import { actorOf, type PortalContext } from '../http/context.ts'
import { Problem } from '../http/problem.ts'
import type { Tx } from '../ports/database/lease.ts'
import type { DeviceUserRecord, Saved } from './store.ts'

/** A user before and after a save. */
export interface UserToSave {
  device_user_reference: string
  body: DeviceUserInput
  /** The stored user, locked for the change; undefined for a new one. */
  known?: DeviceUserRecord | undefined
}

export const byOf = ({ now, caller }: PortalContext) => ({ updated_at: now, updated_by: actorOf(caller) })

/** A group in which the caller cannot place users counts as not found. */
export async function groupWithinReach(
  { caller }: PortalContext,
  tx: Tx,
  action: 'users:create' | 'users:update',
  group_reference: string,
): Promise<GroupRecord> {
  const group = await findGroup(tx, group_reference)
  if (!group || !caller.access.permits(action, group))
    throw new Problem('invalid_input', {
      faults: [fault('group', 'unknown_reference', { value: group_reference })],
    })
  return group
}

/** Columns of a save. */
export function savedOf(
  { group: _group, ...input }: DeviceUserInput,
  { group_id }: GroupRecord,
  now: number,
  known?: DeviceUserRecord,
): Saved {
  return { ...input, group_id, ...datesOf(input, now, known) }
}

/** Onboarding sets the start and clears the end; offboarding sets the end (spec section 4). */
export function datesOf(
  { is_active }: { is_active: boolean },
  now: number,
  known: DeviceUserRecord | undefined,
): Pick<Saved, 'is_active' | 'onboard_date' | 'offboard_date'> {
  const { onboard_date = null, offboard_date = null } = known ?? {}
  if (known?.is_active === is_active) return { is_active, onboard_date, offboard_date }
  return is_active
    ? { is_active, onboard_date: now, offboard_date: null }
    : { is_active, onboard_date, offboard_date: now }
}
