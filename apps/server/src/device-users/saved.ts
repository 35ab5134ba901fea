import { type DeviceUserInput, fault, type LicenseLimits } from '@custodia/contract'
import { findGroup, type GroupRecord } from '../groups/store.ts'
import { actorOf, type PortalContext } from '../http/context.ts'
import { Problem } from '../http/problem.ts'
import { lockLimits, readUse } from '../licenses/store.ts'
import type { Tx } from '../ports/database/lease.ts'
import { findNamesakes } from './add-store.ts'
import type { DeviceUserRecord, Saved } from './store.ts'

/** Who saves, and when. */
export const byOf = ({ now, caller }: PortalContext) => ({ updated_at: now, updated_by: actorOf(caller) })

/** A group that the caller may not put anybody into does not exist for them. */
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

/** A phone says whose it is by an address: that of two people at once would be anybody's. */
export async function assertOwnAddress(
  tx: Tx,
  device_user_reference: string,
  { email, is_active }: DeviceUserInput,
): Promise<void> {
  if (email === null || !is_active) return
  const namesakes = await findNamesakes(tx, [email])
  if (namesakes.some((each) => each.device_user_reference !== device_user_reference))
    throw new Problem('invalid_input', { faults: [fault('email', 'email_taken')] })
}

/** What there is, and what activated phones use. */
export interface Licenses {
  limits: LicenseLimits
  used: LicenseLimits
}

/** As of now, and until the transaction ends: nobody else sets them meanwhile. */
export async function readLicenses(tx: Tx): Promise<Licenses> {
  const { limits } = await lockLimits(tx)
  return { limits, used: await readUse(tx) }
}

/**
 * Services are assigned as far as licences go: what the person's activated phones would newly use must be left (reading-the-spec: licences).
 * Recording that has begun is never stopped by it. Problem: license_exceeded.
 */
export async function assertLicensed(
  tx: Tx,
  known: DeviceUserRecord,
  { services, is_active }: DeviceUserInput,
): Promise<void> {
  if (!is_active) return
  const had = new Set(known.is_active ? known.services : [])
  const added = services.filter((service) => !had.has(service))
  if (added.length === 0) return
  const problem = overLicensed(added, await readLicenses(tx))
  if (problem) throw problem
}

/** Why these services cannot be assigned, if so. */
export function overLicensed(
  added: DeviceUserInput['services'],
  { limits, used }: Licenses,
): Problem | undefined {
  const over = added.filter((service) => limits[service] === 0 || used[service] > limits[service])
  return over.length > 0 ? new Problem('license_exceeded', { detail: over.join(', ') }) : undefined
}

/** What is stored of a save. */
export function savedOf(
  { group: _group, ...input }: DeviceUserInput,
  { group_id }: GroupRecord,
  now: number,
  known?: DeviceUserRecord,
): Saved {
  return { ...input, group_id, ...datesOf(input, now, known) }
}

/** Onboarding (again) starts a time and clears its end; offboarding ends it (spec section 4). */
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
