import type { Role } from '@custodia/contract'
import { type Access, type AccessGroup, evaluate } from '@custodia/domain'
import type { Queryable, Tx } from '../ports/database/lease.ts'
import type { Database } from '../ports/database/pool.ts'
import { compileRights, type Rights, type RightsSource, type SavedRole } from './rights.ts'

/** A client's rights and the accesses already evaluated from them, by what they depend on beyond the client. */
interface Entry {
  rights: Rights
  evaluated: Map<string, Access>
  /** Ids of the groups by reference, made when first asked for. */
  group_ids?: ReadonlyMap<string, number>
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
  /** Staff of the provider in support mode: what support never does is denied, whatever `roles` say. */
  is_support?: boolean
}

/** Compiles rights once per change and evaluates them once per caller; nothing is matched while a request waits. */
export class AccessBook {
  readonly #db: Database
  readonly #entries = new Map<number, Entry>()
  readonly #loading = new Map<number, Promise<Entry>>()
  /** The role that each client saved last, until its rights are read anew. */
  readonly #saved = new Map<number, SavedRole>()

  constructor(db: Database) {
    this.#db = db
  }

  async accessOf(question: AccessQuestion): Promise<Access> {
    const { rights, evaluated } = await this.#entryAt(question.client_id, question.epoch)
    const key = JSON.stringify([question.roles, question.groups, question.ip, question.is_support ?? false])
    const known = evaluated.get(key)
    if (known) return known
    const access = accessIn(rights, question)
    const [oldest] = evaluated.keys()
    if (evaluated.size >= EVALUATED && oldest !== undefined) evaluated.delete(oldest)
    evaluated.set(key, access)
    return access
  }

  /** Id of the client's group of that reference at this epoch; null: there is none, or none is named. */
  async groupIdOf(client_id: number, epoch: number, group_reference: string | null): Promise<number | null> {
    if (group_reference === null) return null
    const entry = await this.#entryAt(client_id, epoch)
    entry.group_ids ??= new Map(
      entry.rights.universe.groups.map((group) => [group.group_reference, group.group_id]),
    )
    return entry.group_ids.get(group_reference) ?? null
  }

  /** The client's rights as of now. */
  async rightsOf(q: Queryable, client_id: number): Promise<Rights> {
    const { rows } = await q.query<{ epoch: number }>(
      'select access_epoch as epoch from clients where client_id = $1',
      [client_id],
    )
    return this.#rightsWithin(q, client_id, rows[0]?.epoch ?? 0)
  }

  /**
   * Begins a change of the client's rights: whoever else changes them waits until the transaction has ended, and from then on
   * every request, in every process, reads them anew. Every writer of roles, groups, tags, defaults and client apps calls it
   * first. Resolves to the rights before the change.
   */
  async beginChange(tx: Tx, client_id: number): Promise<Rights> {
    const { rows } = await tx.query<{ epoch: number }>(
      'update clients set access_epoch = access_epoch + 1 where client_id = $1 returning access_epoch - 1 as epoch',
      [client_id],
    )
    return this.#rightsWithin(tx, client_id, rows[0]?.epoch ?? 0)
  }

  /** Keeps what was compiled of a role that is being saved: the next request, which reads the rights anew, need not do it again. */
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
      .read(client_id, (q) => readSource(q, client_id))
      .then((source) => this.#keep(client_id, source))
      .finally(() => this.#loading.delete(client_id))
    this.#loading.set(client_id, loading)
    return loading
  }

  /**
   * Reads on the caller's own connection: one that waits for somebody else's, which waits for a free one, could wait for itself.
   * While a change is under way nobody else can commit one, so what it reads first is of the epoch before.
   */
  async #rightsWithin(q: Queryable, client_id: number, epoch: number): Promise<Rights> {
    const known = this.#entries.get(client_id)
    if (known && known.rights.source.epoch >= epoch) return known.rights
    return this.#keep(client_id, { ...(await readSource(q, client_id)), epoch }).rights
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

/** What somebody may do under some rights, the present ones or those that a change would make. */
export function accessIn(
  rights: Rights,
  { roles, groups, ip, is_support = false }: Pick<AccessQuestion, 'roles' | 'groups' | 'ip' | 'is_support'>,
): Access {
  const held = roles.flatMap((reference) => rights.roles.get(reference) ?? [])
  return evaluate(
    {
      roles: is_support ? [...held, rights.denials] : held,
      ip,
      group_references: groups ?? undefined,
    },
    { networks: rights.networks },
  )
}

async function readSource(q: Queryable, client_id: number): Promise<RightsSource> {
  // The epoch first: what changes while we read makes the next request read again.
  const client = await q.query<{ access_epoch: number; is_provider: boolean }>(
    'select access_epoch, is_provider from clients where client_id = $1',
    [client_id],
  )
  const groups = await q.query<AccessGroup>(
    `select g.group_id, g.group_reference, coalesce(
       jsonb_agg(jsonb_build_object('key', t.tag_key, 'value', t.tag_value) order by t.tag_key, t.tag_value collate "C")
         filter (where t.tag_key is not null), '[]') as tags
     from groups g left join group_tags t using (client_id, group_id)
     where g.client_id = $1 group by g.group_id order by g.group_id`,
    [client_id],
  )
  const roles = await q.query<{ document: Role }>(
    'select document from roles where client_id = $1 order by role_reference',
    [client_id],
  )
  const defaults = await q.query<{ role: string | null; cidr_ranges: string[] }>(
    'select role, cidr_ranges from account_defaults where client_id = $1',
    [client_id],
  )
  return {
    epoch: client.rows[0]?.access_epoch ?? 0,
    is_provider: client.rows[0]?.is_provider ?? false,
    groups: groups.rows,
    roles: roles.rows.map((row) => row.document),
    default_role: defaults.rows[0]?.role ?? null,
    cidr_ranges: defaults.rows[0]?.cidr_ranges ?? [],
  }
}
