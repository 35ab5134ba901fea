import {
  type ApprovalState,
  fault,
  type internalSupportEndpoints,
  type internalSupportSessionEndpoints,
  type Page,
  SUPPORT_REQUEST_DAYS,
  type SupportAccess,
  type supportAccessEndpoints,
  type supportSessionEndpoints,
  type Total,
} from '@custodia/contract'
import { stateAt, supportObstacle, SYSTEM_ROLES } from '@custodia/domain'
import { ulid } from 'ulid'
import type { AccessCache } from '../access/load.ts'
import { raiseAlert } from '../alerts/raise.ts'
import type { AppContext } from '../app-context.ts'
import { getCustomer } from '../clients/store.ts'
import { findDisplayNames } from '../device-records/names-store.ts'
import type { Handler, Handlers, PortalContext } from '../http/context.ts'
import { getPage } from '../http/page.ts'
import { Problem } from '../http/problem.ts'
import type { GlobalQueryable, Tx } from '../ports/database/lease.ts'
import { findIdentity } from '../sessions/store.ts'
import { decideSupportAccess, moveSupportAccess, requestAlert } from './decide.ts'
import { readSession, signedReport } from './session.ts'
import {
  countSupportAccess,
  findSupportAccess,
  hasOwnRole,
  insertSupportAccess,
  listSupportAccess,
  lockSupportAccess,
  shown,
  type SupportFilter,
} from './store.ts'

/**
 * Stores a request of staff for access to a client under one of its roles, and alerts the client's security staff.
 */
function requestSupportAccess(ctx: AppContext): Handler<'requestSupportAccess'> {
  return async (context, { params, body }) => {
    const client = await getCustomer(ctx, params.client)
    const { caller, now } = context
    if (body.requested_expiry <= now) throw invalid(fault('requested_expiry', 'expiry_in_past'))
    if (body.requested_expiry > now + SUPPORT_REQUEST_DAYS * 86_400)
      throw invalid(fault('requested_expiry', 'expiry_too_far', { limit: SUPPORT_REQUEST_DAYS }))
    const { user_reference } = caller
    const { requester, requester_name } = await context.read(async (q) => ({
      requester: await findIdentity(q, user_reference),
      requester_name: (await findDisplayNames(q, [user_reference])).get(user_reference) ?? null,
    }))
    const request = {
      ...body,
      request_reference: ulid(now * 1000),
      requested_by: user_reference,
      requester_name,
      requested_at: now,
    }
    await context.writeFor(client.client_id, async (tx) => {
      if (!(await hasRole(tx, body.role)))
        throw invalid(fault('role', 'unknown_reference', { value: body.role }))
      await insertSupportAccess(tx, request, requester)
      await raiseAlert(tx, { ...requestAlert(request), api_action: context.action })
    })
    return {
      ...request,
      client: client.client,
      approval_state: 'pending',
      approval_expiry: null,
      approved_by: null,
      rejection_reason: null,
      updated_at: now,
      updated_by: caller.user_reference,
    }
  }
}

const hasRole = async (tx: Tx, role: string): Promise<boolean> =>
  SYSTEM_ROLES.some(({ role_reference }) => role_reference === role) || hasOwnRole(tx, role)

const invalid = (found: ReturnType<typeof fault>) =>
  new Problem('invalid_input', { faults: [found], detail: found.code })

type Rows =
  | keyof typeof supportAccessEndpoints
  | keyof typeof supportSessionEndpoints
  | keyof typeof internalSupportEndpoints
  | keyof typeof internalSupportSessionEndpoints

/** States of a request under which staff may still act, or may come to. */
const OPEN: readonly ApprovalState[] = ['pending', 'approved']

/** Handlers of support access: the client decides; the provider's staff request, cancel, begin and end. */
export function supportAccessRoutes(ctx: AppContext, access: AccessCache): Handlers<Rows> {
  return {
    listSupportAccess: ({ caller, read, now }, { query }) =>
      read((q) =>
        pageOfSupportAccess(ctx, q, { client_id: caller.client_id, states: query.states, now }, query),
      ),
    readSupportAccess: ({ caller, read, now }, { params }) =>
      read((q) => readOne(q, caller.client_id, params.request_reference, now)),
    readSupportSession: (context, { params: { request_reference } }) =>
      context.read((q) => readSession(q, access, { request_reference, now: context.now, reader: context })),
    async readSupportReport(context, { params: { request_reference } }) {
      const { now, caller } = context
      const session = await context.read((q) =>
        readSession(q, access, { request_reference, now, reader: context }),
      )
      if (OPEN.includes(session.request.approval_state))
        throw new Problem('wrong_state', { detail: 'the access has not ended' })
      return signedReport(ctx.keys, { client: caller.client, now, session })
    },
    decideSupportAccess,

    async listSupportAccessOfClient({ now }, { params, query }) {
      const { client_id } = await getCustomer(ctx, params.client)
      return ctx.db.acrossClients((q) =>
        pageOfSupportAccess(ctx, q, { client_id, states: query.states, now }, query),
      )
    },
    listSupportAccessByState: ({ now }, { params, query }) =>
      ctx.db.acrossClients((q) =>
        pageOfSupportAccess(ctx, q, { client_id: null, states: [params.approval_status], now }, query),
      ),
    async readSupportAccessOfClient({ now }, { params }) {
      const { client_id } = await getCustomer(ctx, params.client)
      return ctx.db.acrossClients((q) => readOne(q, client_id, params.request_reference, now))
    },
    async readSupportSessionOfClient({ now }, { params: { client, request_reference } }) {
      const { client_id } = await getCustomer(ctx, client)
      return ctx.db.read(client_id, (q) =>
        readSession(q, access, { request_reference, now, reader: undefined }),
      )
    },
    requestSupportAccess: requestSupportAccess(ctx),
    async cancelSupportAccess({ caller, now, writeFor }, { params }) {
      const { client_id } = await getCustomer(ctx, params.client)
      const facts = { now, by: caller.user_reference }
      return writeFor(client_id, (tx) => moveSupportAccess(tx, params.request_reference, 'cancel', facts))
    },
    startSupportMode: startSupportMode(ctx),
    endSupportMode: endSupportMode(ctx),
  }
}

async function readOne(q: GlobalQueryable, client_id: number, request_reference: string, now: number) {
  const found = await findSupportAccess(q, client_id, request_reference)
  if (!found) throw new Problem('not_found', { detail: 'no such request' })
  return shown(found, now)
}

interface PageQuery {
  limit: number
  last_key?: string | undefined
  type: 'page' | 'total'
}

/** A page of requests, newest first, or their total. */
async function pageOfSupportAccess(
  ctx: Pick<AppContext, 'cursors'>,
  q: GlobalQueryable,
  filter: SupportFilter,
  { limit, last_key, type }: PageQuery,
): Promise<Page<SupportAccess> | Total> {
  if (type === 'total') return { total: await countSupportAccess(q, filter) }
  const query = { limit, last_key, states: filter.states?.toSorted() }
  return getPage(
    ctx.cursors,
    { name: 'supportaccess', client_id: filter.client_id ?? 'all', query },
    (from: readonly [number, string] | undefined, most) => listSupportAccess(q, filter, from, most),
    ({ requested_at, request_reference }) => [requested_at, request_reference] as const,
  )
}

/** Notes in both logs that the requester begins support mode. Problem: support_mode_ended, unless it could be used this moment. */
function startSupportMode(ctx: AppContext): Handler<'startSupportMode'> {
  return async (context, { params }) => {
    const { client_id } = await getCustomer(ctx, params.client)
    return context.writeFor(client_id, async (tx) => {
      const request = await existing(tx, params.request_reference)
      const { caller, now } = context
      const obstacle = supportObstacle(request, 'start', { now, by: caller.user_reference })
      if (obstacle === undefined) return request
      const detail = obstacle === 'not_requester' ? 'requested by another person' : stateAt(request, now)
      throw new Problem('support_mode_ended', { detail })
    })
  }
}

/** Notes in both logs that the requester ends support mode, also when the approval has ended before. */
function endSupportMode(ctx: AppContext): Handler<'endSupportMode'> {
  return async (context, { params }) => {
    const { client_id } = await getCustomer(ctx, params.client)
    return context.writeFor(client_id, async (tx) => {
      const request = await existing(tx, params.request_reference)
      assertRequester(context, request.requested_by)
      return shown(request, context.now)
    })
  }
}

async function existing(tx: Tx, request_reference: string) {
  const request = await lockSupportAccess(tx, request_reference)
  if (!request) throw new Problem('not_found', { detail: 'no such request' })
  return request
}

function assertRequester({ caller }: PortalContext, requested_by: string): void {
  if (caller.user_reference !== requested_by)
    throw new Problem('not_found', { detail: 'requested by another person' })
}
