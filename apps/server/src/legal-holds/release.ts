import { Problem } from '../http/problem.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'
import type { DeferredActs } from '../proposals/store.ts'
import { findHeldUser, findHoldingEvent, isActive, writeHolds } from './hold-store.ts'
import { findMattersOf, findMembers, findStatus, lockMatter, removePeople } from './matter-store.ts'
import { type HoldSubject, lockSubjects } from '../held-records/store.ts'

/** Who releases, and the reason from `keepReason`. */
export interface Releaser {
  by: string
  reason_id: string | null
  /** Second person, with dual control. */
  confirmed_by: string | null
}

/** Releases a locked, held subject that no matter holds. */
export async function releaseHeld(tx: Tx, { target_type, target }: HoldSubject, as: Releaser): Promise<void> {
  const device_user_id = target_type === 'DeviceUser' ? ((await findHeldUser(tx, target)) ?? null) : null
  await writeHolds(tx, [{ target_type, target, device_user_id }], { act: 'released', matter_id: null, ...as })
}

/** Removes people from a locked matter, optionally closing it, and releases those without another hold. */
export async function releaseOf(
  tx: Tx,
  matter_id: string,
  members: readonly HoldSubject[],
  as: Releaser & { isClosing: boolean },
): Promise<void> {
  const { by, reason_id, confirmed_by, isClosing } = as
  await lockSubjects(tx, members)
  await removePeople(tx, matter_id, members, {
    by,
    closed_reason_id: isClosing ? reason_id : null,
    confirmed_by,
  })
  const status = await findStatus(tx, members)
  const free = status.filter(({ is_active, is_own, matters }) => is_active && !is_own && matters.length === 0)
  await writeHolds(
    tx,
    free.map(({ target_type, target, device_user_id }) => ({ target_type, target, device_user_id })),
    { act: 'released', by, reason_id, matter_id, confirmed_by },
  )
}

/** Locks an open matter. Problems: not_found, wrong_state. */
export async function openMatter(tx: Tx, matter_id: string) {
  const matter = await lockMatter(tx, matter_id)
  if (!matter) throw new Problem('not_found', { detail: 'no such matter' })
  if (!matter.is_open) throw new Problem('wrong_state', { detail: 'the matter is closed' })
  return matter
}

/** Unique name of a subject. */
export const nameOf = ({ target_type, target }: HoldSubject) => `${target_type}:${target}`

/** State of a separate hold for its release, under lock. Undefined when it cannot be released. */
export async function basisOfHold(tx: Tx, subject: HoldSubject): Promise<{ event_id: number } | undefined> {
  if (!(await isActive(tx, subject)) || (await findMattersOf(tx, [subject])).length > 0) return undefined
  const event_id = await findHoldingEvent(tx, subject)
  return event_id === undefined ? undefined : { event_id }
}

/** State of a locked matter's people, which changes with each addition or removal. */
export async function basisOfMatter(q: Queryable, matter_id: string) {
  const members = await findMembers(q, matter_id)
  return { people: members.length, newest: Math.max(0, ...members.map(({ member_id }) => member_id)) }
}

/** State of a person in a locked matter; undefined outside it. */
export async function basisOfMember(
  q: Queryable,
  matter_id: string,
  subject: HoldSubject,
): Promise<{ member_id: number } | undefined> {
  const member = (await findMembers(q, matter_id)).find((each) => nameOf(each) === nameOf(subject))
  return member && { member_id: member.member_id }
}

const isOpen = async (tx: Tx, matter_id: string) => (await lockMatter(tx, matter_id))?.is_open ?? false

/** Releases under dual control. */
export const deferredReleases: Pick<DeferredActs, 'ReleaseHold' | 'ReleaseMatterPerson' | 'CloseMatter'> = {
  ReleaseHold: {
    async basisOf(tx, act) {
      await lockSubjects(tx, [act])
      return basisOfHold(tx, act)
    },
    carryOut: releaseHeld,
  },
  ReleaseMatterPerson: {
    basisOf: async (tx, act) =>
      (await isOpen(tx, act.matter_id)) ? basisOfMember(tx, act.matter_id, act) : undefined,
    carryOut: (tx, { matter_id, target_type, target }, as) =>
      releaseOf(tx, matter_id, [{ target_type, target }], { ...as, isClosing: false }),
  },
  CloseMatter: {
    basisOf: async (tx, { matter_id }) =>
      (await isOpen(tx, matter_id)) ? basisOfMatter(tx, matter_id) : undefined,
    carryOut: async (tx, { matter_id }, as) =>
      releaseOf(tx, matter_id, await findMembers(tx, matter_id), { ...as, isClosing: true }),
  },
}
