import { wasHandedOut } from './fold-store.ts'

/** One of the two audit logs: where it stands, and how its columns are called on the wire. */
export interface ActivityLog {
  readonly table: 'portal_activities' | 'device_activities'
  /** Column with what the caller's group was called then; the group itself is `group_id`. */
  readonly group: string
  readonly ip: string
  /** What a row of the list holds, of table `a`. */
  readonly columns: (isFolded: boolean) => string
}

const common = `a.log_id, a.activity_time, a.activity_end_time, a.duration, a.action, a.is_allowed, a.denial_reason, a.parameters,
  a.status_code, a.request_id`

/** Portal users, client apps, and support staff in support mode. */
export const PORTAL_LOG: ActivityLog = {
  table: 'portal_activities',
  group: 'user_group',
  ip: 'user_ip',
  columns: (isFolded) =>
    `${common}, a.user_reference as user_id, a.user_ip, a.browser, a.user_group as "group", a.roles, a.is_client_app,
    a.support_reference, a.payload_reference, ${wasHandedOut(isFolded)} as was_handed_out`,
}

export const DEVICE_LOG: ActivityLog = {
  table: 'device_activities',
  group: 'group_reference',
  ip: 'device_ip',
  columns: () =>
    `${common}, a.device_ip, a.device_reference, a.device_user_reference, a.group_reference as "group"`,
}
