import type { DeviceActivity, PortalActivity } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { csvTime } from '../../components/lists/csv.ts'
import type { ListColumn } from '../../components/lists/list-definition.ts'
import * as cells from './activity-cells.tsx'

type Shared = ListColumn<cells.Activity>

const time: Shared = {
  id: 'time',
  label: msg`Time`,
  width: 180,
  stacked: 'end',
  Cell: cells.TimeCell,
  csv: [{ label: msg`Time (UTC)`, value: (row) => csvTime(row.activity_time) }],
}
const action: Shared = {
  id: 'action',
  label: msg`Action`,
  width: 180,
  grow: 1.6,
  stacked: 'line',
  Cell: cells.ActionCell,
  csv: [{ label: msg`Action`, value: (row) => row.action }],
}
const outcome: Shared = {
  id: 'outcome',
  label: msg`Outcome`,
  width: 118,
  stacked: 'line',
  Cell: cells.OutcomeCell,
  csv: [{ label: msg`Allowed`, value: (row) => row.is_allowed }],
}
const reason: Shared = {
  id: 'reason',
  label: msg`Reason of the denial`,
  width: 140,
  grow: 1.4,
  Cell: cells.ReasonCell,
  csv: [{ label: msg`Reason of the denial`, value: (row) => row.denial_reason }],
}
const group: Shared = {
  id: 'group',
  label: msg`Group`,
  width: 100,
  grow: 1,
  Cell: cells.GroupCell,
  csv: [{ label: msg`Group`, value: (row) => row.group }],
}
const rest: readonly Shared[] = [
  {
    id: 'duration',
    label: msg`Duration`,
    width: 84,
    align: 'end',
    isOptional: true,
    Cell: cells.DurationCell,
    csv: [{ label: msg`Duration (s)`, value: (row) => row.duration }],
  },
  {
    id: 'status',
    label: msg`Status`,
    width: 70,
    align: 'end',
    Cell: cells.StatusCell,
    csv: [{ label: msg`Status`, value: (row) => row.status_code }],
  },
  {
    id: 'parameters',
    label: msg`Parameters`,
    width: 200,
    grow: 2,
    isOptional: true,
    Cell: cells.ParametersCell,
    csv: [{ label: msg`Parameters`, value: (row) => row.parameters }],
  },
  {
    id: 'request',
    label: msg`Request`,
    width: 104,
    isOptional: true,
    Cell: cells.RequestCell,
    csv: [{ label: msg`Request`, value: (row) => row.request_id }],
  },
  {
    id: 'end',
    label: msg`End`,
    width: 190,
    isOptional: true,
    Cell: cells.EndCell,
    csv: [{ label: msg`End (UTC)`, value: (row) => csvTime(row.activity_end_time ?? undefined) }],
  },
]

/** Columns of what people did. */
export const userColumns: readonly ListColumn<PortalActivity>[] = [
  time,
  {
    id: 'user',
    label: msg`User`,
    width: 170,
    grow: 1.4,
    stacked: 'lead',
    Cell: cells.UserCell,
    csv: [
      { label: msg`User`, value: (row) => row.user_id },
      { label: msg`Support reference`, value: (row) => row.support_reference },
      { label: msg`Client app`, value: (row) => row.is_client_app },
    ],
  },
  action,
  outcome,
  reason,
  group,
  {
    id: 'ip',
    label: msg`IP address`,
    width: 116,
    Cell: cells.UserIpCell,
    csv: [{ label: msg`IP address`, value: (row) => row.user_ip }],
  },
  {
    id: 'roles',
    label: msg`Roles`,
    width: 150,
    grow: 1,
    isOptional: true,
    Cell: cells.RolesCell,
    csv: [{ label: msg`Roles`, value: (row) => row.roles.join(', ') }],
  },
  {
    id: 'browser',
    label: msg`Browser`,
    width: 160,
    grow: 1,
    isOptional: true,
    Cell: cells.BrowserCell,
    csv: [{ label: msg`Browser`, value: (row) => row.browser }],
  },
  {
    id: 'support',
    label: msg`Support reference`,
    width: 224,
    isOptional: true,
    Cell: cells.SupportCell,
    csv: [],
  },
  { id: 'app', label: msg`Client app`, width: 90, isOptional: true, Cell: cells.ClientAppCell, csv: [] },
  ...rest,
]

/** Columns of what phones did. */
export const deviceColumns: readonly ListColumn<DeviceActivity>[] = [
  time,
  {
    id: 'device',
    label: msg`Device`,
    width: 160,
    grow: 1.4,
    stacked: 'lead',
    Cell: cells.DeviceCell,
    csv: [{ label: msg`Device`, value: (row) => row.device_reference }],
  },
  {
    id: 'device-user',
    label: msg`Device user`,
    width: 136,
    grow: 1,
    Cell: cells.DeviceUserCell,
    csv: [{ label: msg`Device user`, value: (row) => row.device_user_reference }],
  },
  action,
  outcome,
  reason,
  group,
  {
    id: 'ip',
    label: msg`IP address`,
    width: 116,
    Cell: cells.DeviceIpCell,
    csv: [{ label: msg`IP address`, value: (row) => row.device_ip }],
  },
  ...rest,
]
