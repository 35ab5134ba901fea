import { type AccessImpact, fault } from '@custodia/contract'
import { assertPermitted } from '../access/assert-permitted.ts'
import { previewMoveImpact } from '../access/move-impact.ts'
import { moveDevicesOf } from '../device-records/store.ts'
import { revokeEnrolmentsOf } from '../device-records/enrolments-store.ts'
import type { GroupRecord } from '../groups/store.ts'
import type { PortalContext } from '../http/context.ts'
import { Problem } from '../http/problem.ts'
import type { Tx } from '../ports/database/lease.ts'
import { type Addresses, addressesOf } from './addresses.ts'
import { type LicenseBook, licenseBookOf } from './license-book.ts'
import { findTaken, insertUsers } from './save-store.ts'
import { byOf, groupWithinReach, savedOf, type UserToSave } from './saved.ts'
import { type DeviceUserRecord, insertUserWords, type Saved, updateUsers } from './store.ts'

/** State that the rows before leave. */
interface BatchState {
  taken: ReadonlySet<string>
  addresses: Addresses
  licenses: LicenseBook
  groupOf: (user: UserToSave) => Promise<GroupRecord>
  /** Access impact of a move between two groups. */
  moveOf: (from: DeviceUserRecord, to: GroupRecord) => AccessImpact
}

/**
 * Saves users in a constant number of statements; each row sees the rows before it. Returns the error of each:
 * already_exists, invalid_input, escalation, license_exceeded.
 */
export async function saveUsers(
  context: PortalContext,
  tx: Tx,
  users: readonly UserToSave[],
): Promise<(Problem | undefined)[]> {
  const present: BatchState = {
    taken: await findTaken(
      tx,
      users.flatMap(({ known, device_user_reference }) => (known ? [] : [device_user_reference])),
    ),
    addresses: await addressesOf(tx, users),
    licenses: await licenseBookOf(tx, users),
    groupOf: groupCache(context, tx),
    moveOf: moveCache(context),
  }
  const saved: (UserToSave & { row: Saved })[] = []
  const problems: (Problem | undefined)[] = []
  for (const user of users) {
    try {
      const group = await validate(context, tx, present, user)
      saved.push({ ...user, row: savedOf(user.body, group, context.now, user.known) })
      problems.push(undefined)
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      problems.push(error)
    }
  }
  const lost = await write(context, tx, saved)
  return problems.map(
    (problem, i) =>
      problem ??
      (lost.has(users[i]?.device_user_reference ?? '') ? new Problem('already_exists') : undefined),
  )
}

/** Throws when a user cannot be saved; else reserves the licences and email. */
async function validate(
  context: PortalContext,
  tx: Tx,
  { taken, addresses, licenses, groupOf, moveOf }: BatchState,
  user: UserToSave,
): Promise<GroupRecord> {
  const { device_user_reference, known } = user
  const group = await groupOf(user)
  if (addresses.isTaken(user)) throw new Problem('invalid_input', { faults: [fault('email', 'email_taken')] })
  if (taken.has(device_user_reference)) throw new Problem('already_exists')
  const over = licenses.overBy(user)
  if (over.length > 0) throw new Problem('license_exceeded', { detail: over.join(', ') })
  if (known && known.group_id !== group.group_id)
    await assertPermitted(context, tx, moveOf(known, group), {
      what: { text: 'escalated_by_move', name: device_user_reference },
      confirm_lockout: undefined,
    })
  addresses.take(user)
  licenses.take(user)
  return group
}

/** Returns the references that a parallel transaction took. */
async function write(
  context: PortalContext,
  tx: Tx,
  users: readonly (UserToSave & { row: Saved })[],
): Promise<Set<string>> {
  const by = byOf(context)
  const changed = users.flatMap(({ known, ...user }) => (known ? [{ ...user, known }] : []))
  const added = users.filter(({ known }) => !known)
  const made = await insertUsers(
    tx,
    added.map(({ device_user_reference, row }) => ({ ...row, device_user_reference })),
    by,
  )
  const ids = new Map([
    ...made.map((each) => [each.device_user_reference, each.device_user_id] as const),
    ...changed.map(({ known }) => [known.device_user_reference, known.device_user_id] as const),
  ])
  await updateUsers(
    tx,
    changed.map(({ known, row }) => ({ ...row, device_user_id: known.device_user_id })),
    by,
  )
  const named = users.flatMap(({ device_user_reference, body }) => {
    const device_user_id = ids.get(device_user_reference)
    return device_user_id === undefined ? [] : [{ ...body, device_user_reference, device_user_id }]
  })
  await insertUserWords(tx, named)
  const left = changed.filter(({ body }) => !body.is_active)
  await revokeEnrolmentsOf(
    tx,
    left.map(({ known }) => known.device_user_id),
    by,
  )
  const moved = changed.filter(({ known, row }) => known.group_id !== row.group_id)
  await moveDevicesOf(
    tx,
    moved.map(({ known, row }) => ({ device_user_id: known.device_user_id, group_id: row.group_id })),
    by,
  )
  return new Set(
    added.flatMap(({ device_user_reference }) =>
      ids.has(device_user_reference) ? [] : [device_user_reference],
    ),
  )
}

/** Finds each group once. Throws when it is out of reach. */
function groupCache(context: PortalContext, tx: Tx): BatchState['groupOf'] {
  const asked = new Map<string, Promise<GroupRecord>>()
  return ({ known, body: { group } }) => {
    const action = known ? 'users:update' : 'users:create'
    const key = `${action} ${group}`
    const found = asked.get(key) ?? groupWithinReach(context, tx, action, group)
    asked.set(key, found)
    return found
  }
}

/** Computes the impact of each pair of groups once. */
function moveCache({ caller }: PortalContext): BatchState['moveOf'] {
  const validated = new Map<string, AccessImpact>()
  return (from, to) => {
    const key = `${from.group_id} ${to.group_id}`
    const impact = validated.get(key) ?? previewMoveImpact(caller, from, to)
    validated.set(key, impact)
    return impact
  }
}
