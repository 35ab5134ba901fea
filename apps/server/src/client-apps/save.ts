import {
  type AccessImpact,
  type ClientApp,
  type ClientAppInput,
  type Fault,
  fault,
  type OidcConfig,
} from '@custodia/contract'
import { compileNetworks, normaliseCidr } from '@custodia/domain'
import { assertPermitted, getChanger, previewGrantImpact } from '../access/impact.ts'
import type { AccessCache } from '../access/load.ts'
import type { Rights } from '../access/rights.ts'
import { seenGroups } from '../access/visible-groups.ts'
import type { AppContext } from '../app-context.ts'
import { getActor, type Handler, type PortalContext } from '../http/context.ts'
import { assertUnchanged } from '../http/etag.ts'
import { Problem } from '../http/problem.ts'
import { isRequiredGate } from '../payload-records/store.ts'
import type { Queryable } from '../ports/database/lease.ts'
import { findApp, findAppOfIdentity, removeApp, writeApp } from './store.ts'

/** Previews what saving the app grants, and its problems. */
export function reviewClientApp(book: AccessCache): Handler<'reviewClientApp'> {
  return (context, { params, body }) =>
    context.read(async (q) => {
      const rights = await book.getRights(q)
      const { problems, impact } = await validateApp(context, q, rights, params.app_reference, body)
      return { problems, warnings: [], impact: seenGroups(context.caller, rights).narrowToSeen(impact) }
    })
}

/**
 * Validates an app, whose rights are those of its roles within its networks; reviews show it and saves are checked
 * against it.
 */
async function validateApp(
  context: PortalContext,
  q: Queryable,
  rights: Rights,
  app_reference: string,
  { oidc_config, roles, group, cidr_ranges }: ClientAppInput,
): Promise<{ problems: Fault[]; impact: AccessImpact }> {
  const problems = roles.flatMap((role, i) =>
    rights.roles.has(role) ? [] : [fault(`roles.${i}`, 'unknown_reference', { value: role })],
  )
  if (group !== null && getGroupId(rights, group) === undefined)
    problems.push(fault('group', 'unknown_reference', { value: group }))
  const other = await findAppOfIdentity(q, oidc_config)
  if (other && other.app_reference !== app_reference)
    problems.push(fault('oidc_config.audience', 'same_identity', { value: other.app_reference }))
  const granted = { roles, networks: compileNetworks(cidr_ranges) }
  return { problems, impact: previewGrantImpact(rights, getChanger(context), granted) }
}

/** The group's id, if the client has one of that name. */
const getGroupId = ({ source }: Rights, reference: string | null): number | undefined =>
  source.groups.find((group) => !group.is_reserved && group.group_reference === reference)?.group_id

/** Adds an app. */
export function createClientApp(ctx: AppContext, book: AccessCache): Handler<'createClientApp'> {
  return (context, { params, body }) =>
    save(ctx, book, context, params.app_reference, body, (present) => {
      if (present) throw new Problem('already_exists')
    })
}

/** Replaces an app. */
export function updateClientApp(ctx: AppContext, book: AccessCache): Handler<'updateClientApp'> {
  return (context, { params, body }) =>
    save(ctx, book, context, params.app_reference, body, (present) => {
      if (!present) throw new Problem('not_found', { detail: 'no such client app' })
      assertUnchanged(context, present.version)
    })
}

/** Removes an app; its tokens stop with the next request, and what streams to it is cut. */
export function deleteClientApp(book: AccessCache): Handler<'deleteClientApp'> {
  return async (context, { params: { app_reference } }) => {
    await context.write(async (tx) => {
      await book.beginChange(tx, context)
      const present = await findApp(tx, app_reference)
      if (!present) throw new Problem('not_found', { detail: 'no such client app' })
      assertUnchanged(context, present.version)
      if (await isRequiredGate(tx, 'required_receipts', app_reference))
        throw new Problem('in_use', { detail: 'the retention policy requires its receipts' })
      await removeApp(tx, app_reference)
    })
    return {}
  }
}

/** Saves an app; its rights count as a grant by the user who saves it. */
async function save(
  ctx: AppContext,
  book: AccessCache,
  context: PortalContext,
  app_reference: string,
  input: ClientAppInput,
  assertPresent: (present: ClientApp | undefined) => void,
): Promise<ClientApp> {
  const addressFaults = forbiddenAddresses(ctx, input.oidc_config)
  if (addressFaults.length > 0) throw new Problem('invalid_input', { faults: addressFaults })
  const saved = await context.write(async (tx) => {
    const rights = await book.beginChange(tx, context)
    assertPresent(await findApp(tx, app_reference))
    const { problems, impact } = await validateApp(context, tx, rights, app_reference, input)
    if (problems.length > 0) throw new Problem('invalid_input', { faults: problems })
    await assertPermitted(context, tx, impact, {
      what: { text: 'escalated_by_app', name: app_reference },
      confirm_lockout: undefined,
    })
    await writeApp(
      tx,
      app_reference,
      {
        oidc_config: input.oidc_config,
        roles: input.roles,
        cidr_ranges: [...new Set(input.cidr_ranges.map((range) => normaliseCidr(range) ?? range))],
        group_id: getGroupId(rights, input.group) ?? null,
      },
      { updated_at: context.now, updated_by: getActor(context.caller) },
    )
    return findApp(tx, app_reference)
  })
  if (!saved) throw new Error('the client app was not stored')
  return saved
}

/** Addresses that the egress guard forbids by their text. One that does not answer may be saved: it may answer later. */
const forbiddenAddresses = ({ egress }: AppContext, config: OidcConfig): Fault[] =>
  (['issuer', 'jwks_uri'] as const)
    .filter((field) => !egress.admits(config[field]))
    .map((field) => fault(`oidc_config.${field}`, 'address_forbidden'))
