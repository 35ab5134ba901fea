import { type DeviceLog, text, TimestampUuid } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { lazy } from 'react'
import { fleetApi } from '../../api/fleet-api.ts'
import { deviceTab } from '../../components/devices/device-at.ts'
import { defineList } from '../../components/lists/define-list.tsx'
import { ListPage } from '../../components/lists/list-page.tsx'
import { one } from '../../components/lists/list-search.ts'
import { DEVICE_FILTER, DEVICE_USER_FILTER, GROUP_FILTER } from '../../components/record-filters.ts'
import { LOG_COLUMNS, LOG_FILTERS } from './log-columns.tsx'

const shared = {
  key: TimestampUuid,
  own: { preview: one(text(1, 400)) },
  title: msg`Device logs`,
  icon: 'history',
  dates: [{ value: 'log_datetime', label: msg`Time` }],
  views: [{ name: 'problems', label: msg`Problems`, search: { levels: ['WARN', 'ERROR'] } }],
  noMatch: msg`No logs match`,
  // A device assigns its own log ids: two devices may use the same.
  getKey: (row: DeviceLog) => `${row.log_id} ${row.device_reference} ${row.log_datetime}`,
  rowTitle: (row: DeviceLog) => row.log_class,
  Preview: lazy(() => import('./log-preview.tsx')),
} as const

const { time, ahead, level, message, log_class, user, device, group, recording, zone, received, id } =
  LOG_COLUMNS

/** Logs of all visible devices. */
export const deviceLogs = defineList({
  ...shared,
  name: 'device-logs',
  call: 'listDeviceLogs',
  api: fleetApi,
  to: '/dashboard/devices/logs',
  columns: [time, ahead, level, message, log_class, user, device, group, recording, zone, received, id],
  filters: [...LOG_FILTERS, GROUP_FILTER, DEVICE_FILTER, DEVICE_USER_FILTER],
  empty: {
    title: msg`No logs yet`,
    description: msg`Logs appear here after phones upload them.`,
  },
})

/** Logs of one device, as a tab of its page. */
export function logsOfDevice(device_reference: string) {
  return defineList({
    ...shared,
    name: `logs of device ${device_reference}`,
    kind: 'logs-of-device',
    call: 'listLogsOfDevice',
    api: fleetApi,
    path: { device_reference },
    ...deviceTab(device_reference, 'logs'),
    columns: [time, ahead, level, message, log_class, user, recording, zone, received, id],
    filters: LOG_FILTERS,
    empty: {
      title: msg`No logs yet`,
      description: msg`Logs appear here after this device uploads them.`,
    },
  })
}

/** Logs of a person's devices while assigned to them, as a tab of their page. */
export const logsOfUser = (device_user_reference: string) =>
  defineList({
    ...shared,
    name: `logs of person ${device_user_reference}`,
    kind: 'logs-of-person',
    call: 'listLogsOfUser',
    api: fleetApi,
    path: { device_user_reference },
    to: '/dashboard/devices/users/$device_user_reference',
    params: { device_user_reference },
    part: { tab: 'logs' },
    columns: [time, ahead, level, message, log_class, device, recording, zone, received, id],
    filters: LOG_FILTERS,
    empty: {
      title: msg`No logs yet`,
      description: msg`Logs appear here after this person’s phones upload them.`,
    },
  })

/** `/dashboard/devices/logs`: device logs. */
export const DeviceLogs = () => <ListPage list={deviceLogs} />
