import {
  type Answer,
  answerSchema,
  type Api,
  api,
  type CallInput,
  type Endpoint,
  fullPath,
  PARSE_OPTIONS,
  PROVIDER_CLIENT,
  type Total,
} from '@custodia/contract'
import { ApiProblem, ResponseShapeError } from './errors.ts'
import { flattenQuery } from './query.ts'

/** What identifies the caller of one request. */
export interface Credentials {
  token: string
  /** Set in support mode: the reference of the approved support access (spec section 7). */
  support_reference?: string | undefined
}

export interface ClientOptions {
  /** Origin of the server, without slash at the end; empty for the page's own. */
  baseUrl: string
  /** The client whose data is meant, sent where a call takes it; undefined for a provider's administrator. */
  client: () => string | undefined
  /** Called before every authenticated call; refreshes when the token has expired. Undefined: signed out. */
  credentials: () => Promise<Credentials | undefined>
  /** An authenticated call found no token (spec section 8). */
  onAuthenticationExpired?: () => void
  /** The server rejected the token (401). True: the user has signed in again, and the call is repeated once. */
  signInAgain?: () => Promise<boolean>
  /** Hears which call has succeeded, by the name of its row. */
  onSuccess?: (call: string) => void
  /** Hears every problem before it is thrown, and is waited for. */
  onProblem?: (problem: ApiProblem) => void | Promise<void>
  fetch?: typeof fetch
}

/** How one call is made. */
export interface CallOptions {
  signal?: AbortSignal
  /** Only while the record still has this `version`; 412 otherwise (RFC 9110, `If-Match`). */
  if_match?: string | undefined
  /** Only when there is no record of that name yet; 409 otherwise (`If-None-Match: *`). */
  if_none_match?: boolean | undefined
  /** The call outlives its page. */
  keepalive?: boolean | undefined
  /** The page repeats a read on its own: the audit log has the view of the person already. */
  is_refresh?: boolean | undefined
  /** The page asks before the person opens the record: the audit log has no view of it. */
  is_ahead?: boolean | undefined
}

type Table = Readonly<Record<string, Endpoint>>

/** One typed function per row of a table. */
export type ClientOf<T extends Table> = {
  [Name in keyof T as T[Name] extends { bytes: string } ? never : Name]: CallOf<
    InputOf<T[Name]>,
    Answer<T[Name]>
  >
}

/** A list answers with a page unless the query asks for the total. */
type CallOf<Input, Output> = Total extends Output ? ListOf<Input, Output> : Call<Input, Output>
type Call<Input, Output> = (input: Input, options?: CallOptions) => Promise<Output>
type ListOf<Input, Output> = Call<Input & { query?: { type?: 'page' | undefined } }, Exclude<Output, Total>> &
  Call<Input & { query: { type: 'total' } }, Extract<Output, Total>> &
  Call<Input, Output>
/** One typed function per row of the endpoint table. */
export type Client = ClientOf<Api>

/** The provider's own calls name the client that they concern; in all others the client itself fills it in. */
type InputOf<E extends Endpoint> = E['portal'] extends 'internal' ? CallInput<E> : WithoutClient<CallInput<E>>
type WithoutClient<T> = T extends { readonly params: { client: string } }
  ? Omit<T, 'params'> &
      (keyof Omit<T['params'], 'client'> extends never ? unknown : { params: Omit<T['params'], 'client'> })
  : T

interface RawInput {
  params?: Record<string, string>
  query?: Record<string, unknown>
  body?: unknown
}

/** Statuses on which a call is repeated, and how often per method (spec section 7). */
const RETRY_STATUSES = new Set([408, 409, 425, 429, 500, 502, 503, 504])
const getRetries = (method: Endpoint['method']) => (method === 'GET' ? 1 : 0)
const RETRY_PAUSE_MS = 300

/**
 * Builds the client over the endpoint table. Problems arrive as ApiProblem, answers of another shape as
 * ResponseShapeError, a network that is down as the TypeError of fetch.
 */
export const makeClient = (options: ClientOptions): Client => makeClientOf(api, options)

/** `makeClient` over some rows only: a page that makes few calls need not load the schemas of all. */
export function makeClientOf<const T extends Table>(table: T, options: ClientOptions): ClientOf<T> {
  const functions = Object.entries(table)
    .filter(([, endpoint]) => !('bytes' in endpoint))
    .map(([name, endpoint]) => [
      name,
      Object.assign((input: RawInput, how: CallOptions = {}) => call(options, name, endpoint, input, how), {
        endpoint,
      }),
    ])
  return Object.fromEntries(functions) as ClientOf<T>
}

/** The row of the endpoint table that a function of a client calls. */
export const getEndpoint = <E extends Endpoint>(calling: object): E => (calling as { endpoint: E }).endpoint

async function call(
  options: ClientOptions,
  name: string,
  endpoint: Endpoint,
  input: RawInput,
  { signal, if_match, if_none_match, keepalive, is_refresh, is_ahead }: CallOptions,
): Promise<unknown> {
  const send = async () => {
    const headers = await getHeaders(options, endpoint, input)
    if (if_match !== undefined) headers['if-match'] = `"${if_match}"`
    if (if_none_match) headers['if-none-match'] = '*'
    if (is_refresh) headers['x-custodia-refresh'] = '1'
    if (is_ahead) headers['x-custodia-ahead'] = '1'
    const request = {
      method: endpoint.method,
      headers,
      credentials: 'same-origin' as const,
      ...(input.body === undefined ? {} : { body: JSON.stringify(input.body) }),
      ...(signal ? { signal } : {}),
      ...(keepalive ? { keepalive } : {}),
    }
    return await fetchWithRetry(
      options,
      getAddress(options, endpoint, input),
      request,
      getRetries(endpoint.method),
    )
  }
  let response = await send()
  // A call without valid credentials changed nothing, so any method may be repeated.
  if (response.status === 401 && (await options.signInAgain?.())) response = await send()
  const data: unknown = await response.json().catch(() => undefined)
  if (!response.ok) {
    const problem = new ApiProblem(response.status, data, secondsIn(response.headers.get('retry-after')))
    await options.onProblem?.(problem)
    throw problem
  }
  options.onSuccess?.(name)
  return await check(name, answerSchema(endpoint, response.status), data)
}

/** `Retry-After` in seconds; a date counts as none. */
function secondsIn(retry_after: string | null): number | undefined {
  const seconds = retry_after === null ? Number.NaN : Number(retry_after)
  return Number.isFinite(seconds) ? seconds : undefined
}

function getAddress(options: ClientOptions, endpoint: Endpoint, input: RawInput): string {
  const client = options.client()
  const params: Record<string, string | undefined> = { client: client ?? PROVIDER_CLIENT, ...input.params }
  const path = fullPath(endpoint).replace(/\{(\w+)\}/g, (_, key: string) => {
    const value = params[key]
    if (value === undefined) throw new Error(`no value for {${key}} of ${endpoint.path}`)
    return encodeURIComponent(value)
  })
  const takesClient = endpoint.query !== undefined && 'client' in endpoint.query.def.shape
  const query = flattenQuery({ ...(takesClient ? { client } : {}), ...input.query })
  return `${options.baseUrl}${path}${query.size > 0 ? `?${query}` : ''}`
}

async function getHeaders(
  options: ClientOptions,
  endpoint: Endpoint,
  input: RawInput,
): Promise<Record<string, string>> {
  const headers: Record<string, string> = { accept: 'application/json' }
  if (input.body !== undefined) headers['content-type'] = 'application/json'
  if (endpoint.authentication === 'none' || endpoint.authentication === 'address') return headers
  const credentials = await options.credentials()
  if (!credentials) {
    options.onAuthenticationExpired?.()
    throw new ApiProblem(401, { code: 'authentication_required', message: 'Authentication expired' })
  }
  headers.authorization = credentials.support_reference
    ? `Support ${credentials.support_reference}:${credentials.token}`
    : `Bearer ${credentials.token}`
  return headers
}

async function fetchWithRetry(
  options: ClientOptions,
  address: string,
  request: RequestInit,
  retries: number,
): Promise<Response> {
  const send = options.fetch ?? fetch
  for (let attempt = 0; ; attempt++) {
    const response = await send(address, request)
    if (attempt >= retries || !RETRY_STATUSES.has(response.status)) return response
    await response.body?.cancel()
    await new Promise((resolve) => setTimeout(resolve, RETRY_PAUSE_MS))
  }
}

async function check(name: string, schema: Endpoint['response'], data: unknown): Promise<unknown> {
  if (!schema) return undefined
  const parsed = schema.safeParse(data, PARSE_OPTIONS)
  if (parsed.success) return parsed.data
  const { describeIssues } = await import('./shape-failure.ts')
  throw new ResponseShapeError(describeIssues(name, parsed.error.issues, data))
}
