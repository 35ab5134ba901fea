import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { LinkProps } from '@tanstack/react-router'
import type { IconName } from '../ui/icon.tsx'
import { type MissingRight, missingRight, type PageRights, type Reader } from './page-rights.ts'

/** Sections of the side navigation in order; empty ones are hidden. */
const SECTIONS = {
  home: undefined,
  review: msg`Review`,
  governance: msg`Governance`,
  devices: msg`Fleet`,
  access: msg`Access`,
  account: msg`Account`,
} as const satisfies Record<string, MessageDescriptor | undefined>
type Section = keyof typeof SECTIONS

interface Page extends PageRights {
  /** Present on pages in side navigation and command menu. */
  menu?: { section: Section; label: MessageDescriptor; icon: IconName }
}

/** All signed-in pages: required action and menu position. */
const PAGES = {
  '/dashboard': {
    action: 'dashboard:read',
    menu: { section: 'home', label: msg`Home`, icon: 'dashboard' },
  },
  '/dashboard/services/calls': {
    action: 'payloads:list',
    service: 'calls',
    menu: { section: 'review', label: msg`Calls`, icon: 'phone' },
  },
  '/dashboard/services/calls/$payload_reference': { action: 'payloads:read', service: 'calls' },
  '/dashboard/services/messages': {
    action: 'payloads:list',
    service: 'messages',
    menu: { section: 'review', label: msg`Messages`, icon: 'message' },
  },
  '/dashboard/services/messages/$payload_reference': { action: 'payloads:read', service: 'messages' },
  '/dashboard/services/interviews': {
    action: 'payloads:list',
    service: 'interviews',
    menu: { section: 'review', label: msg`Interviews`, icon: 'microphone' },
  },
  '/dashboard/services/interviews/$payload_reference': { action: 'payloads:read', service: 'interviews' },
  '/dashboard/services/photos': {
    action: 'payloads:list',
    service: 'photos',
    menu: { section: 'review', label: msg`Photos`, icon: 'image' },
  },
  '/dashboard/services/photos/$payload_reference': { action: 'payloads:read', service: 'photos' },
  '/dashboard/services/videos': {
    action: 'payloads:list',
    service: 'videos',
    menu: { section: 'review', label: msg`Videos`, icon: 'video' },
  },
  '/dashboard/services/videos/$payload_reference': { action: 'payloads:read', service: 'videos' },
  '/dashboard/services/words': {
    action: 'payloads:search',
    menu: { section: 'review', label: msg({ context: 'page', message: 'Search' }), icon: 'search' },
  },
  '/dashboard/services/comments': {
    action: 'comments:list',
    menu: { section: 'review', label: msg`Comments`, icon: 'message' },
  },
  '/dashboard/services/reviews': {
    action: 'reviews:list',
    menu: { section: 'review', label: msg`Review coverage`, icon: 'eye' },
  },
  '/dashboard/governance/retention': {
    action: 'account.retention:read',
    menu: { section: 'governance', label: msg`Retention`, icon: 'clock' },
  },
  '/dashboard/governance/holds': {
    action: 'account.legal_holds:list',
    menu: { section: 'governance', label: msg`Legal holds`, icon: 'lock' },
  },
  '/dashboard/governance/matters': {
    action: 'account.legal_matters:list',
    menu: { section: 'governance', label: msg`Legal matters`, icon: 'archive' },
  },
  '/dashboard/governance/approvals': {
    action: 'account.proposals:list',
    menu: { section: 'governance', label: msg`Approvals`, icon: 'check-circle' },
  },
  '/dashboard/governance/destructions': {
    action: 'account.retention:read',
    menu: { section: 'governance', label: msg`Destructions`, icon: 'trash' },
  },
  '/dashboard/governance/requests': {
    action: 'account.data_requests:list',
    menu: { section: 'governance', label: msg`Data subject requests`, icon: 'user' },
  },
  '/dashboard/devices': {
    action: 'devices:list',
    menu: { section: 'devices', label: msg`Devices`, icon: 'device' },
  },
  '/dashboard/devices/$device_reference': { action: 'devices:read' },
  '/dashboard/devices/$device_reference/gps': { action: 'devices.gps:list' },
  '/dashboard/devices/users': {
    action: 'users:list',
    menu: { section: 'devices', label: msg`Device users`, icon: 'user' },
  },
  '/dashboard/devices/logs': {
    action: 'device_logs:list',
    menu: { section: 'devices', label: msg`Device logs`, icon: 'history' },
  },
  '/dashboard/devices/completeness': {
    action: 'capture_gaps:list',
    menu: { section: 'devices', label: msg`Completeness`, icon: 'check' },
  },
  '/dashboard/devices/metrics': {
    action: 'metrics:list',
    menu: { section: 'devices', label: msg`Metrics`, icon: 'overview' },
  },
  '/dashboard/services/diagnostics': {
    action: 'payloads:list',
    service: 'diagnostics',
    menu: { section: 'devices', label: msg`Diagnostics`, icon: 'wrench' },
  },
  '/dashboard/devices/users/$device_user_reference': { action: 'users:read' },
  '/dashboard/access/people': {
    action: 'people:list',
    menu: { section: 'access', label: msg`People`, icon: 'user' },
  },
  '/dashboard/access/recertifications': {
    action: 'people.recertifications:list',
    menu: { section: 'access', label: msg`Recertifications`, icon: 'check' },
  },
  '/dashboard/access/groups': {
    action: 'groups:list',
    menu: { section: 'access', label: msg`Groups`, icon: 'group' },
  },
  '/dashboard/access/roles': {
    action: 'roles:list',
    menu: { section: 'access', label: msg`Roles`, icon: 'shield' },
  },
  '/dashboard/access/roles/create': { action: 'roles:update' },
  '/dashboard/access/roles/$role_reference': { action: 'roles:read' },
  '/dashboard/access/tags': {
    action: 'tags:list',
    menu: { section: 'access', label: msg`Tags`, icon: 'tag' },
  },
  '/dashboard/account/alerts': {
    action: 'alerts:list',
    menu: { section: 'account', label: msg`Alerts`, icon: 'bell' },
  },
  '/dashboard/account/alert-mails': { action: 'profile.alert_subscription:read' },
  '/dashboard/account/webhooks': {
    action: 'account.webhooks:list',
    menu: { section: 'account', label: msg`Webhooks`, icon: 'external' },
  },
  '/dashboard/account/transfers': {
    action: 'transfers:list',
    tabs: { configs: 'transfer_configs:list', days: 'transfer_reconciliations:list' },
    menu: { section: 'account', label: msg`Transfers`, icon: 'external' },
  },
  '/dashboard/account/transfers/config': { action: 'transfer_configs:read' },
  '/dashboard/account/transfers/$transfer_id': { action: 'transfers:read' },
  '/dashboard/account/migrations': {
    action: 'migrations:list',
    tabs: { settings: 'account.migration:read' },
    menu: { section: 'account', label: msg`Migrations`, icon: 'upload' },
  },
  '/dashboard/account/migrations/$migration_reference': { action: 'migrations:read' },
  '/dashboard/account/audit': {
    action: 'activities:list',
    menu: { section: 'account', label: msg`Audit`, icon: 'history' },
  },
  '/dashboard/account/audit/sealed': { action: 'activities:list' },
  '/dashboard/account/audit/integrity': { action: 'activities:list' },
  '/dashboard/account/licenses': {
    action: 'licenses:list',
    menu: { section: 'account', label: msg`Licences`, icon: 'check-circle' },
  },
  '/dashboard/account/apps': {
    action: 'account.apps:list',
    menu: { section: 'account', label: msg`Apps`, icon: 'key' },
  },
  '/dashboard/account/support-access': {
    action: 'supportaccess:list',
    menu: { section: 'account', label: msg`Support access`, icon: 'lifebuoy' },
  },
  '/dashboard/account/settings': {
    action: 'account.defaults:read',
    menu: { section: 'account', label: msg`Account settings`, icon: 'wrench' },
  },
  '/dashboard/account/support-access/$request_reference': { action: 'supportaccess:read' },
} as const satisfies Record<`/${string}`, Page>

/** Pages without parameters; only these fit a menu. */
type MenuPath = Exclude<keyof typeof PAGES, `${string}$${string}`>

/** A menu page for shell and command menu. */
interface MenuEntry {
  to: MenuPath
  section: Section
  label: MessageDescriptor
  icon: IconName
}

/** Menu entries that the reader may open, in order. */
function menuFor(reader: Reader): MenuEntry[] {
  return (Object.entries(PAGES) as [MenuPath, Page][]).flatMap(([to, page]) =>
    page.menu !== undefined && missingRight(page, reader) === undefined ? [{ to, ...page.menu }] : [],
  )
}

const pageAt = (fullPath: string): Page | undefined =>
  (PAGES as Partial<Record<string, Page>>)[fullPath.replace(/(?<=.)\/$/, '')]

/** Required action of a route's path; undefined for none. */
export const getAction = (fullPath: string): string | undefined => pageAt(fullPath)?.action

/** Missing right at a route's path and tab; undefined where the reader may open it. */
function missingAt(fullPath: string, tab: string | undefined, reader: Reader): MissingRight | undefined {
  const page = pageAt(fullPath)
  return page && missingRight(page, reader, tab)
}

/** A menu page for side navigation and command menu. */
export interface AreaEntry {
  to: NonNullable<LinkProps['to']>
  section: string
  label: MessageDescriptor
  icon: IconName
}

/** An area behind the sign-in: the client's or the provider's. */
export interface Area {
  home: '/dashboard' | '/internal'
  /** Section headings in order; the first section has none. */
  sections: Readonly<Record<string, MessageDescriptor | undefined>>
  /** Menu entries that the reader may open, in order. */
  menuFor: (reader: Reader) => readonly AreaEntry[]
  /** Missing right at a route's path and tab; undefined where the reader may open it. */
  missingAt: (fullPath: string, tab: string | undefined, reader: Reader) => MissingRight | undefined
}

/** Area of clients, and of staff in support mode. */
export const CLIENT_AREA: Area = { home: '/dashboard', sections: SECTIONS, menuFor, missingAt }
