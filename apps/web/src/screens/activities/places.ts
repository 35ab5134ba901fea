import { DEVICE_TABS, tabOf, USER_TABS } from '@custodia/contract'
import { deviceAt } from '../../components/devices/device-at.ts'
import type { LinkTarget } from '../../components/lists/list-definition.ts'

interface Place {
  /** The permission that it needs. */
  action: string
  /** `of`: the action of the entry, which may be about a part of what is named. */
  target: (value: string, of: string) => LinkTarget
}

/** Where the portal shows what a parameter names: what an entry is about, at the tab which tells of that. */
export const PLACES: Readonly<Record<string, Place>> = {
  device_user_reference: {
    action: 'users:read',
    target: (device_user_reference, of) => ({
      to: '/dashboard/devices/users/$device_user_reference',
      params: { device_user_reference },
      search: tabbed(tabOf(USER_TABS, of)),
    }),
  },
  device_reference: {
    action: 'devices:read',
    target: (device_reference, of) => {
      const at = deviceAt(device_reference)
      return { ...at, search: { ...(at.search as object), ...tabbed(tabOf(DEVICE_TABS, of)) } as never }
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
  alert_reference: {
    action: 'alerts:read',
    target: (preview) => ({ to: '/dashboard/account/alerts', search: { preview } }),
  },
  request_reference: {
    action: 'supportaccess:read',
    target: (preview) => ({ to: '/dashboard/account/support-access', search: { preview } }),
  },
}

const tabbed = <Tab extends string>(tab: Tab | undefined) => (tab === undefined ? {} : { tab })
