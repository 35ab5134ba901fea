import {
  type AccessImpact,
  type AccountDefaults,
  type AccountDefaultsInput,
  type Fault,
  fault,
  TERMS_VERSION,
} from '@custodia/contract'
import { accountTypes, compileNetworks, normaliseCidr } from '@custodia/domain'
import {
  assertPermitted,
  getChanger,
  mergeImpacts,
  previewGrantImpact,
  previewImpact,
} from '../access/impact.ts'
import type { AccessCache } from '../access/load.ts'
import type { Rights } from '../access/rights.ts'
import { seenGroups } from '../access/visible-groups.ts'
import type { AppContext } from '../app-context.ts'
import { findClient } from '../clients/store.ts'
import { getActor, type Handler, type Handlers, type PortalContext } from '../http/context.ts'
import { assertUnchanged } from '../http/etag.ts'
import { Problem } from '../http/problem.ts'
import { findDefaults, writeDefaults } from './store.ts'

/** Handlers of the account itself: what a visitor may know before signing in. */
export const accountRoutes = (ctx: AppContext): Handlers<'readAccountMetadata'> => ({
  async readAccountMetadata(_context, { params }) {
    const client = await findClient(ctx.db, params.client)
    if (!client) throw new Problem('not_found', { detail: 'no such client' })
    return {
      client: client.client,
      client_name: client.client_name,
      terms_version: TERMS_VERSION,
      has_scanner: ctx.scanner.configured,
      has_transcoder: ctx.media !== undefined,
    }
  },
})

/** Handlers of the account's defaults. */
export const defaultsRoutes = (
  book: AccessCache,
): Handlers<'readAccountDefaults' | 'saveAccountDefaults' | 'reviewAccountDefaults'> => ({
  readAccountDefaults,
  saveAccountDefaults: save(book),
  reviewAccountDefaults: review(book),
})

const readAccountDefaults: Handler<'readAccountDefaults'> = async (context) => {
  const defaults = await context.read(findDefaults)
  if (!defaults) throw new Problem('not_found', { detail: 'no defaults' })
  return shownTo(context, defaults)
}

/** The defaults as the caller may see them: the index counts texts of all payload types. */
function shownTo({ caller, action }: PortalContext, defaults: AccountDefaults): AccountDefaults {
  const isLimited = accountTypes(caller.access, action) !== undefined
  return isLimited ? { ...defaults, content_index: { ...defaults.content_index, indexed: null } } : defaults
}

function save(book: AccessCache): Handler<'saveAccountDefaults'> {
  return async (context, { query, body }) => {
    const saved = await context.write(async (tx) => {
      const rights = await book.beginChange(tx, context)
      const known = await findDefaults(tx)
      assertUnchanged(context, known?.version)
      const { defaults, problems, impact } = previewDefaults(context, rights, known, body)
      if (problems.length > 0) throw new Problem('invalid_input', { faults: problems })
      await assertPermitted(context, tx, impact, {
        what: { text: 'escalated_by_defaults', name: 'account defaults' },
        confirm_lockout: query.confirm_lockout,
      })
      await writeDefaults(tx, defaults, { updated_at: context.now, updated_by: getActor(context.caller) })
      return findDefaults(tx)
    })
    if (!saved) throw new Error('the defaults were not stored')
    return shownTo(context, saved)
  }
}

function review(book: AccessCache): Handler<'reviewAccountDefaults'> {
  return async (context, { body }) => {
    const [rights, known] = await context.read(
      async (q) => [await book.getRights(q), await findDefaults(q)] as const,
    )
    const { problems, impact } = previewDefaults(context, rights, known, body)
    return { problems, warnings: [], impact: seenGroups(context.caller, rights).narrowToSeen(impact) }
  }
}

interface ValidatedDefaults {
  defaults: AccountDefaultsInput
  problems: Fault[]
  impact: AccessImpact
}

/** Previews a save of the defaults; reviews show it and saves are checked against it. */
function previewDefaults(
  context: PortalContext,
  rights: Rights,
  known: AccountDefaults | undefined,
  input: AccountDefaultsInput,
): ValidatedDefaults {
  const { user_group, role } = input
  const problems: Fault[] = []
  if (!rights.groupIndex.groups.some((group) => !group.is_reserved && group.group_reference === user_group))
    problems.push(fault('user_group', 'unknown_reference', { value: user_group }))
  if (role !== null && !rights.roles.has(role))
    problems.push(fault('role', 'unknown_reference', { value: role }))
  const cidr_ranges = input.cidr_ranges.map((range, i) => {
    const normal = normaliseCidr(range)
    if (normal === undefined) problems.push(fault(`cidr_ranges.${i}`, 'cidr'))
    return normal ?? range
  })
  const defaults = { ...input, cidr_ranges: [...new Set(cidr_ranges)] }
  const isForFewer = input.default_for_empty_roles === false && known?.default_for_empty_roles === true
  const changer = getChanger(context)
  const after = { ...rights, networks: compileNetworks(defaults.cidr_ranges), touched: new Set<string>() }
  const networks = previewImpact(rights, after, changer, {
    undo: ['account.defaults:update'],
    roles_after: rolesAfter(context, rights.source.default_role, isForFewer ? null : role),
  })
  const isForMore = input.default_for_empty_roles === true && known?.default_for_empty_roles === false
  const isGranted = role !== null && (role !== rights.source.default_role || isForMore)
  return {
    defaults,
    problems,
    impact: isGranted
      ? mergeImpacts(networks, previewGrantImpact(rights, changer, { roles: [role] }))
      : networks,
  }
}

/**
 * The caller's roles after a change of the default role. A caller whose only role is the default counts as its
 * holder, because a session does not record whether the identity provider named it.
 */
function rolesAfter({ caller }: PortalContext, from: string | null, to: string | null): readonly string[] {
  const { roles, is_client_app, support_reference } = caller
  if (is_client_app || support_reference !== undefined) return roles
  const isByDefault = roles.length === 1 && roles[0] === from
  if (!isByDefault || to === from) return roles
  return to === null ? [] : [to]
}
