import type { ActorMark, Answer, Api, EndpointName, HandlerInput } from '@custodia/contract'
import type { Access, Networks } from '@custodia/domain'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Queryable, Tx } from '../ports/database/lease.ts'
import type { PreparedJson } from './prepared-json.ts'

/** A signed-in person. */
export interface PortalUser {
  kind: 'portal'
  client_id: number
  client: string
  client_name: string
  user_reference: string
  session_id: string
  /** The provider of the person's sign-in; null: unknown, absent: none. */
  issuer?: string | null
  roles: string[]
  user_group: string | null
  /** Null when the client has no such group. */
  group_id: number | null
  /** Groups to which the identity provider confines the person; null: not confined. */
  group_references: readonly string[] | null
  access: Access
  /** When the current terms were accepted; null until then. */
  terms_accepted_at: number | null
  /** End of the session; refreshes do not change it. */
  session_expires_at: number
  /** Whether `client` is the provider's own. */
  is_provider: boolean
  /**
   * A client app with a token of its own issuer; `user_reference` is its app_reference and there is no
   * session.
   */
  is_client_app?: boolean
  /**
   * The networks from which a client app may call, in addition to those of its roles, which its permissions
   * require.
   */
  own_networks?: Networks
  /** Set in support mode: `client` is the supported one, `user_reference` the staff member. */
  support_reference?: string | undefined
  support?: { request_reference: string; role: string; approval_expiry: number }
}

/**
 * The actor as records keep it; it distinguishes support staff and client apps from the client's own people.
 */
export function getActor({
  user_reference,
  support_reference,
  is_client_app,
}: Pick<PortalUser, 'user_reference' | 'support_reference' | 'is_client_app'>): string {
  if (support_reference !== undefined) return marked(user_reference, 'support')
  return is_client_app ? marked(user_reference, 'app') : user_reference
}

/**
 * A name with the mark of support staff or an app; the contract forbids these marks in other names
 * (`ACTOR_MARKS`).
 */
export const marked = (name: string, mark: ActorMark): string => `${name} (${mark})`

/** The operator who runs commands on the server, in history and audit. */
export const OPERATOR = marked('operator', 'system')

/** The retention job, in history and audit. */
export const RETENTION = marked('retention', 'system')

/** The nightly check of the archive, in the audit log. */
export const INTEGRITY_CHECK = marked('integrity check', 'system')

/** Called before each permitted call runs; `now` in epoch seconds. When it throws, the call fails. */
export type NoteUse = (caller: PortalUser, action: string, now: number) => Promise<void>

/** A device with a valid access token. */
export interface DeviceCaller {
  kind: 'device'
  client_id: number
  client: string
  device_id: number
  device_reference: string
  device_user_reference: string | null
  group_reference: string
  group_id: number
}

/** The fields of a person that an audit entry needs; known also for refused people. */
export type RefusedPerson = Pick<
  PortalUser,
  'kind' | 'client_id' | 'user_reference' | 'user_group' | 'group_id' | 'is_client_app' | 'support_reference'
> & { roles: readonly string[] }
/** Each kind of caller that an audit log can contain. */
export type LoggedCaller = PortalUser | RefusedPerson | DeviceCaller

/** One call, as the audit log keeps it (spec section 3: user activity log, device activity log). */
export interface AuditEntry {
  log_id: string
  caller: LoggedCaller
  /** The client whose log gets the entry, when it is not the caller's. */
  client_id?: number
  ip: string
  browser: string | undefined
  activity_time: number
  activity_end_time: number
  /** Seconds, with fractions. */
  duration: number
  action: string
  is_allowed: boolean
  denial_reason: string | null
  /** JSON text of the call's parameters without secrets. */
  parameters: string
  status_code: number
  request_id: string
}

/** What every handler gets in addition to its input. */
export interface Context {
  readonly request_id: string
  readonly ip: string
  /** Epoch seconds, constant during the request. */
  readonly now: number
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

/** Context of a call within a tenant. */
export interface TenantContext<P> extends Context {
  readonly caller: P
  /** The permitted action of the call. */
  readonly action: string
  /** Reads as the caller's tenant. */
  read<T>(work: (q: Queryable) => Promise<T>): Promise<T>
  /**
   * As `read`, perhaps from a replica (`Database.readFromReplica`): for lists and pages, never for
   * permissions or before a write.
   */
  readFromReplica<T>(work: (q: Queryable) => Promise<T>): Promise<T>
  /** One transaction as the caller's tenant, with the audit entry of the call, or the act fails. */
  write<T>(work: (tx: Tx, log_id: string) => Promise<T>): Promise<T>
  /**
   * For the provider's staff: one transaction as a client. Both the staff's own log and the client's get the
   * audit entry, or the act fails.
   */
  writeFor<T>(client_id: number, work: (tx: Tx, log_id: string) => Promise<T>): Promise<T>
  /**
   * Suppresses the audit entry of a successful call: a device poll without a result, which `last_seen` records, or the
   * progress of a playback, which has its own entry. Comes before the write.
   */
  leaveNoEntry(): void
  /** Adds to the audit entry what only the server knows, such as how many recordings a filter found. Without content. */
  noteFacts(facts: Readonly<Record<string, string | number>>): void
}
export type PortalContext = TenantContext<PortalUser>

/**
 * Batches acts of several callers in transactions. `entry` makes the audit entry of the call for its act's
 * transaction.
 */
export interface ActBatcher<Act, Result> {
  add(client_id: number, act: Act, entry: () => AuditEntry): Promise<Result>
}

export interface DeviceContext extends TenantContext<DeviceCaller> {
  /**
   * As `write`, in one transaction with the same act of the tenant's other devices and with the call's audit
   * entry.
   */
  writeBatched<Act, Result>(acts: ActBatcher<Act, Result>, act: Act): Promise<Result>
}

type ContextOf<Name extends EndpointName> = Api[Name]['authentication'] extends 'portal'
  ? PortalContext
  : Api[Name]['authentication'] extends 'device'
    ? DeviceContext
    : Context

/**
 * Handler of an endpoint: takes the parsed input and returns the response. It contains no try/catch and
 * writes no audit entry.
 */
export type Handler<Name extends EndpointName> = (
  context: ContextOf<Name>,
  input: HandlerInput<Api[Name]>,
) => Promise<Answer<Api[Name]> | PreparedJson<Answer<Api[Name]>>>

/** Handlers by row name: one missing or of the wrong type does not compile. */
export type Handlers<Name extends EndpointName> = { readonly [N in Name]: Handler<N> }
