import type { internalSupportEndpoints, supportAccessEndpoints } from '@custodia/contract'
import { customerOf } from '../clients/store.ts'
import type { AppContext } from '../app-context.ts'
import type { Handlers } from '../http/context.ts'
import { Problem } from '../http/problem.ts'
import type { GlobalQueryable } from '../ports/database/lease.ts'
import { decideSupportAccess, moveSupportAccess } from './decide.ts'
import { pageOfSupportAccess } from './list.ts'
import { requestSupportAccess } from './request.ts'
import { findSupportAccess, shown } from './store.ts'
import { endSupportMode, startSupportMode } from './support-mode.ts'

type Rows = keyof typeof supportAccessEndpoints | keyof typeof internalSupportEndpoints

/** Handlers of support access: the client decides; the provider's staff request, cancel, begin and end. */
export function supportAccessRoutes(ctx: AppContext): Handlers<Rows> {
  return {
    listSupportAccess: ({ caller, read, now }, { query }) =>
      read((q) =>
        pageOfSupportAccess(ctx, q, { client_id: caller.client_id, states: query.states, now }, query),
      ),
    readSupportAccess: ({ caller, read, now }, { params }) =>
      read((q) => readOne(q, caller.client_id, params.request_reference, now)),
    decideSupportAccess,

    async listSupportAccessOfClient({ now }, { params, query }) {
      const { client_id } = await customerOf(ctx, params.client)
      return ctx.db.acrossClients((q) =>
        pageOfSupportAccess(ctx, q, { client_id, states: query.states, now }, query),
      )
    },
    listSupportAccessByState: ({ now }, { params, query }) =>
      ctx.db.acrossClients((q) =>
        pageOfSupportAccess(ctx, q, { client_id: null, states: [params.approval_status], now }, query),
      ),
    async readSupportAccessOfClient({ now }, { params }) {
      const { client_id } = await customerOf(ctx, params.client)
      return ctx.db.acrossClients((q) => readOne(q, client_id, params.request_reference, now))
    },
    requestSupportAccess: requestSupportAccess(ctx),
    async cancelSupportAccess({ caller, now, writeFor }, { params }) {
      const { client_id } = await customerOf(ctx, params.client)
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
