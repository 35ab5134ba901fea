import { fault, type Role, type RoleReview, type StoredRole } from '@custodia/contract'
import {
  type Access,
  type CompiledRole,
  evaluate,
  type Lane,
  PROVIDER_ROLES,
  getSkeleton,
  SYSTEM_ROLES,
} from '@custodia/domain'
import { assertPermitted } from '../access/impact.ts'
import type { AccessCache } from '../access/load.ts'
import type { Rights } from '../access/rights.ts'
import { seenGroups } from '../access/visible-groups.ts'
import type { AppContext } from '../app-context.ts'
import {
  getActor,
  type Handler,
  type Handlers,
  type PortalContext,
  type PortalUser,
} from '../http/context.ts'
import { assertUnchanged } from '../http/etag.ts'
import { pageByName } from '../http/page.ts'
import { lastingText, preparedPage } from '../http/prepared-json.ts'
import { Problem } from '../http/problem.ts'
import { countVisible } from '../payloads/store.ts'
import type { Queryable } from '../ports/database/lease.ts'
import { carryDraft, draftRole, previewRemovalImpact, validateRole } from './draft.ts'
import { findRole, findUsesOfRole, removeRole, storedRole, systemRoles, writeRole } from './store.ts'

const NAMES = new Set([...SYSTEM_ROLES, ...PROVIDER_ROLES].map((role) => role.role_reference))
const SKELETONS = new Set([...NAMES].map(getSkeleton))

/** Whether a system role has this name. The names of the provider's roles are reserved for every client. */
const isSystemRole = (role_reference: string): boolean => NAMES.has(role_reference)

/** The same to the eye: no role of a client may be taken for one of the system. */
const looksLikeSystemRole = (role_reference: string): boolean => SKELETONS.has(getSkeleton(role_reference))

/** `/dashboard/access/roles/create` is where roles are made: one of that name could not be opened. */
const PAGE_OF_NEW_ROLES = 'create'

/** Times that a role is compiled; where groups have changed even after the last one, it is carried over to them under the lock. */
const ATTEMPTS = 3

/** Creates or replaces a role. */
function saveRole(book: AccessCache): Handler<'saveRole'> {
  return async (context, { params, query, body }) => {
    const { role_reference } = params
    if (looksLikeSystemRole(role_reference)) throw new Problem('system_role')
    if (role_reference === PAGE_OF_NEW_ROLES)
      throw new Problem('invalid_input', { faults: [fault('role_reference', 'name_of_a_page')] })
    const { client_id } = context.caller
    // Compiling waits for other people's drafts: with neither a connection nor the lock on the client's rights.
    const compile = async () =>
      draftRole(context, 'save', await context.read((q) => book.getRights(q)), role_reference, body)
    const saved = await whileGroupsStay(async (isLast) => {
      const typed = await compile()
      return context.write(async (tx) => {
        const rights = await book.beginChange(tx, context)
        assertUnchanged(context, (await findRole(tx, role_reference))?.version)
        if (typed.problems.length > 0)
          throw new Problem('invalid_input', { faults: typed.problems.slice(0, 100) })
        const isCurrent = typed.compiled.groupIndex === rights.groupIndex
        const draft = isCurrent ? typed : isLast ? carryDraft(typed, rights) : undefined
        if (!draft) throw new GroupsChanged()
        await assertPermitted(context, tx, validateRole(context, rights, draft), {
          what: { text: 'escalated_by_role', name: role_reference },
          confirm_lockout: query.confirm_lockout,
        })
        const stored = await writeRole(tx, draft.role, {
          updated_at: context.now,
          updated_by: getActor(context.caller),
        })
        book.keepSaved(client_id, { document: getDocument(stored), compiled: draft.compiled })
        return stored
      })
    })
    return saved
  }
}

/** As it is read from the database, its properties in the same order. */
function getDocument(stored: StoredRole): Role {
  const { client: _client, version: _version, updated_at: _at, updated_by: _by, ...document } = stored
  return document
}

/** The groups differ from those of the compiled role: nothing was written. */
class GroupsChanged extends Error {}

/** Problem: unavailable, when most groups change time and again. */
async function whileGroupsStay<T>(save: (isLast: boolean) => Promise<T>): Promise<T> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    try {
      return await save(attempt === ATTEMPTS)
    } catch (error) {
      if (!(error instanceof GroupsChanged)) throw error
    }
  }
  throw new Problem('unavailable', { detail: 'groups change faster than the role is compiled' })
}

/** The client's own and system roles, by reference. They come from the request's rights, without another read. */
function listRoles(ctx: Pick<AppContext, 'cursors'>, book: AccessCache): Handler<'listRoles'> {
  return async ({ caller }, { query }) => {
    const rights = await book.presentRights(caller)
    const roles = chosen(rolesIn(rights, caller), query)
    if (query.type === 'total') return { total: roles.length }
    const { data, last_key } = await pageByName(
      ctx.cursors,
      { name: 'roles', client_id: caller.client_id, query },
      async (after, limit) => {
        const from = roles.findIndex(({ role_reference }) => byBytes(role_reference, after) > 0)
        return from < 0 ? [] : roles.slice(from, from + limit)
      },
      ({ role_reference }) => role_reference,
    )
    return preparedPage<StoredRole>(data.map(lastingText), last_key)
  }
}

const listed = new WeakMap<Rights['source'], readonly StoredRole[]>()

/** All roles that users of the client can have, by reference; computed once per change of its rights. */
function rolesIn({ source }: Rights, { client }: Pick<PortalUser, 'client'>): readonly StoredRole[] {
  const known = listed.get(source)
  if (known) return known
  const own = source.roles.flatMap((document) => {
    const change = source.role_changes.get(document.role_reference)
    return change ? [storedRole({ client, document, ...change })] : []
  })
  const all = [...systemRoles({ client, is_provider: source.is_provider }), ...own].toSorted((a, b) =>
    byBytes(a.role_reference, b.role_reference),
  )
  listed.set(source, all)
  return all
}

interface RoleFilter {
  /** Part of the reference or the description, in any case. */
  search?: string | undefined
  is_system?: boolean | undefined
  is_alertable?: boolean | undefined
}

function chosen(roles: readonly StoredRole[], { search, is_system, is_alertable }: RoleFilter) {
  const part = search?.toLowerCase()
  return roles.filter(
    (role) =>
      (is_system === undefined || role.is_system === is_system) &&
      (is_alertable === undefined || role.is_alertable === is_alertable) &&
      (part === undefined ||
        role.role_reference.toLowerCase().includes(part) ||
        (role.description ?? '').toLowerCase().includes(part)),
  )
}

/** The database's order of references. */
const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

/** Handlers of roles: those of the client, and the fixed system roles. */
export const roleRoutes = (
  ctx: Pick<AppContext, 'cursors'>,
  book: AccessCache,
): Handlers<'listRoles' | 'readRole' | 'saveRole' | 'reviewRole' | 'deleteRole'> => ({
  listRoles: listRoles(ctx, book),
  async readRole({ caller }, { params: { role_reference } }) {
    const roles = rolesIn(await book.presentRights(caller), caller)
    const role = roles.find((each) => each.role_reference === role_reference)
    if (!role) throw new Problem('not_found', { detail: 'no such role' })
    return role
  },
  saveRole: saveRole(book),
  reviewRole: reviewRole(book),
  deleteRole: deleteRole(book),
})

function deleteRole(book: AccessCache): Handler<'deleteRole'> {
  return async (context, { params, query }) => {
    const { role_reference } = params
    if (isSystemRole(role_reference)) throw new Problem('system_role')
    await context.write(async (tx) => {
      const rights = await book.beginChange(tx, context)
      const role = await findRole(tx, role_reference)
      if (!role) throw new Problem('not_found', { detail: 'no such role' })
      assertUnchanged(context, role.version)
      const uses = await findUsesOfRole(tx, role_reference, context.now)
      if (uses.length > 0) throw new Problem('in_use', { detail: uses.slice(0, 10).join(', ') })
      await assertPermitted(context, tx, previewRemovalImpact(context, rights, role_reference), {
        what: { text: 'escalated_by_role_deletion', name: role_reference },
        confirm_lockout: query.confirm_lockout,
      })
      await removeRole(tx, role_reference)
    })
    return {}
  }
}

/**
 * Previews what a role matches and reaches, as far as the caller sees groups, roles and payloads. Patterns ask for
 * names, so the result must not depend on hidden groups.
 */
function reviewRole(book: AccessCache): Handler<'reviewRole'> {
  return async (context, { params, body }) => {
    const { caller } = context
    const seen = seenGroups(caller, await context.read((q) => book.getRights(q)))
    // Waits for other people's drafts, so without a connection.
    const draft = await draftRole(context, 'review', seen.rights, params.role_reference, body)
    const { preview, compiled, problems } = draft
    return seen.markAsPartial({
      problems,
      warnings: preview.warnings,
      actions: preview.actions,
      permissions: preview.permissions,
      groups: preview.groups,
      payloads: await context.readFromReplica((q) => countPayloads(context, q, compiled, seen.is_all)),
      impact: validateRole(context, seen.rights, draft),
    })
  }
}

/**
 * Counts payloads that a holder of this role alone would list and that the caller may list as well; null if the
 * holder may list none.
 */
async function countPayloads(
  { caller }: PortalContext,
  q: Queryable,
  role: CompiledRole,
  seesAllGroups: boolean,
): Promise<RoleReview['payloads']> {
  const access = evaluate({ roles: [{ ...role, networks: 'any' }], ip: '' }, { networks: 'any' })
  if (!access.may(LIST)) return null
  if (!caller.access.may(LIST)) return { total: null, is_capped: false }
  const seen = seesAllGroups ? 'all' : role.groupIndex.groups.map(({ group_id }) => group_id)
  const own = caller.access.lanes(LIST).map((lane) => ({ ...lane, groups: common(lane.groups, seen) }))
  const isPartial = !own.some(({ types, groups }) => types === 'all' && groups === 'all')
  const lanes = access.lanes(LIST).flatMap((lane) => own.map((other) => commonLane(lane, other)))
  const both: Access = { ...access, lanes: () => lanes }
  const { total, is_capped = false } = await countVisible(q, both, LIST)
  return { total, is_capped, ...(isPartial ? { is_partial: true } : {}) }
}

const LIST = 'payloads:list'

const commonLane = (a: Lane, b: Lane): Lane => ({
  types: common(a.types, b.types),
  groups: common(a.groups, b.groups),
  groupless: a.groupless && b.groupless,
})

function common<T>(a: T[] | 'all', b: T[] | 'all'): T[] | 'all' {
  if (a === 'all') return b
  if (b === 'all') return a
  const others = new Set(b)
  return a.filter((each) => others.has(each))
}
