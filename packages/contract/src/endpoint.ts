import * as z from 'zod/mini'
import type { ProblemCode } from './problems.ts'
import { ClientReference } from './scalars.ts'

/** The four doors of the system; each has its own base path (reading-the-spec: wire conventions). */
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
 * Bytes that the JSON body of a call may have where its row says nothing else. A row says more when its schema allows more: as JSON in
 * UTF-8 without needless escapes, three bytes for each UTF-16 unit (a test works it out).
 */
export const BODY_LIMIT = 256 * 1024

/** The permission a call needs: one action, or one that a query parameter selects. */
export type ActionRule = string | { readonly query: string; readonly of: Readonly<Record<string, string>> }

/** Who may call, and under which right. */
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
       * Staff of the provider may make this call in support mode, if the approved role has its action. Absent: they may not.
       * The powers of a row are excluded. Rows of one action say the same, so that the action tells what the row says.
       */
      readonly support?: true
      /** Further actions that widen what the call may do; each is a permission of its own, and asked for by the handler. */
      readonly powers?: readonly string[]
    }
  | {
      readonly authentication: Exclude<Authentication, 'portal'>
      readonly action?: undefined
      readonly concerns?: undefined
      readonly support?: undefined
      readonly powers?: undefined
    }

interface Wire {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly portal: Portal
  /** Path below the portal's base, with `{name}` for parameters. */
  readonly path: string
  readonly summary: string
  /** What else a stranger must know of it. */
  readonly description?: string
  readonly params?: z.ZodMiniObject
  readonly body?: z.ZodMiniType
  /** Largest body in bytes, where it may be larger than `BODY_LIMIT`. */
  readonly bodyLimit?: number
  /** Schema of the JSON answer; absent where the body is bytes. */
  readonly response?: z.ZodMiniType
  /** Schema of the answer 202, where the act waits for a second person (reading-the-spec: two people). */
  readonly deferred?: z.ZodMiniType
  /** Body of the request or answer is bytes, not JSON: such rows have handlers of their own and no client function. */
  readonly bytes?: 'request' | 'response'
  /** Problems of this call beyond those of every call (authentication, validation, rate). */
  readonly problems?: readonly ProblemCode[]
  /** Query or body fields that never reach a log. */
  readonly secrets?: readonly string[]
  /** Calls open to users who have not yet accepted the terms. */
  readonly before_terms?: boolean
}

/** One row of the endpoint table. Everything that concerns the wire is derived from such rows. */
export type Endpoint = Wire & Right & { readonly query?: z.ZodMiniObject }

type Shape = Readonly<Record<string, z.ZodMiniType>>
/** A row as a noun writes it: of its query the own fields only. */
type Row = Wire & Right & { readonly query?: Shape }

/** The client that a call concerns; admin users leave it out (spec section 7). */
const clientQuery = { client: z.optional(ClientReference) }

/** Whether the client that a signed-in person means may stand in the query: not where its own path names it to the provider's staff. */
const takesClient = ({ portal, authentication }: Pick<Endpoint, 'portal' | 'authentication'>): boolean =>
  authentication === 'portal' && portal !== 'internal'

type Flat<T> = { [K in keyof T]: T[K] }
type OwnQuery<R extends Row> = R['query'] extends Shape ? R['query'] : Record<never, never>
type QueryShape<R extends Row> = R extends { authentication: 'portal'; portal: 'admin' | 'client' }
  ? Flat<typeof clientQuery & OwnQuery<R>>
  : Flat<OwnQuery<R>>
type Complete<R extends Row> = Omit<R, 'query'> & {
  readonly query: R extends { portal: 'device'; query?: undefined }
    ? undefined
    : z.ZodMiniObject<QueryShape<R>, z.core.$strict>
}

/**
 * Declares the endpoints of one noun and keeps their literal types. Queries accept the client where allowed, and
 * refuse unknown fields; phones may send any query where their endpoint has none.
 */
export const endpoints = <const T extends Record<string, Row>>(rows: T): { [K in keyof T]: Complete<T[K]> } =>
  Object.fromEntries(
    Object.entries(rows).map(([name, row]) => [name, { ...row, query: queryOf(row) }]),
  ) as unknown as { [K in keyof T]: Complete<T[K]> }

const queryOf = (row: Row) =>
  row.portal === 'device' && row.query === undefined
    ? undefined
    : z.strictObject({ ...(takesClient(row) ? clientQuery : {}), ...row.query })

/** Full path of a row with `{name}` placeholders, e.g. `/client/v1/api/payloads/{payload_reference}`. */
export function fullPath(endpoint: Pick<Endpoint, 'portal' | 'path'>): string {
  return `${PORTAL_BASES[endpoint.portal]}${endpoint.path === '' ? '' : `/${endpoint.path}`}`
}

/** All actions that a row may require. */
export function actionsOf(endpoint: Pick<Endpoint, 'action' | 'powers'>): string[] {
  const { action, powers = [] } = endpoint
  if (action === undefined) return []
  return [...(typeof action === 'string' ? [action] : Object.values(action.of)), ...powers]
}

type Input<T> = T extends z.ZodMiniType ? z.input<T> : undefined
type Output<T> = T extends z.ZodMiniType ? z.output<T> : undefined
// Not one by one where a body may have several shapes.
type Part<K extends string, T> = [T] extends [undefined]
  ? { readonly [P in K]?: undefined }
  : Record<string, never> extends T
    ? { readonly [P in K]?: T }
    : { readonly [P in K]: T }

/** What a caller passes: `{ params, query, body }`, each only where the row has one. */
export type CallInput<E extends Endpoint> = Part<'params', Input<E['params']>> &
  Part<'query', Input<E['query']>> &
  Part<'body', Input<E['body']>>

/** What a handler receives after parsing. */
export interface HandlerInput<E extends Endpoint> {
  readonly params: Output<E['params']>
  readonly query: Output<E['query']>
  readonly body: Output<E['body']>
}

/** What a caller receives and a handler returns. */
export type Answer<E extends Endpoint> =
  | (E['response'] extends z.ZodMiniType ? z.output<E['response']> : void)
  | (E extends { deferred: z.ZodMiniType } ? z.output<E['deferred']> : never)

/** Schema of the answer of a status: a deferred act has another one. */
export const answerSchema = (
  { response, deferred }: Pick<Endpoint, 'response' | 'deferred'>,
  status: number,
): z.ZodMiniType | undefined => (status === 202 && deferred ? deferred : response)
