import { actionsOf, api, type Endpoint, type Role } from '@custodia/contract'
import {
  actionsFor,
  type Access,
  type AccessGroup,
  compileNetworks,
  type CompiledRole,
  compileRole,
  evaluate,
  groupUniverse,
  SUPPORT_MODE_DENIALS,
  systemRolesFor,
  type Networks,
} from '@custodia/domain'
import type { Database } from '../ports/database/pool.ts'
import type { Queryable } from '../ports/database/lease.ts'

/** The closed list of actions, from the endpoint table. */
export const ACTIONS: readonly string[] = [
  ...new Set((Object.values(api) as Endpoint[]).flatMap(actionsOf)),
].sort()

/** Everything about a client's rights that changes only when somebody saves a role, group, tag or default. */
interface ClientAccess {
  epoch: number
  groups: readonly AccessGroup[]
  roles: ReadonlyMap<string, CompiledRole>
  /** What staff in support mode never do, whatever role was approved. */
  supportDenials: CompiledRole
  networks: Networks
  /** Evaluated accesses by what they depend on beyond the client. */
  evaluated: Map<string, Access>
}

/** Evaluated accesses kept per client: people × addresses, the oldest dropped first. */
const EVALUATED = 2000

/** Whose access is asked for. `epoch` is the client's, read in this very request, so that no stale right counts. */
export interface AccessQuestion {
  client_id: number
  epoch: number
  roles: readonly string[]
  groups: readonly string[] | null
  ip: string
  /** The provider's staff act in support mode: what nobody may do there is taken away. */
  is_support?: boolean
}

/** Compiles rights once per change and evaluates them once per caller; nothing is matched while a request waits. */
export class AccessBook {
  readonly #db: Database
  readonly #clients = new Map<number, Promise<ClientAccess>>()

  constructor(db: Database) {
    this.#db = db
  }

  async accessOf(question: AccessQuestion): Promise<Access> {
    const client = await this.#clientAt(question.client_id, question.epoch)
    const key = JSON.stringify([question.roles, question.groups, question.ip, question.is_support])
    const known = client.evaluated.get(key)
    if (known) return known
    const named = question.roles.flatMap((reference) => client.roles.get(reference) ?? [])
    const roles = question.is_support ? [...named, client.supportDenials] : named
    const access = evaluate(
      { roles, ip: question.ip, group_references: question.groups ?? undefined },
      { networks: client.networks },
    )
    const [oldest] = client.evaluated.keys()
    if (client.evaluated.size >= EVALUATED && oldest !== undefined) client.evaluated.delete(oldest)
    client.evaluated.set(key, access)
    return access
  }

  /** Name and id of every group of the client. */
  async groupsOf(client_id: number, epoch: number): Promise<readonly AccessGroup[]> {
    return (await this.#clientAt(client_id, epoch)).groups
  }

  async #clientAt(client_id: number, epoch: number): Promise<ClientAccess> {
    const known = await this.#clients.get(client_id)?.catch(() => undefined)
    if (known && known.epoch >= epoch) return known
    const loading = this.#db.read(client_id, (q) => load(q, client_id))
    this.#clients.set(client_id, loading)
    return loading
  }
}

async function load(q: Queryable, client_id: number): Promise<ClientAccess> {
  // The epoch first: what changes while we read makes the next request read again.
  const client = await q.query<{ access_epoch: number; is_provider: boolean }>(
    'select access_epoch, is_provider from clients where client_id = $1',
    [client_id],
  )
  const groups = await q.query<{ group_id: number; group_reference: string; tags: AccessGroup['tags'] }>(
    `select g.group_id, g.group_reference,
       coalesce(jsonb_agg(jsonb_build_object('key', t.tag_key, 'value', t.tag_value)) filter (where t.tag_key is not null), '[]') as tags
     from groups g left join group_tags t using (client_id, group_id) group by g.group_id order by g.group_reference`,
  )
  const roles = await q.query<{ document: Role }>('select document from roles')
  const defaults = await q.query<{ cidr_ranges: string[] }>('select cidr_ranges from account_defaults')
  const universe = groupUniverse(groups.rows)
  const is_provider = client.rows[0]?.is_provider ?? false
  const actions = actionsFor({ is_provider }, ACTIONS)
  const all = [...systemRolesFor({ is_provider }), ...roles.rows.map((row) => row.document)]
  return {
    epoch: client.rows[0]?.access_epoch ?? 0,
    groups: groups.rows,
    roles: new Map(all.map((role) => [role.role_reference, compileRole(role, universe, actions)])),
    supportDenials: compileRole(SUPPORT_MODE_DENIALS, universe, actions),
    networks: compileNetworks(defaults.rows[0]?.cidr_ranges),
    evaluated: new Map(),
  }
}
