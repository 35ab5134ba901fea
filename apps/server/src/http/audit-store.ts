import type { GlobalQueryable } from '../ports/database/lease.ts'
import type { AuditEntry, DeviceCaller, RefusedPerson } from './context.ts'

/** Adds entries to the logs of their clients. */
export async function insertEntries(q: GlobalQueryable, entries: readonly AuditEntry[]): Promise<void> {
  const people = entries.filter((entry) => entry.caller.kind === 'portal').map(portalRow)
  const devices = entries.filter((entry) => entry.caller.kind === 'device').map(deviceRow)
  if (people.length > 0) await q.query(INSERT_PORTAL, [JSON.stringify(people)])
  if (devices.length > 0) await q.query(INSERT_DEVICE, [JSON.stringify(devices)])
}

const common = (entry: AuditEntry) => ({
  log_id: entry.log_id,
  client_id: entry.client_id ?? entry.caller.client_id,
  activity_time: entry.activity_time,
  activity_end_time: entry.activity_end_time,
  duration: entry.duration,
  action: entry.action,
  is_allowed: entry.is_allowed,
  denial_reason: entry.denial_reason,
  parameters: entry.parameters,
  status_code: entry.status_code,
  request_id: entry.request_id,
  // Groups of the caller's client have no meaning in another client's log.
  group_id:
    (entry.client_id ?? entry.caller.client_id) === entry.caller.client_id ? entry.caller.group_id : null,
})

function portalRow(entry: AuditEntry) {
  const user = entry.caller as RefusedPerson
  return {
    ...common(entry),
    user_reference: user.user_reference,
    user_ip: entry.ip,
    browser: entry.browser,
    user_group: user.user_group,
    roles: user.roles,
    is_client_app: user.is_client_app ?? false,
    support_reference: user.support_reference,
  }
}

function deviceRow(entry: AuditEntry) {
  const device = entry.caller as DeviceCaller
  return {
    ...common(entry),
    device_ip: entry.ip,
    device_reference: device.device_reference,
    device_user_reference: device.device_user_reference,
    group_reference: device.group_reference,
  }
}

const insertInto = (table: string, columns: readonly string[]) =>
  `insert into ${table} (${columns.join(', ')})
   select ${columns.join(', ')} from jsonb_populate_recordset(null::${table}, $1::jsonb)`

const COMMON = [
  'log_id',
  'client_id',
  'activity_time',
  'activity_end_time',
  'duration',
  'action',
  'is_allowed',
  'denial_reason',
  'parameters',
  'status_code',
  'request_id',
  'group_id',
]
/** The columns of an entry in the log of people and client apps. The sealed log covers them. */
export const PORTAL_COLUMNS: readonly string[] = [
  ...COMMON,
  'user_reference',
  'user_ip',
  'browser',
  'user_group',
  'roles',
  'is_client_app',
  'support_reference',
]
/** The columns of an entry in the log of devices. */
export const DEVICE_COLUMNS: readonly string[] = [
  ...COMMON,
  'device_ip',
  'device_reference',
  'device_user_reference',
  'group_reference',
]
const INSERT_PORTAL = insertInto('portal_activities', PORTAL_COLUMNS)
const INSERT_DEVICE = insertInto('device_activities', DEVICE_COLUMNS)
