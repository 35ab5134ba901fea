import {
  BATCH_LIMIT,
  DeviceReference,
  DeviceUserReference,
  GroupReference,
  text,
  UserReference,
} from '@custodia/contract'
import * as z from 'zod/mini'
import { toDateParameters } from '../../components/lists/date-range.ts'
import { changingActions } from './changing-actions.ts'
import {
  DateText,
  flag,
  freeText,
  type ListSearch,
  one,
  several,
} from '../../components/lists/list-search.ts'

export const AUDIT_TABS = ['users', 'devices'] as const
export type AuditTab = (typeof AUDIT_TABS)[number]

const CHANGES = changingActions()

const OUTCOMES = ['allowed', 'denied'] as const

const shared = {
  search: freeText(text(3, 255)),
  from: one(DateText),
  to: one(DateText),
  outcome: one(z.enum(OUTCOMES)),
  actions: several(text(1, 128)),
  groups: several(GroupReference),
  ip: freeText(text(2, 64)),
  view: one(text(1, 60)),
  preview: one(text(1, 64)),
}

/** `/dashboard/account/audit?outcome=denied&users=alice,bob&from=-7d` */
export const UserAuditSearch = z.object({
  ...shared,
  /** Several separated by commas, which no name can hold. */
  users: freeText(text(3, 2000)),
  support: flag(),
  /** Only what changes something. */
  changes: flag(),
  reference: one(text(26, 26)),
  apps: flag(),
})
export type UserAuditSearch = z.output<typeof UserAuditSearch>

/** `/dashboard/account/audit?tab=devices&device=…` */
export const DeviceAuditSearch = z.object({
  ...shared,
  device: freeText(DeviceReference),
  user: freeText(DeviceUserReference),
})
export type DeviceAuditSearch = z.output<typeof DeviceAuditSearch>

/** What the address of the audit page may hold, whichever tab is open. */
export type AuditSearch = { tab?: AuditTab } & Partial<UserAuditSearch> & Partial<DeviceAuditSearch>

function namesIn(given: string | undefined): string[] | undefined {
  const names = [...new Set(given?.split(',').map((name) => name.trim()))].filter(
    (name) => UserReference.safeParse(name).success,
  )
  return names.length === 0 ? undefined : names.slice(0, BATCH_LIMIT)
}

const sharedQuery = (search: Partial<UserAuditSearch>, now: number) => ({
  search: search.search,
  actions: search.actions,
  groups: search.groups,
  ip: search.ip,
  is_allowed: search.outcome === undefined ? undefined : search.outcome === 'allowed',
  ...toDateParameters(search, now),
})

/**
 * Filters of `listActivities`.
 *
 * @param now epoch milliseconds, for relative dates
 */
export function userAuditQuery(search: ListSearch, now: number) {
  const own = UserAuditSearch.parse(search)
  return {
    ...sharedQuery(own, now),
    actions: own.actions ?? (own.changes === true ? CHANGES : undefined),
    users: namesIn(own.users),
    is_support: own.support,
    support_reference: own.reference,
    is_client_app: own.apps,
  }
}

/** Filters of `listDeviceActivities`, likewise. */
export function deviceAuditQuery(search: ListSearch, now: number) {
  const own = DeviceAuditSearch.parse(search)
  return {
    ...sharedQuery(own, now),
    device_reference: own.device,
    device_user_reference: own.user,
  }
}
