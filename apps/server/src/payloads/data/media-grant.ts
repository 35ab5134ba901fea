import type { ServerResponse } from 'node:http'
import type { Access } from '@custodia/domain'
import type { OpenedRange } from '@custodia/envelope'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AccessCache } from '../../access/load.ts'
import type { AppContext } from '../../app-context.ts'
import { Problem } from '../../http/problem.ts'
import { isDamage, reportDamage } from '../data-damage.ts'
import { openObject } from '../data-objects.ts'
import {
  accessNow,
  type Address,
  type Addresses,
  assertStillPermitted,
  auditUse,
  expired,
  makeAddresses,
  refusalAudit,
  RunningResponses,
  type Visit,
  getVisit,
} from './address.ts'
import { dataHeaders, readRange } from './data-headers.ts'
import { ADDRESS_SECRET } from './data.ts'
import { findAddress, type FoundAddress } from './find-address-store.ts'

export interface MediaOptions {
  access: AccessCache
  /**
   * The session of the request's valid HttpOnly cookie. A browser may send several; `wanted` is the address's
   * session.
   */
  sessionOfRequest(
    request: FastifyRequest,
    wanted: { session_id: string; rotation: number; rotated_at: number },
  ): string | undefined
  /** The client app of that client whose token the request carries. */
  appOfRequest(request: FastifyRequest, client_id: number): Promise<AppOfRequest | undefined>
}

/** An authenticated app, and when its token expires (epoch seconds). */
interface AppOfRequest {
  app_reference: string
  expires_at: number
}

/** An address that its holder may use now. */
export interface Grant extends FoundAddress {
  object: NonNullable<FoundAddress['object']>
  /** Expiry of the app's token; null for a person. */
  token_expires_at: number | null
  visit: Visit
}

export interface Grants {
  /**
   * Checks a request to a data address on each request: genuine, not expired, by its session or app, and
   * still permitted. Refusals of genuine addresses are audited. Problems: address_expired,
   * network_not_permitted, support_mode_ended, not_permitted, and those of an app's token.
   */
  getGrant(request: FastifyRequest): Promise<Grant>
  /** The same check for one member of an archive address. */
  grantAt(request: FastifyRequest, address: Pick<Address, 'address_id' | 'client_id'>): Promise<Grant>
  /**
   * Whether the permission still holds; only the expiry of the address is ignored, because a response may
   * outlive it. A revocation is audited.
   */
  holds(grant: Grant): Promise<boolean>
  /** Rights of the holder as of now; a refusal is audited. Problems: those of `accessNow`. */
  getAccess(grant: Grant): Promise<Access>
  /** Stores the disclosure of the data with this status. Resolves once durable; no byte leaves before. */
  noteUse(grant: Grant, status_code: number): Promise<void>
}

/** The grants of data addresses. */
export function mediaGrants(ctx: AppContext, options: MediaOptions): Grants {
  let addresses: Promise<Addresses> | undefined
  const auditRefusal = refusalAudit(ctx, options.access)

  const find = (address: { client_id: number; address_id: string }, { ip }: Visit) =>
    ctx.db.read(address.client_id, (q) => findAddress(q, address.address_id, ip))

  /** Runs a check; writes its refusal to the audit log before the response. */
  async function audited<T>(found: FoundAddress, visit: Visit, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      // A server fault is no refusal.
      if (error instanceof Problem && error.status < 500) await auditRefusal(found, visit, error)
      throw error
    }
  }

  return {
    async getGrant(request) {
      addresses ??= ctx.keys.namedSecret(ADDRESS_SECRET).then(makeAddresses)
      const { token } = request.params as { token: string }
      const address = (await addresses).open(token)
      if (!address) throw expired('forged')
      return this.grantAt(request, address)
    },

    async grantAt(request, address) {
      const visit = getVisit(request)
      const found = await find(address, visit)
      // The sweep deletes addresses a day after they expire, so the holder is unknown.
      if (!found) throw expired('forgotten')
      return audited(found, visit, async () => {
        if (ctx.now() >= found.expires_at) throw expired('expired')
        const token_expires_at = await assertOwner(options, request, found)
        await assertStillPermitted(options.access, found, { ip: visit.ip, now: ctx.now() })
        const { object } = found
        if (!object) throw expired('its data is gone')
        return { ...found, object, token_expires_at, visit }
      })
    },

    async getAccess(grant) {
      const found = await find(grant, grant.visit)
      if (!found) throw expired('forgotten')
      const use = { ip: grant.visit.ip, now: ctx.now() }
      return audited(found, grant.visit, () => accessNow(options.access, found, use))
    },

    async noteUse(grant, status_code) {
      if (!grant.is_used) await auditUse(ctx, options.access, grant, grant.visit, status_code)
    },

    async holds(grant) {
      const { visit, token_expires_at, app } = grant
      const found = await find(grant, visit)
      if (!found) return false
      try {
        await audited(found, visit, async () => {
          const now = ctx.now()
          if (token_expires_at !== null && now >= token_expires_at) throw expired('its token has ended')
          // A changed app may have another issuer, so its next token is verified again.
          if (app && found.app?.updated_at !== app.updated_at) throw expired('its app was changed')
          await assertStillPermitted(options.access, found, { ip: visit.ip, now })
        })
        return true
      } catch (error) {
        if (error instanceof Problem) return false
        throw error
      }
    },
  }
}

/** Throws unless the request comes from the holder of the address. Returns when an app's token expires. */
async function assertOwner(
  options: MediaOptions,
  request: FastifyRequest,
  { client_id, session_id, session, app_reference }: FoundAddress,
): Promise<number | null> {
  if (app_reference !== null) {
    const app = await options.appOfRequest(request, client_id)
    if (app?.app_reference !== app_reference) throw expired('another app')
    return app.expires_at
  }
  if (!session || session_id === null) throw expired('its session has ended')
  const { rotation, rotated_at } = session
  const presented = options.sessionOfRequest(request, { session_id, rotation, rotated_at })
  if (presented !== session_id) throw expired('another session')
  return null
}

/** Milliseconds between two permission checks of a running response. */
const CHECK_INTERVAL_MS = 1000

/**
 * Repeats the permission check while a response runs; `signal` aborts when it fails or cannot be made. A slow reader
 * must not delay a revocation.
 */
export function watchGrant(
  grants: Pick<Grants, 'holds'>,
  grant: Grant,
): { signal: AbortSignal; stop: () => void } {
  const cut = new AbortController()
  let timer: NodeJS.Timeout
  let isStopped = false
  const ask = () => {
    timer = setTimeout(async () => {
      const holds = await grants.holds(grant).catch(() => false)
      if (isStopped) return
      if (holds) ask()
      else cut.abort()
    }, CHECK_INTERVAL_MS).unref()
  }
  ask()
  return {
    signal: cut.signal,
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}

/** Open addresses in the cache; the oldest are dropped first. */
const MAX = 500

interface OpenObject {
  object_key: string
  opened: OpenedRange
  /** Responses that read it now. */
  readers: number
  timer: NodeJS.Timeout
}

/** Opened objects of data addresses. */
interface OpenedObjects {
  /**
   * Opens the object of a grant, or uses the one opened for the same address, and releases it after `work`.
   */
  use<T>(grant: Grant, work: (opened: OpenedRange) => Promise<T>): Promise<T>
  /** Addresses with an entry. */
  readonly size: number
}

/**
 * Keeps the objects of an address open while it lives, because a player sends dozens of Range requests. Permission is
 * checked per request and never cached; keys are overwritten after the last read.
 */
export function openedObjects(ctx: Pick<AppContext, 'keys' | 'objects' | 'now'>): OpenedObjects {
  const kept = new Map<string, OpenObject>()

  function forget(address_id: string, entry: OpenObject): void {
    clearTimeout(entry.timer)
    if (kept.get(address_id) === entry) kept.delete(address_id)
    if (entry.readers === 0) entry.opened.forget()
  }

  function keep({ address_id, expires_at, object }: Grant, opened: OpenedRange): OpenObject {
    const other = kept.get(address_id)
    if (other) forget(address_id, other)
    const [oldest] = kept
    if (oldest && kept.size >= MAX) forget(...oldest)
    const milliseconds = (expires_at - ctx.now()) * 1000
    const timer = setTimeout(() => forget(address_id, entry), milliseconds).unref()
    const entry: OpenObject = { object_key: object.object_key, opened, readers: 0, timer }
    kept.set(address_id, entry)
    return entry
  }

  return {
    async use(grant, work) {
      const { address_id, client, payload_reference, object } = grant
      const known = kept.get(address_id)
      const entry =
        known?.object_key === object.object_key
          ? known
          : keep(grant, await openObject(ctx, client, payload_reference, object))
      entry.readers++
      try {
        return await work(entry.opened)
      } finally {
        entry.readers--
        if (entry.readers === 0 && kept.get(address_id) !== entry) entry.opened.forget()
      }
    },
    get size() {
      return kept.size
    },
  }
}

/**
 * Serves data addresses, `/media/<token>`: decrypted bytes, whole or one Range. An address works for one minute and
 * only for its session or client app. Its first use from a network address is audited before the first byte; a response
 * ends when the session, app, approval or permission ends.
 */
export function mediaRoutes(ctx: AppContext, options: MediaOptions): (app: FastifyInstance) => void {
  const grants = mediaGrants(ctx, options)
  const objects = openedObjects(ctx)
  const running = new RunningResponses()
  const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const grant = await grants.getGrant(request)
    using _ = running.begin(grant)
    try {
      return await objects.use(grant, (opened) => answer(ctx, grants, grant, opened, request, reply))
    } catch (error) {
      if (isDamage(error)) await report(ctx, grant, error)
      throw error
    }
  }
  return (app) => {
    for (const method of ['HEAD', 'GET'] as const)
      app.route({ method, url: '/media/:token', exposeHeadRoute: false, handler })
  }
}

const report = (ctx: AppContext, { client_id, payload_reference, kind }: Grant, error: unknown) =>
  reportDamage(ctx, { client_id, payload_reference, kind }, error)

async function answer(
  ctx: AppContext,
  grants: Grants,
  grant: Grant,
  opened: OpenedRange,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const started = await beginAnswer(grants, grant, opened.plaintextSize, request, reply)
  if (request.method === 'HEAD') return reply.raw.end()
  const watch = watchGrant(grants, grant)
  try {
    await send(opened.read(started.start, started.end), reply.raw, watch.signal)
  } catch (error) {
    if (isDamage(error)) await report(ctx, grant, error)
  } finally {
    watch.stop()
  }
  return reply
}

/**
 * Sends the body of a response, waits while the browser does not read, and closes the object when the browser
 * disconnects. The signal or an error cuts the connection, so the client cannot mistake a part for the whole.
 * `pipeline` would cost as much as the rest of a small range.
 */
async function send(
  pieces: AsyncIterable<Uint8Array>,
  raw: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  // Else it has reported its end already.
  const closed = raw.destroyed ? undefined : new Promise<void>((resolve) => void raw.once('close', resolve))
  const cut = () => void raw.destroy()
  signal.addEventListener('abort', cut)
  try {
    for await (const piece of pieces) {
      if (raw.destroyed) return
      if (!raw.write(piece))
        await Promise.race([closed, new Promise<void>((resolve) => void raw.once('drain', resolve))])
    }
    if (raw.destroyed) return
    raw.end()
    await closed
  } catch (error) {
    cut()
    throw error
  } finally {
    signal.removeEventListener('abort', cut)
  }
}

/** Sends the head of a response of `size` bytes after the audit entry; returns the range to send. */
export async function beginAnswer(
  grants: Pick<Grants, 'noteUse'>,
  grant: Grant,
  size: number,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<{ start: number; end: number }> {
  const { payload_reference, object, action } = grant
  // There are no validators, so a condition never matches (RFC 9110, section 13.1.5).
  const range = readRange(request.headers['if-range'] ? undefined : request.headers.range, size)
  if (!range) {
    void reply.header('content-range', `bytes */${size}`)
    throw new Problem('range_not_satisfiable')
  }
  const { start, end, is_partial } = range
  const headers = {
    ...reply.getHeaders(),
    ...dataHeaders({ ...object, payload_reference, action }),
    'content-length': String(end - start),
    ...(is_partial ? { 'content-range': `bytes ${start}-${end - 1}/${size}` } : {}),
  }
  const status = is_partial ? 206 : 200
  if (request.method === 'GET') await grants.noteUse(grant, status)
  reply.hijack()
  reply.raw.writeHead(status, headers as Record<string, string>)
  return range
}
