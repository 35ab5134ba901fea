import type { KeyObject } from 'node:crypto'
import {
  DAY,
  fault,
  RECERTIFICATION_DAYS,
  RECERTIFICATION_FORMAT,
  type recertificationEndpoints,
  RecertificationReport,
  RECERTIFIED_PEOPLE,
} from '@custodia/contract'
import { settleAlert } from '../alerts/raise.ts'
import type { AppContext } from '../app-context.ts'
import { assertPerson } from '../http/assert-person.ts'
import { getActor, type Handler, type Handlers, type PortalContext } from '../http/context.ts'
import { newId } from '../http/new-id.ts'
import { getPage } from '../http/page.ts'
import { PreparedJson } from '../http/prepared-json.ts'
import { Problem } from '../http/problem.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'
import { checkSigned, type SignedKind, signReport } from '../ports/keys/signed-file.ts'
import { supersede } from '../proposals/propose.ts'
import {
  getAlert,
  countRecertifications,
  decide,
  endRecertification,
  findRecertification,
  type FrozenPerson,
  insertRecertification,
  listRecertifications,
  listRecertified,
  lockRecertification,
} from './store.ts'

/** What recertifications need of the modules that know people and their roles. */
export interface PeopleServices {
  /** People with roles, or with one role: at most `limit`. */
  readPeople(
    q: Queryable,
    context: PortalContext,
    asked: { role: string | null; limit: number },
  ): Promise<FrozenPerson[]>
  /** Removes the roles that are assigned to a person in the portal. Problem: last_administrator. */
  removeRoles(tx: Tx, user_reference: string, by: { by: string; now: number }): Promise<void>
  /** Gives a caller the access of now. Problem: not_permitted. */
  renew(tx: Tx, context: PortalContext): Promise<void>
}

/** Recertifications: people and their roles are frozen, then each is confirmed or revoked with a reason. */
export const recertificationRoutes = (
  { cursors, keys }: Pick<AppContext, 'cursors' | 'keys'>,
  { readPeople, ...services }: PeopleServices,
): Handlers<keyof typeof recertificationEndpoints> => ({
  listRecertifications: async ({ caller: { client_id }, read }, { query }) => {
    if (query.type === 'total') return { total: await read(countRecertifications) }
    return getPage(
      cursors,
      { name: 'recertifications', client_id, query },
      (after: readonly [string] | undefined, limit) =>
        read((q) => listRecertifications(q, after?.[0], limit)),
      ({ recertification_reference }) => [recertification_reference] as const,
    )
  },

  startRecertification: startRecertification(readPeople),

  readRecertification: ({ read }, { params }) => read((q) => existing(q, params.recertification_reference)),

  listRecertifiedPeople: ({ caller: { client_id }, read }, { params, query }) =>
    read(async (q) => {
      const { recertification_reference: reference, people } = await existing(
        q,
        params.recertification_reference,
      )
      if (query.type === 'total') return { total: people }
      return getPage(
        cursors,
        { name: `recertifications ${reference}`, client_id, query },
        ([after]: readonly [string] = [''], limit) => listRecertified(q, reference, { after, limit }),
        ({ user_reference }) => [user_reference] as const,
      )
    }),

  decideRecertification: decideRecertification(services),

  async endRecertification({ caller, now, write }, { params: { recertification_reference } }) {
    assertPerson(caller)
    return write(async (tx) => {
      await lockOpen(tx, recertification_reference)
      await endRecertification(tx, recertification_reference, { at: now, by: getActor(caller) })
      await settleAlert(tx, getAlert(recertification_reference, now))
      return existing(tx, recertification_reference)
    })
  },

  readRecertificationReport: async ({ read, now }, { params: { recertification_reference } }) => {
    const { recertification, people } = await read(async (q) => ({
      recertification: await existing(q, recertification_reference),
      people: await listRecertified(q, recertification_reference, { after: '', limit: RECERTIFIED_PEOPLE }),
    }))
    if (recertification.ended_at === null)
      throw new Problem('wrong_state', { detail: 'the recertification has not ended' })
    const { client } = recertification
    const report = {
      format: RECERTIFICATION_FORMAT,
      client,
      issued_at: now,
      recertification,
      people,
    } as const
    // Prepared, because a name that is added later would break the signature.
    return new PreparedJson(JSON.stringify(await signReport(keys, report)))
  },
})

/** Freezes people and their roles until a date. */
const startRecertification =
  (readPeople: PeopleServices['readPeople']): Handler<'startRecertification'> =>
  async (context, { body: { name, role = null, due_at } }) => {
    const { caller, now, write } = context
    assertPerson(caller)
    if (due_at <= now) throw invalid(fault('due_at', 'expiry_in_past'))
    if (due_at > now + RECERTIFICATION_DAYS * DAY)
      throw invalid(fault('due_at', 'expiry_too_far', { limit: RECERTIFICATION_DAYS }))
    return write(async (tx) => {
      const people = await readPeople(tx, context, { role, limit: RECERTIFIED_PEOPLE + 1 })
      if (people.length === 0) throw new Problem('wrong_state', { detail: 'no person has such a role' })
      if (people.length > RECERTIFIED_PEOPLE)
        throw new Problem('wrong_state', { detail: `more than ${RECERTIFIED_PEOPLE} people: choose a role` })
      const recertification_reference = newId()
      const started_by = getActor(caller)
      await insertRecertification(
        tx,
        { recertification_reference, name, role, started_at: now, started_by, due_at },
        people,
      )
      return existing(tx, recertification_reference)
    })
  }

/** Confirms the roles of people, or removes those that are assigned in the portal. */
const decideRecertification =
  ({ removeRoles, renew }: Omit<PeopleServices, 'readPeople'>): Handler<'decideRecertification'> =>
  async (context, { params: { recertification_reference }, body }) => {
    const { caller, now, write } = context
    assertPerson(caller)
    if (body.user_references.includes(caller.user_reference))
      throw new Problem('same_person', { detail: 'decided about themselves' })
    return write(async (tx) => {
      await lockOpen(tx, recertification_reference)
      const by = getActor(caller)
      const decided = await decide(tx, recertification_reference, { ...body, at: now, by })
      if (decided.length < body.user_references.length)
        throw new Problem('wrong_state', { detail: 'a person is decided already, or not part of it' })
      if (body.decision === 'revoked')
        for (const user_reference of decided.toSorted()) {
          await supersede(tx, { kind: 'AssignRoles', subject: user_reference }, by)
          await removeRoles(tx, user_reference, { by, now })
        }
      // The call may have waited for a change that took its caller's rights away.
      await renew(tx, context)
      return existing(tx, recertification_reference)
    })
  }

const KIND: SignedKind<'report', RecertificationReport['report']> = {
  member: 'report',
  format: RECERTIFICATION_FORMAT,
  isWhole: (file): file is RecertificationReport => RecertificationReport.safeParse(file).success,
}

/** Verifies the report of a recertification against public keys, offline. */
export const checkRecertification = (text: string, publicKeys: readonly KeyObject[]) =>
  checkSigned(text, KIND, publicKeys)

async function existing(q: Queryable, reference: string) {
  const found = await findRecertification(q, reference)
  if (!found) throw missing()
  return found
}

/** Locks an open recertification. Problems: not_found, wrong_state. */
async function lockOpen(tx: Tx, reference: string): Promise<void> {
  const isOpen = await lockRecertification(tx, reference)
  if (isOpen === undefined) throw missing()
  if (!isOpen) throw new Problem('wrong_state', { detail: 'the recertification has ended' })
}

const missing = () => new Problem('not_found', { detail: 'no such recertification' })

const invalid = (found: ReturnType<typeof fault>) =>
  new Problem('invalid_input', { faults: [found], detail: found.code })
