import { FAULTS, type Profile, TERMS_VERSION } from '@custodia/contract'
import { namesOfGroups } from '../groups/store.ts'
import { assertPerson } from '../http/assert-person.ts'
import type { PortalContext } from '../http/context.ts'
import { Problem } from '../http/problem.ts'
import { portalMap } from '../http/maps.ts'
import { portalMonitoring } from '../http/monitoring.ts'
import type { SessionServices } from './session-services.ts'
import { insertAcceptance } from './store.ts'

/** Who the caller is and may do (spec section 8). */
export async function readProfile(
  { access: book, ctx: { config } }: Pick<SessionServices, 'access' | 'ctx'>,
  context: PortalContext,
): Promise<Profile> {
  const { caller } = context
  const { client, client_name, user_reference, user_group, roles, access } = caller
  const rights = await context.read((q) => book.rightsOf(q))
  return {
    user_reference,
    client,
    client_name,
    actions: access.actions(),
    groups: await groupsWithinReach(context),
    payload_types: access.payload_types,
    roles,
    unknown_roles: roles.filter((role) => !rights.roles.has(role)),
    user_group,
    contact: rights.source.contact,
    reasons: rights.source.reasons && [...rights.source.reasons],
    portal_config: { ...portalMap(config, client), ...portalMonitoring(config, client) },
    terms: { version: TERMS_VERSION, accepted_at: caller.terms_accepted_at },
    session_expires_at: caller.session_expires_at,
    is_provider: caller.is_provider,
    support: caller.support ?? null,
  }
}

/** Notes that the caller accepts the terms in force. Problem: invalid_input for any other version. */
export async function acceptTerms(
  parts: Pick<SessionServices, 'access' | 'ctx'>,
  context: PortalContext,
  version: string,
): Promise<Profile> {
  const { caller, now } = context
  assertPerson(caller)
  if (version !== TERMS_VERSION) {
    throw new Problem('invalid_input', {
      faults: [{ path: 'version', code: 'invalid', message: FAULTS.invalid['en-GB'] }],
    })
  }
  const accepted_at = caller.terms_accepted_at ?? now
  await context.write((tx) => insertAcceptance(tx, caller.user_reference, version, accepted_at))
  return readProfile(parts, { ...context, caller: { ...caller, terms_accepted_at: accepted_at } })
}

/** What lists of things that have a group need, the most telling first. */
const READING = ['payloads:list', 'devices:list', 'users:list', 'groups:list']

/** Names of the groups that the caller's lists show; null: all. */
async function groupsWithinReach({ caller, read }: PortalContext): Promise<string[] | null> {
  const action = READING.find((each) => caller.access.may(each))
  const ids = action === undefined ? [] : caller.access.groups(action)
  if (ids === 'all') return null
  if (ids.length === 0) return []
  return read((q) => namesOfGroups(q, ids))
}
