import { wasHandedOut } from './fold-store.ts'

/** One of the two audit logs: its table, and the wire names of its columns. */
export interface ActivityLog {
  readonly table: 'portal_activities' | 'device_activities'
  /** Column with what the caller's group was called then; the group itself is `group_id`. */
  readonly group: string
  readonly ip: string
  /** What a row of the list holds, of table `r`. */
  readonly columns: (isFolded: boolean) => string
}

const common = `r.log_id, r.activity_time, r.activity_end_time, r.duration, r.action, r.is_allowed, r.denial_reason, r.parameters,
  r.status_code, r.request_id`

/** Portal users, client apps, and support staff in support mode. */
export const PORTAL_LOG: ActivityLog = {
  table: 'portal_activities',
  group: 'user_group',
  ip: 'user_ip',
  columns: (isFolded) =>
    `${common}, r.user_reference as user_id, r.user_ip, r.browser, r.user_group as "group", r.roles, r.is_client_app,
    r.support_reference, r.payload_reference, ${wasHandedOut(isFolded)} as was_handed_out`,
}

export const DEVICE_LOG: ActivityLog = {
  table: 'device_activities',
  group: 'group_reference',
  ip: 'device_ip',
  columns: () =>
    `${common}, r.device_ip, r.device_reference, r.device_user_reference, r.group_reference as "group"`,
}
