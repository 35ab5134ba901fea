import {
  fault,
  HOLD_COUNT_LIMITS,
  type LegalMatter,
  MATTER_PEOPLE_LIMIT,
  type MATTER_STATUSES,
  type MatterPerson,
  PersonReference,
  type legalMatterEndpoints,
} from '@custodia/contract'
import { accountTypes } from '@custodia/domain'
import type { AppContext } from '../app-context.ts'
import { findUsers, getUserFilter, lockUsers } from '../device-users/store.ts'
import { type HoldSubject, lockSubjects } from '../held-records/store.ts'
import { getActor, type Handler, type Handlers, type PortalContext } from '../http/context.ts'
import { newId } from '../http/new-id.ts'
import { getPage } from '../http/page.ts'
import { Problem } from '../http/problem.ts'
import { findStatus, type HeldSubject, getName, type Releaser, writeHolds } from '../legal-holds/store.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'
import { proposeIfAsked } from '../proposals/propose.ts'
import type { DeferredActs } from '../proposals/store.ts'
import { keepReason, openReason, sealReason } from '../reasons/reasons.ts'
import {
  addPeople,
  countMatters,
  countPeople,
  findMatter,
  findMatterReasons,
  findMembers,
  findUserIds,
  findUsersOf,
  insertMatter,
  listMatters,
  listPeople,
  lockMatter,
  type MatterPlace,
  type PersonPlace,
  removePeople,
} from './store.ts'

/** Removes people from a locked matter, optionally closing it, and releases those without another hold. */
async function releasePeople(
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
async function openMatter(tx: Tx, matter_id: string) {
  const matter = await lockMatter(tx, matter_id)
  if (!matter) throw new Problem('not_found', { detail: 'no such matter' })
  if (!matter.is_open) throw new Problem('wrong_state', { detail: 'the matter is closed' })
  return matter
}

/** State of a locked matter's people, which changes with each addition or removal. */
async function basisOfMatter(q: Queryable, matter_id: string) {
  const members = await findMembers(q, matter_id)
  return { people: members.length, newest: Math.max(0, ...members.map(({ member_id }) => member_id)) }
}

/** State of a person in a locked matter; undefined outside it. */
async function basisOfMember(
  q: Queryable,
  matter_id: string,
  subject: HoldSubject,
): Promise<{ member_id: number } | undefined> {
  const member = (await findMembers(q, matter_id)).find((each) => getName(each) === getName(subject))
  return member && { member_id: member.member_id }
}

const isOpen = async (tx: Tx, matter_id: string) => (await lockMatter(tx, matter_id))?.is_open ?? false

/** Releases of people by a matter, under dual control. */
export const deferredOfMatters: Pick<DeferredActs, 'ReleaseMatterPerson' | 'CloseMatter'> = {
  ReleaseMatterPerson: {
    getBasis: async (tx, act) =>
      (await isOpen(tx, act.matter_id)) ? basisOfMember(tx, act.matter_id, act) : undefined,
    carryOut: (tx, { matter_id, target_type, target }, as) =>
      releasePeople(tx, matter_id, [{ target_type, target }], { ...as, isClosing: false }),
  },
  CloseMatter: {
    getBasis: async (tx, { matter_id }) =>
      (await isOpen(tx, matter_id)) ? basisOfMatter(tx, matter_id) : undefined,
    carryOut: async (tx, { matter_id }, as) =>
      releasePeople(tx, matter_id, await findMembers(tx, matter_id), { ...as, isClosing: true }),
  },
}

type Parts = Pick<AppContext, 'cursors' | 'keys' | 'log'>
type Calls = keyof typeof legalMatterEndpoints
type Outcome = (typeof MATTER_STATUSES)[number]
type HoldRecordings = Handler<'holdMatterRecordings'>

/** The device users of recordings; `payloads/` knows them, so the server hands it over. */
export type UsersOfRecordings = (
  context: PortalContext,
  query: Parameters<HoldRecordings>[1]['query'],
  chosen: Parameters<HoldRecordings>[1]['body'],
) => Promise<{ users: string[]; recordings: number; without_user: number; is_cut: boolean }>

/** The holders of devices; `devices/` knows them, so the server hands them over. */
export type HoldersOfDevices = (
  context: PortalContext,
  tx: Tx,
  input: Pick<Parameters<Handler<'holdMatterDevices'>>[1], 'query' | 'body'>,
  limit: number,
) => Promise<{ users: string[]; devices: number; without_user: number }>

/** Modules above and next to this one that know the people of chosen records. */
export interface PeopleSources {
  ofRecordings: UsersOfRecordings
  ofDevices: HoldersOfDevices
}

/** Routes of matters: a hold on many people for one reason, released together. */
export const legalMatterRoutes = (
  ctx: Parts,
  { ofRecordings, ofDevices }: PeopleSources,
): Handlers<Calls> => ({
  listLegalMatters: list(ctx),
  openLegalMatter: open(ctx),
  readLegalMatter: read(ctx),
  listMatterPeople: people(ctx),
  holdMatterPeople: ({ caller, write }, { params: { matter_id }, body }) =>
    write((tx) => holdPeople(tx, matter_id, body, getActor(caller))),
  holdMatterUsers: holdUsers,
  holdMatterDevices: (context, { params: { matter_id }, ...input }) =>
    context.write(async (tx) => {
      const { users, devices, without_user } = await ofDevices(context, tx, input, BEYOND_LIMIT)
      const { data } = await holdPeople(tx, matter_id, ofUsers(users), getActor(context.caller))
      context.noteFacts({ devices })
      return { data, without_user }
    }),
  holdMatterRecordings: async (context, { params: { matter_id }, query, body }) => {
    const { users, recordings, ...counts } = await ofRecordings(context, query, body)
    context.noteFacts({ recordings })
    const { data } = await context.write((tx) =>
      holdPeople(tx, matter_id, ofUsers(users), getActor(context.caller)),
    )
    return { data, ...counts }
  },
  releaseMatterPerson: releaseOne(ctx),
  closeLegalMatter: close(ctx),
})

function list({ cursors }: Parts): Handler<'listLegalMatters'> {
  return async ({ caller: { client_id }, readFromReplica }, { query }) => {
    if (query.type === 'total') return { total: await readFromReplica((q) => countMatters(q, query)) }
    return getPage<LegalMatter, MatterPlace>(
      cursors,
      { name: 'legal_matters', client_id, query },
      (after, limit) => readFromReplica((q) => listMatters(q, query, { after, limit })),
      ({ opened_at, matter_id }) => [opened_at, matter_id],
    )
  }
}

function open({ keys }: Parts): Handler<'openLegalMatter'> {
  return async ({ caller, write }, { body: { name, reason } }) => {
    const matter_id = newId()
    const sealed = reason === undefined ? undefined : await sealReason({ keys }, caller.client, reason)
    return write(async (tx) => {
      const reason_id = await keepReason(tx, sealed)
      await insertMatter(tx, { matter_id, name, by: getActor(caller), reason_id })
      return getMatter(tx, matter_id)
    })
  }
}

/** A matter with its reasons. Problem: not_found. */
function read(ctx: Parts): Handler<'readLegalMatter'> {
  return async ({ caller: { client }, readFromReplica }, { params: { matter_id } }) => {
    const { matter, reasons } = await readFromReplica(async (q) => ({
      matter: await getMatter(q, matter_id),
      reasons: await findMatterReasons(q, matter_id),
    }))
    return {
      ...matter,
      opened_reason: await openReason(ctx, client, reasons.opened),
      closed_reason: await openReason(ctx, client, reasons.closed),
    }
  }
}

function people({ cursors }: Parts): Handler<'listMatterPeople'> {
  return ({ caller: { client_id, access }, action, readFromReplica }, { params: { matter_id }, query }) =>
    readFromReplica(async (q) => {
      await getMatter(q, matter_id)
      if (query.type === 'total') return { total: await countPeople(q, matter_id) }
      const page = await getPage(
        cursors,
        { name: `legal_matters ${matter_id}`, client_id, query },
        (after: PersonPlace | undefined, limit) =>
          listPeople(q, matter_id, {
            after,
            limit,
            counted: { most: HOLD_COUNT_LIMITS.list, types: accountTypes(access, action) },
          }),
        ({ target_type, target, member_id }) => [target_type, target, member_id] as const,
      )
      return { ...page, data: page.data.map(({ member_id: _id, ...person }): MatterPerson => person) }
    })
}

/** So many people that a matter refuses them all. */
const BEYOND_LIMIT = MATTER_PEOPLE_LIMIT + 1

const ofUsers = (references: readonly string[]) => ({
  people: references.map((target) => ({ target_type: 'DeviceUser' as const, target })),
})

/** Places device users on hold that the caller chose from the list, or that match its filters. */
const holdUsers: Handler<'holdMatterUsers'> = (context, { params: { matter_id }, query, body }) => {
  const { access } = context.caller
  const { client: _client, ...filters } = query
  const { device_user_references: chosen } = body
  return context.write(async (tx) => {
    const found = chosen
      ? (await findUsers(tx, chosen, true)).filter((user) => access.permits('users:list', user))
      : await lockUsers(tx, getUserFilter(access, filters), BEYOND_LIMIT)
    const users = found.map(({ device_user_reference }) => device_user_reference)
    const held = await holdPeople(tx, matter_id, ofUsers(users), getActor(context.caller))
    context.noteFacts({ users: users.length })
    return held
  })
}

/** Places people of a matter on hold. Problems: not_found; wrong_state for a closed or full matter. */
async function holdPeople(
  tx: Tx,
  matter_id: string,
  asked: Parameters<typeof getSubjects>[1],
  by: string,
): Promise<{ data: (HoldSubject & { status: Outcome })[] }> {
  const matter = await openMatter(tx, matter_id)
  const { found, refused } = await getSubjects(tx, asked)
  await lockSubjects(tx, found)
  const status = new Map((await findStatus(tx, found)).map((each) => [getName(each), each]))
  const belongs = (subject: HoldSubject) => status.get(getName(subject))?.matters.includes(matter_id) ?? false
  const added = found.filter((subject) => !belongs(subject))
  if (matter.people + added.length > MATTER_PEOPLE_LIMIT)
    throw new Problem('wrong_state', {
      faults: [fault('matter', 'matter_full', { limit: MATTER_PEOPLE_LIMIT })],
      detail: `more than ${MATTER_PEOPLE_LIMIT} people`,
    })
  await writeHolds(
    tx,
    added.filter((subject) => !status.get(getName(subject))?.is_active),
    { act: 'set', by, reason_id: matter.opened_reason_id, matter_id },
  )
  await addPeople(tx, matter_id, added, by)
  const result = found.map(({ target_type, target }) => ({
    target_type,
    target,
    status: belongs({ target_type, target }) ? ('AlreadyHeld' as const) : ('Ok' as const),
  }))
  return { data: [...result, ...refused] }
}

/**
 * Resolves the subjects of a call, and the reasons why others cannot be held. Problem: not_found for an unknown group.
 */
async function getSubjects(
  tx: Tx,
  { people = [], group }: { people?: readonly HoldSubject[] | undefined; group?: string | undefined },
): Promise<{ found: HeldSubject[]; refused: (HoldSubject & { status: Outcome })[] }> {
  const members = group === undefined ? [] : await findUsersOf(tx, group, MATTER_PEOPLE_LIMIT + 1)
  if (!members) throw new Problem('not_found', { detail: 'no such group' })
  const ids = await findUserIds(
    tx,
    people.filter(({ target_type }) => target_type === 'DeviceUser').map(({ target }) => target),
  )
  const found = new Map(members.map((each) => [getName(each), each]))
  const refused: (HoldSubject & { status: Outcome })[] = []
  for (const subject of people) {
    const device_user_id = subject.target_type === 'DeviceUser' ? ids.get(subject.target) : null
    if (device_user_id === undefined) refused.push({ ...subject, status: 'NoMatchingRecord' })
    else if (device_user_id === null && !PersonReference.safeParse(subject.target).success)
      refused.push({ ...subject, status: 'ReservedName' })
    else found.set(getName(subject), { ...subject, device_user_id })
  }
  return { found: [...found.values()], refused }
}

/**
 * Removes one person. Problems: not_found for a person outside the matter; wrong_state; already_proposed,
 * person_required.
 */
function releaseOne({ keys }: Parts): Handler<'releaseMatterPerson'> {
  return async (context, { params: { matter_id, target_type, target }, query }) => {
    const sealed = await sealReason({ keys }, context.caller.client, query.reason)
    return context.write(async (tx) => {
      await openMatter(tx, matter_id)
      const subject = { target_type, target }
      const basis = await basisOfMember(tx, matter_id, subject)
      if (!basis) throw new Problem('not_found', { detail: 'the matter does not hold this person' })
      const reason_id = await keepReason(tx, sealed)
      const proposed = await proposeIfAsked(context, tx, async () => ({
        subject: `${matter_id} ${getName(subject)}`,
        act: {
          kind: 'ReleaseMatterPerson',
          matter_id,
          name: (await getMatter(tx, matter_id)).name,
          ...subject,
        },
        basis,
        reason_id,
      }))
      if (proposed) return proposed
      const as = { by: getActor(context.caller), reason_id, confirmed_by: null }
      await releasePeople(tx, matter_id, [subject], { ...as, isClosing: false })
      return getMatter(tx, matter_id)
    })
  }
}

/**
 * Closes a matter and releases its people. Problems: not_found; wrong_state when closed; already_proposed,
 * person_required.
 */
function close({ keys }: Parts): Handler<'closeLegalMatter'> {
  return async (context, { params: { matter_id }, query }) => {
    const sealed = await sealReason({ keys }, context.caller.client, query.reason)
    return context.write(async (tx) => {
      await openMatter(tx, matter_id)
      const reason_id = await keepReason(tx, sealed)
      const proposed = await proposeIfAsked(context, tx, async () => {
        const [{ name }, basis] = [await getMatter(tx, matter_id), await basisOfMatter(tx, matter_id)]
        const act = { kind: 'CloseMatter', matter_id, name, people: basis.people } as const
        return { subject: matter_id, act, basis, reason_id }
      })
      if (proposed) return proposed
      const as = { by: getActor(context.caller), reason_id, confirmed_by: null }
      await releasePeople(tx, matter_id, await findMembers(tx, matter_id), { ...as, isClosing: true })
      return getMatter(tx, matter_id)
    })
  }
}

async function getMatter(q: Queryable, matter_id: string): Promise<LegalMatter> {
  const matter = await findMatter(q, matter_id)
  if (!matter) throw missing()
  return matter
}

const missing = () => new Problem('not_found', { detail: 'no such matter' })
