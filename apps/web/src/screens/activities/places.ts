import { DEVICE_TABS, FLEET_TABS, getTab, USER_TABS } from '@custodia/contract'
import { deviceAt } from '../../components/devices/device-at.ts'
import type { LinkTarget } from '../../components/lists/list-definition.ts'

interface Place {
  /** Required permission. */
  action: string
  /** `of`: action of the entry, which may concern a tab of the page. */
  target: (value: string, of: string) => LinkTarget
}

/** Page and tab of a parameter's subject. */
export const PLACES: Readonly<Record<string, Place>> = {
  device_user_reference: {
    action: 'users:read',
    target: (device_user_reference, of) => ({
      to: '/dashboard/devices/users/$device_user_reference',
      params: { device_user_reference },
      search: tabbed(getTab(USER_TABS, of)),
    }),
  },
  device_reference: {
    action: 'devices:read',
    target: (device_reference, of) => {
      const at = deviceAt(device_reference)
      return { ...at, search: { ...(at.search as object), ...tabbed(getTab(DEVICE_TABS, of)) } as never }
    },
  },
  group_reference: {
    action: 'groups:list',
    target: (edit) => ({ to: '/dashboard/access/groups', search: { edit } }),
  },
  role_reference: {
    action: 'roles:read',
    target: (role_reference) => ({
      to: '/dashboard/access/roles/$role_reference',
      params: { role_reference },
    }),
  },
  tag_key: { action: 'tags:list', target: (edit) => ({ to: '/dashboard/access/tags', search: { edit } }) },
  app_reference: {
    action: 'account.apps:list',
    target: (edit) => ({ to: '/dashboard/account/apps', search: { edit } }),
  },
  // Target of a legal hold; another parameter has its type.
  target: {
    action: 'account.legal_holds:list',
    target: (search) => ({ to: '/dashboard/governance/holds', search: { search } }),
  },
  data_request_id: {
    action: 'account.data_requests:read',
    target: (request) => ({ to: '/dashboard/governance/requests', search: { request } as never }),
  },
  matter_id: {
    action: 'account.legal_matters:list',
    target: (matter) => ({ to: '/dashboard/governance/matters', search: { matter } as never }),
  },
  recertification_reference: {
    action: 'people.recertifications:read',
    target: (recertification) => ({
      to: '/dashboard/access/recertifications',
      search: { recertification } as never,
    }),
  },
  transfer_id: {
    action: 'transfers:read',
    target: (transfer_id) => ({
      to: '/dashboard/account/transfers/$transfer_id',
      params: { transfer_id } as never,
    }),
  },
  transfer_config_reference: {
    action: 'transfer_configs:read',
    target: (reference) => ({ to: '/dashboard/account/transfers/config', search: { reference } as never }),
  },
  migration_reference: {
    action: 'migrations:read',
    target: (migration_reference) => ({
      to: '/dashboard/account/migrations/$migration_reference',
      params: { migration_reference } as never,
    }),
  },
  destruction_reference: {
    action: 'account.destructions:read',
    target: (destruction) => ({
      to: '/dashboard/governance/destructions',
      search: { destruction } as never,
    }),
  },
  proposal_id: {
    action: 'account.proposals:list',
    target: (preview) => ({ to: '/dashboard/governance/approvals', search: { preview } as never }),
  },
  alert_reference: {
    action: 'alerts:read',
    target: (preview) => ({ to: '/dashboard/account/alerts', search: { preview } }),
  },
  request_reference: {
    action: 'supportaccess:read',
    target: sessionAt,
  },
}

/** Page of a request for support access. */
export function sessionAt(request_reference: string): LinkTarget {
  return { to: '/dashboard/account/support-access/$request_reference', params: { request_reference } }
}

const tabbed = <Tab extends string>(tab: Tab | undefined) => (tab === undefined ? {} : { tab })

/** List pages by their read permission, which is also the logged action. */
const LISTS: Readonly<Record<string, LinkTarget>> = {
  'payloads:list': { to: '/dashboard/services/calls' },
  'payloads.exports:list': { to: '/dashboard/services/calls' },
  'payloads:search': { to: '/dashboard/services/words' },
  'comments:list': { to: '/dashboard/services/comments' },
  'reviews:list': { to: '/dashboard/services/reviews' },
  'devices:list': { to: '/dashboard/devices' },
  'users:list': { to: '/dashboard/devices/users' },
  'device_logs:list': { to: '/dashboard/devices/logs' },
  'metrics:list': { to: '/dashboard/devices/metrics' },
  'groups:list': { to: '/dashboard/access/groups' },
  'roles:list': { to: '/dashboard/access/roles' },
  'people:list': { to: '/dashboard/access/people' },
  'people.recertifications:list': { to: '/dashboard/access/recertifications' },
  'tags:list': { to: '/dashboard/access/tags' },
  'alerts:list': { to: '/dashboard/account/alerts' },
  'activities:list': { to: '/dashboard/account/audit' },
  'device_activities:list': { to: '/dashboard/account/audit', search: { tab: 'devices' } },
  'account.defaults:read': { to: '/dashboard/account/settings' },
  'account.defaults:update': { to: '/dashboard/account/settings' },
  'account.retention:read': { to: '/dashboard/governance/retention' },
  'account.retention:update': { to: '/dashboard/governance/retention' },
  'account.data_requests:list': { to: '/dashboard/governance/requests' },
  'account.legal_holds:list': { to: '/dashboard/governance/holds' },
  'account.legal_matters:list': { to: '/dashboard/governance/matters' },
  'transfers:list': { to: '/dashboard/account/transfers' },
  'transfer_configs:list': { to: '/dashboard/account/transfers', search: { tab: 'configs' } as never },
  'transfer_reconciliations:list': { to: '/dashboard/account/transfers', search: { tab: 'days' } as never },
  'migrations:list': { to: '/dashboard/account/migrations' },
  'migrations.files:list': { to: '/dashboard/account/migrations', search: { tab: 'files' } as never },
  'account.migration:read': { to: '/dashboard/account/migrations', search: { tab: 'settings' } as never },
  'account.migration:update': { to: '/dashboard/account/migrations', search: { tab: 'settings' } as never },
  'account.destructions:list': { to: '/dashboard/governance/destructions' },
  'account.proposals:list': { to: '/dashboard/governance/approvals' },
  'account.two_people:read': { to: '/dashboard/governance/approvals' },
  'account.two_people:update': { to: '/dashboard/governance/approvals' },
  'licenses:list': { to: '/dashboard/account/licenses' },
  'account.apps:list': { to: '/dashboard/account/apps' },
  'profile.alert_subscription:read': { to: '/dashboard/account/alert-mails' },
  'account.webhooks:list': { to: '/dashboard/account/webhooks' },
  'supportaccess:list': { to: '/dashboard/account/support-access' },
  ...Object.fromEntries(
    Object.entries(FLEET_TABS).map(([tab, action]) => [
      action,
      { to: '/dashboard/devices', search: { tab } },
    ]),
  ),
}

/** Link for an entry about a list of the account; undefined for other entries. */
export const getList = (action: string): LinkTarget | undefined =>
  Object.hasOwn(LISTS, action) ? LISTS[action] : undefined
