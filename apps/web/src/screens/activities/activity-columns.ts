import type { DeviceActivity, PortalActivity } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { columnsOf } from '../../components/lists/columns.tsx'
import type { ListColumn } from '../../components/lists/list-definition.ts'
import * as cells from './activity-cells.tsx'

const shared = columnsOf<cells.Activity>()
const user = columnsOf<PortalActivity>()
const device = columnsOf<DeviceActivity>()

const time = shared.moment('time', msg`Time`, (row) => row.activity_time, {
  width: 180,
  stacked: 'end',
  seconds: true,
})
const whatCame = [
  shared.mono('action', msg`Action`, (row) => row.action, { width: 180, grow: 1.6, stacked: 'line' }),
  shared.drawn('outcome', msg`Outcome`, cells.OutcomeCell, (row) => row.is_allowed, {
    width: 118,
    stacked: 'line',
    csv: [{ label: msg`Allowed`, value: (row) => row.is_allowed }],
  }),
  shared.drawn('reason', msg`Reason of the denial`, cells.ReasonCell, (row) => row.denial_reason, {
    width: 140,
    grow: 1.4,
  }),
  shared.text('group', msg`Group`, (row) => row.group, { width: 100, grow: 1 }),
]
const rest = [
  shared.drawn('duration', msg`Duration`, cells.DurationCell, (row) => row.duration, {
    width: 84,
    align: 'end',
    isOptional: true,
    csv: [{ label: msg`Duration`, unit: 's', value: (row) => row.duration }],
  }),
  shared.drawn('status', msg`Status`, cells.StatusCell, (row) => row.status_code, {
    width: 70,
    align: 'end',
  }),
  shared.mono('parameters', msg`Parameters`, (row) => row.parameters, {
    width: 200,
    grow: 2,
    isOptional: true,
  }),
  shared.reference('request', msg`Request`, (row) => row.request_id, { width: 104, isOptional: true }),
  shared.moment('end', msg`End`, (row) => row.activity_end_time, {
    width: 190,
    isOptional: true,
    seconds: true,
  }),
]

/** Columns of what people did. */
export const userColumns: readonly ListColumn<PortalActivity>[] = [
  time,
  user.drawn('user', msg`User`, cells.UserCell, (row) => row.user_id, {
    width: 170,
    grow: 1.4,
    stacked: 'lead',
    csv: [
      { label: msg`User`, value: (row) => row.user_id },
      { label: msg`Support reference`, value: (row) => row.support_reference },
      { label: msg`Client app`, value: (row) => row.is_client_app },
    ],
  }),
  ...whatCame,
  user.text('ip', msg`IP address`, (row) => row.user_ip, { width: 116 }),
  user.text('roles', msg`Roles`, (row) => row.roles.join(', '), { width: 150, grow: 1, isOptional: true }),
  user.text('browser', msg`Browser`, (row) => row.browser, { width: 160, grow: 1, isOptional: true }),
  user.drawn('support', msg`Support reference`, cells.SupportCell, (row) => row.support_reference, {
    width: 224,
    isOptional: true,
    csv: [],
  }),
  user.drawn('app', msg`Client app`, cells.ClientAppCell, (row) => row.is_client_app, {
    width: 90,
    isOptional: true,
    csv: [],
  }),
  ...rest,
]

/** Columns of what phones did. */
export const deviceColumns: readonly ListColumn<DeviceActivity>[] = [
  time,
  device.text('device', msg`Device`, (row) => row.device_reference, {
    width: 160,
    grow: 1.4,
    stacked: 'lead',
  }),
  device.text('device-user', msg`Device user`, (row) => row.device_user_reference, { width: 136, grow: 1 }),
  ...whatCame,
  device.text('ip', msg`IP address`, (row) => row.device_ip, { width: 116 }),
  ...rest,
]
