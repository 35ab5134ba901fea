import { Problem } from '../http/problem.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'
import type { DeferredActs } from '../proposals/store.ts'
import { findHeldUser, findHoldingEvent, isActive, writeHolds } from './hold-store.ts'
import { findMattersOf, findMembers, findStatus, lockMatter, removePeople } from './matter-store.ts'
import { type HoldSubject, lockSubjects } from '../held-records/store.ts'

/** Who releases, and why: of `keepReason`. */
export interface Releaser {
  by: string
  reason_id: string | null
  /** The second person, of an act that waited for one. */
  confirmed_by: string | null
}

/** Releases whom no matter holds; the subject must be locked, and held. */
export async function releaseHeld(tx: Tx, { target_type, target }: HoldSubject, as: Releaser): Promise<void> {
  const device_user_id = target_type === 'DeviceUser' ? ((await findHeldUser(tx, target)) ?? null) : null
  await writeHolds(tx, [{ target_type, target, device_user_id }], { act: 'released', matter_id: null, ...as })
}

/** Takes these out of a locked matter, which is closed with that or not, and releases those whom nothing else holds. */
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

/** A matter that is open, locked. Problems: not_found, wrong_state. */
export async function openMatter(tx: Tx, matter_id: string) {
  const matter = await lockMatter(tx, matter_id)
  if (!matter) throw new Problem('not_found', { detail: 'no such matter' })
  if (!matter.is_open) throw new Problem('wrong_state', { detail: 'the matter is closed' })
  return matter
}

/** One name for each subject. */
export const nameOf = ({ target_type, target }: HoldSubject) => `${target_type}:${target}`

/** How a hold stands that is to be released by itself; the subject must be locked. Undefined where it cannot be. */
export async function basisOfHold(tx: Tx, subject: HoldSubject): Promise<{ event_id: number } | undefined> {
  if (!(await isActive(tx, subject)) || (await findMattersOf(tx, [subject])).length > 0) return undefined
  const event_id = await findHoldingEvent(tx, subject)
  return event_id === undefined ? undefined : { event_id }
}

/** How the people of a locked matter stand: whoever joins or is taken out makes it another one. */
export async function basisOfMatter(q: Queryable, matter_id: string) {
  const members = await findMembers(q, matter_id)
  return { people: members.length, newest: Math.max(0, ...members.map(({ member_id }) => member_id)) }
}

/** How somebody belongs to a locked matter; undefined where they do not, or no more. */
export async function basisOfMember(
  q: Queryable,
  matter_id: string,
  subject: HoldSubject,
): Promise<{ member_id: number } | undefined> {
  const member = (await findMembers(q, matter_id)).find((each) => nameOf(each) === nameOf(subject))
  return member && { member_id: member.member_id }
}

const isOpen = async (tx: Tx, matter_id: string) => (await lockMatter(tx, matter_id))?.is_open ?? false

/** Releases that waited for a second person. */
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
