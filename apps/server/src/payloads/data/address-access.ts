import { type Access, admits, compileNetworks, dataStatus, stateAt } from '@custodia/domain'
import type { AccessCache } from '../../access/load.ts'
import { Problem } from '../../http/problem.ts'
import type { FoundAddress } from './find-address-store.ts'

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
  const { action, payload_state } = found
  const status = dataStatus({ action, access, payload: found })
  if (status === 'Ok') return
  if (status === 'NoS3Url') throw expired(`the payload is ${payload_state}`)
  throw new Problem('not_permitted', { detail: status })
}

function accessNow(book: AccessCache, found: FoundAddress, use: Use): Promise<Access> {
  if (found.app_reference !== null) return accessOfApp(book, found, use)
  return found.support_reference === null ? accessOfPerson(book, found, use) : accessOfStaff(book, found, use)
}

async function accessOfApp(book: AccessCache, { client_id, access_epoch, app }: FoundAddress, { ip }: Use) {
  if (!app) throw expired('its app was removed')
  if (!admits(compileNetworks(app.cidr_ranges), ip)) throw new Problem('network_not_permitted')
  return book.accessOf({ client_id, epoch: access_epoch, roles: app.roles, groups: null, ip })
}

async function accessOfPerson(book: AccessCache, { access_epoch, session }: FoundAddress, { ip, now }: Use) {
  const { client_id, roles, groups } = alive(session, now)
  return book.accessOf({ client_id, epoch: access_epoch, roles, groups, ip })
}

/**
 * The check of `supportMode` for every call: the staff member's permissions in the provider's own client, and
 * the approval.
 */
async function accessOfStaff(book: AccessCache, found: FoundAddress, { ip, now }: Use) {
  const { approval, staff_epoch, client_id, access_epoch } = found
  const staff = alive(found.session, now)
  if (staff_epoch === null) throw new Problem('support_mode_ended', { detail: 'not of the provider' })
  const { roles, groups } = staff
  const own = await book.accessOf({ client_id: staff.client_id, epoch: staff_epoch, roles, groups, ip })
  if (!own.is_network_allowed) throw new Problem('network_not_permitted')
  if (!own.allowsGroupless('internal.support_mode:start'))
    throw new Problem('not_permitted', { detail: 'no role permits support mode' })
  const state = approval ? stateAt(approval, now) : 'no such request'
  if (!approval || state !== 'approved') throw new Problem('support_mode_ended', { detail: state })
  const question = { client_id, epoch: access_epoch, roles: [approval.role], groups: null, ip }
  return book.accessOf({ ...question, is_support: true })
}

function alive(session: FoundAddress['session'], now: number): NonNullable<FoundAddress['session']> {
  if (session && session.ended_at === null && session.expires_at > now) return session
  throw expired('its session has ended')
}

/** The refusal of an invalid address, with its reason for the log. */
export const expired = (detail: string): Problem => new Problem('address_expired', { detail })
