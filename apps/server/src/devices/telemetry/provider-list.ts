import type { Page, ProviderTelemetryRow, Total } from '@custodia/contract'
import { clientOf } from '../../clients/store.ts'
import type { AppContext } from '../../app-context.ts'
import type { Handler } from '../../http/context.ts'
import { pageOf } from '../../http/page.ts'
import {
  countProviderRows,
  findProviderRows,
  type ProviderFilter,
  type ProviderKey,
} from './provider-store.ts'

type Parts = Pick<AppContext, 'cursors' | 'db'>
interface Query {
  limit: number
  last_key?: string | undefined
  type: 'page' | 'total'
}

/** Newest report of each device of all clients: device facts only, without holders or sealed content. */
export const listTelemetryOfClients =
  (ctx: Parts): Handler<'listTelemetryOfClients'> =>
  (_context, { query }) =>
    listRows(ctx, 'telemetry of clients', query, query)

/** The same for one client. Problem: not_found. */
export const listTelemetryOfClient =
  (ctx: Parts): Handler<'listTelemetryOfClient'> =>
  async (_context, { params, query }) => {
    const { client } = await clientOf(ctx, params.client)
    return listRows(ctx, `telemetry of client ${client}`, query, { ...query, clients: [client] })
  }

async function listRows(
  { cursors, db }: Parts,
  name: string,
  query: Query,
  filter: ProviderFilter,
): Promise<Page<ProviderTelemetryRow> | Total> {
  const { clients, concerns, os_version, app_version, model } = filter
  const wanted = { clients, concerns, os_version, app_version, model }
  if (query.type === 'total') return db.acrossClients((q) => countProviderRows(q, wanted))
  const { data, ...rest } = await pageOf(
    cursors,
    { name, client_id: 'all', query },
    (from: ProviderKey | undefined, limit) =>
      db.acrossClients((q) => findProviderRows(q, wanted, from, limit)),
    ({ at, row_id }): ProviderKey => [at, row_id],
  )
  return { ...rest, data: data.map(({ at: _at, row_id: _row_id, ...row }) => row) }
}
