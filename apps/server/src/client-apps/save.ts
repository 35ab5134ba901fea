import { type ClientApp, type ClientAppInput, type Fault, fault, type OidcConfig } from '@custodia/contract'
import { normaliseCidr } from '@custodia/domain'
import { assertPermitted } from '../access/assert-permitted.ts'
import type { AccessCache } from '../access/load.ts'
import type { AppContext } from '../app-context.ts'
import { actorOf, type Handler, type PortalContext } from '../http/context.ts'
import { assertUnchanged } from '../http/etag.ts'
import { Problem } from '../http/problem.ts'
import { type Egress, EgressProblem } from '../ports/egress/port.ts'
import { groupIdOf, validateApp } from './validate.ts'
import { findApp, removeApp, writeApp } from './store.ts'

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
      await book.beginChange(tx)
      const present = await findApp(tx, app_reference)
      if (!present) throw new Problem('not_found', { detail: 'no such client app' })
      assertUnchanged(context, present.version)
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
  const addressFaults = await forbiddenAddresses(ctx, input.oidc_config)
  if (addressFaults.length > 0) throw new Problem('invalid_input', { faults: addressFaults })
  const saved = await context.write(async (tx) => {
    const rights = await book.beginChange(tx)
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
        group_id: groupIdOf(rights, input.group) ?? null,
      },
      { updated_at: context.now, updated_by: actorOf(context.caller) },
    )
    return findApp(tx, app_reference)
  })
  if (!saved) throw new Error('the client app was not stored')
  return saved
}

/** Milliseconds for which a save waits for a stranger's server. */
const PATIENCE = 3000

/** Addresses that the egress guard forbids. One that does not answer may be saved: it may answer later. */
async function forbiddenAddresses({ egress }: AppContext, config: OidcConfig): Promise<Fault[]> {
  const fields = ['issuer', 'jwks_uri'] as const
  const verdicts = await Promise.all(fields.map((field) => isForbidden(egress, config[field])))
  return fields.flatMap((field, i) =>
    verdicts[i] ? [fault(`oidc_config.${field}`, 'address_forbidden')] : [],
  )
}

/** A name must be resolved to know its address. */
async function isForbidden(egress: Egress, address: string): Promise<boolean> {
  try {
    await egress.fetchJson(address, { timeoutMs: PATIENCE })
    return false
  } catch (error) {
    if (error instanceof EgressProblem) return error.isForbidden
    throw error
  }
}
