import { type AccessImpact, type DeviceService, DeviceUserInput, fault } from '@custodia/contract'
import { assertPermitted } from '../access/impact.ts'
import { previewMoveImpact } from '../access/move-impact.ts'
import { revokeEnrolmentsOf } from '../device-records/enrolments-store.ts'
import { moveDevicesOf } from '../device-records/store.ts'
import { findGroup, type GroupRecord } from '../groups/store.ts'
import { getActor, type PortalContext } from '../http/context.ts'
import { Problem } from '../http/problem.ts'
import { lockLimits, readUse } from '../licenses/store.ts'
import type { Tx } from '../ports/database/lease.ts'
import { findDevicesOfUsers } from './status-store.ts'
import {
  type DeviceUserRecord,
  findNamesakes,
  findTaken,
  insertUsers,
  insertUserWords,
  lockEmails,
  type SavedUser,
  updateUsers,
} from './store.ts'

/** A user before and after a save. */
export interface UserToSave {
  device_user_reference: string
  body: DeviceUserInput
  /** The stored user, locked for the change; undefined for a new one. */
  known?: DeviceUserRecord | undefined
}

export const getAuthorship = ({ now, caller }: PortalContext) => ({
  updated_at: now,
  updated_by: getActor(caller),
})

const FIELDS = Object.keys(DeviceUserInput.def.shape) as (keyof DeviceUserInput)[]

/** The input that saves a user unchanged. */
export const getInput = (known: DeviceUserRecord): DeviceUserInput =>
  Object.fromEntries(FIELDS.map((field) => [field, known[field]])) as DeviceUserInput

/** Whether an input changes nothing. */
export const isSame = (known: DeviceUserRecord, input: DeviceUserInput): boolean =>
  FIELDS.every((field) => JSON.stringify(known[field]) === JSON.stringify(input[field]))

/** A group in which the caller cannot place users counts as not found. */
async function groupWithinReach(
  { caller }: PortalContext,
  tx: Tx,
  action: 'users:create' | 'users:update',
  group_reference: string,
): Promise<GroupRecord> {
  const group = await findGroup(tx, group_reference, 'for key share')
  if (!group || !caller.access.permits(action, group))
    throw new Problem('invalid_input', {
      faults: [fault('group', 'unknown_reference', { value: group_reference })],
    })
  return group
}

function getSaved(
  { group: _group, ...input }: DeviceUserInput,
  { group_id }: GroupRecord,
  now: number,
  known?: DeviceUserRecord,
): SavedUser {
  return { ...input, group_id, ...getDates(input, now, known) }
}

/** Onboarding sets the start and clears the end; offboarding sets the end (spec section 4). */
export function getDates(
  { is_active }: { is_active: boolean },
  now: number,
  known: DeviceUserRecord | undefined,
): Pick<SavedUser, 'is_active' | 'onboard_date' | 'offboard_date'> {
  const { onboard_date = null, offboard_date = null } = known ?? {}
  if (known?.is_active === is_active) return { is_active, onboard_date, offboard_date }
  return is_active
    ? { is_active, onboard_date: now, offboard_date: null }
    : { is_active, onboard_date, offboard_date: now }
}

/** Free licences while users are saved one by one. */
interface LicenseBook {
  /** Services without a free licence for a user (reading-the-spec: licences). Active services are never stopped. */
  overBy: (user: UserToSave) => DeviceService[]
  take: (user: UserToSave) => void
}

type UserServices = Pick<DeviceUserInput, 'services' | 'is_active'>
const getServices = (user: UserServices | undefined): readonly DeviceService[] =>
  user?.is_active ? user.services : []

/** Reads the free licences. Locks them until the transaction ends when a user gets a service. */
async function openLicenseBook(tx: Tx, users: readonly UserToSave[]): Promise<LicenseBook> {
  if (!users.some((user) => addedServices(user).length > 0))
    return { overBy: () => [], take: () => undefined }
  const { limits } = await lockLimits(tx)
  const used = await readUse(tx)
  const devices = await findDevicesOfUsers(
    tx,
    users.flatMap(({ known }) => (known ? [known.device_user_id] : [])),
  )
  /** Active devices that record a service as soon as the user has it. */
  const phonesFor = ({ known }: UserToSave, service: DeviceService) =>
    (known ? (devices.get(known.device_user_id) ?? []) : []).filter(
      (unlicensed) => !unlicensed.includes(service),
    ).length
  return {
    overBy: (user) =>
      addedServices(user).filter(
        (service) => limits[service] === 0 || used[service] + phonesFor(user, service) > limits[service],
      ),
    take(user) {
      for (const service of addedServices(user)) used[service] += phonesFor(user, service)
      const has = getServices(user.body)
      for (const service of getServices(user.known))
        if (!has.includes(service)) used[service] -= phonesFor(user, service)
    },
  }
}

function addedServices({ body, known }: UserToSave): DeviceService[] {
  const had = getServices(known)
  return getServices(body).filter((service) => !had.includes(service))
}

/**
 * Owners of emails while users are saved one by one. An email must identify one user, because devices name their holder
 * by it.
 */
interface Addresses {
  isTaken: (user: UserToSave) => boolean
  take: (user: UserToSave) => void
}

/** Current owners of the emails that these users have or get. Locks emails when a user gets another one. */
async function getAddresses(tx: Tx, users: readonly UserToSave[]): Promise<Addresses> {
  const getsAnother = ({ body, known }: UserToSave) => {
    const address = getAddress(body)
    return address !== undefined && address !== (known && getAddress(known))
  }
  if (users.some(getsAnother)) await lockEmails(tx)
  const wanted = users.flatMap(({ body }) => getAddress(body) ?? [])
  const holders = new Map<string, Set<string>>()
  const add = (address: string, reference: string) =>
    holders.set(address, (holders.get(address) ?? new Set()).add(reference))
  for (const { email, device_user_reference } of wanted.length > 0 ? await findNamesakes(tx, wanted) : [])
    add(email, device_user_reference)
  return {
    isTaken({ body, device_user_reference }) {
      const address = getAddress(body)
      const others = address === undefined ? [] : [...(holders.get(address) ?? [])]
      return others.some((each) => each !== device_user_reference)
    },
    take({ body, known, device_user_reference }) {
      const before = known && getAddress(known)
      if (before !== undefined) holders.get(before)?.delete(device_user_reference)
      const address = getAddress(body)
      if (address !== undefined) add(address, device_user_reference)
    },
  }
}

/** The email that devices can use; none for an offboarded user. */
const getAddress = ({ email, is_active }: Pick<DeviceUserInput, 'email' | 'is_active'>): string | undefined =>
  is_active ? email?.toLowerCase() : undefined

/** State that the rows before leave. */
interface BatchState {
  taken: ReadonlySet<string>
  addresses: Addresses
  licenses: LicenseBook
  getGroup: (user: UserToSave) => Promise<GroupRecord>
  /** Access impact of a move between two groups. */
  getMove: (from: DeviceUserRecord, to: GroupRecord) => AccessImpact
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
    addresses: await getAddresses(tx, users),
    licenses: await openLicenseBook(tx, users),
    getGroup: groupCache(context, tx),
    getMove: moveCache(context),
  }
  const saved: (UserToSave & { row: SavedUser })[] = []
  const problems: (Problem | undefined)[] = []
  for (const user of users) {
    try {
      const group = await validate(context, tx, present, user)
      saved.push({ ...user, row: getSaved(user.body, group, context.now, user.known) })
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
  { taken, addresses, licenses, getGroup, getMove }: BatchState,
  user: UserToSave,
): Promise<GroupRecord> {
  const { device_user_reference, known } = user
  const group = await getGroup(user)
  if (addresses.isTaken(user)) throw new Problem('invalid_input', { faults: [fault('email', 'email_taken')] })
  if (taken.has(device_user_reference)) throw new Problem('already_exists')
  const over = licenses.overBy(user)
  if (over.length > 0) throw new Problem('license_exceeded', { detail: over.join(', ') })
  if (known && known.group_id !== group.group_id)
    await assertPermitted(context, tx, getMove(known, group), {
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
  users: readonly (UserToSave & { row: SavedUser })[],
): Promise<Set<string>> {
  const by = getAuthorship(context)
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
function groupCache(context: PortalContext, tx: Tx): BatchState['getGroup'] {
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
function moveCache({ caller }: PortalContext): BatchState['getMove'] {
  const validated = new Map<string, AccessImpact>()
  return (from, to) => {
    const key = `${from.group_id} ${to.group_id}`
    const impact = validated.get(key) ?? previewMoveImpact(caller, from, to)
    validated.set(key, impact)
    return impact
  }
}
