import type { FastifyRequest } from 'fastify'
import type { AccessCache } from '../../access/load.ts'
import type { AppContext } from '../../app-context.ts'
import { Problem } from '../../http/problem.ts'
import {
  type Address,
  type Addresses,
  assertStillPermitted,
  auditUse,
  expired,
  makeAddresses,
  refusalAudit,
  type Visit,
  visitOf,
} from './address.ts'
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
  grantOf(request: FastifyRequest): Promise<Grant>
  /** The same check for one member of an archive address. */
  grantAt(request: FastifyRequest, address: Pick<Address, 'address_id' | 'client_id'>): Promise<Grant>
  /**
   * Whether the permission still holds; only the expiry of the address is ignored, because a response may
   * outlive it. A revocation is audited.
   */
  holds(grant: Grant): Promise<boolean>
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
    async grantOf(request) {
      addresses ??= ctx.keys.namedSecret(ADDRESS_SECRET).then(makeAddresses)
      const { token } = request.params as { token: string }
      const address = (await addresses).open(token)
      if (!address) throw expired('forged')
      return this.grantAt(request, address)
    },

    async grantAt(request, address) {
      const visit = visitOf(request)
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
