import {
  fault,
  HOLD_COUNT_LIMITS,
  HOLD_PERIODS_LIMIT,
  type LegalHold,
  PersonReference,
} from '@custodia/contract'
import { accountTypes, type HeldPeriod, holdPeriods } from '@custodia/domain'
import type { AppContext } from '../app-context.ts'
import { type HoldSubject, lockSubjects } from '../held-records/store.ts'
import { getActor, type Handler, type Handlers } from '../http/context.ts'
import { getPage } from '../http/page.ts'
import { Problem } from '../http/problem.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'
import { supersede, proposeIfAsked } from '../proposals/propose.ts'
import type { DeferredActs } from '../proposals/store.ts'
import { keepReason, openReason, type SealedReason, sealReason } from '../reasons/reasons.ts'
import {
  basisOfHold,
  type HeldCountScope,
  countHolds,
  findEvents,
  findHeldUser,
  findHold,
  type HoldPlace,
  otherHold,
  isActive,
  listHolds,
  getName,
  releaseHeld,
  type StoredEvent,
  writeHolds,
} from './store.ts'

type Parts = Pick<AppContext, 'cursors' | 'keys' | 'log'>

/** Legal hold routes. */
export const legalHoldRoutes = (
  ctx: Parts,
): Handlers<'listLegalHolds' | 'readLegalHold' | 'setLegalHold' | 'releaseLegalHold'> => ({
  listLegalHolds: list(ctx),
  readLegalHold: read(ctx),
  setLegalHold: set(ctx),
  releaseLegalHold: release(ctx),
})

/** Releases of holds under dual control. */
export const deferredReleases: Pick<DeferredActs, 'ReleaseHold'> = {
  ReleaseHold: {
    async getBasis(tx, act) {
      await lockSubjects(tx, [act])
      return basisOfHold(tx, act)
    },
    carryOut: releaseHeld,
  },
}

function list({ cursors }: Parts): Handler<'listLegalHolds'> {
  return async ({ caller: { client_id, access }, action, readFromReplica }, { query }) => {
    if (query.type === 'total') return { total: await readFromReplica((q) => countHolds(q, query)) }
    return getPage<LegalHold, HoldPlace>(
      cursors,
      { name: 'legal_holds', client_id, query },
      (after, limit) =>
        readFromReplica((q) =>
          listHolds(q, query, {
            after,
            limit,
            counted: { most: HOLD_COUNT_LIMITS.list, types: accountTypes(access, action) },
          }),
        ),
      ({ updated_at, target_type, target }) => [updated_at, target_type, target],
    )
  }
}

/** A hold with its periods. Problem: not_found. */
function read(ctx: Parts): Handler<'readLegalHold'> {
  return async ({ caller: { client, access }, action, readFromReplica }, { params }) => {
    const { hold, events } = await readFromReplica(async (q) => ({
      hold: await stored(q, params, accountTypes(access, action)),
      events: await findEvents(q, params),
    }))
    const newest = holdPeriods(events).toReversed().slice(0, HOLD_PERIODS_LIMIT)
    return { ...hold, periods: await Promise.all(newest.map((period) => toResponse(ctx, client, period))) }
  }
}

async function toResponse(ctx: Parts, client: string, { began, ended }: HeldPeriod<StoredEvent>) {
  return {
    from: began.at,
    set_by: began.by,
    set_reason: await openReason(ctx, client, began.reason),
    set_for: began.matter,
    to: ended?.at ?? null,
    released_by: ended?.by ?? null,
    release_confirmed_by: ended?.confirmed_by ?? null,
    release_reason: await openReason(ctx, client, ended?.reason ?? null),
    released_with: ended?.matter ?? null,
  }
}

/** Places a subject on hold; idempotent. Problems: not_found for an unknown device user; invalid_input. */
function set({ keys }: Parts): Handler<'setLegalHold'> {
  return async ({ caller, action, write }, { params, body }) => {
    assertSameSubject(params, body)
    const reason = await sealIfGiven({ keys }, caller.client, body.reason)
    const types = accountTypes(caller.access, action)
    return write((tx) => setHold(tx, params, { by: getActor(caller), reason, types }))
  }
}

/** Places a hold within a transaction; nothing of the subject expires after its commit. Problem: not_found. */
export async function setHold(
  tx: Tx,
  { target_type, target }: HoldSubject,
  { by, reason, types }: { by: string; reason: SealedReason | undefined } & Pick<HeldCountScope, 'types'>,
): Promise<LegalHold> {
  const subject = { target_type, target }
  const device_user_id = target_type === 'DeviceUser' ? await findHeldUser(tx, target) : null
  if (device_user_id === undefined) throw new Problem('not_found', { detail: 'no such device user' })
  await lockSubjects(tx, [subject])
  if (await isActive(tx, subject)) {
    await otherHold(tx, subject)
    // A new hold withdraws a pending release.
    await supersede(tx, { kind: 'ReleaseHold', subject: getName(subject) }, by)
  } else {
    const reason_id = await keepReason(tx, reason)
    await writeHolds(tx, [{ ...subject, device_user_id }], { act: 'set', by, reason_id, matter_id: null })
  }
  return stored(tx, subject, types)
}

/**
 * Releases a hold, which protects for its grace period. Problems: not_found without a hold; held_by_matter;
 * already_proposed, person_required.
 */
function release({ keys }: Parts): Handler<'releaseLegalHold'> {
  return async (context, { params: { target_type, target }, query }) => {
    const subject = { target_type, target }
    const sealed = await sealIfGiven({ keys }, context.caller.client, query.reason)
    return context.write(async (tx) => {
      await lockSubjects(tx, [subject])
      const basis = await basisOfHold(tx, subject)
      if (!basis) throw (await isActive(tx, subject)) ? new Problem('held_by_matter') : notHeld()
      const reason_id = await keepReason(tx, sealed)
      const proposed = await proposeIfAsked(context, tx, async () => ({
        subject: getName(subject),
        act: { kind: 'ReleaseHold', ...subject },
        basis,
        reason_id,
      }))
      if (proposed) return proposed
      await releaseHeld(tx, subject, { by: getActor(context.caller), reason_id, confirmed_by: null })
      return stored(tx, subject, accountTypes(context.caller.access, context.action))
    })
  }
}

const sealIfGiven = async (
  parts: Pick<Parts, 'keys'>,
  client: string,
  reason: string | undefined,
): Promise<SealedReason | undefined> => (reason === undefined ? undefined : sealReason(parts, client, reason))

async function stored(
  q: Queryable,
  subject: HoldSubject,
  types: HeldCountScope['types'],
): Promise<LegalHold> {
  const hold = await findHold(q, subject, { most: HOLD_COUNT_LIMITS.one, types })
  if (!hold) throw notHeld()
  return hold
}

const notHeld = () => new Problem('not_found', { detail: 'this person is not on hold' })

/** Body and path must name the same subject; a portal user must not be a system actor. Problem: invalid_input. */
function assertSameSubject(
  { target_type, target }: HoldSubject,
  body: { target?: string | undefined; target_type?: string | undefined },
): void {
  const faults = [
    ...(body.target === undefined || body.target === target ? [] : [fault('target', 'not_as_in_path')]),
    ...(body.target_type === undefined || body.target_type === target_type
      ? []
      : [fault('target_type', 'not_as_in_path')]),
    ...(target_type === 'DeviceUser' || PersonReference.safeParse(target).success
      ? []
      : [fault('target', 'reserved_name')]),
  ]
  if (faults.length > 0) throw new Problem('invalid_input', { faults })
}
