import {
  type DeviceMetric,
  type MetricScope,
  type MetricSubject,
  PAYLOAD_TYPES,
  type PayloadMetric,
  text,
} from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { metricsApi } from '../../api/fleet-api.ts'
import { FaintText } from '../../components/cells.tsx'
import { DeviceName, PersonName } from '../../components/devices/links.tsx'
import { ownerColumns } from '../../components/devices/owners.tsx'
import { getColumns } from '../../components/lists/columns.tsx'
import { resolveDate } from '../../components/lists/date-range.ts'
import { defineList } from '../../components/lists/define-list.tsx'
import type { ListColumn } from '../../components/lists/list-definition.ts'
import { DEVICE_FILTER, DEVICE_USER_FILTER, GROUP_FILTER } from '../../components/record-filters.ts'
import { PAYLOAD_TYPE_WORDS } from '../../components/words/payload-words.ts'
import { type Words, wordFilter } from '../../components/words/spec-word.tsx'
import { getDateStyle } from '../../ui/time-format.ts'
import { visible } from '../../ui/visible.ts'

const DAY = 86_400

/** Start of the next period in epoch seconds, in UTC as on the server. */
export function nextPeriod(scope: Exclude<MetricScope, 'Summary'>, start: number): number {
  if (scope === 'Daily') return start + DAY
  if (scope === 'Weekly') return start + 7 * DAY
  const date = new Date(start * 1000)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  return Date.UTC(scope === 'Yearly' ? year + 1 : year, scope === 'Yearly' ? 0 : month + 1) / 1000
}

/** Label of a period: a day, first and last day of a week, a month or a year. `start` in epoch seconds. */
export function periodText(scope: Exclude<MetricScope, 'Summary'>, start: number, locale: string): string {
  const options: Intl.DateTimeFormatOptions =
    scope === 'Yearly'
      ? { year: 'numeric' }
      : scope === 'Monthly'
        ? { year: 'numeric', month: 'long' }
        : { dateStyle: getDateStyle(locale) }
  const format = new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' })
  const first = new Date(start * 1000)
  return scope === 'Weekly'
    ? format.formatRange(first, new Date((start + 6 * DAY) * 1000))
    : format.format(first)
}

/** Start in epoch seconds, from the id of a payload metric. */
export const periodOfId = (id: string | null): number => Date.parse(`${id}T00:00:00Z`) / 1000

/** Periods of metrics (spec section 9). */
export const SCOPE_WORDS: Words<MetricScope> = {
  Summary: msg({ context: 'metrics', message: 'All time' }),
  Daily: msg({ context: 'metrics', message: 'Daily' }),
  Weekly: msg({ context: 'metrics', message: 'Weekly' }),
  Monthly: msg({ context: 'metrics', message: 'Monthly' }),
  Yearly: msg({ context: 'metrics', message: 'Yearly' }),
}

/** Row kinds: grouped or individual counts. */
export const BY = ['periods', 'devices', 'users', 'groups', 'each'] as const
export type MetricGrouping = MetricSubject | 'each'

/** Grouping dimensions. */
export const BY_WORDS: Words<MetricGrouping> = {
  periods: msg({ context: 'metrics by', message: 'Period' }),
  devices: msg({ context: 'metrics by', message: 'Device' }),
  users: msg({ context: 'metrics by', message: 'Device user' }),
  groups: msg({ context: 'metrics by', message: 'Group' }),
  each: msg({ context: 'metrics by', message: 'Device, device user, group and type' }),
}

const to = '/dashboard/devices/metrics' as const

/** Label of the period that begins at `start`. */
function Period({ scope, start }: { scope: MetricScope; start: number | null }) {
  const { i18n } = useLingui()
  if (scope === 'Summary' || start === null)
    return <FaintText word={msg({ context: 'metrics', message: 'All time' })} />
  return <span>{periodText(scope, start, i18n.locale)}</span>
}

/** Calendar days of the user: metrics use UTC days, whatever the user's zone. */
function calendarDays(search: { from?: string | undefined; to?: string | undefined }) {
  const day = (seconds: number | undefined) => {
    if (seconds === undefined) return undefined
    const date = new Date(seconds * 1000)
    return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 10)
  }
  const now = Date.now()
  const end = resolveDate(search.to, 'end', now)
  return { from: day(resolveDate(search.from, 'start', now)), to: day(end === undefined ? end : end - 1) }
}

const FILTERS = [
  wordFilter('payload_types', msg`Type`, PAYLOAD_TYPE_WORDS, { values: PAYLOAD_TYPES }),
  GROUP_FILTER,
  DEVICE_FILTER,
  DEVICE_USER_FILTER,
] as const

const getShared = (scope: MetricScope, by: MetricGrouping) => ({
  key: text(1, 400),
  name: `metrics ${scope} by ${by}`,
  kind: `metrics-by-${by}`,
  title: msg`Metrics`,
  icon: 'overview' as const,
  to,
  part: { scope, by },
  filters: FILTERS,
  ...(scope !== 'Summary' && {
    dates: [{ value: 'period', label: msg({ context: 'metrics', message: 'Period' }) }],
    refine: calendarDays,
  }),
  noMatch: msg`No metrics match`,
  empty: {
    title: msg`No metrics yet`,
    description: msg`Uploads per phone are counted here on arrival.`,
  },
})

const each = getColumns<DeviceMetric>()
const owner = ownerColumns<DeviceMetric>()

/** Individual counts: by device, holder, group and type. */
const getEach = (scope: MetricScope) =>
  defineList({
    ...getShared(scope, 'each'),
    call: 'listMetrics',
    api: metricsApi,
    path: { scope },
    getKey: (row) =>
      [row.period, row.device_reference, row.device_user_reference, row.group, row.payload_type].join(' '),
    columns: [
      ...(scope === 'Summary'
        ? []
        : [
            each.drawn(
              'period',
              msg({ context: 'metrics', message: 'Period' }),
              ({ row }) => <Period scope={scope} start={row.period} />,
              (row) => (row.period === null ? '' : new Date(row.period * 1000).toISOString().slice(0, 10)),
              { width: 170, stacked: 'line' },
            ),
          ]),
      { ...owner.user, stacked: 'lead' },
      each.word('type', msg`Type`, PAYLOAD_TYPE_WORDS, (row) => row.payload_type, {
        width: 130,
        stacked: 'line',
      }),
      each.count('count', msg`Count`, { width: 90, stacked: 'end' }),
      owner.device,
      each.text('group', msg`Group`, { width: 110, grow: 0.6 }),
      each.moment('first', msg`First`, (row) => row.first_occurrence),
      each.moment('last', msg`Last`, (row) => row.last_occurrence, { stacked: 'line' }),
      each.moment('updated_at', msg`Counted`, { isOptional: true }),
    ],
  })

const counted = getColumns<PayloadMetric>()

const typeColumns: ListColumn<PayloadMetric>[] = PAYLOAD_TYPES.map((type) =>
  counted.count(type, PAYLOAD_TYPE_WORDS[type], (row) => row.counts[type], { width: 104 }),
)

/** Counts grouped by one dimension, a column per type. */
const getCounts = (scope: MetricScope, subject: MetricSubject) =>
  defineList({
    ...getShared(scope, subject),
    call: 'countMetrics',
    api: metricsApi,
    path: { scope, subject },
    getKey: (row) => row.id ?? '',
    columns: [
      counted.drawn(
        'id',
        BY_WORDS[subject],
        ({ row: { id, name } }) =>
          subject === 'periods' ? (
            <Period scope={scope} start={id === 'Summary' ? null : periodOfId(id)} />
          ) : id === null ? (
            <FaintText word={msg({ context: 'metrics', message: 'Unassigned' })} />
          ) : (
            <MetricName subject={subject} id={id} name={name} />
          ),
        { width: 190, grow: 1, stacked: 'lead' },
      ),
      counted.count('count', msg`Count`, { width: 100, stacked: 'end' }),
      ...typeColumns,
    ],
  })

/** Device or person by name, linked to its page; a group by its reference. */
function MetricName({
  subject,
  id,
  name,
}: {
  subject: MetricSubject
  id: string
  name?: string | undefined
}) {
  if (subject === 'devices') return <DeviceName device_reference={id} device_name={name} isInRow />
  if (subject === 'users') return <PersonName device_user_reference={id} person_name={name} isInRow />
  return <strong title={visible(id)}>{visible(id)}</strong>
}

const lists = new Map<string, ReturnType<typeof getEach> | ReturnType<typeof getCounts>>()

/** List of a scope grouped by one dimension; memoised, so that its identity is stable. */
export function metricList(scope: MetricScope, by: 'each'): ReturnType<typeof getEach>
export function metricList(scope: MetricScope, by: MetricSubject): ReturnType<typeof getCounts>
export function metricList(scope: MetricScope, by: MetricGrouping) {
  const key = `${scope} ${by}`
  const known = lists.get(key)
  const made = known ?? (by === 'each' ? getEach(scope) : getCounts(scope, by))
  if (known === undefined) lists.set(key, made)
  return made
}
