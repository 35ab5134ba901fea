import { SUPPORT_ACTIONS } from '@custodia/contract'
import { type Access, evaluate, systemRolesFor } from '@custodia/domain'
import { listClients } from '../clients/store.ts'
import type { PortalContext } from '../http/context.ts'
import { Problem } from '../http/problem.ts'
import { periodicJob } from '../jobs/kind.ts'
import { cacheEntry } from '../ports/cache.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'
import type { Database } from '../ports/database/pool.ts'
import { findHeldRoles } from './assignment-store.ts'
import { compileRights, type Rights, type RightsSource, type SavedRole } from './rights.ts'
import { keepBuiltinRoles, raiseEpoch, readEpoch, readSource } from './store.ts'

/** A client's rights, and the cached evaluations by the caller's properties. */
interface Entry {
  rights: Rights
  evaluated: Map<string, Access>
  /** Ids of the groups by reference, computed on first use. */
  group_ids?: ReadonlyMap<string, number>
}

/** Evaluated accesses kept per client: people × addresses, the oldest dropped first. */
const EVALUATED = 2000

/**
 * The user whose access is evaluated. `epoch` is the client's, read in this request, so that no stale right counts.
 */
export interface AccessQuestion {
  client_id: number
  epoch: number
  roles: readonly string[]
  groups: readonly string[] | null
  /** Legal matters to whose recordings the person is limited; null: not limited. */
  matters: readonly string[] | null
  ip: string
  /** Staff of the provider in support mode: of what `roles` give, they have the actions open to support. */
  is_support?: boolean
}

/** Compiles rights once per change and evaluates them once per caller; requests match no patterns. */
export class AccessCache {
  readonly #db: Database
  readonly #entries = new Map<number, Entry>()
  readonly #loading = new Map<number, Promise<Entry>>()
  /** The last saved role of each client, until its rights are read again. */
  readonly #saved = new Map<number, SavedRole>()
  /** Rights before the change of a transaction. Its epoch is not cached: after a rollback another change has it. */
  readonly #changing = new WeakMap<Queryable, Rights>()

  constructor(db: Database) {
    this.#db = db
  }

  async getAccess(question: AccessQuestion): Promise<Access> {
    const { rights, evaluated } = await this.#entryAt(question.client_id, question.epoch)
    const key = JSON.stringify([
      question.roles,
      question.groups,
      question.matters,
      question.ip,
      question.is_support ?? false,
    ])
    const known = evaluated.get(key)
    if (known) return known
    const access = accessIn(rights, question)
    cacheEntry(evaluated, key, access, EVALUATED)
    return access
  }

  /** Id of the client's group of that reference at this epoch; null: there is none, or none is named. */
  async getGroupId(client_id: number, epoch: number, group_reference: string | null): Promise<number | null> {
    if (group_reference === null) return null
    const entry = await this.#entryAt(client_id, epoch)
    entry.group_ids ??= new Map(
      entry.rights.groupIndex.groups.flatMap((group) =>
        group.is_reserved ? [] : [[group.group_reference, group.group_id]],
      ),
    )
    return entry.group_ids.get(group_reference) ?? null
  }

  /** The client's rights that admitted the caller, or newer ones. */
  async presentRights({ client_id }: Pick<AccessQuestion, 'client_id'>): Promise<Rights> {
    return (await this.#entryAt(client_id, 0)).rights
  }

  /** The client's rights as of now; within a change of rights, those before it. */
  async getRights(q: Queryable): Promise<Rights> {
    return this.#changing.get(q) ?? this.#rightsWithin(q, await readEpoch(q))
  }

  /**
   * Begins a change of the client's rights. Other changes wait until the transaction ends; then every process reads
   * the rights anew. Every writer of roles, groups, tags, defaults and client apps calls it first. Resolves to the
   * rights before the change. Problem: not_permitted.
   * @param context the call that makes the change; gets its caller's access by these rights
   */
  async beginChange(tx: Tx, context?: Pick<PortalContext, 'caller' | 'ip' | 'action'>): Promise<Rights> {
    const rights = this.#changing.get(tx) ?? (await this.#rightsWithin(tx, (await raiseEpoch(tx)) - 1))
    this.#changing.set(tx, rights)
    if (context) await renewAccess(tx, rights, context)
    return rights
  }

  /**
   * Gives a caller the access of now, after their call has waited for locks: an act that counts at once must not use
   * rights that were taken away meanwhile. Problem: not_permitted.
   */
  async renew(tx: Tx, context: Pick<PortalContext, 'caller' | 'ip' | 'action'>): Promise<void> {
    await renewAccess(tx, await this.getRights(tx), context)
  }

  /** Caches the compiled role of a save, so that the next request need not compile it again. */
  keepSaved(client_id: number, saved: SavedRole): void {
    this.#saved.set(client_id, saved)
  }

  async #entryAt(client_id: number, epoch: number): Promise<Entry> {
    for (;;) {
      const known = this.#entries.get(client_id)
      if (known && known.rights.source.epoch >= epoch) return known
      const loading = this.#loading.get(client_id)
      if (!loading) return this.#load(client_id)
      await loading.catch(() => undefined)
    }
  }

  #load(client_id: number): Promise<Entry> {
    const loading = this.#db
      .read(client_id, readSource)
      .then((source) => this.#keep(client_id, source))
      .finally(() => this.#loading.delete(client_id))
    this.#loading.set(client_id, loading)
    return loading
  }

  /**
   * Reads on the caller's own connection, because waiting for a free one could deadlock. No other change can commit
   * meanwhile, so the first read is of the epoch before.
   */
  async #rightsWithin(q: Queryable, epoch: number): Promise<Rights> {
    const known = this.#entries.get(q.client_id)
    if (known && known.rights.source.epoch >= epoch) return known.rights
    return this.#keep(q.client_id, { ...(await readSource(q)), epoch }).rights
  }

  #keep(client_id: number, source: RightsSource): Entry {
    const known = this.#entries.get(client_id)
    if (known && known.rights.source.epoch >= source.epoch) return known
    const rights = compileRights(source, known?.rights, this.#saved.get(client_id))
    this.#saved.delete(client_id)
    const entry = { rights, evaluated: new Map<string, Access>() }
    this.#entries.set(client_id, entry)
    return entry
  }
}

/**
 * Gives a caller the access of now. The change for which this one waited may have taken it away, and the caller must not
 * take it back. Problem: not_permitted.
 */
async function renewAccess(
  tx: Tx,
  rights: Rights,
  { caller, ip, action }: Pick<PortalContext, 'caller' | 'ip' | 'action'>,
): Promise<void> {
  const { roles, groups, matters } = await findHeldRoles(tx, caller)
  const is_support = caller.support_reference !== undefined
  const access = accessIn(rights, { roles, groups, matters, ip, is_support })
  if (matters || !access.may(action))
    throw new Problem('not_permitted', { detail: `no role permits ${action} any more` })
  Object.assign(caller, { roles, group_references: groups, access })
}

/** What a user may do under the given rights: the present ones, or those that a change would make. */
export function accessIn(
  rights: Rights,
  {
    roles,
    groups,
    matters,
    ip,
    is_support = false,
  }: Pick<AccessQuestion, 'roles' | 'groups' | 'ip' | 'is_support'> &
    Partial<Pick<AccessQuestion, 'matters'>>,
): Access {
  return evaluate(
    {
      roles: roles.flatMap((reference) => rights.roles.get(reference) ?? []),
      actions: is_support ? SUPPORT_ACTIONS : undefined,
      ip,
      group_references: groups ?? undefined,
      matters: matters ?? undefined,
    },
    { networks: rights.networks },
  )
}

/** Records the built-in roles of a newly installed version of the program, so that rights of the time before stay known. */
export const recordBuiltinRoles = periodicJob({
  name: 'access.record_builtin_roles',
  every: 600,
  async run(ctx) {
    for (const client of await listClients(ctx.db))
      await ctx.db.write(client.client_id, (tx) => keepBuiltinRoles(tx, systemRolesFor(client)))
  },
})
