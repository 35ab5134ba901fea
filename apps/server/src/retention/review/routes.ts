import type {
  DestructionDetail,
  DestructionItem,
  DestructionReview,
  destructionEndpoints,
} from '@custodia/contract'
import { movedItem, refuseRelease, type ReleaseRefusal } from '@custodia/domain'
import type { AccessCache } from '../../access/load.ts'
import { settleAlert } from '../../alerts/raise.ts'
import type { AppContext } from '../../app-context.ts'
import { getActor, type Handler, type Handlers } from '../../http/context.ts'
import { getVersion } from '../../http/etag.ts'
import { getPage } from '../../http/page.ts'
import { Problem } from '../../http/problem.ts'
import { TYPE_CODES, typeOfCode } from '../../payload-records/codes.ts'
import { lockPolicies } from '../../payload-records/store.ts'
import type { Queryable, Tx } from '../../ports/database/lease.ts'
import { assertPerson, getKind, propose } from '../../proposals/propose.ts'
import type { DeferredActs } from '../../proposals/store.ts'
import { keepReason, openReason, sealReason, type SealedReason } from '../../reasons/reasons.ts'
import { contradictedAt } from '../../sealed-log/holder-store.ts'
import { readClock } from '../engine-store.ts'
import { restartPasses } from '../store.ts'
import { getAlertKey } from './carry-out.ts'
import {
  countItems,
  countLists,
  countTypes,
  findItems,
  findItemStates,
  findList,
  findLists,
  findPoliciesOf,
  findReview,
  insertReview,
  type ItemPlace,
  endOpenLists,
  lockList,
  moveItems,
  noteChange,
  releaseList,
  type StoredItem,
  type StoredList,
} from './store.ts'

type Parts = Pick<AppContext, 'cursors' | 'keys' | 'log'>
type Calls = keyof typeof destructionEndpoints

/** Routes of destructions that wait for review. */
export const destructionRoutes = (ctx: Parts, access: Pick<AccessCache, 'renew'>): Handlers<Calls> => ({
  readDestructionReview: ({ caller: { client }, read }) => read((q) => getReview(q, client)),
  saveDestructionReview,
  listDestructions: list(ctx),
  readDestruction: ({ readFromReplica }, { params }) =>
    readFromReplica(async (q) =>
      getDetail(q, (await findList(q, params.destruction_reference)) ?? missing('list')),
    ),
  listDestructionItems: listItems(ctx),
  changeDestruction: change(ctx),
  releaseDestruction: release(access),
})

async function getReview(q: Queryable, client: string): Promise<DestructionReview> {
  const review = await findReview(q)
  return {
    client,
    is_required: review?.is_required ?? false,
    version: getVersion(['destruction review', review?.version ?? 0]),
    updated_at: review?.at ?? null,
    updated_by: review?.by ?? null,
    confirmed_by: review?.confirmed_by ?? null,
    contradicted_at: await contradictedAt(q),
  }
}

/** Enables the review or proposes to disable it. Problems: already_proposed, person_required. */
const saveDestructionReview: Handler<'saveDestructionReview'> = async (
  context,
  { body: { is_required } },
) => {
  const { caller, write } = context
  return write(async (tx) => {
    // Workers share this lock, so the answer is final.
    await lockPolicies(tx)
    const review = await findReview(tx)
    if ((review?.is_required ?? false) === is_required) return getReview(tx, caller.client)
    assertPerson(caller)
    if (!is_required)
      return propose(context, tx, {
        subject: '',
        act: { kind: 'StopDestructionReview' },
        basis: { version: review?.version ?? 0 },
        reason_id: null,
      })
    await insertReview(tx, { is_required, by: getActor(caller), confirmed_by: null })
    return getReview(tx, caller.client)
  })
}

/** Disables the review after dual control. */
export const deferredReview: Pick<DeferredActs, 'StopDestructionReview'> = {
  StopDestructionReview: {
    async getBasis(tx) {
      await lockPolicies(tx)
      return { version: (await findReview(tx))?.version ?? 0 }
    },
    async carryOut(tx, _act, { by, confirmed_by }) {
      await insertReview(tx, { is_required: false, by, confirmed_by })
      const now = await readClock(tx)
      for (const reference of await endOpenLists(tx, by)) await settle(tx, reference, now)
    },
  },
}

const settle = (tx: Tx, destruction_reference: string, now: number) =>
  settleAlert(tx, {
    alert_key: getAlertKey(destruction_reference),
    alert_scopes: ['sec'],
    now,
  })

function list({ cursors }: Parts): Handler<'listDestructions'> {
  return async ({ caller: { client_id }, readFromReplica }, { query }) => {
    if (query.type === 'total') return { total: await readFromReplica((q) => countLists(q, query.state)) }
    const page = await getPage<StoredList, readonly [string]>(
      cursors,
      { name: 'destructions', client_id, query },
      (after, limit) => readFromReplica((q) => findLists(q, query.state, { after: after?.[0], limit })),
      ({ destruction_reference }) => [destruction_reference],
    )
    return { ...page, data: page.data.map(getHead) }
  }
}

const getHead = ({ changes: _changes, ...list }: StoredList) => list
const versionOfList = ({ destruction_reference, state, changes }: StoredList): string =>
  getVersion(['destruction', destruction_reference, state, changes])

async function getDetail(q: Queryable, stored: StoredList): Promise<DestructionDetail> {
  const { destruction_reference } = stored
  const types = await countTypes(q, destruction_reference)
  return {
    ...getHead(stored),
    version: versionOfList(stored),
    types: types.map(({ type, ...counted }) => ({ payload_type: typeOfCode(type), ...counted })),
    policies: await findPoliciesOf(q, destruction_reference),
  }
}

/** Problems: not_found, invalid_cursor. */
function listItems({ cursors, ...ctx }: Parts): Handler<'listDestructionItems'> {
  return async ({ caller: { client, client_id }, readFromReplica }, { params, query }) => {
    const { destruction_reference } = params
    const filter = { state: query.state, type: query.payload_type && TYPE_CODES[query.payload_type] }
    if (!(await readFromReplica((q) => findList(q, destruction_reference)))) missing('list')
    if (query.type === 'total')
      return { total: await readFromReplica((q) => countItems(q, destruction_reference, filter)) }
    const page = await getPage<StoredItem, ItemPlace>(
      cursors,
      { name: `destruction ${destruction_reference}`, client_id, query },
      (after, limit) => readFromReplica((q) => findItems(q, destruction_reference, filter, { after, limit })),
      ({ payload_time, payload_id }) => [payload_time, payload_id],
    )
    const reasons = await getReasons(ctx, client, page.data)
    return { ...page, data: page.data.map((item) => getItem(item, reasons)) }
  }
}

/** Decrypts each reason once, because hundreds of rows share one. */
async function getReasons(
  ctx: Pick<AppContext, 'keys' | 'log'>,
  client: string,
  items: readonly StoredItem[],
): Promise<ReadonlyMap<string, string | null>> {
  const sealed = new Map<string, SealedReason>()
  for (const { reason_id, sealed_reason, wrapped_key } of items)
    if (reason_id && sealed_reason && wrapped_key)
      sealed.set(reason_id, { reason_id, sealed_reason, wrapped_key })
  const opened = new Map<string, string | null>()
  for (const [reason_id, stored] of sealed) opened.set(reason_id, await openReason(ctx, client, stored))
  return opened
}

const getItem = (
  { payload_id: _id, type, reason_id, sealed_reason: _sealed, wrapped_key: _key, ...item }: StoredItem,
  reasons: ReadonlyMap<string, string | null>,
): DestructionItem => ({
  ...item,
  payload_type: typeOfCode(type),
  reason: (reason_id !== null && reasons.get(reason_id)) || null,
})

/** Excludes payloads from a list or includes them again. Problems: not_found, wrong_state, person_required. */
function change(ctx: Parts): Handler<'changeDestruction'> {
  return async (
    { caller, write },
    { params: { destruction_reference }, body: { payload_references, is_taken_out, reason } },
  ) => {
    assertPerson(caller)
    const sealed = await sealReason(ctx, caller.client, reason)
    return write(async (tx) => {
      const list = (await lockList(tx, destruction_reference)) ?? missing('list')
      const items = await findItemStates(tx, destruction_reference, payload_references)
      if (items.length < payload_references.length) missing('payload in the list')
      const moves = Map.groupBy(items, (item) => movedItem(item.state, list.state, is_taken_out))
      // All or none, so that the reviewer's selection is complete.
      if (moves.has(undefined)) throw new Problem('wrong_state')
      const reason_id = await keepReason(tx, sealed)
      for (const [state, moved] of moves)
        if (state)
          await moveItems(
            tx,
            destruction_reference,
            moved.map(({ payload_id }) => payload_id),
            { state, by: getActor(caller), reason_id },
          )
      await noteChange(tx, destruction_reference)
      if (moves.has('put_back')) await restartPasses(tx)
      return getDetail(tx, (await findList(tx, destruction_reference)) ?? missing('list'))
    })
  }
}

const REFUSALS = {
  no_person: 'person_required',
  not_waiting: 'wrong_state',
  same_person: 'same_person',
  changed: 'changed_meanwhile',
} as const satisfies Record<ReleaseRefusal, Problem['code']>

/** Problems: not_found, not_permitted and those of `REFUSALS`. */
function release(access: Pick<AccessCache, 'renew'>): Handler<'releaseDestruction'> {
  return async (context, { params: { destruction_reference }, body: { version } }) => {
    const { caller, write } = context
    return write(async (tx) => {
      const stored = (await lockList(tx, destruction_reference)) ?? missing('list')
      await access.renew(tx, context)
      const by = getActor(caller)
      const refusal = refuseRelease(
        {
          state: stored.state,
          authors: (await findPoliciesOf(tx, destruction_reference)).map((policy) => policy.by),
          is_current: version === versionOfList(stored),
        },
        { by, kind: getKind(caller) },
      )
      if (refusal) throw new Problem(REFUSALS[refusal])
      await releaseList(tx, destruction_reference, by)
      await settle(tx, destruction_reference, await readClock(tx))
      return getDetail(tx, (await findList(tx, destruction_reference)) ?? missing('list'))
    })
  }
}

function missing(what: string): never {
  throw new Problem('not_found', { detail: `no such ${what}` })
}
