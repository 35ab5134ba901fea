import type { ClientAccount, StoredRole } from '@custodia/contract'
import type { AppContext } from '../app-context.ts'
import {
  type Client,
  getClient,
  countClients,
  getCustomer,
  findClient,
  pageOfAccounts,
  readAccount,
} from '../clients/store.ts'
import { type Handlers, marked, type PortalContext } from '../http/context.ts'
import { pageByName } from '../http/page.ts'
import { Problem } from '../http/problem.ts'
import { findRoles, systemRoles } from '../roles/store.ts'
import { createClient, prepareAccount } from './create.ts'
import { confirmDeletion, proposeDeletion, resume, suspend, withdrawDeletion } from './jobs.ts'

type Rows =
  | 'listClients'
  | 'createClient'
  | 'suspendClient'
  | 'resumeClient'
  | 'proposeClientDeletion'
  | 'confirmClientDeletion'
  | 'withdrawClientDeletion'
  | 'listRolesOfClient'

/** What the provider sees of its clients, and does with them. */
export const clientRoutes = (ctx: AppContext): Handlers<Rows> => ({
  async listClients(_context, { query }) {
    const filter = { search: query.search ?? '', with_provider: true }
    if (query.type === 'total') return { total: await countClients(ctx.db, filter) }
    return pageByName(
      ctx.cursors,
      { name: 'clients', client_id: 'all', query },
      (after, limit) => pageOfAccounts(ctx.db, filter, after, limit),
      ({ client }) => client,
    )
  },

  async createClient(context, { body }) {
    const { limits, ...account } = body
    if (await findClient(ctx.db, body.client))
      throw new Problem('already_exists', { detail: 'such a client' })
    const prepared = await prepareAccount(ctx, account, { is_provider: false })
    const { client_id } = prepared.row
    const by = { now: context.now, by: getStaff(context) }
    const secrets = await context.writeFor(client_id, (tx) =>
      createClient(ctx, tx, prepared, { limits, ...by }),
    )
    return { account: await getAccount(ctx, client_id), ...secrets }
  },

  async suspendClient(context, { params, body }) {
    const { client_id } = await getCustomer(ctx, params.client)
    const change = { at: context.now, by: getStaff(context), reason: body.reason }
    await context.writeFor(client_id, (tx) => suspend(tx, change))
    return getAccount(ctx, client_id)
  },

  async resumeClient(context, { params }) {
    const { client_id } = await getCustomer(ctx, params.client)
    await context.writeFor(client_id, resume)
    return getAccount(ctx, client_id)
  },

  async proposeClientDeletion(context, { params }) {
    const { client_id } = await getCustomer(ctx, params.client)
    const proposal = { at: context.now, by: getStaff(context) }
    await context.writeFor(client_id, (tx) => proposeDeletion(tx, proposal))
    return getAccount(ctx, client_id)
  },

  async confirmClientDeletion(context, { params }) {
    const { client_id } = await getCustomer(ctx, params.client)
    const second = { at: context.now, by: getStaff(context) }
    return context.writeFor(client_id, (tx) => confirmDeletion(ctx, tx, second))
  },

  async withdrawClientDeletion(context, { params }) {
    const { client_id } = await getCustomer(ctx, params.client)
    await context.writeFor(client_id, withdrawDeletion)
    return getAccount(ctx, client_id)
  },

  async listRolesOfClient(_context, { params, query }) {
    const client = await getClient(ctx, params.client)
    const roles = await getRoles(ctx, client)
    if (query.type === 'total') return { total: roles.length }
    return pageByName(
      ctx.cursors,
      { name: 'roles of a client', client_id: client.client_id, query },
      async (after) => roles.filter(({ role_reference }) => role_reference > after),
      ({ role_reference }) => role_reference,
    )
  },
})

/** How a client's records call a member of the provider's staff. */
const getStaff = ({ caller }: PortalContext): string => marked(caller.user_reference, 'provider')

async function getAccount({ db }: AppContext, client_id: number): Promise<ClientAccount> {
  const account = await readAccount(db, client_id)
  if (!account) throw new Problem('not_found', { detail: 'the client is gone' })
  return account
}

/** The roles under which a client’s people work: those of the system and its own, by reference. */
async function getRoles(
  { db }: AppContext,
  { client_id, client, is_provider }: Client,
): Promise<StoredRole[]> {
  const own = await db.read(client_id, findRoles)
  return [...systemRoles({ client, is_provider }), ...own].sort((a, b) =>
    a.role_reference < b.role_reference ? -1 : 1,
  )
}
