import * as z from 'zod/mini'
import type { ProblemCode } from './problems.ts'
import {
  BATCH_LIMIT,
  ClientAppReference,
  ClientReference,
  Count,
  DateParameter,
  DeviceReference,
  DeviceUserReference,
  GroupReference,
  PayloadReference,
  queryInteger,
  RoleReference,
  TagKey,
  text,
  ThreadId,
  TransferConfigReference,
  Ulid,
  uniqueList,
  UserReference,
} from './scalars.ts'

/** The four APIs of the system, each with its own base path (reading-the-spec: wire conventions). */
export const PORTAL_BASES = {
  admin: '/admin/v1/api/{client}',
  internal: '/admin/v1/internal',
  client: '/client/v1/api',
  device: '/device/v1',
} as const
export type Portal = keyof typeof PORTAL_BASES

/**
 * The required credentials: none, a portal session, a device token, or a signed address that carries its own right.
 */
export type Authentication = 'none' | 'portal' | 'device' | 'address'

/**
 * Default maximum bytes of a JSON body. A row with a larger schema sets its own limit: UTF-8 without needless escapes,
 * three bytes per UTF-16 unit. A test computes it.
 */
export const BODY_LIMIT = 256 * 1024

/** The permission a call needs: one action, or one that a query parameter selects. */
export type ActionRule = string | { readonly query: string; readonly of: Readonly<Record<string, string>> }

/** The required role of the caller and the right. */
type Right =
  | {
      readonly authentication: 'portal'
      readonly action: ActionRule
      /**
       * `account`: no group; a right under a condition on groups does not suffice. `groups`: objects of groups; a
       * caller with the action for some groups may call it, and the handler restricts the result to those.
       */
      readonly concerns: 'account' | 'groups'
      /**
       * The provider's staff may make this call in support mode if the approved role has its action, without `powers`.
       * All rows of one action have the same value.
       */
      readonly support?: true
      /**
       * People whose access is limited to legal matters may make this call. Its handler finds recordings by the
       * database of its context, which shows them those of these matters.
       */
      readonly matters?: true
      /** Further actions that extend the call. The handler checks each permission. */
      readonly powers?: readonly string[]
    }
  | {
      readonly authentication: Exclude<Authentication, 'portal'>
      readonly action?: undefined
      readonly concerns?: undefined
      readonly support?: undefined
      readonly matters?: undefined
      readonly powers?: undefined
    }

interface Wire {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly portal: Portal
  /** Path below the portal's base, with `{name}` for parameters. */
  readonly path: string
  readonly summary: string
  /** Further details for developers of clients. */
  readonly description?: string
  readonly body?: z.ZodMiniType
  /** Largest body in bytes, where it may be larger than `BODY_LIMIT`. */
  readonly bodyLimit?: number
  /** Schema of the JSON answer; absent where the body is bytes. */
  readonly response?: z.ZodMiniType
  /** Schema of the 202 response for acts under dual control (reading-the-spec: two people). */
  readonly deferred?: z.ZodMiniType
  /** Body of the request or answer is bytes, not JSON: such rows have handlers of their own and no client function. */
  readonly bytes?: 'request' | 'response'
  /** Problems of this call beyond those of every call (authentication, validation, rate, cursor of a list). */
  readonly problems?: readonly ProblemCode[]
  /** Query or body fields that never reach a log. */
  readonly secrets?: readonly string[]
  /** Body fields that the audit log leaves out, because a record has them. */
  readonly unlogged?: readonly string[]
  /** Calls open to users who have not yet accepted the terms. */
  readonly before_terms?: boolean
}

/** One row of the endpoint table, the source of routes, clients and the OpenAPI document. */
export type Endpoint = Wire & Right & { readonly params?: z.ZodMiniObject; readonly query?: z.ZodMiniObject }

type Shape = Readonly<Record<string, z.ZodMiniType>>
/** A row as its module declares it: without the common query fields; of `params` only those that no other row has. */
type Row = Wire & Right & { readonly params?: Shape; readonly query?: Shape }

/** Path parameters by their names. */
const PATH_PARAMETERS = {
  client: ClientReference,
  alert_reference: Ulid,
  app_reference: ClientAppReference,
  certificate_reference: Ulid,
  command_reference: Ulid,
  comment_id: Ulid,
  data_request_id: Ulid,
  destruction_reference: Ulid,
  device_reference: DeviceReference,
  device_user_reference: DeviceUserReference,
  enrolment_reference: Ulid,
  export_id: Ulid,
  group_reference: GroupReference,
  mark_id: Ulid,
  matter_id: Ulid,
  migration_reference: Ulid,
  payload_reference: PayloadReference,
  proposal_id: Ulid,
  recertification_reference: Ulid,
  reconciliation_reference: Ulid,
  request_reference: Ulid,
  role_reference: RoleReference,
  session_id: Ulid,
  statement_reference: Ulid,
  tag_key: TagKey,
  target: UserReference,
  thread_id: ThreadId,
  transfer_config_reference: TransferConfigReference,
  transfer_id: Ulid,
  user_reference: UserReference,
  webhook_reference: Ulid,
}
type PathParameters = typeof PATH_PARAMETERS

/** What rows of one API share: portal users call them, and the permission counts for the account or in groups. */
export const CLIENT_ACCOUNT = { portal: 'client', authentication: 'portal', concerns: 'account' } as const
export const CLIENT_GROUPS = { ...CLIENT_ACCOUNT, concerns: 'groups' } as const
export const ADMIN_ACCOUNT = { ...CLIENT_ACCOUNT, portal: 'admin' } as const
export const ADMIN_GROUPS = { ...CLIENT_GROUPS, portal: 'admin' } as const
export const INTERNAL = { ...CLIENT_ACCOUNT, portal: 'internal' } as const
/** What rows that devices call share. */
export const DEVICE = { portal: 'device', authentication: 'device' } as const

type Begun<Base, Method, Path> = Flat<
  Omit<Base, 'method' | 'path'> & { readonly method: Method; readonly path: Path }
>
const call =
  <const Method extends Wire['method']>(method: Method) =>
  <const Base extends object, const Path extends string>(base: Base, path: Path) =>
    ({ ...base, method, path }) as Begun<Base, Method, Path>

/** Begin a row: what it shares with others, its method and its path. */
export const [get, post, put, del] = [call('GET'), call('POST'), call('PUT'), call('DELETE')] as const

/** The client of a call; admin users omit it (spec section 7). */
const clientQuery = { client: z.optional(ClientReference) }

/** Whether the query may name the client: not if the path of the row names it. */
const takesClient = ({ portal, authentication }: Pick<Endpoint, 'portal' | 'authentication'>): boolean =>
  authentication === 'portal' && portal !== 'internal'

type Flat<T> = { [K in keyof T]: T[K] }
type OwnQuery<R extends Row> = R['query'] extends Shape ? R['query'] : Record<never, never>
type QueryShape<R extends Row> = R extends { authentication: 'portal'; portal: 'admin' | 'client' }
  ? Flat<typeof clientQuery & OwnQuery<R>>
  : Flat<OwnQuery<R>>
type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never
type ParamNames<R extends Row> = NamesIn<R['path']> | (R['portal'] extends 'admin' ? 'client' : never)
type ParamShape<R extends Row> = {
  [Name in ParamNames<R>]: R['params'] extends Readonly<Record<Name, infer Schema extends z.ZodMiniType>>
    ? Schema
    : Name extends keyof PathParameters
      ? PathParameters[Name]
      : never
}
type Complete<R extends Row> = Omit<R, 'params' | 'query'> & {
  readonly params: [ParamNames<R>] extends [never]
    ? undefined
    : z.ZodMiniObject<Flat<ParamShape<R>>, z.core.$strip>
  readonly query: R extends { portal: 'device'; query?: undefined }
    ? undefined
    : z.ZodMiniObject<QueryShape<R>, z.core.$strict>
}

/**
 * Declares the endpoints of one noun and keeps their literal types. The path names the parameters; a query with pages
 * may be refused for its cursor. Queries accept the client where allowed, and refuse unknown fields; devices may send
 * any query where their endpoint has none.
 */
export const endpoints = <const T extends Record<string, Row>>(rows: T): { [K in keyof T]: Complete<T[K]> } =>
  Object.fromEntries(
    Object.entries(rows).map(([name, row]) => [
      name,
      { ...row, params: getParams(row), query: getQuery(row), ...getProblems(row) },
    ]),
  ) as unknown as { [K in keyof T]: Complete<T[K]> }

function getParams(row: Row) {
  const named = [...fullPath(row).matchAll(/\{(\w+)\}/g)].flatMap(([, name = '']) => {
    const schema = row.params?.[name] ?? (PATH_PARAMETERS as Shape)[name]
    return schema === undefined ? [] : [[name, schema] as const]
  })
  return named.length === 0 ? undefined : z.object(Object.fromEntries(named))
}

const getProblems = ({ query, problems = [] }: Row) =>
  query !== undefined && 'last_key' in query
    ? { problems: [...problems, 'invalid_cursor'] as const }
    : problems.length > 0 && { problems }

const getQuery = (row: Row) =>
  row.portal === 'device' && row.query === undefined
    ? undefined
    : z.strictObject({ ...(takesClient(row) ? clientQuery : {}), ...row.query })

/** Full path of a row with `{name}` placeholders, e.g. `/client/v1/api/payloads/{payload_reference}`. */
export function fullPath(endpoint: Pick<Endpoint, 'portal' | 'path'>): string {
  return `${PORTAL_BASES[endpoint.portal]}${endpoint.path === '' ? '' : `/${endpoint.path}`}`
}

/** All actions that a row may require. */
export function getActions(endpoint: Pick<Endpoint, 'action' | 'powers'>): string[] {
  const { action, powers = [] } = endpoint
  if (action === undefined) return []
  return [...(typeof action === 'string' ? [action] : Object.values(action.of)), ...powers]
}

type Input<T> = T extends z.ZodMiniType ? z.input<T> : undefined
type Output<T> = T extends z.ZodMiniType ? z.output<T> : undefined
// A union body has no single set of fields.
type Part<K extends string, T> = [T] extends [undefined]
  ? { readonly [P in K]?: undefined }
  : Record<string, never> extends T
    ? { readonly [P in K]?: T }
    : { readonly [P in K]: T }

/** Input of a caller: `{ params, query, body }`, each only if the row has one. */
export type CallInput<E extends Endpoint> = Part<'params', Input<E['params']>> &
  Part<'query', Input<E['query']>> &
  Part<'body', Input<E['body']>>

export interface HandlerInput<E extends Endpoint> {
  readonly params: Output<E['params']>
  readonly query: Output<E['query']>
  readonly body: Output<E['body']>
}

/** Response of a call. */
export type Answer<E extends Endpoint> =
  | (E['response'] extends z.ZodMiniType ? z.output<E['response']> : void)
  | (E extends { deferred: z.ZodMiniType } ? z.output<E['deferred']> : never)

/** Schema of the answer of a status: a deferred act has another one. */
export const answerSchema = (
  { response, deferred }: Pick<Endpoint, 'response' | 'deferred'>,
  status: number,
): z.ZodMiniType | undefined => (status === 202 && deferred ? deferred : response)

/** Rows per page: default and maximum (reading-the-spec: wire conventions). */
export const PAGE_DEFAULT = 50
export const PAGE_LIMIT = 200

/** Query fields of every list. `last_key` is opaque; it comes from the page before. */
export const pageQuery = {
  limit: z._default(queryInteger(1, PAGE_LIMIT), PAGE_DEFAULT),
  last_key: z.optional(text(1, 1024)),
  /** A page of rows, or only their total (spec section 4: query result type). */
  type: z._default(z.enum(['page', 'total']), 'page'),
}

/** Order of a list by one of these fields; `-` before it: descending. Absent: by reference. */
export const sortedBy = <Field extends string>(...fields: readonly Field[]) =>
  z.optional(z.enum(fields.flatMap((field) => [field, `-${field}`] as (Field | `-${Field}`)[])))

export const LIST_ORDERS = ['newest', 'oldest'] as const

/** Direction of a list by time. */
export const listOrder = z._default(z.enum(LIST_ORDERS), 'newest')

/** A period: `from` is inclusive, `to` exclusive; a bare date in `to` means the midnight after it. */
export const dateRange = {
  from: z.optional(DateParameter),
  to: z.optional(DateParameter),
}

/** Filters of a list by what each row belongs to. */
export const recordFilters = {
  groups: z.optional(uniqueList(GroupReference, 1, BATCH_LIMIT)),
  device_reference: z.optional(DeviceReference),
  device_user_reference: z.optional(DeviceUserReference),
}

/** First name and surname of a row's device user; absent: not known, or the reader may not see it. */
export const person_name = z.optional(z.string())

/** Names of a row's device and person, as far as the reader may see them. */
export const ownerNames = {
  /** The person who carries it now, then the model: `Harriet Cole · Pixel 10`. */
  device_name: z.optional(z.string()),
  person_name,
}

/** Counting stops here, and at `most` where a query names it. */
export const TOTAL_CAP = 1_000
const MAX_COUNTED = 10_000
/** Query field of totals that may be expensive. */
export const mostCounted = { most: z._default(queryInteger(1, MAX_COUNTED), TOTAL_CAP) }
export const Total = z.strictObject({
  total: Count,
  /** True when counting stopped: there are `total` or more. */
  is_capped: z.optional(z.boolean()),
})
export type Total = z.output<typeof Total>

/** Answer of a list: a page, or a total. `last_key` is absent on the last page. */
export function getPage<T extends z.ZodMiniType>(row: T) {
  return z.union([
    z.strictObject({ count: Count, last_key: z.optional(z.string()), data: z.array(row) }),
    Total,
  ])
}
export interface Page<T> {
  count: number
  last_key?: string | undefined
  data: T[]
}
