import { type DeviceActivity, type Locale, logSentence, type PortalActivity } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react'
import type { QueryOf } from '../../components/lists/call-search.ts'
import { getColumns } from '../../components/lists/columns.tsx'
import type {
  CsvColumn,
  FilterOption,
  ListColumn,
  ListFilter,
} from '../../components/lists/list-definition.ts'
import { GROUP_FILTER } from '../../components/record-filters.ts'
import { eitherFilter } from '../../components/words/spec-word.tsx'
import * as cells from './activity-cells.tsx'
import { CALLS } from './calls.ts'
import type { Activity } from './sentence.ts'

const shared = getColumns<Activity>()
const user = getColumns<PortalActivity>()
const device = getColumns<DeviceActivity>()

const time = shared.moment('time', msg`Time`, (row) => row.activity_time, {
  width: 180,
  stacked: 'line',
  seconds: true,
})
const stated = shared.drawn('said', msg`What happened`, cells.SentenceCell, (row) => row.action, {
  width: 360,
  grow: 4,
  stacked: 'lead',
  csv: [],
})
const whatCame = [
  shared.drawn('outcome', msg`Outcome`, cells.OutcomeCell, (row) => row.is_allowed, {
    width: 118,
    stacked: 'line',
    csv: [{ label: msg`Allowed`, value: (row) => row.is_allowed }],
  }),
  shared.drawn('reason', msg`Reason for denial`, cells.ReasonCell, (row) => row.denial_reason, {
    width: 130,
    grow: 1,
    // Narrow, as most entries have no denial.
    hasValue: (row) => row.denial_reason !== null,
  }),
  shared.group('group', msg`Group`, { width: 100, grow: 1, isOptional: true }),
]
const rest = [
  shared.drawn('duration', msg`Duration`, cells.DurationCell, {
    width: 84,
    align: 'end',
    isOptional: true,
    csv: [{ label: msg`Duration`, unit: 's', value: (row) => row.duration }],
  }),
  shared.moment('end', msg`End`, (row) => row.activity_end_time, {
    width: 190,
    isOptional: true,
    seconds: true,
  }),
]

/** Fields of preview and file without a column. */
export const codes: readonly CsvColumn<Activity>[] = [
  { label: msg`Log entry`, value: (row) => row.log_id },
  { label: msg`Action`, value: (row) => row.action },
  { label: msg`HTTP status`, value: (row) => row.status_code },
  { label: msg`Parameters`, value: (row) => row.parameters },
  { label: msg`Request`, value: (row) => row.request_id },
]

/** Columns of the people's log. */
export const userColumns: readonly ListColumn<PortalActivity>[] = [
  time,
  stated,
  user.drawn('user', msg`User`, cells.UserCell, (row) => row.user_id, {
    width: 130,
    grow: 1,
    isOptional: true,
    csv: [
      { label: msg`User`, value: (row) => row.user_id },
      { label: msg`Support reference`, value: (row) => row.support_reference },
      { label: msg`Client app`, value: (row) => row.is_client_app },
    ],
  }),
  ...whatCame,
  user.drawn('recording', msg`Recording`, cells.RecordingCell, (row) => row.recording?.payload_reference, {
    width: 104,
    hasValue: (row) => row.recording !== null,
  }),
  user.text('ip', msg`IP address`, (row) => row.user_ip, { width: 116, isOptional: true }),
  user.text('roles', msg`Roles`, (row) => row.roles.join(', '), { width: 150, grow: 1, isOptional: true }),
  user.text('browser', msg`Browser`, { width: 160, grow: 1, isOptional: true }),
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

export const deviceColumns: readonly ListColumn<DeviceActivity>[] = [
  time,
  stated,
  device.text('device', msg`Device`, (row) => row.device_reference, { width: 150, isOptional: true }),
  device.text('device-user', msg`Device user`, (row) => row.device_user_reference, {
    width: 136,
    grow: 1,
    isOptional: true,
  }),
  ...whatCame,
  device.text('ip', msg`IP address`, (row) => row.device_ip, { width: 116 }),
  ...rest,
]

type Caller = 'people' | 'devices'

/** Logged actions without a permission of their own. */
const OTHER_ACTIONS = ['session:sign_in', 'session:refresh']
/** Staff actions on a client are in the client's log, but in another endpoint table. */
const OF_THE_PROVIDER = [
  'internal.*',
  'internal.supportaccess:*',
  'internal.support_mode:*',
  'internal.alerts:*',
]

/** Actions that a log of `caller` may contain. For people also each whole noun (`payloads:*`). */
function actionNames(caller: Caller): readonly string[] {
  const names =
    caller === 'devices'
      ? // Device calls need no permission; the log has their names.
        CALLS.filter(({ portal }) => portal === 'device').map(({ logged }) => logged)
      : [
          ...CALLS.filter(({ portal }) => portal !== 'device' && portal !== 'internal').flatMap(
            ({ actions }) => actions,
          ),
          ...OTHER_ACTIONS,
        ]
          .flatMap((action) => [action, `${action.split(':')[0]}:*`])
          .concat(OF_THE_PROVIDER)
  return [...new Set(names)].toSorted((a, b) => (a < b ? -1 : 1))
}

/** Label of an action without subject and object; patterns show their code. */
function getOption(value: string, locale: Locale): FilterOption {
  const stated = logSentence(value)?.[locale]
  if (stated === undefined) return { value, label: value }
  const label = stated.replace('{who} ', '').replaceAll(/\{\w+\}/g, '…')
  return { value, label: label[0]?.toLocaleUpperCase(locale) + label.slice(1), title: value }
}

const cached = new Map<string, readonly FilterOption[]>()

type SharedFilter = ListFilter<keyof QueryOf<'listActivities'> & keyof QueryOf<'listDeviceActivities'>>

function actionFilter(caller: Caller): SharedFilter {
  const useOptions = () => {
    const locale = useLingui().i18n.locale === 'pt-BR' ? 'pt-BR' : 'en-GB'
    const key = `${caller} ${locale}`
    const options = cached.get(key) ?? actionNames(caller).map((name) => getOption(name, locale))
    cached.set(key, options)
    return options
  }
  return { kind: 'choice', name: 'actions', label: msg`Action`, useOptions }
}

/** Filters of both logs. */
export const sharedFilters = (caller: Caller): readonly SharedFilter[] => [
  {
    kind: 'search',
    name: 'search',
    label: msg`Search details`,
    placeholder: msg`Search details`,
  },
  eitherFilter('is_allowed', msg`Outcome`, { true: msg`Allowed`, false: msg`Denied or failed` }),
  actionFilter(caller),
  GROUP_FILTER,
  { kind: 'text', name: 'ip', label: msg`IP address`, placeholder: msg`Original log entry` },
]
