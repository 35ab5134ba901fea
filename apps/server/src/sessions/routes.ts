import {
  getActions,
  type Api,
  api,
  type Endpoint,
  FAULTS,
  type HandlerInput,
  type Profile,
  PROVIDER_CLIENT,
  TERMS_VERSION,
} from '@custodia/contract'
import type { AccessCache } from '../access/load.ts'
import { assertReason, noteAccess } from '../access/note-access.ts'
import { namesOfGroups } from '../groups/store.ts'
import { assertPerson } from '../http/assert-person.ts'
import { getActor, type Context, type Handler, type Handlers, type PortalContext } from '../http/context.ts'
import { portalMap, portalMonitoring } from '../http/monitoring.ts'
import { Problem } from '../http/problem.ts'
import { findRecordings, notePayloadAudit } from '../payload-records/store.ts'
import { listDemoCast } from '../ports/identity/people.ts'
import { type ExchangeAnswer, readSignInUrl, redeemCode } from './redeem-code.ts'
import { refresh } from './refresh.ts'
import { insertAcceptance } from './store.ts'
import { type SessionServices, signOut } from './tokens.ts'

/** Who the caller is and may do (spec section 8). */
async function readProfile(
  { access: book, ctx: { config } }: Pick<SessionServices, 'access' | 'ctx'>,
  context: PortalContext,
): Promise<Profile> {
  const { caller } = context
  const { client, client_name, user_reference, user_group, roles, access } = caller
  const rights = await context.read((q) => book.getRights(q))
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
async function acceptTerms(
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

type SessionRow =
  | 'listDemoPeople'
  | 'readSignInUrl'
  | 'exchange'
  | 'internalExchange'
  | 'readProfile'
  | 'acceptTerms'
  | 'noteExport'
  | 'signOut'

/** Handlers of signing in and out and of the caller's own profile. */
export function sessionRoutes(sessions: SessionServices): Handlers<SessionRow> {
  return {
    readSignInUrl: (context, { params, query }) => readSignInUrl(sessions, context, params.client, query),
    listDemoPeople: async () => ({
      terms_version: TERMS_VERSION,
      data: sessions.ctx.config.demo ? await listDemoCast(sessions.ctx.db) : [],
    }),

    exchange: (context, { params, query }) => exchange(sessions, context, params.client, query),
    internalExchange: (context, { query }) => exchange(sessions, context, PROVIDER_CLIENT, query),

    readProfile: (context) => readProfile(sessions, context),
    acceptTerms: (context, { body }) => acceptTerms(sessions, context, body.version),
    noteExport: noteExport(sessions.access),
    signOut: async (context, { query }) => {
      assertPerson(context.caller)
      return signOut(sessions, context, query.everywhere === 'true')
    },
  }
}

async function exchange(
  sessions: SessionServices,
  context: Context,
  client: string,
  { code, state, iss, redirect_uri, refresh_token }: HandlerInput<Api['exchange']>['query'],
): Promise<ExchangeAnswer> {
  if (refresh_token !== undefined) return refresh(sessions, context, client, refresh_token)
  if (code === undefined) throw new Problem('sign_in_refused', { detail: 'neither code nor refresh_token' })
  return redeemCode(sessions, context, { client, code, state, iss, redirect_uri })
}

/**
 * Notes that the caller takes rows of a list away, or prints a page. Problems: reason_required; not_permitted, where they
 * may not read the list; not_found, where they may not read the recording.
 */
function noteExport(book: AccessCache): Handler<'noteExport'> {
  return async (context, { body: { list, format, payload_reference, reason } }) => {
    const { caller, action, now: at } = context
    const row = Object.hasOwn(api, list) ? (api[list as keyof typeof api] as Endpoint) : undefined
    if (!row || row.method === 'PUT' || row.authentication !== 'portal')
      throw new Problem('invalid_input', { detail: 'no list' })
    const missing = getActions(row).find((action) => !caller.access.may(action))
    if (missing !== undefined) throw new Problem('not_permitted', { detail: `no role permits ${missing}` })
    const { source, recording } = await context.read(async (q) => ({
      source: (await book.getRights(q)).source,
      recording: payload_reference && (await findRecordings(q, [payload_reference]))[0],
    }))
    if (payload_reference !== undefined && !(recording && caller.access.permits('payloads:read', recording)))
      throw new Problem('not_found', { detail: 'no such recording in reach' })
    assertReason(source.reasons, reason)
    const actor = getActor(caller)
    await context.write(async (tx, log_id) => {
      if (recording)
        await notePayloadAudit(tx, [recording.payload_id], {
          at,
          log_id,
          portal_user: actor,
          action,
          detail: format,
        })
      if (caller.is_client_app) return
      await noteAccess(tx, { act: action, at, actor, user_reference: caller.user_reference })
    })
    return { list }
  }
}
