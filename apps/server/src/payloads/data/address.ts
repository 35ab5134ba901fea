import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import { DATA_ADDRESS_SECONDS } from '@custodia/contract'
import { type Access, admits, compileNetworks, dataStatus, stateAt } from '@custodia/domain'
import type { FastifyRequest } from 'fastify'
import type { AccessCache } from '../../access/load.ts'
import { noteAccess } from '../../access/note-access.ts'
import type { AppContext } from '../../app-context.ts'
import { loggedParameters, newLogId } from '../../http/audit.ts'
import type { AuditEntry, RefusedPerson } from '../../http/context.ts'
import { Problem } from '../../http/problem.ts'
import { cacheEntry } from '../../ports/cache.ts'
import { type FoundAddress, noteFirstUse } from './find-address-store.ts'

/** The content of an address: its row of `data_addresses`, its client and its expiry (epoch seconds). */
export interface Address {
  address_id: string
  client_id: number
  expires_at: number
}

/** Signs and verifies the tokens of data addresses. The database holds payload, kind, user and session. */
export interface Addresses {
  seal(address: Address): string
  /** Undefined for a foreign token. */
  open(token: string): Address | undefined
}

/** Addresses under a secret of their own. */
export function makeAddresses(secret: Buffer): Addresses {
  // A key object: Node tests a key of bytes with two exceptions, which takes longer than the rest.
  const key = createSecretKey(secret)
  const sign = (body: string) => createHmac('sha256', key).update(body).digest()
  return {
    seal({ address_id, client_id, expires_at }) {
      const body = Buffer.from(JSON.stringify([address_id, client_id, expires_at])).toString('base64url')
      return `${body}.${sign(body).toString('base64url')}`
    },
    open(token) {
      const [body = '', signature = '', ...more] = token.split('.')
      const given = Buffer.from(signature, 'base64url')
      const made = sign(body)
      if (more.length > 0 || given.length !== made.length || !timingSafeEqual(given, made)) return undefined
      const [address_id, client_id, expires_at] = JSON.parse(Buffer.from(body, 'base64url').toString()) as [
        string,
        number,
        number,
      ]
      return { address_id, client_id, expires_at }
    },
  }
}

/** The action that permits exports of payloads that the caller may also download. */
export const EXPORT_ACTION = 'payloads:export'

/** Network and time of the use of an address; `now` in epoch seconds. */
interface Use {
  ip: string
  now: number
}

/**
 * Throws unless the holder of an address may still read the data. Checks session, app or approval, networks, roles,
 * groups and types as they are now. Problems: address_expired, network_not_permitted, support_mode_ended,
 * not_permitted.
 */
export async function assertStillPermitted(book: AccessCache, found: FoundAddress, use: Use): Promise<void> {
  const access = await accessNow(book, found, use)
  if (!access.is_network_allowed) throw new Problem('network_not_permitted')
  if (access.matters && !found.is_in_matters)
    throw new Problem('not_permitted', { detail: 'not within legal matters' })
  const { action, payload_state } = found
  const also = found.export_id === null ? undefined : EXPORT_ACTION
  const status = dataStatus({ action, also, access, payload: found })
  if (status === 'Ok') return
  if (status === 'NoS3Url') throw expired(`the payload is ${payload_state}`)
  throw new Problem('not_permitted', { detail: status })
}

/** The rights of the holder of an address as they are now. Problems: see `assertStillPermitted`. */
export async function accessNow(book: AccessCache, found: FoundAddress, use: Use): Promise<Access> {
  if (found.suspended_at !== null) throw expired('the client is suspended')
  if (found.app_reference !== null) return accessOfApp(book, found, use)
  return found.support_reference === null ? accessOfPerson(book, found, use) : accessOfStaff(book, found, use)
}

async function accessOfApp(book: AccessCache, { client_id, access_epoch, app }: FoundAddress, { ip }: Use) {
  if (!app) throw expired('its app was removed')
  if (!admits(compileNetworks(app.cidr_ranges), ip)) throw new Problem('network_not_permitted')
  return book.getAccess({ client_id, epoch: access_epoch, roles: app.roles, groups: null, matters: null, ip })
}

async function accessOfPerson(book: AccessCache, { access_epoch, session }: FoundAddress, { ip, now }: Use) {
  const { client_id, roles, groups, matters } = alive(session, now)
  return book.getAccess({ client_id, epoch: access_epoch, roles, groups, matters, ip })
}

/**
 * The check of `supportMode` for every call: the staff member's permissions in the provider's own client, and
 * the approval.
 */
async function accessOfStaff(book: AccessCache, found: FoundAddress, { ip, now }: Use) {
  const { approval, staff_epoch, client_id, access_epoch } = found
  const staff = alive(found.session, now)
  if (staff_epoch === null) throw new Problem('support_mode_ended', { detail: 'not of the provider' })
  const { roles, groups, matters } = staff
  const own = await book.getAccess({
    client_id: staff.client_id,
    epoch: staff_epoch,
    roles,
    groups,
    matters,
    ip,
  })
  if (!own.is_network_allowed) throw new Problem('network_not_permitted')
  if (!own.allowsGroupless('internal.support_mode:start'))
    throw new Problem('not_permitted', { detail: 'no role permits support mode' })
  const state = approval ? stateAt(approval, now) : 'no such request'
  if (!approval || state !== 'approved') throw new Problem('support_mode_ended', { detail: state })
  const question = { client_id, epoch: access_epoch, roles: [approval.role], groups: null, matters: null, ip }
  return book.getAccess({ ...question, is_support: true })
}

function alive(session: FoundAddress['session'], now: number): NonNullable<FoundAddress['session']> {
  if (session && session.ended_at === null && session.expires_at > now) return session
  throw expired('its session has ended')
}

/** The refusal of an invalid address, with its reason for the log. */
export const expired = (detail: string): Problem => new Problem('address_expired', { detail })

/** Running responses of one person or app in one process. Each has 2 MB in memory, also while its reader waits. */
export const RESPONSES_EACH = 20

/** Counts the running responses of each person and app, so that no one uses up memory and connections. */
export class RunningResponses {
  readonly #counts = new Map<string, number>()

  /** Counts a response until it is disposed. Problem: too_many_requests. */
  begin({ client_id, portal_user }: Pick<FoundAddress, 'client_id' | 'portal_user'>): Disposable {
    const key = `${client_id} ${portal_user}`
    const count = (this.#counts.get(key) ?? 0) + 1
    if (count > RESPONSES_EACH) throw new Problem('too_many_requests', { detail: 'running responses' })
    this.#counts.set(key, count)
    return {
      [Symbol.dispose]: () => {
        const left = (this.#counts.get(key) ?? 1) - 1
        if (left > 0) this.#counts.set(key, left)
        else this.#counts.delete(key)
      },
    }
  }
}

/** The request that uses an address. */
export interface Visit {
  ip: string
  browser: string | undefined
  request_id: string
}

export const getVisit = ({ ip, headers, id }: FastifyRequest): Visit => ({
  ip,
  browser: headers['user-agent']?.slice(0, 255),
  request_id: id,
})

/**
 * Writes the disclosure of data into the audit log, with network and browser, and into the payload's audit,
 * in one transaction. Once per address and network address, before the first byte: further ranges of a player
 * are the same use.
 */
export async function auditUse(
  { db, audit, now }: Pick<AppContext, 'db' | 'audit' | 'now'>,
  access: AccessCache,
  found: FoundAddress,
  visit: Visit,
  status_code: number,
): Promise<void> {
  const caller = await getHolder(access, found)
  const entry = getEntry(found, caller, visit, now(), { status_code, is_allowed: true, denial_reason: null })
  const { log_id, ip, activity_time: at } = entry
  await db.write(found.client_id, async (tx) => {
    if (!(await noteFirstUse(tx, found, { at, ip, log_id }))) return
    await audit.appendWithin(tx, entry)
    // An app reads all data, so its reads are no unusual access.
    if (found.app_reference !== null) return
    const { action: act, payload_id, portal_user: actor } = found
    const { user_reference } = caller
    await noteAccess(tx, { act, at, actor, user_reference, recording: { payload_id, log_id } })
  })
}

/** Most recent refusals that are cached; the oldest are dropped first. */
const CACHED = 10_000
/** Seconds in which the same refusal makes one entry. */
const REPEAT_WINDOW = DATA_ADDRESS_SECONDS

type AuditRefusal = (found: FoundAddress, visit: Visit, problem: Problem) => Promise<void>

/**
 * Writes refusals of genuine addresses to the audit log, under the holder of the address. The same refusal within a
 * minute makes one entry, so that a holder cannot flood the log.
 */
export function refusalAudit(
  { audit, now }: Pick<AppContext, 'audit' | 'now'>,
  access: AccessCache,
): AuditRefusal {
  const written = new Map<string, { time: number; entry: Promise<void> }>()
  return (found, visit, { status, message }) => {
    const key = `${found.address_id} ${visit.ip} ${message}`
    const time = now()
    const same = written.get(key)
    // Concurrent requests wait for the entry, so that every refusal is on record before its response.
    if (same && time - same.time < REPEAT_WINDOW) return same.entry
    const write = async () => {
      const caller = await getHolder(access, found)
      const outcome = { status_code: status, is_allowed: false, denial_reason: message }
      await audit.append(getEntry(found, caller, visit, time, outcome))
    }
    const entry = write().catch((error: unknown) => {
      if (written.get(key)?.entry === entry) written.delete(key)
      throw error
    })
    cacheEntry(written, key, { time, entry }, CACHED)
    return entry
  }
}

function getEntry(
  found: FoundAddress,
  caller: RefusedPerson,
  visit: Visit,
  now: number,
  outcome: Pick<AuditEntry, 'status_code' | 'is_allowed' | 'denial_reason'>,
): AuditEntry {
  const { payload_reference, address_id, kind, action, reason, export_id } = found
  return {
    log_id: newLogId(),
    caller,
    ...visit,
    activity_time: now,
    activity_end_time: now,
    duration: 0,
    action,
    parameters: loggedParameters(
      {
        payload_reference,
        data_address: address_id,
        kind,
        ...(export_id !== null && { export_id }),
        ...(reason !== null && { reason }),
      },
      [],
    ),
    ...outcome,
  }
}

/** The holder of an address, as the audit log names them. */
async function getHolder(access: AccessCache, found: FoundAddress): Promise<RefusedPerson> {
  const { client_id, access_epoch, session, app, approval, app_reference, support_reference, portal_user } =
    found
  const person = { kind: 'portal', client_id } as const
  if (app_reference !== null) {
    const { group = null, group_id = null, roles = [] } = app ?? {}
    return {
      ...person,
      user_reference: app_reference,
      user_group: group,
      group_id,
      roles,
      is_client_app: true,
    }
  }
  const { user_reference = portal_user, user_group = null, roles = [] } = session ?? {}
  if (support_reference === null) {
    const group_id = await access.getGroupId(client_id, access_epoch, user_group)
    return { ...person, user_reference, user_group, group_id, roles }
  }
  // Groups of the provider have no meaning here.
  const supported = { user_group: null, group_id: null, roles: approval ? [approval.role] : [] }
  return { ...person, user_reference, ...supported, support_reference }
}
