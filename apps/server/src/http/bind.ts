import {
  answerSchema,
  api,
  type Endpoint,
  type EndpointName,
  fault,
  type Fault,
  fullPath,
  PARSE_OPTIONS,
  toFaults,
} from '@custodia/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type * as z from 'zod/mini'
import type { Tx } from '../ports/database/lease.ts'
import type { Database } from '../ports/database/pool.ts'
import { DatabaseProblem, isAbandoned } from '../ports/database/problem.ts'
import { countWrite } from '../ports/database/replica.ts'
import { admit, admitAddress, type AdmitOptions, authenticate } from './admit.ts'
import { getText } from './answer-shape.ts'
import { openEntry, rawParameters } from './audit-entry.ts'
import { type AuditLog, loggedParameters, newLogId, withFacts } from './audit.ts'
import { type FindAuthorNames, withAuthorNames } from './author-names.ts'
import { getBodyLimit, type BodyMemory, type BodyShare, readJson } from './body.ts'
import type {
  AuditEntry,
  Context,
  DeviceContext,
  Handlers,
  NoteUse,
  DeviceCaller,
  PortalUser,
  TenantContext,
} from './context.ts'
import { sendVersion } from './etag.ts'
import { Problem, getProblems } from './problem.ts'
import { aheadAction, onlyShows, type RecordedViews } from './recorded-views.ts'
import { toProblem } from './translate.ts'

/** The fields of a caller that permissions depend on. */
type Caller =
  | Pick<DeviceCaller, 'kind'>
  | (Pick<PortalUser, 'kind' | 'is_provider' | 'support_reference' | 'terms_accepted_at'> & {
      access: Pick<PortalUser['access'], 'may' | 'matters'>
    })

/**
 * Throws unless the caller may make this call. Devices need no action beyond their token. The profile uses
 * the same `access.may`, so it lists no action whose calls are refused.
 */
export function authorise(endpoint: Endpoint, action: string, caller: Caller): void {
  if (caller.kind === 'device') return
  if (endpoint.portal === 'internal' && (!caller.is_provider || caller.support_reference !== undefined))
    throw new Problem('not_found', { detail: 'the internal area is the provider’s' })
  if (caller.support_reference !== undefined && !endpoint.support)
    throw new Problem('not_permitted', { detail: 'in support mode' })
  if (caller.access.matters && !endpoint.matters)
    throw new Problem('not_permitted', { detail: 'not within legal matters' })
  if (endpoint.before_terms) return
  if (caller.terms_accepted_at === null) throw new Problem('terms_required')
  if (!caller.access.may(action)) throw new Problem('not_permitted', { detail: `no role permits ${action}` })
}

/** What the binding needs from the server. */
export interface BindOptions extends AdmitOptions {
  db: Database
  audit: AuditLog
  /** Epoch seconds. */
  now: () => number
  noteUse: NoteUse
  authorNames: FindAuthorNames
  bodyMemory: BodyMemory
  views: RecordedViews
  /**
   * Also checks responses against every limit, prepared texts included, and rows against the problems of
   * their call; on in tests. The shape of other responses is always checked.
   */
  strict: boolean
}

interface Input {
  params: Record<string, unknown>
  query: Record<string, unknown>
  body: unknown
}

/** Registers every row of the endpoint table that has a handler. */
export function bind(
  app: FastifyInstance,
  options: BindOptions,
  handlers: Partial<Handlers<EndpointName>>,
): void {
  for (const [name, endpoint] of Object.entries(api) as [EndpointName, Endpoint][]) {
    const handler = handlers[name] as AnyHandler | undefined
    if (!handler) continue
    app.route({
      method: endpoint.method,
      url: fullPath(endpoint).replace(/\{(\w+)\}/g, ':$1'),
      config: { endpoint: name },
      handler: (request, reply) =>
        declared(options, endpoint, serve(options, endpoint, handler, request, reply)),
    })
  }
}

/** Under `strict`, a problem that the endpoint does not declare is a server fault. */
async function declared(
  options: BindOptions,
  endpoint: Endpoint,
  answer: Promise<unknown>,
): Promise<unknown> {
  if (!options.strict) return answer
  return answer.catch((error: unknown) => {
    const { code, message } = toProblem(error)
    if (getProblems(endpoint).includes(code)) throw error
    throw new Error(`${endpoint.method} ${endpoint.path} does not declare its problem ${message}`, {
      cause: error,
    })
  })
}

type AnyHandler = (context: Context, input: Input) => Promise<unknown>

async function serve(
  options: BindOptions,
  endpoint: Endpoint,
  handler: AnyHandler,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const context: Context = { request_id: request.id, ip: request.ip, now: options.now(), request, reply }
  if (endpoint.authentication === 'none' || endpoint.authentication === 'address') {
    // Bytes count by size, at addresses that were issued one by one.
    if (endpoint.bytes === undefined) admitAddress(options, context)
    const body = await getBody(endpoint, request, options.bodyMemory.ofAddress(context.ip))
    const input = parse(endpoint, request, body)
    return send(reply, getText(options, endpoint, reply.statusCode, await handler(context, input)))
  }
  const caller = await admit(options, endpoint, context)
  return serveCaller(options, endpoint, handler, context, caller)
}

async function serveCaller(
  options: BindOptions,
  endpoint: Endpoint,
  handler: AnyHandler,
  context: Context,
  caller: PortalUser | DeviceCaller,
): Promise<unknown> {
  const { request, reply } = context
  const call = openCall(options, caller, reply, openEntry(endpoint, context, caller))
  const { entry } = call
  let isParsed = false
  try {
    authorise(endpoint, entry.action, caller)
    if (caller.kind === 'portal') await options.noteUse(caller, entry.action, context.now)
    const body = await getBody(endpoint, request, options.bodyMemory.ofCaller(caller))
    // The sender may have lost the permission while a slow body arrived.
    const isLate = performance.now() - call.started > SLOW_BODY
    const present = isLate
      ? await admitAgain(options, endpoint, context, entry.action)
      : { ...context, caller }
    const input = parse(endpoint, request, body)
    entry.parameters = loggedParameters(input, endpoint.secrets ?? [], endpoint.unlogged)
    isParsed = true
    if (endpoint.portal !== 'internal') assertTenant(caller, input)
    const answer = await named(call, endpoint, await handler({ ...present, ...getDataAccess(call) }, input))
    const text = getText(options, endpoint, reply.statusCode, answer)
    if (!call.isWritten && call.leavesEntry) await recordRead(call, request, input, text)
    sendVersion(context, answer)
    return send(reply, text)
  } catch (error) {
    if (!isParsed) entry.parameters = rawParameters(endpoint, context)
    if (isAbandoned(error)) {
      if (!call.isWritten && call.leavesEntry) await options.audit.append(call.finish(CALLER_GONE))
      return reply.hijack()
    }
    await noteFailure(call, error)
    throw error
  }
}

/** The answer with the display names of its authors. The provider's staff see no names of a client's people. */
async function named(
  { options, caller, reply }: Call,
  endpoint: Endpoint,
  answer: unknown,
): Promise<unknown> {
  if (caller.kind !== 'portal' || endpoint.portal === 'internal') return answer
  return withAuthorNames(answerSchema(endpoint, reply.statusCode), answer, (references) =>
    // A completed act never fails for a missing name.
    options.authorNames(caller.client_id, references).catch(() => new Map()),
  )
}

/** Status in the audit log of a permitted call whose caller closed the connection before the answer. */
const CALLER_GONE = 499

/** Records a call that wrote nothing, unless it is a refresh of what its session has on record. */
async function recordRead(
  call: Call,
  request: FastifyRequest,
  { params, query, body }: Input,
  answer: string | undefined,
): Promise<void> {
  const { options, caller } = call
  const { endpoint } = request.routeOptions.config as { endpoint?: EndpointName }
  const shown =
    caller.kind === 'portal' && answer !== undefined && endpoint !== undefined
      ? { endpoint, caller, params, query, body, answer }
      : undefined
  const ahead = shown && aheadAction(request, shown)
  if (ahead !== undefined) call.entry.action = ahead
  else if (shown && options.views.covers(request, shown)) return
  await options.audit.append(call.finish(200))
  call.isWritten = true
  if (shown && ahead === undefined) options.views.add(shown)
}

/** An authenticated call, and its entry in the audit log. */
interface Call {
  options: BindOptions
  caller: PortalUser | DeviceCaller
  reply: FastifyReply
  started: number
  entry: AuditEntry
  /** The entry of a call that ends now. */
  finish(status_code: number): AuditEntry
  /** Whether the entry is stored. */
  isWritten: boolean
  leavesEntry: boolean
}

function openCall(
  options: BindOptions,
  caller: PortalUser | DeviceCaller,
  reply: FastifyReply,
  entry: AuditEntry,
): Call {
  const started = performance.now()
  const finish = (status_code: number): AuditEntry => {
    const duration = (performance.now() - started) / 1000
    return { ...entry, duration, activity_end_time: options.now(), status_code }
  }
  return { options, caller, reply, started, entry, finish, isWritten: false, leavesEntry: true }
}

/** The database as the caller may see it: of recordings, perhaps those of legal matters only. */
const databaseFor = ({ options, caller }: Call): Database =>
  caller.kind === 'portal' && caller.access.matters ? options.db.limitedTo(caller.access.matters) : options.db

/** What a handler reads and writes with, as its caller. */
function getDataAccess(
  call: Call,
): Omit<TenantContext<PortalUser | DeviceCaller>, keyof Context | 'caller'> &
  Pick<DeviceContext, 'writeBatched'> {
  const { caller, entry, reply } = call
  const { parameters } = entry
  const db = databaseFor(call)
  const { endpoint } = reply.request.routeOptions.config as { endpoint?: EndpointName }
  // A write goes on without its caller, and so does what it reads before.
  const isShowing = endpoint !== undefined && onlyShows(endpoint)
  let signal: AbortSignal | undefined
  const leaving = () => (signal ??= signalOfLeaving(reply))
  return {
    action: entry.action,
    read: (work) => db.read(caller.client_id, work, isShowing ? leaving() : undefined),
    readFromReplica: (work) => db.readFromReplica(caller.client_id, work, leaving()),
    write: (work) => writeAs(call, caller.client_id, work),
    writeFor: (client_id, work) => writeAs(call, client_id, work),
    async writeBatched(acts, act) {
      const result = await acts.add(caller.client_id, act, () => call.finish(200))
      call.isWritten = true
      return result
    },
    leaveNoEntry() {
      call.leavesEntry = false
    },
    noteFacts(facts) {
      entry.parameters = withFacts(parameters, facts)
    },
  }
}

/** Aborts when the caller closes the connection before it has the answer. */
function signalOfLeaving({ raw }: FastifyReply): AbortSignal {
  const left = new AbortController()
  const onClose = () => {
    if (!raw.writableFinished) left.abort()
  }
  if (raw.closed) onClose()
  else raw.once('close', onClose)
  return left.signal
}

/** Writes together with the entry of the call. */
async function writeAs<T>(
  call: Call,
  client_id: number,
  work: (tx: Tx, log_id: string) => Promise<T>,
): Promise<T> {
  const { options, caller, reply, entry, finish } = call
  const result = await databaseFor(call).write(client_id, async (tx) => {
    const done = await work(tx, entry.log_id)
    if (!call.isWritten && call.leavesEntry) await options.audit.appendWithin(tx, finish(getStatus(reply)))
    // The client's own log shows the provider's acts.
    if (client_id !== caller.client_id)
      await options.audit.appendWithin(tx, { ...finish(getStatus(reply)), log_id: newLogId(), client_id })
    if (caller.kind === 'portal') await countWrite(tx)
    return done
  })
  call.isWritten = true
  return result
}

/** Records a failed call. A completed act stays on record, together with the later error. */
async function noteFailure(call: Call, error: unknown): Promise<void> {
  const { status, message } = toProblem(error)
  const failed = { ...call.finish(status), is_allowed: false, denial_reason: message }
  const noted = call.options.audit.append(call.isWritten ? { ...failed, log_id: newLogId() } : failed)
  // Without a database no transaction can commit; the call tries all the same.
  if (error instanceof DatabaseProblem && error.kind === 'unavailable') noted.catch(() => undefined)
  else await noted
}

/** Milliseconds of a body after which its sender is authenticated again. */
const SLOW_BODY = 1000

/** Authenticates and authorises a call again. Problems: those of authentication and of `authorise`. */
async function admitAgain(options: BindOptions, endpoint: Endpoint, context: Context, action: string) {
  const present = { ...context, now: options.now() }
  const caller = await authenticate(options, endpoint, present)
  authorise(endpoint, action, caller)
  return { ...present, caller }
}

/**
 * The JSON body of a call that has one. Read after authentication, so that other requests cost no memory or
 * time.
 */
const getBody = async (endpoint: Endpoint, request: FastifyRequest, share: BodyShare): Promise<unknown> =>
  endpoint.body && readJson(request, getBodyLimit(endpoint), share)

/** The tenant comes from the token; another one in a path or parameter does not exist. */
function assertTenant(caller: PortalUser | DeviceCaller, input: Input): void {
  for (const named of [input.params.client, input.query.client]) {
    if (named !== undefined && named !== caller.client)
      throw new Problem('not_found', { detail: 'another client' })
  }
}

function parse(endpoint: Endpoint, request: FastifyRequest, sent: unknown): Input {
  const faults: Fault[] = []
  const part = (schema: z.ZodMiniType | undefined, value: unknown): unknown => {
    if (!schema) return undefined
    const parsed = schema.safeParse(value, PARSE_OPTIONS)
    if (parsed.success) return parsed.data
    // Path and query are never missing.
    faults.push(...(value === undefined ? [fault('', 'body_required')] : toFaults(parsed.error.issues)))
    return undefined
  }
  const params = part(endpoint.params, request.params) ?? {}
  const query = part(endpoint.query, request.query) ?? {}
  const body = part(endpoint.body, sent)
  if (faults.length > 0) throw new Problem('invalid_input', { faults: distinctFaults(faults.slice(0, 100)) })
  return { params: params as Input['params'], query: query as Input['query'], body }
}

/** Removes repeated faults: a client may be in the path and among the parameters. */
const distinctFaults = (faults: readonly Fault[]): Fault[] =>
  faults.filter(
    (fault, i) => faults.findIndex(({ path, code }) => path === fault.path && code === fault.code) === i,
  )

/** 202 when the handler says that the act waits for an approval, else 200. */
const getStatus = ({ statusCode }: FastifyReply): number => (statusCode === 202 ? 202 : 200)

function send(reply: FastifyReply, text: string | undefined): unknown {
  if (text === undefined) return reply
  return reply.header('cache-control', 'no-store').type('application/json; charset=utf-8').send(text)
}
