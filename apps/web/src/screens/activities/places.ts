import { deviceAt } from '../../components/devices/device-at.ts'
import type { LinkTarget } from '../../components/lists/list-definition.ts'

/** Where the portal shows what a parameter names, and the permission which that needs. */
export const PLACES: Readonly<Record<string, { action: string; target: (value: string) => LinkTarget }>> = {
  device_user_reference: {
    action: 'users:read',
    target: (device_user_reference) => ({
      to: '/dashboard/devices/users/$device_user_reference',
      params: { device_user_reference },
    }),
  },
  device_reference: { action: 'devices:read', target: deviceAt },
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
